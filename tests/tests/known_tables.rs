//! The stored tables, fitted again: those of the family, and of activations from frameworks and papers.

use op_dsl_ir::op::OpDef;
use op_dsl_lower::cost;
use op_dsl_lower::known::{self, Questions};
use quote::ToTokens;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use syn::ItemMod;

static ACTIVATIONS: &str = include_str!("corpus/activations.txt");

/// In every run, one in this many functions is fitted again: of the family, and of the others.
///
/// It is not all of them, because they take minutes. The fitter has no state, so what changes it changes most of them.
const SHARES: [usize; 2] = [8, 32];

/// Returns the operators of a line of the list: the function and a unit gated by it, with their gradients.
fn operators(line: &str) -> Vec<OpDef> {
    let (line, is_gate) = line.strip_prefix("gate ").map_or((line, false), |line| (line, true));
    let (head, formula) = line.split_once("): ").expect("name(x): formula");
    let (_, parameters) = head.split_once('(').expect("name(x");
    let mut attributes = String::new();
    for attribute in parameters.split(", ").skip(1) {
        let (name, default) = attribute.split_once(" = ").expect("name = default");
        write!(attributes, ", #[attr(default = {default})] {name}: f32").expect("written");
    }
    let unit = format!(
        "#[op(name = \"Unit\", grad(name = \"UnitGrad\", wrt(x, v)))]
         fn unit(x: Elem, v: Elem{attributes}) -> Elem {{ v * ({formula}) }}"
    );
    let text = format!(
        "mod operators {{
             #[op(name = \"Alone\", grad(name = \"AloneGrad\", wrt(x)))]
             fn alone(x: Elem{attributes}) -> Elem {{ {formula} }}
             {}
         }}",
        if is_gate { &unit } else { "" }
    );
    let module: ItemMod = syn::parse_str(&text).expect("Rust");
    let family = op_dsl_syntax::module(module.into_token_stream());
    let family = family.unwrap_or_else(|e| panic!("{line}: {e}"));
    assert!(family.error.is_none(), "{line}: {:?}", family.error);
    let mut defs: Vec<OpDef> = family.ops.into_iter().map(|op| op.def).collect();
    defs.iter_mut().for_each(cost::remove_slower_tables);
    defs
}

fn activations() -> Vec<OpDef> {
    let lines = ACTIVATIONS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.flat_map(operators).collect()
}

/// Returns all fits that have stored tables, and those to repeat in this run.
fn questions() -> [Questions; 2] {
    let family = known::questions(ops_glu_grad::OPERATORS.iter().map(|op| op.def()));
    let mut all = known::questions(&activations());
    let again = [&family, &all].into_iter().zip(SHARES);
    let again = again.flat_map(|(questions, share)| questions.clone().into_iter().step_by(share));
    let again = again.collect();
    all.extend(family);
    [all, again]
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../codegen-cpu/lower/src/known.bin")
}

/// Compares a sample of the stored tables; `BLESS=1` writes the file.
#[test]
fn are_what_would_be_fitted() {
    let [all, again] = questions();
    let path = path();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, known::file(&all)).expect("written");
    }
    let kept = std::fs::read(&path).expect("kept");
    let message = "not what would be fitted; write it again by BLESS=1";
    let asked = all.into_keys().collect();
    assert!(known::keys(&kept) == asked, "{}: {message}: other functions", path.display());
    assert!(known::part(&kept, &again) == known::file(&again), "{}: {message}", path.display());
}

/// Compares all stored tables.
#[test]
#[ignore = "minutes"]
fn all_are_what_would_be_fitted() {
    let [all, _] = questions();
    let kept = std::fs::read(path()).expect("kept");
    assert!(kept == known::file(&all), "write it again by BLESS=1");
}
