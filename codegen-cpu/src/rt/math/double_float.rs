//! Double-float numbers, for values computed from attributes and for products with a variable.
//!
//! `t = beta * x` rounded to f32 is off by up to half a unit, and `f(t)` magnifies that error. Tables therefore take `t` as
//! `high + low`. A product with a number that is not a float rounds hardly more than once: `fma(v, high, v * low)`. In 16 bits
//! `high` is enough.

use super::range;
use crate::rt::elem::{El, is_single};
use crate::rt::simd::Isa;
use crate::rt::step::{Floats, Mask};
use crate::rt::wide::Wide;
use core::ops::Neg;
use fearless_simd::prelude::*;

/// Argument of a function that has a table: a value `y`, or the product of `y` and an attribute.
#[derive(Clone, Copy)]
pub struct Variable<S: Isa, const W: usize> {
    /// The value `y`.
    pub of: Floats<S, W>,
    /// The argument: `y` itself, or the product.
    pub is: DoubleFloat<S, W>,
}

/// A double-float `high + low`, where `low` is at most half a unit in the last place of `high`.
#[derive(Clone, Copy)]
pub struct DoubleFloat<S: Isa, const W: usize> {
    /// High part: the number, rounded to f32.
    pub high: Floats<S, W>,
    /// Rounding error of `high`. Zero where `high` is not finite.
    pub low: Floats<S, W>,
}

/// Returns the low part `x` where it is finite, else 0: an infinite high part needs no low part.
#[inline(always)]
fn finite<S: Isa, const W: usize>(s: S, x: Floats<S, W>) -> Floats<S, W> {
    x.abs().simd_lt(f32::INFINITY).select(x, Floats::splat(s, 0.0))
}

impl<S: Isa, const W: usize> Variable<S, W> {
    /// Creates the argument `y * by`, where `by` is computed from attributes.
    ///
    /// An infinite product is inside no table.
    #[inline(always)]
    pub fn product(s: S, y: Floats<S, W>, by: DoubleFloat<S, W>) -> Variable<S, W> {
        let (high, rest) = y.two_prod(s, by.high);
        Variable { of: y, is: DoubleFloat { high, low: y.mul_add(by.low, rest) } }
    }

    /// Creates the argument `x * y`.
    #[inline(always)]
    pub fn product_of(s: S, x: Floats<S, W>, y: Floats<S, W>) -> Variable<S, W> {
        let (high, low) = x.two_prod(s, y);
        // A product loses no digits unless a factor is tiny.
        let of = x.abs().simd_lt(y.abs()).select(x, y);
        Variable { of, is: DoubleFloat { high, low } }
    }

    /// Creates the argument `x + y`.
    ///
    /// An infinite sum is inside no table.
    #[inline(always)]
    pub fn sum(_: S, x: Floats<S, W>, y: Floats<S, W>) -> Variable<S, W> {
        let (high, low) = x.two_sum(y);
        Variable { of: high, is: DoubleFloat { high, low } }
    }

    /// Creates the argument `x - y`.
    #[inline(always)]
    pub fn difference(s: S, x: Floats<S, W>, y: Floats<S, W>) -> Variable<S, W> {
        Variable::sum(s, x, -y)
    }

    /// Creates an argument that is the value `y` itself.
    #[inline(always)]
    pub fn exact(s: S, y: Floats<S, W>) -> Variable<S, W> {
        Variable { of: y, is: DoubleFloat::exact(s, y) }
    }
}

impl<S: Isa, const W: usize> Neg for DoubleFloat<S, W> {
    type Output = DoubleFloat<S, W>;
    #[inline(always)]
    fn neg(self) -> DoubleFloat<S, W> {
        DoubleFloat { high: -self.high, low: -self.low }
    }
}

impl<S: Isa, const W: usize> DoubleFloat<S, W> {
    /// Converts a float to double-float.
    #[inline(always)]
    pub fn exact(s: S, high: Floats<S, W>) -> DoubleFloat<S, W> {
        DoubleFloat { high, low: Floats::splat(s, 0.0) }
    }

