//! The verdicts of `verify` on published formulas, compared with an independent judge.
//!
//! There are 53 formulas, each with its gradient. Where `verify` says ok, the judge finds no fault at elements of its
//! own. Where `verify` reports a miss, the judge finds the same fault at the element that it names.
#![allow(missing_docs)]

mod attacks;
#[path = "verdicts/formulas.rs"]
mod formulas;
#[path = "verdicts/judge.rs"]
mod judge;
#[path = "verdicts/number.rs"]
mod number;
#[path = "verdicts/trial.rs"]
mod trial;

use formulas::{Case, gates, gates_judged, losses, losses_judged};
use formulas::{optimisers, optimisers_judged, shapes, shapes_judged};
use judge::Subject;
use op_dsl::ir::DType;
use op_dsl::{Level, Operator};
use serde_json::Value;
use std::ffi::OsString;
use std::time::Instant;
use trial::{Element, Trial};

pub fn operators() -> Vec<&'static Operator> {
    [losses::OPERATORS, gates::OPERATORS, shapes::OPERATORS, optimisers::OPERATORS].concat()
}

fn cases() -> Vec<&'static Case> {
    let all =
        [losses_judged::CASES, gates_judged::CASES, shapes_judged::CASES, optimisers_judged::CASES];
    all.into_iter().flatten().collect()
}

/// Returns the misses that `verify` reports: element type, check and element.
fn missed(operator: &'static Operator) -> Vec<(DType, String, Option<String>)> {
    let line = ["verdicts", "verify", operator.name(), "--format", "json", "--level"];
    let line = line.into_iter().chain([Level::best().name()]).map(OsString::from);
    let mut out = Vec::new();
    op_dsl_cli::run(&[operator], "", line, &mut out);
    let report: Value = serde_json::from_slice(&out).expect("JSON");
    let rows = report["operators"][0]["details"].as_array().expect("rows");
    let texts = |of: &Value| {
        of.as_array()
            .into_iter()
            .flatten()
            .map(|v| v.as_str().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let each = rows.iter().flat_map(|row| {
        let dtype = row["dtype"].as_str().and_then(|name| name.parse().ok()).expect("a type");
        let checks = texts(&row["missed"]).into_iter().flatten();
        checks.zip(texts(&row["missed_at"])).map(move |(check, at)| (dtype, check, at))
    });
    each.collect()
}

/// Returns the verdict on an operator, and how the judge disagrees with it.
fn differences(subject: &Subject) -> (String, Vec<String>) {
    let missed = missed(subject.operator);
    let trial = Trial { subject };
    let mut differences = Vec::new();
    for dtype in DType::ALL {
        let missed: Vec<_> = missed.iter().filter(|(of, ..)| *of == dtype).collect();
        let said: Vec<&str> = missed.iter().map(|(_, check, _)| &**check).collect();
        if missed.is_empty() {
            let found = trial.search(dtype);
            differences.extend(found.map(|fault| format!("{dtype}: verify says ok, but {fault}")));
        }
        for (_, check, at) in
            missed.iter().filter(|m| ["ulp", "factors", "limits"].contains(&&*m.1))
        {
            let at = at.as_deref().expect("a place");
            if let Some(false) = trial.is_fault(dtype, &Element::parse(subject.operator, at), true)
            {
                differences
                    .push(format!("{dtype}: verify misses {check} at {at}, where all is right"));
            }
        }
        if said.contains(&"undecided") {
            differences.push(format!("{dtype}: undecided"));
        }
    }
    let said: Vec<String> = missed
        .iter()
        .map(|(dtype, check, at)| {
            format!(
                "{dtype} {check}{}",
                at.as_ref().map(|at| format!(" at {at}")).unwrap_or_default()
            )
        })
        .collect();
    (if said.is_empty() { "ok".into() } else { said.join("; ") }, differences)
}

/// Takes a quarter of an hour on two cores with its build, so only `.ci/deep` runs it.
///
/// `OP_DSL_CORPUS=Focal,Huber` selects some formulas.
#[test]
#[ignore = "minutes"]
fn verdicts_are_those_of_the_judge() {
    judge_all();
}

pub fn judge_all() {
    let (operators, cases) = (operators(), cases());
    let wanted = std::env::var("OP_DSL_CORPUS").ok();
    let is_wanted = |op: &&&Operator| {
        wanted.as_ref().is_none_or(|w| w.split(',').any(|start| op.name().starts_with(start)))
    };
    let mut all = Vec::new();
    let mut good = 0;
    for operator in operators.iter().filter(is_wanted) {
        let start = Instant::now();
        let (said, differences) = differences(&Subject::new(operator, &operators, &cases));
        println!("{:20} {:5.1} s  {said}", operator.name(), start.elapsed().as_secs_f64());
        good += usize::from(said == "ok");
        all.extend(differences.into_iter().map(|d| format!("{} {d}", operator.name())));
    }
    println!("{good} of {} without a miss", operators.iter().filter(is_wanted).count());
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// Operators whose f32 plans for NPUs are over their budget at some elements, and the error that must not be exceeded.
///
/// Steps of optimizers have any error at negative second moments, which training does not have.
const OVER: [(&str, f64); 3] =
    [("AdagradStep", f64::INFINITY), ("RmsPropStep", f64::INFINITY), ("SerfLnGrad", 8.1)];

#[test]
#[ignore = "minutes"]
fn plans_are_within_their_budget() {
    attacks::find_no_error_over_the_budget(&attacks::of_formulas(&operators()), [0, 0, 1], &OVER);
}
