//! Tail of a function beyond its table: an exponential of a piecewise polynomial, then a straight line.
//!
//! `op_dsl_fit::Tail` defines it, and its `Curve::eval` computes the same lane by lane. It is evaluated out of line, where some
//! lane of a step has left a table ([`tabled`](crate::rt::tabled)).

use super::double_float::DoubleFloat;
use super::exponential::Exp;
use super::table::{Column, Lut, MAGIC};
use crate::rt::elem::{El, is_single};
use crate::rt::simd::Isa;
use crate::rt::step::{Bits, Floats, Mask};
use op_dsl_fit::tail::{COLUMNS, Cells, ENTRIES, Line};

/// Limit on the absolute value of tails; larger values take the slow path in f64.
///
/// Otherwise an attribute that multiplies the value might make it infinite, and other factors might bring that product back to
/// a finite number.
pub(super) const LARGE: f32 = (1u128 << 80) as f32;

/// A univariate function with tails, which are its approximations beyond the table range.
pub trait Beyond {
    /// Tails (approximations beyond the table range) for negative and for positive arguments.
    const TAILS: [Tail; 2];
}

/// Approximation of a function beyond the table range, on one side of zero.
#[derive(Clone, Copy, Debug)]
pub struct Tail {
    /// Exponential part, next to the table range; `None` if there is none.
    pub curve: Option<Curve>,
    /// Straight line that the function follows beyond the exponential part; `None` if there is none.
    pub line: Option<Line>,
}

/// `+- e^-v` on an interval of `z = |x|`, where `v` is a piecewise polynomial in `z`.
#[derive(Clone, Copy, Debug)]
pub struct Curve {
    /// Interval: the least `z` inside, and the least `z` above it.
    pub within: [f32; 2],
    /// Whether the function's values are negative.
    pub negative: bool,
    /// Method that computes the number of the segment that contains `z`.
    pub cells: Cells,
    /// Columns: centres, high and low part of `v0`, high and low part of `v1`, then higher coefficients.
    ///
    /// A column has one number per segment. `v = v0 + v1 d + ..`, where `d` is the distance of `z` from the segment's centre.
    pub columns: &'static [Column<ENTRIES>],
}

/// Evaluates the tails of `M` functions of `x` that share a table.
///
/// Lanes in `beyond` receive the tails' values, and others keep `values`. The mask has the lanes where some tail is not
/// defined.
#[inline(always)]
pub fn of_each<S: Isa, E: El, const M: usize>(
    s: S,
    x: Floats<S>,
    beyond: Mask<S>,
    mut values: [DoubleFloat<S, 2>; M],
    tails: &[[Tail; 2]; M],
) -> ([DoubleFloat<S, 2>; M], Mask<S>) {
    let mut missed = beyond;
    // One call per side, because a loop over both would copy all tails to the stack, and wait for that.
    of_side::<S, E, M>(s, x, 0, beyond, &mut values, &mut missed, tails);
    of_side::<S, E, M>(s, x, 1, beyond, &mut values, &mut missed, tails);
    (values, missed)
}

/// [`of_each`] for negative (`side` 0) or positive (1) `x`.
#[inline(always)]
fn of_side<S: Isa, E: El, const M: usize>(
    s: S,
    x: Floats<S>,
    side: usize,
    beyond: Mask<S>,
    values: &mut [DoubleFloat<S, 2>; M],
    missed: &mut Mask<S>,
    tails: &[[Tail; 2]; M],
) {
    let sign = [-1.0, 1.0][side];
    let there = beyond & (x * sign).simd_ge(0.0);
    if !there.any_true() {
        return;
    }
    let z = DoubleFloat::exact(s, x.abs());
    let mut known = there;
    for k in 0..M {
        let (far, has) = tails[k][side].at::<S, E>(s, z, sign, false);
        known = known & has & far.high.abs().simd_lt(LARGE);
        values[k] = far.or(there & has, values[k]);
    }
    *missed = missed.without(known);
}