    /// Rounds f64 to double-float, which has twice as many digits as a float.
    #[inline(always)]
    pub fn of(s: S, x: Wide<S, W>) -> DoubleFloat<S, W> {
        let high = x.narrow();
        DoubleFloat { high, low: finite(s, (x - high.wide()).narrow()) }
    }

    /// `x * by`, in double-float.
    #[inline(always)]
    pub fn product(s: S, x: Floats<S, W>, by: DoubleFloat<S, W>) -> DoubleFloat<S, W> {
        let (high, rest) = x.two_prod(s, by.high);
        DoubleFloat { high, low: finite(s, x.mul_add(by.low, rest)) }
    }

    /// `x + y`, exact where both are finite.
    #[inline(always)]
    pub fn sum(s: S, x: Floats<S, W>, y: Floats<S, W>) -> DoubleFloat<S, W> {
        let (high, low) = x.two_sum(y);
        DoubleFloat { high, low: finite(s, low) }
    }

    /// Rounds to one float: the sum of both parts in f32, `high` alone for types of 16 bits.
    #[inline(always)]
    pub fn rounded<E: El>(self) -> Floats<S, W> {
        if const { is_single::<E>() } { self.high + self.low } else { self.high }
    }

    /// `self * by`, to little less than twice the digits of a float. Both factors must be finite.
    #[inline(always)]
    pub fn by(self, s: S, by: DoubleFloat<S, W>) -> DoubleFloat<S, W> {
        let (high, rest) = self.high.two_prod(s, by.high);
        DoubleFloat { high, low: self.high.mul_add(by.low, self.low.mul_add(by.high, rest)) }
    }

    /// Selects `self` in lanes where `condition` is true, else `no`.
    #[inline(always)]
    pub fn or(self, condition: Mask<S, W>, no: DoubleFloat<S, W>) -> DoubleFloat<S, W> {
        let high = condition.select(self.high, no.high);
        DoubleFloat { high, low: condition.select(self.low, no.low) }
    }

    /// `self * x`, rounded to one float.
    #[inline(always)]
    pub fn times<E: El>(self, s: S, x: Floats<S, W>) -> Floats<S, W> {
        if const { !is_single::<E>() } {
            return self.high * x;
        }
        x.mul_add(self.high, finite(s, x * self.low))
    }

    /// `self * x`, rounded to one float. Both factors must be finite.
    #[inline(always)]
    pub fn times_two<E: El>(self, x: DoubleFloat<S, W>) -> Floats<S, W> {
        if const { !is_single::<E>() } {
            return self.high * x.high;
        }
        x.high.mul_add(self.high, x.high.mul_add(self.low, x.low * self.high))
    }

    /// `self * x`, rounded to one float. The factors may be infinite or NaN.
    #[inline(always)]
    pub fn times_any<E: El>(self, s: S, x: DoubleFloat<S, W>) -> Floats<S, W> {
        if const { !is_single::<E>() } {
            return self.high * x.high;
        }
        let low = x.high.mul_add(self.low, x.low * self.high);
        x.high.mul_add(self.high, finite(s, low))
    }

    /// `self * y * z`, accurate even where `self * y` leaves the range of f32.
    ///
    /// It is what [`mul3`](super::mul3()) computes, except for one rounding.
    #[inline(always)]
    pub fn mul3<E: El>(self, s: S, y: DoubleFloat<S, W>, z: Floats<S, W>) -> Floats<S, W> {
        let both = self.times_two::<E>(y);
        let product = both * z;
        if range::all_normal(s, both) {
            return product;
        }
        // Replaces only the lanes that left the range, so that other lanes do not depend on their neighbours.
        let exact = (self.wide() * y.wide() * z.wide()).narrow();
        range::leaves(s, both, z).select(exact, product)
    }

