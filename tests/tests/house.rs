//! The order of the house: what the documents say of it holds.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The library crates. No operator belongs to them.
const LIBRARIES: [&str; 4] = ["op-dsl", "op-dsl-macros", "codegen-cpu", "codegen-ascendc"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The Rust files of the library crates, by their paths in the repository.
fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = LIBRARIES.iter().map(|name| root().join(name)).collect();
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path.strip_prefix(root()).expect("below the root").to_str();
                let text = fs::read_to_string(&path).expect("a text");
                found.push((name.expect("UTF-8").to_owned(), text));
            }
        }
    }
    found
}

/// A file without its comments and its unit tests.
fn code(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod ").unwrap_or(text.len());
    let lines = text[..end].lines().map(|l| l.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs")
}

/// What is known of an operator is data of the crate that has it.
#[test]
fn no_library_names_an_operator() {
    let sources = sources();
    assert!(sources.len() > 100, "{} files", sources.len());
    for (path, text) in sources.iter().filter(|(path, _)| !is_test(path)) {
        let code = code(text);
        for op in ops_glu_grad::OPERATORS {
            // Quoted, as a row of a table or a comparison would have it.
            let name = format!("\"{}\"", op.name());
            let names = code.lines().filter(|line| line.contains(&name));
            assert_eq!(names.collect::<Vec<_>>(), [""; 0], "{path} names {}", op.name());
        }
    }
}

/// `docs/add-a-primitive.md` lists every place that a primitive is written in, by the example of
/// one that no other formula has.
#[test]
fn the_places_of_a_primitive_are_those_that_its_guide_lists() {
    let guide = fs::read_to_string(root().join("docs/add-a-primitive.md")).expect("the guide");
    let rows = guide.lines().filter_map(|line| line.strip_prefix("| `"));
    let listed: BTreeSet<String> =
        rows.filter_map(|row| Some(row.split_once('`')?.0.to_owned())).collect();
    let names = |(path, text): &(String, String)| {
        let text = if is_test(path) { text.clone() } else { code(text) };
        text.to_lowercase().contains("softplus")
    };
    // Formulas that are written with it, and functions to be fitted.
    let examples = ["op-dsl/syntax/tests/", "codegen-cpu/fit/tests/"];
    let example = |path: &str| examples.iter().any(|from| path.starts_with(from));
    let found = sources().into_iter().filter(|file| names(file) && !example(&file.0));
    assert_eq!(found.map(|file| file.0).collect::<BTreeSet<_>>(), listed);
    assert!(guide.contains(&format!("**{} places**", listed.len())), "{}", listed.len());
}
