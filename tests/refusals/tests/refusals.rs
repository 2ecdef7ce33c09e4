//! Every refusal with its message and its place.
//!
//! A package of its own, as all it depends on is checked once more for these cases.
//! `TRYBUILD=overwrite cargo test -p refusals` writes the `.stderr` files anew; read
//! the difference before keeping it.

use std::fs;
use std::path::{Path, PathBuf};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ItemMod, LitStr, Macro, Token};

#[test]
fn refusals() {
    let cases = trybuild::TestCases::new();
    for class in ["attribute", "formula", "gradient", "module", "signature"] {
        cases.compile_fail(format!("cases/{class}/*.rs"));
    }
}

/// Texts of the crate that are no refusals; the last stands for what was refused already.
const NO_MESSAGES: [&str; 2] = ["errors were collected but never reported", "an error"];

/// String literals with blanks in them, also those in macros like `format!`.
#[derive(Default)]
struct Literals(Vec<String>);

impl Visit<'_> for Literals {
    fn visit_lit_str(&mut self, lit: &LitStr) {
        let text = lit.value();
        if text.contains(' ') && !NO_MESSAGES.contains(&&*text) {
            self.0.push(text);
        }
    }

    fn visit_macro(&mut self, mac: &Macro) {
        let arguments = mac.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
        arguments.iter().flatten().for_each(|e| self.visit_expr(e));
    }

    fn visit_item_mod(&mut self, module: &ItemMod) {
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_attribute(&mut self, _: &Attribute) {}
}

/// All files below a directory with this extension.
fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found
}

#[test]
fn every_message_is_in_a_case() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: PathBuf| fs::read_to_string(path).expect("a text");
    let cases: String = files(&root.join("cases"), "stderr").into_iter().map(read).collect();
    let mut literals = Literals::default();
    for path in files(&root.join("../../op-dsl/syntax/src"), "rs") {
        literals.visit_file(&syn::parse_file(&read(path)).expect("Rust"));
    }
    assert!(literals.0.len() > 100, "{}", literals.0.len());
    // What is between the placeholders.
    let shown = |text: &&String| {
        let mut parts = text.split(['{', '}']).map(str::trim).filter(|part| part.contains(' '));
        parts.all(|part| cases.contains(part))
    };
    let missing: Vec<&String> = literals.0.iter().filter(|text| !shown(text)).collect();
    assert!(missing.is_empty(), "no case shows: {missing:#?}");
}
