//! Manifests: the metadata that a published crate needs, and the dependencies and features that it must not have.
#![allow(missing_docs)]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Runs cargo at the root and returns its standard output.
fn cargo(args: &[&str]) -> String {
    let ran = Command::new(env!("CARGO")).current_dir(root()).args(args).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

/// Returns every crate of the workspace.
fn packages() -> Vec<Value> {
    let text = cargo(&["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&text).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// Returns the published crates; the others have an empty list of registries.
fn published() -> Vec<Value> {
    packages().into_iter().filter(|p| p["publish"].is_null()).collect()
}

#[test]
fn crates_can_be_published() {
    let published = published();
    assert_eq!(published.len(), 15);
    for package in &published {
        let name = &package["name"];
        for said in ["description", "license", "readme", "rust_version"] {
            assert!(package[said].is_string(), "{name}: no {said}");
        }
        for said in ["keywords", "categories"] {
            assert!(package[said].as_array().is_some_and(|a| !a.is_empty()), "{name}: no {said}");
        }
        assert!(package["metadata"]["docs"]["rs"].is_object(), "{name}: nothing for docs.rs");
        let home = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let text = std::fs::read_to_string(home.join(licence)).unwrap_or_default();
            assert!(
                text.contains("WITHOUT WARRANTY") || text.contains("AS IS"),
                "{name}: {licence}"
            );
        }
        // Publishing drops the path of a dependency, so its version must be given. Dependencies of tests alone are
        // dropped whole.
        let wanted = format!("={}", package["version"].as_str().unwrap());
        for dependency in package["dependencies"].as_array().unwrap() {
            let by_path = dependency["path"].is_string() && dependency["kind"] != "dev";
            let of = &dependency["name"];
            assert!(!by_path || dependency["req"] == *wanted, "{name}: {of} has no version");
            assert!(
                !by_path || published.iter().any(|p| p["name"] == *of),
                "{name}: {of} is not published"
            );
        }
    }
}

/// The crate that is a workspace of its own.
const APART: &str = "ops-glu-grad/candle/Cargo.toml";

/// A directory with a manifest of its own is no part of the package of the crate above it.
#[test]
fn every_manifest_is_a_crate() {
    let root = root().canonicalize().unwrap();
    let own = packages().into_iter().filter_map(|p| Some(p["manifest_path"].as_str()?.to_owned()));
    let mut crates: Vec<PathBuf> = own.map(PathBuf::from).collect();
    crates.extend([root.join("Cargo.toml"), root.join(APART)]);
    let (mut open, mut found) = (vec![root], 0);
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if name == "Cargo.toml" {
                assert!(
                    crates.contains(&path),
                    "{} would be missing from a package",
                    path.display()
                );
                found += 1;
            } else if path.is_dir() && name != "target" && !name.starts_with('.') {
                open.push(path);
            }
        }
    }
    assert_eq!(found, crates.len());
}

/// The separate workspace inherits no metadata, so its manifest must repeat that of the other crates.
#[test]
fn the_crate_apart_says_the_same() {
    let text = std::fs::read_to_string(root().join(APART)).unwrap();
    let package = &published()[0];
    for (key, said) in
        [("version", "version"), ("rust-version", "rust_version"), ("license", "license")]
    {
        let line = format!("{key} = {}", package[said]);
        assert!(text.lines().any(|l| l == line), "{line}");
    }
    let version = format!("version = \"={}\"", package["version"].as_str().unwrap());
    let paths = text.lines().filter(|l| l.contains("path = "));
    assert!(paths.clone().count() == 2 && paths.clone().all(|l| l.contains(&version)), "{text}");
}

/// The library of operators does not depend on the command line.
///
/// Programs that use the library do not need it.
#[test]
fn the_library_pulls_nothing_of_the_command_line() {
    let tree = |package: &str, features: &[&str]| {
        let tree = ["tree", "-p", package, "-e", "normal", "--offline", "--prefix", "none"];
        cargo(&[&tree, features].concat())
    };
    let pulls = |tree: &str, name: &str| tree.lines().any(|l| l.starts_with(&format!("{name} ")));
    let alone = tree("ops-glu-grad", &["--no-default-features"]);
    let whole = tree("ops-glu-grad-cli", &[]);
    for name in ["clap", "rayon", "serde_json", "codegen-ascendc"] {
        assert!(pulls(&whole, name) && !pulls(&alone, name), "{name}:\n{alone}");
    }
    // The kernels do not depend on the command line, so that both compile in parallel.
    let kernels = tree("ops-glu-grad", &[]);
    for name in ["clap", "codegen-ascendc", "dashu-int", "op-dsl-cli", "op-dsl-truth", "serde_json"]
    {
        assert!(pulls(&whole, name) && !pulls(&kernels, name), "{name}:\n{kernels}");
    }
}

/// Returns packages with their features when these are built.
fn features(selected: &[&str]) -> BTreeMap<String, BTreeSet<String>> {
    let tree = ["tree", "--offline", "--prefix", "none", "-f", "{p}|{f}"];
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in cargo(&[&tree, selected].concat()).lines() {
        if let Some((package, features)) = line.split_once('|') {
            let features = features.trim_end_matches(" (*)").to_owned();
            found.entry(package.to_owned()).or_default().insert(features);
        }
    }
    found
}

/// The packages below the kernels have the same features whichever packages are built.
///
/// For tests these are the features of the binary. Otherwise the kernels of all operators would be compiled once
/// more.
#[test]
fn kernels_are_compiled_once() {
    let of = |package| features(&["-p", package, "-e", "normal,build"]);
    let (kernels, binary) = (of("ops-glu-grad"), of("ops-glu-grad-cli"));
    assert!(kernels.len() > 20, "{kernels:?}");
    // The example is excluded, because its build script builds the libraries with other features.
    let tests = features(&["--workspace", "--exclude", "op-dsl-example", "-e", "normal,build,dev"]);
    for (package, features) in &binary {
        assert_eq!(tests.get(package), Some(features), "{package} in tests");
    }
    for other in ["ops-glu-grad-capi", "ops-glu-grad-python"] {
        let others = of(other);
        for package in kernels.keys() {
            assert_eq!(others.get(package), binary.get(package), "{package} for {other}");
        }
    }
}
