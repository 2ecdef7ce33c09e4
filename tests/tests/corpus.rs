//! Formulas from outside this project, as authors write them, compared with the reference evaluator.
//!
//! Each must meet the limits of every operator at levels with FMA: 2 units in the last place in f32, 1 unit and 99.9
//! % correctly rounded in 16 bits, exact limits and NaN, factors of every size.
#![allow(missing_docs)]

mod attacks;
#[path = "corpus/formulas.rs"]
mod formulas;

use formulas::{bells, gates, rounded, saturated, smooth, units, written};
use op_dsl::{Level, Operator};
use serde_json::Value;
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

/// Returns all formulas with their gradients, or those selected by prefixes: `OP_DSL_CORPUS=Mish,Elu`.
fn operators() -> Vec<&'static Operator> {
    let modules = [
        gates::OPERATORS,
        saturated::OPERATORS,
        bells::OPERATORS,
        units::OPERATORS,
        smooth::OPERATORS,
        written::OPERATORS,
        rounded::OPERATORS,
    ];
    let mut all = modules.concat();
    if let Ok(wanted) = std::env::var("OP_DSL_CORPUS") {
        all.retain(|op| wanted.split(',').any(|start| op.name().starts_with(start)));
    }
    all
}

/// The results of `verify` for an operator at levels with FMA.
struct Measured {
    misses: String,
    /// The largest error in f32, in units in the last place.
    ulps: f64,
    /// The smallest share of correctly rounded results in a 16-bit type.
    rounded: f64,
}

fn measured(operator: &'static Operator) -> Measured {
    let line = ["corpus", "verify", operator.name(), "--format", "json"];
    let mut out = Vec::new();
    let code = op_dsl_cli::run(&[operator], "", line.into_iter().map(OsString::from), &mut out);
    assert!(code == ExitCode::SUCCESS || code == ExitCode::FAILURE, "{code:?}");
    let report: Value = serde_json::from_slice(&out).expect("JSON");
    let fast: Vec<&str> = Level::ALL
        .into_iter()
        .filter(|l| l.has_fma() && l.is_available())
        .map(Level::name)
        .collect();
    let mut misses: Vec<String> = Vec::new();
    let (mut ulps, mut rounded) = (0.0f64, 1.0f64);
    let rows = report["operators"][0]["details"].as_array().expect("rows");
    for row in rows.iter().filter(|row| fast.iter().any(|level| row["level"] == *level)) {
        // An infinite error is missing in the JSON, because JSON has no infinity.
        let number = |key: &str| row[key].as_f64().unwrap_or(f64::INFINITY);
        match row["dtype"] == "f32" {
            true => ulps = ulps.max(number("max_ulp")),
            false => rounded = rounded.min(number("rounded")),
        }
        let names = row["missed"].as_array().expect("names");
        if !names.is_empty() {
            misses.extend(names.iter().map(|n| n.as_str().expect("a name").to_owned()));
            println!("{} {row}", operator.name());
        }
    }
    misses.sort();
    misses.dedup();
    Measured { misses: misses.join(", "), ulps, rounded }
}

/// Takes a quarter of an hour on two cores, with its build, so only `.ci/deep` runs it.
///
/// `precision.rs` has some of these formulas in every run.
#[test]
#[ignore = "minutes"]
fn formulas_are_right() {
    let (mut ulps, mut rounded) = ((0.0, ""), (1.0, ""));
    let mut missed = Vec::new();
    let all = operators();
    for operator in &all {
        let (name, start) = (operator.name(), Instant::now());
        let one = measured(operator);
        let (share, seconds) = (100.0 * one.rounded, start.elapsed().as_secs_f64());
        println!("{name:24} {seconds:5.1} s {:6.3} ulp {share:7.3} %  {}", one.ulps, one.misses);
        ulps = if one.ulps > ulps.0 { (one.ulps, name) } else { ulps };
        rounded = if one.rounded < rounded.0 { (one.rounded, name) } else { rounded };
        if !one.misses.is_empty() {
            missed.push(format!("{name}: {}", one.misses));
        }
    }
    let good = all.len() - missed.len();
    println!("{good} of {} without a miss; at worst {ulps:?} ulp, {rounded:?}", all.len());
    assert!(!all.is_empty() && missed.is_empty(), "{}", missed.join("\n"));
}

/// Operators whose f32 plans for NPUs are over their budget at some elements, and the error that must not be exceeded.
const OVER: [(&str, f64); 4] =
    [("PhishAGrad", 8.9), ("PhishBGrad", 8.9), ("SerfAGrad", 8.1), ("SerfBGrad", 8.1)];

#[test]
#[ignore = "minutes"]
fn plans_are_within_their_budget() {
    attacks::find_no_error_over_the_budget(&attacks::of_formulas(&operators()), [0, 0, 1], &OVER);
}
