//! Two coefficients in one look-up.
//!
//! Where look-ups take longer than operations, the two highest coefficients share an entry, because they need few bits. The whole entry
//! is the lower power's coefficient, and its lower half is the upper half of a float, the higher power's coefficient. The error that
//! this adds to the lower power's coefficient is known when the other coefficients are fitted.

const HALF: u32 = 0xffff;

/// Rounds two coefficients so that they share one table entry of 32 bits.
///
/// `below` is the coefficient of the lower power, and becomes the whole entry; `above` is that of the next power, and becomes
/// its lower half. Returns the two rounded coefficients in this order.
pub(crate) fn packed(below: f64, above: f64) -> [f64; 2] {
    let upper = upper_half(above);
    [with_lower_half(below, upper >> 16), f32::from_bits(upper)].map(f64::from)
}

/// Returns the bits of the float nearest to `v` whose lower half is zero, with ties to even.
fn upper_half(v: f64) -> u32 {
    let bits = (v as f32).to_bits();
    bits.wrapping_add(HALF / 2 + (bits >> 16 & 1)) & !HALF
}

/// Returns the float nearest to `v` whose bits have the lower half `lower`.
fn with_lower_half(v: f64, lower: u32) -> f32 {
    let upper = (v as f32).to_bits() & !HALF;
    let all = [upper.wrapping_sub(HALF + 1), upper, upper.wrapping_add(HALF + 1)];
    let floats = all.map(|bits| f32::from_bits(bits | lower)).into_iter();
    let off = |x: &f32| (f64::from(*x) - v).abs();
    floats.filter(|x| x.is_finite()).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_near_and_hold_both() {
        for (a, b) in [(0.123, -4.56e-3), (-7.0, 1.0), (1.0 / 3.0, 2e-9), (-1e-4, 0.0), (0.0, 0.0)]
        {
            let [below, above] = packed(a, b);
            let entry = (below as f32).to_bits();
            assert_eq!(f64::from(f32::from_bits(entry << 16)), above);
            assert!((below - a).abs() <= a.abs() / 256.0 && (above - b).abs() <= b.abs() / 256.0);
        }
    }
}
