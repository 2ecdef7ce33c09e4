//! What one call costs besides its elements: checks, attributes, views, the driver.
//!
//! A small call is timed in turn with one sixteen times as large, whose time per element is that of tensors in the second
//! cache. What the small one takes over its elements at that rate is the call. Each figure is the median and the least of
//! several rounds.

use op_dsl::cli::{Case, DataKind, Timing};
use op_dsl::ir::DType;
use op_dsl::{Operator, Options};
use ops_glu_grad::OPERATORS;

const SMALL: &[usize] = &[4, 2048];
const LARGE: &[usize] = &[16, 8192];
const ROUNDS: usize = 9;
/// Interleaved runs with the floor in each round.
const RUNS: u16 = 51;
const OPERATORS_TIMED: [&str; 3] = ["GeGluGradV2", "SwiGluGrad", "ClippedSwigluGrad"];

fn operator(name: &str) -> &'static Operator {
    OPERATORS.iter().find(|op| op.name() == name).expect("an operator of this crate")
}

fn main() {
    let options = Options { threads: 1, ..Options::default() };
    println!(
        "{:<18} dtype  us a call over its elements: median, least; of the floor: median, least",
        "op"
    );
    for name in OPERATORS_TIMED {
        for dtype in DType::ALL {
            let op = operator(name);
            let case = |shape| {
                let attrs = op.default_attrs();
                Case::new(op, &attrs, shape, dtype, DataKind::Normal).expect("tensors")
            };
            let [mut small, mut large] = [SMALL, LARGE].map(case);
            small.check(&options).expect("right results");
            // Of operator and floor: both calls' times per element, round by round.
            let mut rounds = [const { Vec::new() }; 2];
            for _ in 0..ROUNDS {
                let [near, far] = [&mut small, &mut large]
                    .map(|case| case.time(&options, Some(RUNS)).expect("checked before"));
                for (rounds, both) in rounds.iter_mut().zip(near.into_iter().zip(far)) {
                    rounds.push(both);
                }
            }
            let mut line = format!("{name:<18} {dtype:<5} ");
            for rounds in rounds {
                let us = |near: f64, far: f64| (near - far) * small.elements() as f64 / 1e3;
                let mut medians: Vec<f64> =
                    rounds.iter().map(|(near, far)| us(near.median, far.median)).collect();
                medians.sort_by(f64::total_cmp);
                let least = |of: fn(&(Timing, Timing)) -> f64| {
                    rounds.iter().map(of).fold(f64::INFINITY, f64::min)
                };
                let least = us(least(|r| r.0.least), least(|r| r.1.least));
                line += &format!(" {:>7.3} {least:>7.3}", medians[ROUNDS / 2]);
            }
            println!("{line}");
        }
    }
}
