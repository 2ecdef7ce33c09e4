//! Overhead of one call: checks, attributes, views, the driver.
//!
//! A small call alternates with one sixteen times as large, whose time per element is that of tensors in the L2
//! cache. The overhead is the time of the small call less its elements at that rate. Each figure is the median and
//! the minimum of several rounds.

use op_dsl::ir::DType;
use op_dsl::{Operator, Options};
use op_dsl_cli::{Case, DataKind};
use ops_glu_grad::OPERATORS;

const SMALL: &[usize] = &[4, 2048];
const LARGE: &[usize] = &[16, 8192];
const ROUNDS: usize = 9;
/// Number of runs per round, interleaved with the floor.
const RUNS: u16 = 51;
const TIMED: [&str; 3] = ["GeGluGradV2", "SwiGluGrad", "ClippedSwigluGrad"];

fn operator(name: &str) -> &'static Operator {
    OPERATORS.iter().find(|op| op.name() == name).expect("an operator of this crate")
}

fn main() {
    let options = Options { threads: 1, ..Options::default() };
    println!("{:<18} dtype  us over its elements, median and least", "operator");
    for (name, dtype) in TIMED.iter().flat_map(|name| DType::ALL.map(|dtype| (*name, dtype))) {
        let op = operator(name);
        let case = |shape| {
            let attrs = op.default_attrs();
            Case::new(op, &attrs, shape, dtype, DataKind::Normal).expect("tensors")
        };
        let mut cases = [SMALL, LARGE].map(case);
        cases[0].check(&options).expect("right results");
        let [mut over, mut small, mut large] = [const { Vec::new() }; 3];
        for _ in 0..ROUNDS {
            let time =
                |case: &mut Case<'_>| case.time(&options, Some(RUNS)).expect("checked before")[0];
            let [near, far] = cases.each_mut().map(time);
            over.push(near.median - far.median);
            small.push(near.least);
            large.push(far.least);
        }
        for all in [&mut over, &mut small, &mut large] {
            all.sort_by(f64::total_cmp);
        }
        let us = |ns: f64| ns * cases[0].elements() as f64 / 1e3;
        let (median, least) = (us(over[ROUNDS / 2]), us(small[0] - large[0]));
        println!("{name:<18} {dtype:<5} {median:>7.3} {least:>7.3}");
    }
}