    /// `self * (x + y)`, and `self * (x + y) * z` if there is a `z`, accurate even where the sum leaves the range of f32.
    #[inline(always)]
    pub fn times_sum<E: El>(
        self,
        s: S,
        [x, y]: [Floats<S, W>; 2],
        z: Option<Floats<S, W>>,
    ) -> Floats<S, W> {
        let sum = DoubleFloat::sum(s, x, y);
        let product = match z {
            Some(z) => self.mul3::<E>(s, sum, z),
            None => self.times_any::<E>(s, sum),
        };
        // One test of the sum of all lanes, because an infinity or NaN on the way stays one.
        let all = sum.high.fold(|x, sum| sum + x);
        if const { !E::DTYPE.has_f32_range() } || s.all_finite(all) {
            return product;
        }
        // Replaces only the lanes that left the range, so that other lanes do not depend on their neighbours.
        let mut exact = self.wide() * (x.wide() + y.wide());
        if let Some(z) = z {
            exact = exact * z.wide();
        }
        sum.high.abs().simd_lt(f32::INFINITY).select(product, exact.narrow())
    }

    /// Converts to f64. Infinities and NaNs are kept.
    #[inline(always)]
    fn wide(self) -> Wide<S, W> {
        self.high.wide() + self.low.wide()
    }

    /// `self - y` as one float, whose sign is correct.
    #[inline(always)]
    fn minus(self, y: DoubleFloat<S, W>) -> Floats<S, W> {
        (self.high - y.high) + (self.low - y.low)
    }

    /// Mask of the lanes where `self < y`.
    #[inline(always)]
    pub fn simd_lt(self, y: DoubleFloat<S, W>) -> Mask<S, W> {
        self.minus(y).simd_lt(0.0)
    }

    /// Mask of the lanes where `self <= y`.
    #[inline(always)]
    pub fn simd_le(self, y: DoubleFloat<S, W>) -> Mask<S, W> {
        self.minus(y).simd_le(0.0)
    }

    /// Mask of the lanes where `self == y`.
    #[inline(always)]
    pub fn simd_eq(self, y: DoubleFloat<S, W>) -> Mask<S, W> {
        self.minus(y).simd_eq(0.0)
    }
}

/// The bits of 2^-40. Smaller numbers except 0 may lose digits in products with two attributes.
const LEAST: u32 = (127 - 40) << 23;

/// Returns the bits of `|x|` minus 1, as an integer, so that 0 becomes the largest of all.
#[inline(always)]
fn size<S: Isa>(x: S::f32s) -> S::u32s {
    let bits: S::u32s = x.bitcast();
    (bits & 0x7fff_ffff) - 1
}

/// Returns whether any lane is so small (below 2^-40, but not 0) that its products may lose digits.
#[inline(always)]
pub(super) fn any_tiny<S: Isa, const W: usize>(s: S, x: Floats<S, W>) -> bool {
    // Quick test first, because most steps have no zero. Pairs only, for the reason given in `Table::all_inside`.
    let bound = S::f32s::splat(s, f32::from_bits(LEAST));
    let pair = |k: usize| s.min_size(x.0[k], x.0[k + 1]).simd_ge(bound);
    let none = if const { W > 2 } { pair(0) & pair(2) } else { pair(0) };
    !none.all_true() && {
        let mut least = size::<S>(x.0[0]);
        for x in &x.0[1..] {
            least = least.min(size::<S>(*x));
        }
        least.simd_lt(LEAST).any_true()
    }
}

/// Returns the mask of lanes so small (below 2^-40, but not 0) that their products may lose digits.
#[inline(always)]
pub(super) fn tiny<S: Isa>(x: Floats<S>) -> Mask<S> {
    Mask([size::<S>(x.0[0]).simd_lt(LEAST), size::<S>(x.0[1]).simd_lt(LEAST)])
}

/// Returns whether an attribute is positive and finite. One lane is enough, because all are equal.
#[inline(always)]
pub fn is_positive<S: Isa, const W: usize>(_: S, x: Floats<S, W>) -> bool {
    let x = x.0[0][0];
    (x > 0.0) & (x < f32::INFINITY)
}

/// Returns whether products with a value computed from attributes keep all digits.
///
/// They do if the value is neither 0 nor near the ends of the f32 range.
#[inline(always)]
pub fn is_ordinary<S: Isa, const W: usize>(_: S, x: Wide<S, W>) -> bool {
    const LARGE: f64 = (1u64 << 40) as f64;
    let size = x.0[0][0][0].abs();
    (size < LARGE) & (size > 1.0 / LARGE)
}
