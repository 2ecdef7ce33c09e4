//! Formulas beyond the operators of this project, as authors write them, held against the truth.
//!
//! Each must meet the bars of every operator at levels with FMA: 2 units in the last place in f32,
//! 1 and 99.9 % correctly rounded in 16 bits, exact limits and NaN, factors of every size. What does
//! not yet is in [`KNOWN`], with what it misses; the list may only shrink.
#![allow(missing_docs)]

#[path = "corpus/formulas.rs"]
mod formulas;

use formulas::{bells, gates, saturated, smooth, units};
use op_dsl::{Level, Operator};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

/// Every 2^19th bit pattern in f32, besides all exponents and kinks.
const STRIDE: &str = "524309";

/// What misses which bars.
const KNOWN: &[(&str, &str)] = &[
    // e^(e^710) has no number in the truth's arithmetic either.
    ("TanhExpBGrad", "limits, rounding, ulp"),
    ("GompertzBGrad", "limits, rounding, ulp"),
    // 0 * e^x where e^x is beyond f64.
    ("GrowthAGrad", "factors"),
    ("GrowthBGrad", "factors"),
    // ln 2 as an f64 is off by 2.3e-17, which is the formula's value at 0 as it is written.
    ("LogCoshC", "rounding, ulp"),
    // At a pole the chain rule has 0 * infinity, the kernel infinity.
    ("LogitAGrad", "ulp"),
    ("XLogAGrad", "ulp"),
    ("XLogBGrad", "author, ulp"),
];

/// All formulas with their gradients; of these, those whose names start as one of `OP_DSL_CORPUS=Mish,Elu` does.
fn operators() -> Vec<&'static Operator> {
    let modules = [
        gates::OPERATORS,
        saturated::OPERATORS,
        bells::OPERATORS,
        units::OPERATORS,
        smooth::OPERATORS,
    ];
    let mut all = modules.concat();
    if let Ok(wanted) = std::env::var("OP_DSL_CORPUS") {
        all.retain(|op| wanted.split(',').any(|start| op.name().starts_with(start)));
    }
    all
}

/// What an operator misses at levels with FMA; of all that `verify` says of it.
fn missed(operator: &'static Operator) -> String {
    let line = ["corpus", "verify", operator.name(), "--format", "json", "--stride", STRIDE];
    let mut out = Vec::new();
    let code = op_dsl::cli::run(&[operator], "", line.into_iter().map(OsString::from), &mut out);
    assert!(code == ExitCode::SUCCESS || code == ExitCode::FAILURE, "{code:?}");
    let report: Value = serde_json::from_slice(&out).expect("JSON");
    let fast: Vec<&str> = Level::ALL
        .into_iter()
        .filter(|l| l.has_fma() && l.is_available())
        .map(Level::name)
        .collect();
    let mut misses: Vec<String> = Vec::new();
    for row in report["operators"][0]["details"].as_array().expect("rows") {
        let names = row["missed"].as_array().expect("names");
        if !names.is_empty() && fast.iter().any(|level| row["level"] == *level) {
            misses.extend(names.iter().map(|n| n.as_str().expect("a name").to_owned()));
            println!("{} {row}", operator.name());
        }
    }
    misses.sort();
    misses.dedup();
    misses.join(", ")
}

/// Twenty minutes on two cores, so `.ci/deep` runs it; `precision.rs` has some of these formulas in every run.
#[test]
#[ignore = "minutes"]
fn formulas_are_right_save_those_that_are_known() {
    let mut measured = BTreeMap::new();
    for operator in operators() {
        let start = Instant::now();
        let misses = missed(operator);
        println!("{:24} {:5.1} s  {misses}", operator.name(), start.elapsed().as_secs_f64());
        measured.insert(operator.name(), misses);
    }
    let known =
        |name: &str| KNOWN.iter().find(|(n, _)| *n == name).map_or("", |(_, misses)| misses);
    let news: Vec<String> = measured
        .iter()
        .filter(|(name, misses)| known(name) != misses.as_str())
        .map(|(name, misses)| format!("(\"{name}\", \"{misses}\"), was \"{}\"", known(name)))
        .collect();
    assert!(news.is_empty(), "the list of known misses is not as it is:\n{}", news.join("\n"));
    for (name, _) in KNOWN.iter().filter(|_| std::env::var("OP_DSL_CORPUS").is_err()) {
        assert!(measured.contains_key(name), "{name} is no formula");
    }
}
