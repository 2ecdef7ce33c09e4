//! Elements of infinities, NaN and ordinary numbers, alone and combined.
//!
//! Zeros are not among them, because a formula that reads `0 * inf` has no value.

use super::formula::Formula;

/// Values tried for each input stream, in all combinations; masks take 0 and 1 instead.
const VALUES: [f64; 5] = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.5, -0.75];
/// Maximum number of elements with infinities and NaN that a formula is tried at.
///
/// An operator with many streams has more combinations, which are sampled evenly, because exact values at infinities take long.
const MOST: u64 = 1 << 11;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
