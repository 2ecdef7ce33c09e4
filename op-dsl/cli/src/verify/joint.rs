//! Elements with all streams at random.
//!
//! Four kinds are interleaved because each reveals faults of another kind:
//!
//! - any numbers
//! - moderate activations with factors of any size
//! - moderate activations with factors of any size, one of them chosen so that the result is a normal number
//! - streams that are equal, or nearly equal

use super::formula::Formula;
use op_dsl_ir::DType;
use op_dsl_ir::format::Format;
use op_dsl_ir::op::Value;

/// Range of the binary exponents of activations of moderate size, the second excluded.
const MODERATE: (i32, i32) = (-12, 9);

/// A sequence of random numbers that is the same on every machine (SplitMix64).
pub(super) struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }

    /// Draws a number from 0 to 1, the second excluded.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn sign(&mut self) -> f64 {
        if self.below(2) == 0 { 1.0 } else { -1.0 }
    }

    /// Draws a number of either sign with a binary exponent from `least` to `greatest - 1`.
    fn number(&mut self, (least, greatest): (i32, i32)) -> f64 {
        let exponent = least + self.below((greatest - least) as u64) as i32;
        let mantissa = 1.0 + self.below(1 << 52) as f64 / (1u64 << 52) as f64;
        self.sign() * mantissa * f64::from(exponent).exp2()
    }
}

/// Maps a number of 53 random bits to a number in `range`, or from 0 to 1 if `range` is `None`.
fn inside(range: Option<[f64; 2]>, bits: u64) -> f64 {
    let [low, high] = range.unwrap_or([0.0, 1.0]);
    low + (high - low) * (bits as f64 / (1u64 << 53) as f64)
}

/// Returns the value of every input stream for the random element `i`.
pub fn element(formula: &Formula, dtype: DType, attrs: &[Value], i: u64) -> Vec<f64> {
    let (format, mut random) = (Format::of(dtype), Random(i));
    let (least, greatest) = dtype.row().exponents;
    // Denormal numbers get the weight of a few exponents.
    let any = (least - dtype.row().precision / 2, greatest + 1);
    let streams = formula.multiplies.len();
    let mut values: Vec<f64> = (0..streams)
        .map(|k| match (formula.masks.contains(&k), i % 4) {
            (true, _) => random.below(2) as f64,
            _ if formula.ranges[k].is_some() => inside(formula.ranges[k], random.below(1 << 53)),
            (false, 1 | 2) if formula.applied.contains(&k) => random.number(MODERATE),
            _ => random.number(any),
        })
        .collect();
    let number = |v: f64| format.round(v).clamp(-format.max(), format.max());
    values.iter_mut().for_each(|v| *v = number(*v));
    let factors: Vec<usize> =
        (0..streams).filter(|k| formula.multiplies[*k] && !formula.masks.contains(k)).collect();
    match i % 4 {
        2 if !factors.is_empty() => {
            let k = factors[random.below(factors.len() as u64) as usize];
            let goal = random.number((least, greatest)).abs();
            values[k] = number(aimed(formula, attrs, &values, k, goal));
        }
        3 => {
            let numbers: Vec<usize> = (0..streams).filter(|k| !formula.masks.contains(k)).collect();
            let [from, to] = [0; 2].map(|_| numbers[random.below(numbers.len() as u64) as usize]);
            let near = 1.0 + random.number((-24, -1));
            let by = [1.0, -1.0, near, -near][random.below(4) as usize];
            values[to] = number(values[from] * by);
        }
        _ => {}
    }
    values
}

/// Returns the value of the input stream `k` for which a result has about the magnitude `goal`.
///
/// Results must be proportional to this stream. The other streams have the values in `values`.
fn aimed(formula: &Formula, attrs: &[Value], values: &[f64], k: usize, goal: f64) -> f64 {
    let mut values = values.to_vec();
    values[k] = 1.0;
    let results = op_dsl_truth::roughly(formula.spec, &values, &formula.op.def().scalars(attrs));
    let mut results = results.into_iter().filter(|y| y.is_normal());
    results.next().map_or(values[k], |y| goal / y)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test operator computes two products of factors with all exponents.
    ///
    /// If one factor is chosen by [`aimed`], most results must be normal numbers.
    #[test]
    fn aimed_results_are_normal_numbers() {
        let op = &*crate::tests::SCALE;
        let formula = Formula::new(op, &op.def().specs[0]);
        let attrs = formula.settings[0].attrs.clone();
        for dtype in DType::ALL {
            let least = f64::from(dtype.row().exponents.0).exp2();
            let all = (0..4000).filter(|i| i % 4 == 2);
            let is_normal = |i: u64| {
                let v = element(&formula, dtype, &attrs, i);
                let format = Format::of(dtype);
                assert!(v.iter().all(|v| format.round(*v) == *v && v.is_finite()), "{v:?}");
                let results = [v[0] * v[1], v[0] * v[2]].map(f64::abs);
                results.iter().any(|y| (least..format.max()).contains(y))
            };
            let normal = all.filter(|i| is_normal(*i)).count();
            assert!(normal > 850, "{dtype}: {normal} of 1000");
        }
    }

    #[test]
    fn numbers_are_of_every_exponent() {
        let mut random = Random(1);
        let mut seen = [false; 256];
        for _ in 0..10_000 {
            let v = random.number((-128, 128));
            assert!(v.is_finite() && (-128.0..128.0).contains(&v.abs().log2().floor()));
            seen[(v.abs().log2().floor() + 128.0) as usize] = true;
        }
        assert!(seen.iter().all(|s| *s));
    }
}
