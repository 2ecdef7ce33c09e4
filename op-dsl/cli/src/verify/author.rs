//! Comparison of the author's own code with the graph that everything is generated from.
//!
//! A derived gradient has no code of its author's: its graph is compared with the exact derivative.

use super::formula::{Formula, choices};
use super::rows;
use op_dsl_ir::DType;
use op_dsl_ir::format::Format;

/// Greatest magnitude of the activations at which graph and author's code are compared.
///
/// It is so small that formulas as authors write them do not cancel badly.
const RANGE: f64 = 4.0;
/// Number of steps from the activation `-RANGE` to `RANGE`.
const STEPS: i32 = 2000;
/// Values of the input streams other than the activation: stream `k` has the value at `k % 3`.
const FACTORS: [f64; 3] = [1.25, -0.75, 0.875];
/// Greatest relative difference that two correct evaluations of a formula in f64 may have.
pub const TOLERANCE: f64 = 1e-9;
/// Magnitude below which results are compared absolutely: the difference is divided by this value.
///
/// This is because a zero crossing may be near.
const SMALL: f64 = 1.0 / 128.0;

/// Returns the largest relative difference between the graph and the author's own code, both in f64.
///
/// For a derived gradient it is that between the graph and the reference evaluator.
/// It is infinite if only one of them gives NaN.
pub fn difference(formula: &Formula) -> f64 {
    if !formula.spec.stages.is_empty() {
        return rows::difference(formula);
    }
    let setting = &formula.settings[0];
    let (streams, scalars) = (setting.streams.len(), formula.op.def().scalars(&setting.attrs));
    let mut worst = 0.0f64;
    let steps = (0..=STEPS).flat_map(|i| choices(&formula.masks).map(move |truth| (i, truth)));
    for (i, truth) in steps {
        let x = RANGE * (2.0 * f64::from(i) / f64::from(STEPS) - 1.0);
        let beside = |k: usize| truth(k).unwrap_or(FACTORS[k % FACTORS.len()]);
        let mut values: Vec<f64> = (0..streams).map(beside).collect();
        values[setting.swept] = x;
        let want = formula.spec.graph.eval(&values, &scalars);
        let got = formula.op.oracle(&values, &setting.attrs).unwrap_or_else(|| {
            op_dsl_truth::outputs(formula.spec, &values, &scalars, Format::of(DType::F32))
        });
        if got.len() != want.len() {
            return f64::INFINITY;
        }
        for (k, (got, want)) in got.iter().zip(&want).enumerate() {
            let scale = want.abs().max(SMALL);
            let off = (got - want).abs() / scale;
            // Steps may be on the other side of where f64 has them.
            let others = match off > TOLERANCE {
                true => formula.beside(&scalars, &values, k, Format::of(DType::F32)),
                false => Vec::new(),
            };
            let off = others.iter().map(|v| (want - v).abs() / scale).fold(off, f64::min);
            // At a pole one of them may evaluate `0 * inf` to NaN where the other is infinite.
            let reads_pole = |v: &f64, other: &f64| v.is_nan() && !other.is_finite();
            let agree = got == want || reads_pole(got, want) || reads_pole(want, got);
            let is_limit = || {
                let format = Format::of(DType::F32);
                let error = formula.error_of_limit(&setting.attrs, &values, k, *want, format);
                got.is_nan() && want.is_finite() && error <= 1.0
            };
            worst = match (agree || is_limit(), off.is_nan()) {
                (true, _) => worst,
                (false, true) => f64::INFINITY,
                (false, false) => worst.max(off),
            };
        }
    }
    worst
}
