//! Sums and products of double-floats, for formulas of rows, whose results are watched (`rt/ranged.rs`).
//!
//! Where a number is not finite the low part may be NaN, and so is the result then: the step is computed again in f64. Operations of
//! [`DoubleFloat`] that clear such low parts take up to twice as long.

use super::double_float::DoubleFloat;
use super::exp::exp_of_sum;
use crate::rt::elem::{El, is_single};
use crate::rt::simd::Isa;
use crate::rt::step::{Floats, each};

impl<S: Isa, const W: usize> DoubleFloat<S, W> {
    /// Returns a value of a row: the nearest float and the remainder.
    #[inline(always)]
    pub fn of_row(high: Floats<S, W>, low: Floats<S, W>) -> DoubleFloat<S, W> {
        DoubleFloat { high, low }
    }

    /// `x + y`, exactly.
    #[inline(always)]
    pub fn sum_of(_: S, x: Floats<S, W>, y: Floats<S, W>) -> DoubleFloat<S, W> {
        let (high, low) = x.two_sum(y);
        DoubleFloat { high, low }
    }

    /// `x + y` of two elements of type `E`, or of an element and a value of its row: in 16 bits, rounded to one float.
    ///
    /// Two numbers of 16 bits whose exponents are less than 13 apart have an exact sum in f32. Any other sum is off by half a unit of
    /// f32, which shows in no result of 16 bits.
    #[inline(always)]
    pub fn sum_of_elements<E: El>(s: S, x: Floats<S, W>, y: Floats<S, W>) -> DoubleFloat<S, W> {
        if const { is_single::<E>() } {
            return DoubleFloat::sum_of(s, x, y);
        }
        DoubleFloat::exact(s, x + y)
    }

    /// `x * y` of two elements of type `E`, exactly as [`DoubleFloat::product_of`]: of 16 bits, a product has at most 22.
    #[inline(always)]
    pub fn product_of_elements<E: El>(s: S, x: Floats<S, W>, y: Floats<S, W>) -> DoubleFloat<S, W> {
        if const { is_single::<E>() } {
            return DoubleFloat::product_of(s, x, y);
        }
        DoubleFloat::exact(s, x * y)
    }

    /// `x * y`, exactly where the rounding error does not underflow.
    #[inline(always)]
    pub fn product_of(s: S, x: Floats<S, W>, y: Floats<S, W>) -> DoubleFloat<S, W> {
        let (high, low) = x.two_prod(s, y);
        DoubleFloat { high, low }
    }

    /// `self + y`. Where the terms cancel, the low part may be larger than half a unit of the high part.
    #[inline(always)]
    pub fn plus(self, y: DoubleFloat<S, W>) -> DoubleFloat<S, W> {
        let (high, rest) = self.high.two_sum(y.high);
        DoubleFloat { high, low: rest + (self.low + y.low) }
    }

    /// `self + y`
    #[inline(always)]
    pub fn plus_float(self, y: Floats<S, W>) -> DoubleFloat<S, W> {
        let (high, rest) = self.high.two_sum(y);
        DoubleFloat { high, low: rest + self.low }
    }

    /// `self * x`
    #[inline(always)]
    pub fn times_float(self, s: S, x: Floats<S, W>) -> DoubleFloat<S, W> {
        let (high, rest) = self.high.two_prod(s, x);
        DoubleFloat { high, low: self.low.mul_add(x, rest) }
    }

    /// `self * x`, rounded about once.
    #[inline(always)]
    pub fn times_rounded(self, x: Floats<S, W>) -> Floats<S, W> {
        self.high.mul_add(x, self.low * x)
    }

    /// `self * y`, rounded about once.
    #[inline(always)]
    pub fn by_rounded(self, y: DoubleFloat<S, W>) -> Floats<S, W> {
        self.high.mul_add(y.high, self.high.mul_add(y.low, self.low * y.high))
    }

    /// `e^self`, rounded to one float: 0.6 ulp.
    #[inline(always)]
    pub fn exp(self, s: S) -> Floats<S, W> {
        Floats(each!(k => exp_of_sum(s, self.high.0[k], self.low.0[k])))
    }

    /// `1 / self`
    #[inline(always)]
    pub fn reciprocal(self, s: S) -> DoubleFloat<S, W> {
        let one = Floats::splat(s, 1.0);
        let high = one / self.high;
        let left = self.low.mul_add(-high, self.high.mul_add(-high, one));
        DoubleFloat { high, low: left * high }
    }
}
