//! Files of a new crate, from `template/`.

use super::fill::filled;
use super::formula::Formula;
use super::name::Name;
use crate::error::Error;
use std::path::{Path, PathBuf};

/// Source from which the new crate gets its one dependency, `op-dsl`.
#[derive(Debug)]
pub enum Source {
    /// Directory of a checkout of `op-dsl`.
    Directory(PathBuf),
    /// Cargo's registry, which must have the version of this program.
    Registry,
}

/// Directory of the `op-dsl` checkout that this program was built from, which need not exist any more.
const BUILT_FROM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

impl Source {
    /// Returns the given directory of `op-dsl` as the source, else a default.
    ///
    /// The default is the directory that this program was built from if it still exists, otherwise the registry.
    pub fn find(given: Option<&Path>) -> Result<Source, Error> {
        let at = |path: &Path| {
            let manifest = std::fs::read_to_string(path.join("Cargo.toml")).ok()?;
            let is_ours = manifest.lines().any(|l| l.trim() == "name = \"op-dsl\"");
            is_ours.then(|| path.canonicalize().ok())?.map(Source::Directory)
        };
        match given {
            Some(path) => at(path).ok_or_else(|| {
                let what = "not the crate op-dsl; give the directory of its Cargo.toml";
                Error::Usage(format!("--op-dsl {}: {what}", path.display()))
            }),
            None => Ok(at(Path::new(BUILT_FROM)).unwrap_or(Source::Registry)),
        }
    }

    fn manifest(&self) -> String {
        match self {
            // A literal string of TOML, so that no character of a path has a special meaning.
            Source::Directory(path) => format!("path = '{}'", path.display()),
            Source::Registry => format!("version = \"{}\"", env!("CARGO_PKG_VERSION")),
        }
    }
}

/// Returns path and text of each file of the new crate.
pub fn files(name: &Name, formula: &Formula, source: &Source) -> Vec<(&'static str, String)> {
    let source = source.manifest();
    let builds = formula.refusal.is_none();
    let dependencies =
        format!("\n[build-dependencies]\nop-dsl = {{ {source}, features = [\"ascendc\"] }}\n");
    let values = [
        ("name", &*name.package),
        ("crate", &*name.snake),
        ("source", &*source),
        ("build_dependencies", if builds { &*dependencies } else { "" }),
        ("npus", if builds { ", for NPUs by the build script" } else { "" }),
    ];
    let project = |of: &'static str| if builds { of } else { "" };
    let lib =
        include_str!("template/lib.rs").to_owned() + project(include_str!("template/project.rs"));
    let check = include_str!("template/check.rs").to_owned()
        + project(include_str!("template/project_test.rs"));
    let mut files = vec![
        (".cargo/config.toml", include_str!("template/config.toml").to_owned()),
        (".gitignore", "/target\n".to_owned()),
        ("Cargo.toml", filled(include_str!("template/manifest.toml"), &values)),
        ("src/family.rs", formula.family(&name.operator)),
        ("src/lib.rs", filled(&lib, &values)),
        ("src/main.rs", filled(include_str!("template/main.rs"), &values)),
        ("tests/check.rs", filled(&check, &values)),
    ];
    if builds {
        files.push(("build.rs", include_str!("template/build.rs").to_owned()));
    }
    files
}
