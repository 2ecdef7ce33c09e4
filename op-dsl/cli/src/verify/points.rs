//! Activations of a sweep.

use super::formula::Formula;
use op_dsl_ir::format::Format;
use op_dsl_ir::{DType, Stored};

/// Bit patterns of 2^-4 and 16 in f32, the range of typical activations.
///
/// A third of the sampled activations are in this range, because the activations of networks lie there.
const FINE: (u32, u32) = (0x3d80_0000, 0x4180_0000);
/// Mantissas tried for each exponent: in the middle of its binade, and at both ends, because the unit in the last place changes there.
const MANTISSAS: [u32; 4] = [0, 1, 0x40_0000, 0x7f_ffff];
/// Number of f32 bit patterns with the mantissas [`MANTISSAS`], both signs and every exponent.
///
/// Zeros, denormals, infinities and NaN are among these patterns.
const EXPONENTS: u64 = 512 * MANTISSAS.len() as u64;
/// Number of neighbouring floats of a breakpoint that are tried on either side of it.
const NEIGHBOURS: i32 = 4;
/// Odd number near 2^32 divided by the golden ratio; `SPREAD_HALF` is the one for 2^16.
///
/// Multiples of this number, taken as bit patterns, are spread evenly over all patterns, however many there are. Since the
/// number is odd, they run through all patterns.
const SPREAD: u64 = 0x9e37_79b1;
const SPREAD_HALF: u64 = 0x9e37;

/// Activations of one element type that a stream is swept through.
///
/// Special values and the breakpoints with their neighbours come first. The others follow in an order in which any number
/// of them is evenly spread.
pub struct Points {
    dtype: DType,
    /// Type that the swept stream has on its own, if kernels convert it; the points are all its numbers, or an even sample.
    own: Option<Stored>,
    first: Vec<f32>,
    /// Number of activations after the special values.
    spread: u64,
    is_exhaustive: bool,
}

impl Points {
    /// Returns about `limit` activations, or all values of the type if `limit` is `None` or not smaller.
    ///
    /// The stream `swept` is the one that takes the activations.
    pub fn new(formula: &Formula, swept: usize, dtype: DType, limit: Option<u64>) -> Points {
        let own = formula.own(swept);
        let dtype = own.and_then(Stored::number).unwrap_or(dtype);
        let own = own.filter(|own| own.is_converted());
        let values = 1 << own.map_or(dtype.row().bits, |own| 8 * own.size());
        if let Some(own) = own {
            let spread = limit.map_or(values, |limit| values.min(limit));
            return Points {
                dtype,
                own: Some(own),
                first: Vec::new(),
                spread,
                is_exhaustive: true,
            };
        }
        let is_exhaustive = limit.is_none_or(|limit| limit >= values);
        match is_exhaustive {
            true => Points { dtype, own, first: Vec::new(), spread: values, is_exhaustive },
            false => {
                let first = first(&formula.constants(), dtype);
                let spread = limit.unwrap_or(values).saturating_sub(first.len() as u64);
                Points { dtype, own, first, spread, is_exhaustive }
            }
        }
    }

    /// Returns the number of activations.
    pub fn len(&self) -> u64 {
        self.first.len() as u64 + self.spread
    }

    /// Returns activation `i`.
    pub fn at(&self, i: u64) -> f32 {
        let Some(i) = i.checked_sub(self.first.len() as u64) else { return self.first[i as usize] };
        if let Some(own) = self.own {
            let bits = i.wrapping_mul(SPREAD) as u32;
            return match (own.integers(), Format::of_stored(own)) {
                // Integers in two's complement, as many bits as the type has.
                (Some((least, _)), _) if least < 0.0 => {
                    let unused = 32 - 8 * own.size();
                    ((bits << unused) as i32 >> unused) as f32
                }
                (None, Some(format)) => format.decode(bits & 0xff) as f32,
                _ => (bits & 0xff) as f32,
            };
        }
        match self.dtype {
            dtype if dtype.is_narrow() => {
                let bits = i.wrapping_mul(SPREAD_HALF) & ((1 << dtype.row().bits) - 1);
                Format::of(dtype).decode(bits as u32) as f32
            }
            _ if self.is_exhaustive => f32::from_bits(i.wrapping_mul(SPREAD) as u32),
            _ => sampled(i),
        }
    }
}

