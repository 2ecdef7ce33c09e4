//! The author's own code against the graph that everything is generated from.

use super::formula::{Formula, choices};
use codegen_cpu::rt::call::OracleInput;

/// Where no formula that an author would write cancels badly.
const RANGE: f64 = 4.0;
/// Steps from one end of the range to the other.
const STEPS: i32 = 2000;
/// What the streams besides the activation are, in turn.
const FACTORS: [f64; 3] = [1.25, -0.75, 0.875];
/// Relative difference that two sound ways to the same value stay below in that range.
pub const TOLERANCE: f64 = 1e-9;
/// Below this the difference is absolute: there may be a zero crossing.
const SMALL: f64 = 1.0 / 128.0;

/// The largest difference between the graph and the author's code, in f64.
pub fn difference(formula: &Formula) -> f64 {
    let setting = &formula.settings[0];
    let streams = setting.streams.len();
    let mut worst = 0.0f64;
    let steps = (0..=STEPS).flat_map(|i| choices(&formula.masks).map(move |truth| (i, truth)));
    for (i, truth) in steps {
        let x = RANGE * (2.0 * f64::from(i) / f64::from(STEPS) - 1.0);
        let beside = |k: usize| truth(k).unwrap_or(FACTORS[k % FACTORS.len()]);
        let mut values: Vec<f64> = (0..streams).map(beside).collect();
        values[setting.swept] = x;
        let want = formula.spec.graph.eval(&values, &formula.op.def().scalars(&setting.attrs));
        let input = OracleInput { streams: &values, attrs: &setting.attrs };
        let got = formula.op.oracle(&input);
        if got.len() != want.len() {
            return f64::INFINITY;
        }
        for (got, want) in got.iter().zip(&want) {
            let scale = want.abs().max(SMALL);
            let off = (got - want).abs() / scale;
            // At a pole the one may read `0 * inf` where the other is infinite.
            let reads_pole = |v: &f64, other: &f64| v.is_nan() && !other.is_finite();
            let agree = got == want || reads_pole(got, want) || reads_pole(want, got);
            worst = match (agree, off.is_nan()) {
                (true, _) => worst,
                (false, true) => f64::INFINITY,
                (false, false) => worst.max(off),
            };
        }
    }
    worst
}
