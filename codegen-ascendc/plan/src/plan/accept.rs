//! Decides whether a sequence for a univariate function is accurate, by computing it.
//!
//! A candidate is run over inputs of its element type in `float` arithmetic, once with every call correctly rounded and once with
//! `Exp`, `Ln`, `Sqrt` and `Div` a unit off, as hardware may be. The reference is the function's graph in f64. There are some
//! thousand inputs here; tests take all of 16 bits.

use super::arithmetic::{Noise, evaluate, round};
use super::limits::FAR;
use crate::sequence::form::Digits;
use crate::sequence::{Seq, Type, Val};
use op_dsl_ir::format::{Format, pow2};
use op_dsl_ir::{DType, Graph, compile};

/// Test inputs of a univariate function with its reference results, for one element type.
pub(super) struct Judge {
    dtype: DType,
    xs: Vec<f32>,
    want: Vec<f64>,
    /// For each input, the derivative of the function with respect to a relative change of the input.
    change: Vec<f64>,
}

/// Returns a graph of a function that does not cancel in f64, if the function is 0 at 0.
///
/// Returns `None` for any other function.
pub(super) fn exact(function: &Graph) -> Option<Graph> {
    let has_zero = function.eval(&[0.0], &[])[0].abs() < 1e-12;
    has_zero.then(|| compile::wide(function, function, &[]).graph)
}

impl Judge {
    /// Returns test inputs and reference results for `function`, a graph of stream 0.
    ///
    /// The inputs are every `step`th number of a 16-bit type, or as many numbers of 32 bits.
    pub fn new(function: &Graph, digits: Digits, dtype: DType, step: usize) -> Judge {
        // All inputs count where functions bend, since types with few digits have few of them there.
        let is_sparse = dtype.row().precision <= 8;
        let bends = |x: &f32| is_sparse && (1e-3..200.0).contains(&x.abs());
        let of_16 = |i: u16| Format::of(dtype).decode(i.into()) as f32;
        let xs = match dtype {
            DType::F32 => {
                let patterns = (0..u32::MAX / 65_536).step_by(2 * step).map(|i| i << 16 | 0x5a5a);
                let grid = (0..32_768 / step).map(|i| i as f32 * (step as f32 / 819.2) - 20.0);
                patterns.map(f32::from_bits).chain(grid).collect()
            }
            _ => (0..=u16::MAX)
                .map(|i| (i, of_16(i)))
                .filter(|(i, x)| usize::from(*i) % step == 0 || bends(x))
                .map(|(_, x)| x)
                .collect(),
        };
        Judge::at(function, digits, dtype, xs)
    }

    /// Returns reference results for a function at the inputs `xs` and at both infinities.
    pub fn at(function: &Graph, digits: Digits, dtype: DType, xs: Vec<f32>) -> Judge {
        let ends = [f32::INFINITY, f32::NEG_INFINITY];
        let xs: Vec<f32> = xs.into_iter().filter(|x| !x.is_nan()).chain(ends).collect();
        let exact = if digits > Digits::Absolute { exact(function) } else { None };
        let graph = exact.as_ref().unwrap_or(function);
        let far = |x: f64| if x.is_infinite() { FAR.copysign(x) } else { x };
        let at = |share: f64| {
            let column = xs.iter().map(|x| far(f64::from(*x) * (1.0 + share))).collect();
            graph.eval_columns(&[column], &[], xs.len()).swap_remove(0)
        };
        let want = at(0.0);
        const STEP: f64 = 1.0 / (1 << 20) as f64;
        let change = |(above, below): (f64, f64)| (above - below).abs() / (2.0 * STEP);
        let change = match digits {
            Digits::Absolute => vec![f64::INFINITY; xs.len()],
            _ => at(STEP).into_iter().zip(at(-STEP)).map(change).collect(),
        };
        Judge { dtype: digits.dtype(dtype), xs, want, change }
    }

