//! Checks every refusal of the macros: its message and its span.
//!
//! One run of the compiler expands all cases as modules of one crate. `BLESS=1 cargo test -p refusals` rewrites the
//! `.stderr` files; read the difference before keeping it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ItemMod, LitStr, Macro, Token};

fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the library that these tests depend on.
///
/// If there are several, with different features, it is the newest, because an older build can lack current sources.
fn op_dsl() -> PathBuf {
    let deps = std::env::current_exe().expect("this program");
    let deps = deps.parent().expect("its directory");
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("libop_dsl-") && name.ends_with(".rlib")
    };
    let age = |path: &PathBuf| {
        fs::metadata(path).and_then(|m| m.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
    };
    let all = fs::read_dir(deps).expect("a directory").map(|e| e.expect("an entry").path());
    all.filter(is_library).max_by_key(age).expect("op-dsl, built for these tests")
}

/// Returns the compiler's diagnostics for a crate, each paragraph with its case.
fn diagnostics(root: &Path) -> Vec<(String, String)> {
    let library = op_dsl();
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("refusals.rmeta");
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--edition", "2024", "--crate-type", "lib", "--crate-name", "refused"]);
    command.args(["--color", "never", "--emit", "metadata", "-o"]).arg(out).arg("-L");
    command.arg(format!("dependency={}", library.parent().expect("a directory").display()));
    command.arg("--extern").arg(format!("op_dsl={}", library.display())).arg(root);
    let ran = command.current_dir(home()).output().expect("the compiler");
    assert!(!ran.status.success(), "{}: nothing is refused", root.display());
    let said = String::from_utf8(ran.stderr).expect("text");
    let said = said.replace(&format!("{}/", home().display()), "");
    let mut found: Vec<(String, String)> = Vec::new();
    for paragraph in said.split("\n\n").map(|p| p.trim_matches('\n')) {
        let summary =
            ["error: aborting due to", "For more information", "Some errors have detailed"];
        if paragraph.is_empty() || summary.iter().any(|start| paragraph.starts_with(start)) {
            continue;
        }
        match found.last_mut() {
            Some((_, last))
                if !paragraph.starts_with("error") && !paragraph.starts_with("warning") =>
            {
                last.push_str("\n\n");
                last.push_str(paragraph);
            }
            _ => {
                let place = paragraph.split("--> ").nth(1).and_then(|rest| rest.split(':').next());
                let case = place.unwrap_or_else(|| panic!("no place: {paragraph}"));
                found.push((case.to_owned(), paragraph.to_owned()));
            }
        }
    }
    found
}

/// Writes a crate of all cases, one module each.
fn crate_of(cases: &[&PathBuf]) -> PathBuf {
    let module = |(i, path): (usize, &&PathBuf)| format!("#[path = {path:?}]\nmod case_{i};\n");
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("refusals.rs");
    fs::write(&root, cases.iter().enumerate().map(module).collect::<String>()).expect("a file");
    root
}

#[test]
fn compiler_messages_are_as_recorded() {
    let bless = std::env::var_os("BLESS").is_some();
    let cases = files(&home().join("cases"), "rs");
    assert!(cases.len() > 50, "{}", cases.len());
    let recorded = |path: &Path| {
        fs::read_to_string(path.with_extension("stderr")).unwrap_or_default().trim().to_owned()
    };
    // The compiler stops after an error of a macro. So each case that has an error by rustc itself is a crate of its
    // own.
    let (alone, together): (Vec<&PathBuf>, Vec<&PathBuf>) = cases.iter().partition(|path| {
        let text = recorded(path);
        ["error[E", "warning"].iter().any(|start| text.lines().any(|l| l.starts_with(start)))
    });
    let mut said: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let roots = alone.iter().map(|path| path.strip_prefix(home()).expect("below").to_path_buf());
    for root in roots.chain([crate_of(&together)]) {
        for (case, paragraph) in diagnostics(&root) {
            said.entry(case).or_default().push(paragraph);
        }
    }
    let mut wrong = Vec::new();
    for path in &cases {
        let name = path.strip_prefix(home()).expect("below").display().to_string();
        let found = said.remove(&name).unwrap_or_default().join("\n\n");
        if bless {
            fs::write(path.with_extension("stderr"), found.clone() + "\n").expect("a file");
        }
        if recorded(path) != found {
            wrong.push(format!("{name}: recorded\n\n{}\n\nbut found\n\n{found}", recorded(path)));
        }
    }
    assert!(said.is_empty(), "of no case: {said:#?}");
    assert!(wrong.is_empty(), "{} cases differ\n\n{}", wrong.len(), wrong.join("\n\n"));
}

/// String literals of the crate that are no messages.
///
/// The last one describes a value whose error is reported already.
const NO_MESSAGES: [&str; 2] = ["errors were collected but never reported", "an error"];

/// Collects string literals that contain blanks, also inside macros such as `format!`.
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

/// Returns all files below a directory with this extension.
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
    // Only the text between the placeholders is compared.
    let shown = |text: &&String| {
        let mut parts = text.split(['{', '}']).map(str::trim).filter(|part| part.contains(' '));
        parts.all(|part| cases.contains(part))
    };
    let missing: Vec<&String> = literals.0.iter().filter(|text| !shown(text)).collect();
    assert!(missing.is_empty(), "no case shows: {missing:#?}");
}
