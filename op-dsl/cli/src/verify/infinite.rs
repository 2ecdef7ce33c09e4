//! Elements of infinities, NaN and ordinary numbers, alone and combined.
//!
//! Zeros are not among them, because a formula that reads `0 * inf` has no value.

use super::formula::Formula;
use op_dsl_ir::format::{Format, pow2};
use op_dsl_ir::op::Value;

/// Values tried for each input stream, in all combinations; masks take 0 and 1 instead.
const VALUES: [f64; 5] = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.5, -0.75];
/// Maximum number of elements with infinities and NaN that a formula is tried at.
///
/// An operator with many streams has more combinations, which are sampled evenly, because exact values at infinities take long.
const MOST: u64 = 1 << 11;

/// Exponents of the powers of two, all beyond f32, that stand for as many infinite inputs, each with another growth.
const GROWTHS: [i32; 3] = [160, 400, 1000];

/// Returns the number of elements with infinities and NaN that a formula is tried at.
pub fn elements(formula: &Formula) -> u64 {
    all(formula).min(MOST)
}

/// Returns the number of combinations of infinite, NaN and finite values of all input streams.
fn all(formula: &Formula) -> u64 {
    let ways = (0..formula.multiplies.len()).map(|k| ways(formula, k));
    ways.fold(1, u64::saturating_mul)
}

/// Returns the number of values that are tried for an input stream: two for a mask.
fn ways(formula: &Formula, stream: usize) -> u64 {
    if formula.masks.contains(&stream) { 2 } else { VALUES.len() as u64 }
}

/// Returns the value of every input stream for element `i` of the test with infinities and NaN.
pub fn element(formula: &Formula, i: u64) -> Vec<f64> {
    let all = all(formula);
    let mut way = if all > MOST { (u128::from(i) * u128::from(all / MOST)) as u64 } else { i };
    let streams = 0..formula.multiplies.len();
    streams
        .map(|k| {
            let ways = ways(formula, k);
            let value = (way % ways) as usize;
            way /= ways;
            if formula.masks.contains(&k) { value as f64 } else { VALUES[value] }
        })
        .collect()
}

impl Formula {
    /// Returns whether a result is the limit of output `k` however fast each of several infinite inputs grows.
    ///
    /// Arithmetic on the formula as written may give NaN there: `exp(x) / (exp(x) + exp(y))` is 1 at `x = inf, y = -inf`.
    pub fn is_joint_limit(
        &self,
        attrs: &[Value],
        streams: &[f64],
        k: usize,
        got: f64,
        format: Format,
    ) -> bool {
        let infinite: Vec<usize> =
            (0..streams.len()).filter(|s| streams[*s].is_infinite()).collect();
        if got.is_nan() || !(2..=GROWTHS.len()).contains(&infinite.len()) {
            return false;
        }
        let last = infinite.len() - 1;
        let orders: [&dyn Fn(usize) -> usize; 3] = [&|rank| rank, &|rank| last - rank, &|_| 0];
        orders.iter().all(|order| {
            let mut grown = streams.to_vec();
            for (rank, s) in infinite.iter().enumerate() {
                grown[*s] = pow2(GROWTHS[order(rank)]).copysign(streams[*s]);
            }
            let want = self.truth(attrs, &grown, format)[k];
            want.is_some_and(|want| format.error(got, want, 0.0) <= 1.0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::op::Spec;
    use op_dsl_ir::{Builder, DType, Prim};

    #[test]
    fn every_stream_is_each_of_them() {
        let op = &*crate::tests::SCALE;
        let formula = Formula::new(op, &op.def().specs[0]);
        let all: Vec<Vec<f64>> = (0..elements(&formula)).map(|i| element(&formula, i)).collect();
        assert_eq!(all.len(), 125);
        for (stream, value) in (0..3).flat_map(|k| VALUES.map(|v| (k, v))) {
            let is_it = |x: &&Vec<f64>| x[stream].to_bits() == value.to_bits();
            assert!(all.iter().filter(is_it).count() > 5, "{stream}: {value}");
        }
    }

    #[test]
    fn joint_limits_do_not_depend_on_which_input_grows_faster() {
        let mut b = Builder::new();
        let [x, y] = [1, 2].map(|k| b.stream(k));
        let [of_x, of_y] = [x, y].map(|x| b.call(Prim::Exp, &[x]));
        let below = b.sum(of_x, of_y);
        let outputs = [b.quotient(of_x, below), b.difference(x, y)];
        let spec = Spec::of(b.finish(&outputs));
        let formula = Formula::new(&crate::tests::SCALE, Box::leak(Box::new(spec)));
        let is_limit = |[x, y]: [f64; 2], k: usize, got: f64| {
            let (attrs, format) = (&formula.settings[0].attrs, Format::of(DType::F32));
            formula.is_joint_limit(attrs, &[1.0, x, y], k, got, format)
        };
        const INF: f64 = f64::INFINITY;
        assert!(is_limit([INF, -INF], 0, 1.0) && is_limit([INF, -INF], 1, INF));
        assert!(!is_limit([INF, -INF], 0, 0.5) && !is_limit([INF, -INF], 1, f64::NAN));
        for got in [0.0, 0.5, 1.0, INF] {
            assert!(!is_limit([INF, INF], 0, got) && !is_limit([INF, INF], 1, got), "{got}");
        }
        assert!(!is_limit([INF, 1.0], 0, 1.0), "one infinity");
    }
}