impl Tail {
    /// Evaluates the tail at `x = sign * z`, and returns the mask of lanes where the tail is defined.
    ///
    /// `z` is positive, and its low part counts only if `scaled` is true, for a product with an attribute. For elements of 16 bits
    /// the value is the `high` part of the result.
    #[inline(always)]
    pub fn at<S: Isa, E: El>(
        &self,
        s: S,
        z: DoubleFloat<S, 2>,
        sign: f32,
        scaled: bool,
    ) -> (DoubleFloat<S, 2>, Mask<S>) {
        let mut value = DoubleFloat::exact(s, Floats::splat(s, f32::NAN));
        let mut has = z.high.simd_lt(f32::NAN);
        if let Some(curve) = self.curve {
            let [from, to] = curve.within;
            value = match const { is_single::<E>() } {
                true => curve.value(s, z, scaled),
                false => DoubleFloat::exact(s, curve.rounded(s, z.high)),
            };
            has = z.high.simd_ge(from) & z.high.simd_lt(to);
        }
        if let Some(line) = self.line {
            let far = z.high.simd_ge(line.from);
            value = straight(s, line, z, sign).or(far, value);
            has = has | far;
        }
        (value, has)
    }
}

/// Evaluates an asymptote, `base + slope * sign * z`, at `x = sign * z`.
#[inline(always)]
fn straight<S: Isa>(s: S, line: Line, z: DoubleFloat<S, 2>, sign: f32) -> DoubleFloat<S, 2> {
    let base = Floats::splat(s, line.base);
    if line.slope == 0.0 {
        // An infinity times zero would be NaN.
        return DoubleFloat::exact(s, base);
    }
    let slope = Floats::splat(s, sign * line.slope);
    let high = z.high.mul_add(slope, base);
    DoubleFloat { high, low: z.low.mul_add(slope, z.high.mul_add(slope, base - high)) }
}

impl Curve {
    /// Returns `d`, the number of the segment that contains `z`, and `q` in `v = v0 + v1 d + q d^2`.
    ///
    /// `v` is the negated exponent of the tail `+- e^-v`, and `d` the distance of `z` from the segment's centre.
    #[inline(always)]
    fn segment<S: Isa>(&self, s: S, z: Floats<S>) -> (Floats<S>, Bits<S>, Floats<S>) {
        let ix: Bits<S> = match self.cells {
            Cells::Equal(scale) => z.mul_add(scale, MAGIC).bits(),
            Cells::Octaves { less, shift } => (z - less).bits() >> shift,
        };
        let column = |k: usize| self.columns[k].0.lut(s, ix);
        let d = z - column(0);
        let last = self.columns.len() - 1;
        let mut q = column(last);
        for k in (COLUMNS..last).rev() {
            q = q.mul_add(d, column(k));
        }
        (d, ix, q)
    }

    /// Evaluates `+- e^-v` at `z` for elements of 16 bits.
    ///
    /// The exponent `v` is needed in double-float, but the exponential only to f32 precision.
    #[inline(always)]
    fn rounded<S: Isa>(&self, s: S, z: Floats<S>) -> Floats<S> {
        let (d, ix, q) = self.segment(s, z);
        let column = |k: usize| self.columns[k].0.lut(s, ix);
        let (v0, slope) = (column(1), q.mul_add(d, column(3)));
        let high = slope.mul_add(d, v0);
        let low = slope.mul_add(d, v0 - high) + column(2);
        let Exp { t, s, up } = Exp::new(s, high, low, self.negative);
        s.mul_add(t, t) * up
    }

    /// Evaluates `+- e^-v` at `z` in double-float, for lanes in the interval; other lanes are arbitrary.
    #[inline(always)]
    fn value<S: Isa>(&self, s: S, z: DoubleFloat<S, 2>, scaled: bool) -> DoubleFloat<S, 2> {
        let (d, ix, q) = self.segment(s, z.high);
        let column = |k: usize| self.columns[k].0.lut(s, ix);
        let (v0, v1) = (column(1), column(3));
        let slope = q.mul_add(d, column(4));
        let (product, lost) = d.two_prod(s, v1);
        let (sum, rest) = v0.two_sum(product);
        let mut low = d.mul_add(slope, lost) + (rest + column(2));
        if scaled {
            low = z.low.mul_add(v1 + slope, low);
        }
        // Renormalises the sum, because the square and higher powers may exceed one step of the exponential.
        let high = sum + low;
        let Exp { t, s, up } = Exp::new(s, high, (sum - high) + low, self.negative);
        let value = s.mul_add(t, t);
        DoubleFloat { high: value * up, low: s.mul_add(t, t - value) * up }
    }
}