    /// Returns true if a sequence of vector calls that computes `y` from `x` is accurate at all inputs.
    pub fn accepts(&self, seq: Seq, x: Val, y: Val) -> bool {
        // A wrong sequence mostly fails at one of a few inputs, so these are tried first.
        let few: Vec<usize> = (0..self.xs.len()).rev().step_by(self.xs.len() / 64).collect();
        let all: Vec<usize> = (0..self.xs.len()).collect();
        [few, all].iter().all(|places| {
            [Noise::None, Noise::Unit(1)].into_iter().all(|noise| {
                let xs: Vec<f32> = places.iter().map(|i| self.xs[*i]).collect();
                let got = evaluate(&seq, x, &xs, y, noise);
                let fits = |(i, got): (&usize, f32)| self.fits(*i, got, noise);
                places.iter().zip(got).all(fits)
            })
        })
    }

    /// The inputs, for tests.
    #[cfg(test)]
    pub fn inputs(&self) -> &[f32] {
        &self.xs
    }

    /// Returns the first inaccurate input, the computed value and the reference; `None` if there is none.
    #[cfg(test)]
    pub fn miss(&self, got: &[f32], noise: Noise) -> Option<(f32, f32, f64)> {
        let is_wrong = |i: &usize| !self.fits(*i, got[*i], noise);
        (0..got.len()).find(is_wrong).map(|i| (self.xs[i], got[i], self.want[i]))
    }

    fn fits(&self, i: usize, got: f32, noise: Noise) -> bool {
        let (x, want, ty) = (f64::from(self.xs[i]), self.want[i], Type::Data(self.dtype));
        let got = f64::from(round(got, ty));
        if want.is_nan() {
            return true;
        }
        if x.is_infinite() && (noise == Noise::None || want.abs() > FAR.sqrt()) {
            return if want.abs() > FAR.sqrt() {
                got.is_infinite() && got.signum() == want.signum()
            } else {
                got == f64::from(round(want as f32, ty))
            };
        }
        let error = (got - want).abs();
        let slack = if noise == Noise::None { 1.0 } else { 2.0 };
        match self.dtype {
            DType::F32 if want.abs() > f64::from(f32::MAX) => !got.is_nan(),
            DType::F32 => {
                // Results below `1e-36` are not checked relatively, because intermediate results have fewer digits there.
                let is_tail = (4.0..=8.0).contains(&x.abs()) && (1e-36..1e-2).contains(&want.abs());
                let absolute = slack * ABSOLUTE * want.abs().max(1.0);
                let unit = Format::of(DType::F32).ulp(want).max(f64::from(f32::MIN_POSITIVE));
                let of_value = unit.max(self.change[i] * pow2(-24));
                error <= absolute.min(slack * NEAR * of_value)
                    && (!is_tail || error <= slack * in_tail(want))
            }
            dtype => {
                let (nearest, unit) = (Format::of(dtype).round(want), Format::of(dtype).ulp(want));
                let steps = (got - nearest).abs() / unit;
                got == nearest || error <= MOST * unit || slack > 1.0 && steps <= 1.0
            }
        }
    }
}

/// Returns the absolute error allowed in the tail of a function in f32 whose reference is `want`.
///
/// Where the function is `e^-v`, an error of `v` is a relative error of the function. Half a unit in the last place of `v` is
/// allowed for each rounding of `v`, of which `s x^2` has two, and half a unit for the rest. `v` is taken a little larger than the
/// logarithm of `want`, because polynomials may multiply the exponential.
fn in_tail(want: f64) -> f64 {
    let unit = Format::of(DType::F32).ulp(1.1 * libm::log(want.abs()));
    want.abs() * (1.5 * unit).max(2e-6)
}

/// Allowed error in f32, in the larger of two units.
///
/// These are the unit in the last place of the value, and the change of the value where the input changes by half a unit. The limit
/// is one less than the 8 units that a result of a kernel may be off.
const NEAR: f64 = 7.0;
/// Allowed absolute error in f32, for values up to 1: 2^-22.
const ABSOLUTE: f64 = 2.384_185_791_015_625e-7;
/// Allowed error in units in the last place of a 16-bit type.
///
/// It is a little less than one, because not all inputs are tried.
const MOST: f64 = 0.99;