/// Returns element `i` of a sample of f32: every exponent first, then a mixture.
///
/// In the mixture, two of three elements are from all bit patterns, and one is from the range [`FINE`].
fn sampled(i: u64) -> f32 {
    let Some(i) = i.checked_sub(EXPONENTS) else {
        // All exponents of one mantissa come before the next mantissa.
        let (mantissa, exponent) = (MANTISSAS[(i / 512) as usize], i % 512 * 0x9d % 512);
        return f32::from_bits((exponent as u32) << 23 | mantissa);
    };
    let spread = i.wrapping_mul(SPREAD) as u32;
    if i % 3 > 0 {
        return f32::from_bits(spread);
    }
    let (low, high) = FINE;
    let within = ((u64::from(spread << 1) * u64::from(high - low)) >> 32) as u32;
    f32::from_bits(spread & 0x8000_0000 | (low + within))
}

/// Returns the special values and breakpoints that a sweep begins with, of either sign.
///
/// They are zero, one, infinity, NaN, the greatest and the least number of the type, and all `constants` and their
/// reciprocals with neighbouring numbers.
fn first(constants: &[f64], dtype: DType) -> Vec<f32> {
    let format = Format::of(dtype);
    let ends = [0.0, f64::INFINITY, f64::NAN, format.max(), 1.0, format.ulp(0.0)];
    let near = |c: f64| {
        let c = format.round(c.abs());
        let unit = format.ulp(c);
        // Below a power of two units are smaller, and above it larger.
        (-NEIGHBOURS..=NEIGHBOURS).map(move |k| format.round(c + f64::from(k) * unit))
    };
    let constants = constants.iter().flat_map(|c| [*c, 1.0 / c]).filter(|c| c.is_normal());
    let all = ends.into_iter().chain(constants.flat_map(near));
    let mut all: Vec<f32> = all.flat_map(|c| [c as f32, -c as f32]).collect();
    all.sort_by(f32::total_cmp);
    all.dedup_by(|a, b| a.to_bits() == b.to_bits());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(dtype: DType, spread: u64) -> Points {
        let first = first(&[0.5, -3.0], dtype);
        Points { dtype, own: None, first, spread, is_exhaustive: false }
    }

    #[test]
    fn few_points_have_every_exponent_of_both_signs() {
        let points = points(DType::F32, 1 << 11);
        let mut seen = [false; 512];
        (0..points.len()).for_each(|i| seen[(points.at(i).to_bits() >> 23) as usize] = true);
        assert!(seen.iter().all(|s| *s));
        let has = |x: f32| (0..points.len()).any(|i| points.at(i).to_bits() == x.to_bits());
        for x in [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::from_bits(1), 3.0, -0.5] {
            assert!(has(x), "{x}");
        }
        assert!(has(3.0f32.next_up()) && has(-(3.0f32.next_down())) && has(1.0 / 3.0));
    }

    #[test]
    fn neighbours_of_constants_are_numbers_of_the_type() {
        for dtype in DType::ALL {
            let format = Format::of(dtype);
            let near_one = first(&[0.999, 1e-8, 3.0], dtype);
            assert!(
                near_one.iter().all(|x| x.is_nan() || format.round(f64::from(*x)) == f64::from(*x))
            );
        }
    }

    #[test]
    fn a_third_is_where_activations_lie_and_no_two_are_alike() {
        let points = points(DType::F32, 1 << 15);
        let mut all: Vec<u32> = (0..points.len()).map(|i| points.at(i).to_bits()).collect();
        let fine = all.iter().filter(|x| (FINE.0..FINE.1).contains(&(**x & 0x7fff_ffff))).count();
        assert!((9_000..12_000).contains(&fine), "{fine}");
        all.sort();
        all.dedup();
        assert!(all.len() > 32_000, "{}", all.len());
    }

    #[test]
    fn sixteen_bits_are_all_there_is() {
        let (dtype, first, own) = (DType::F16, Vec::new(), None);
        let all = Points { dtype, own, first, spread: 1 << 16, is_exhaustive: true };
        let mut seen: Vec<u16> =
            (0..all.len()).map(|i| half::f16::from_f32(all.at(i)).to_bits()).collect();
        seen.sort();
        seen.dedup();
        // Signalling NaN are made quiet.
        assert!(seen.len() > 63_000, "{}", seen.len());
    }
}
