//! Names that a crate and its operator may have.

use crate::error::Error;
use std::path::Path;
use syn::Ident;

/// Types of the operator language, which are refused as the name of a new crate's operator.
///
/// An operator of this name would hide the type.
const TYPES: [&str; 6] = ["Elem", "Gated", "Mask", "Rows", "Dim", "OpAttr"];
/// Package names that are refused.
///
/// They name Cargo's output directories, crates that every crate can use, and the dependency `op-dsl`.
const TAKEN: [&str; 10] = [
    "build", "deps", "examples", "incremental", "test", "core", "std", "alloc", "proc_macro",
    "op_dsl",
];

/// Names of a new crate and of its operator.
#[derive(Debug)]
pub struct Name {
    /// Name of the package: `my-gates`.
    pub package: String,
    /// Name of the crate in Rust: `my_gates`.
    pub snake: String,
    /// Name of the operator: `MyGates`.
    pub operator: String,
}

impl Name {
    /// Derives the names from the directory of the new crate, or says why they are not allowed.
    pub fn of(path: &Path) -> Result<Name, Error> {
        let package = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let wrong = |what: &str| Error::Usage(format!("new {package}: {what}"));
        let legal = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if !package.starts_with(|c: char| c.is_ascii_alphabetic()) || !package.chars().all(legal) {
            let allowed = "a letter first, then letters, digits, - and _";
            return Err(wrong(&format!("no name for a crate; allowed: {allowed}")));
        }
        let snake = package.replace('-', "_").to_ascii_lowercase();
        if TAKEN.contains(&&*snake) || syn::parse_str::<Ident>(&snake).is_err() {
            return Err(wrong("the name is taken by Rust, Cargo or op-dsl; give another"));
        }
        let operator: String = snake.split('_').map(capital).collect();
        if TYPES.contains(&&*operator) {
            let hidden = format!("its operator `{operator}` would hide a type of the language");
            return Err(wrong(&format!("{hidden}; give another name")));
        }
        Ok(Name { package, snake, operator })
    }
}

/// Returns a word with its first letter in upper case.
fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|c| c.to_ascii_uppercase()).into_iter().chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crate_names_are_derived_or_refused() {
        let name = Name::of(Path::new("a/b/my-gates_2")).expect("a name");
        let all = [&*name.package, &*name.snake, &*name.operator];
        assert_eq!(all, ["my-gates_2", "my_gates_2", "MyGates2"]);
        for wrong in [
            "", ".", "..", "/", "2x", "a b", "a.b", "-a", "\u{e9}", "fn", "self", "Mask", "op-dsl",
            "deps",
        ] {
            assert!(Name::of(Path::new(wrong)).is_err(), "{wrong}");
        }
    }
}
