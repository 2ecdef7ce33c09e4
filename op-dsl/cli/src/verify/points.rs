//! Which activations a sweep has.

use super::formula::Formula;
use crate::args::Sweep;
use op_dsl_ir::DType;
use op_dsl_ir::format::Format;

/// How much finer the stride is where the activations of networks lie.
const FINER: u64 = 16;
/// Bit patterns of 2^-4 .. 16, to be taken with either sign.
const FINE: (u64, u64) = (0x3d80_0000, 0x4180_0000);
/// Around the ends and the middle of each exponent.
const MANTISSAS: [u32; 8] = [0, 1, 2, 0x3f_ffff, 0x40_0000, 0x40_0001, 0x7f_fffe, 0x7f_ffff];
/// Both signs, every exponent: zeros, denormals, infinities and NaN are among them.
const EXPONENTS: u64 = 512 * MANTISSAS.len() as u64;
/// Neighbours of a kink on either side.
const NEIGHBOURS: i32 = 4;

/// Activations of one element type.
pub struct Points {
    dtype: DType,
    exhaustive: bool,
    /// Through the bit patterns of f32.
    stride: u64,
    /// Around the numbers that the formula is written with.
    kinks: Vec<f32>,
}

impl Points {
    pub fn new(formula: &Formula, dtype: DType, args: &Sweep) -> Points {
        let exhaustive = args.exhaustive || dtype != DType::F32;
        let kinks = if exhaustive { Vec::new() } else { kinks(&formula.constants()) };
        Points { dtype, exhaustive, stride: args.stride.into(), kinks }
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        match self.exhaustive {
            true => 1 << self.dtype.row().bits,
            false => self.strided() + EXPONENTS + 2 * self.fine() + self.kinks.len() as u64,
        }
    }

    /// Activation `i`.
    pub fn at(&self, i: u64) -> f32 {
        match self.dtype {
            DType::F16 => half::f16::from_bits(i as u16).to_f32(),
            DType::BF16 => half::bf16::from_bits(i as u16).to_f32(),
            DType::F32 if self.exhaustive => f32::from_bits(i as u32),
            DType::F32 => self.sampled(i),
        }
    }

    fn sampled(&self, i: u64) -> f32 {
        let (stride, fine) = (self.stride, self.fine());
        let Some(i) = i.checked_sub(self.strided()) else {
            return f32::from_bits((i * stride) as u32);
        };
        let Some(i) = i.checked_sub(EXPONENTS) else {
            let mantissa = MANTISSAS[i as usize % MANTISSAS.len()];
            return f32::from_bits(((i as u32 / MANTISSAS.len() as u32) << 23) | mantissa);
        };
        let Some(i) = i.checked_sub(2 * fine) else {
            let sign = if i < fine { 0 } else { 0x8000_0000 };
            return f32::from_bits(sign | (FINE.0 + i % fine * self.fine_stride()) as u32);
        };
        self.kinks[i as usize]
    }

    fn strided(&self) -> u64 {
        (1 << 32) / self.stride
    }

    fn fine_stride(&self) -> u64 {
        (self.stride / FINER).max(1)
    }

    fn fine(&self) -> u64 {
        (FINE.1 - FINE.0) / self.fine_stride()
    }
}

/// Every constant with its neighbours, in f32, of either sign, itself and inverted.
fn kinks(constants: &[f64]) -> Vec<f32> {
    let mut kinks: Vec<f32> = constants
        .iter()
        .flat_map(|c| [*c, 1.0 / c])
        .map(|c| Format::of(DType::F32).round(c.abs()) as f32)
        .filter(|c| c.is_normal())
        .flat_map(|c| {
            (-NEIGHBOURS..=NEIGHBOURS).map(move |k| f32::from_bits((c.to_bits() as i32 + k) as u32))
        })
        .flat_map(|c| [c, -c])
        .collect();
    kinks.sort_by(f32::total_cmp);
    kinks.dedup();
    kinks
}

/// One activation of each exponent and sign, in any type: for what is tried at many settings.
pub fn sparse(dtype: DType) -> Vec<f32> {
    let (least, greatest) = dtype.row().exponents;
    let format = Format::of(dtype);
    let of = |e: i32| format.round(1.37 * f64::from(e).exp2()) as f32;
    let top = format.max() as f32;
    let positive =
        (least - 2..=greatest - 1).map(of).chain([0.0, 1.0, 3.0, 10.0, 50.0, 100.0, top]);
    positive.flat_map(|x| [x, -x]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(kinks: Vec<f32>) -> Points {
        Points { dtype: DType::F32, exhaustive: false, stride: 16_411, kinks }
    }

    #[test]
    fn the_default_sweep_has_every_exponent_and_both_signs() {
        let points = points(kinks(&[0.5, -3.0]));
        let mut seen = [false; 512];
        (0..points.len()).for_each(|i| seen[(points.at(i).to_bits() >> 23) as usize] = true);
        assert!(seen.iter().all(|s| *s));
        assert!(points.len() > 300_000 && points.len() < 600_000, "{}", points.len());
        let has = |x: f32| (0..points.len()).any(|i| points.at(i).to_bits() == x.to_bits());
        for x in [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::from_bits(1), 3.0, -0.5] {
            assert!(has(x), "{x}");
        }
        assert!(has(3.0f32.next_up()) && has(-(3.0f32.next_down())) && has(1.0 / 3.0));
    }

    #[test]
    fn the_fine_part_covers_its_range() {
        let points = points(Vec::new());
        let (first, fine) = (points.strided() + EXPONENTS, points.fine());
        assert_eq!(points.at(first), 0.0625);
        assert!(points.at(first + fine - 1) > 15.9);
        assert_eq!(points.at(first + fine), -0.0625);
        assert!(points.at(points.len() - 1) < -15.9);
    }

    #[test]
    fn sparse_points_are_numbers_of_their_type() {
        for dtype in DType::ALL {
            let format = Format::of(dtype);
            assert!(sparse(dtype).iter().all(|x| format.round(f64::from(*x)) == f64::from(*x)));
        }
    }
}
