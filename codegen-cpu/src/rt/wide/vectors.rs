//! Vectors of a step in f64: conversions, arithmetic, comparisons.

use super::functions::{Column, Wide};
use crate::rt::math::{minmax, round as rounding};
use crate::rt::simd::Isa;
use crate::rt::step::{Floats, PAIR, each};
use core::ops::{Add, Div, Mul, Neg, Sub};
use fearless_simd::prelude::*;

/// A mask over the lanes of a step in f64.
#[derive(Clone, Copy)]
pub struct WideMask<S: Simd, const W: usize = PAIR>(pub [[S::mask64s; 2]; W]);

/// Builds a step from an expression of two indices, for each vector of the step.
///
/// `k` is the index of the `f32` vector, and `i` that of one of the two f64 vectors in its place.
macro_rules! both {
    ($s:expr, $k:ident $i:ident => $f:expr) => {
        each!($s, $k => [{ let $i = 0; $f }, { let $i = 1; $f }])
    };
}

pub(super) use both;

impl<S: Isa, const W: usize> Floats<S, W> {
    /// Converts to f64, exactly.
    #[inline(always)]
    pub fn wide(self) -> Wide<S, W> {
        Wide(each!(self.0[0].token(), k => {
            let (low, high) = self.0[k].widen();
            [low, high]
        }))
    }
}

impl<S: Isa, const W: usize> Wide<S, W> {
    /// The same number in every lane.
    #[inline(always)]
    pub fn splat(s: S, x: f64) -> Wide<S, W> {
        Wide([[S::f64s::splat(s, x); 2]; W])
    }

    /// Rounds to f32 once: to nearest even, denormals kept, infinity beyond the largest number.
    #[inline(always)]
    pub fn narrow(self) -> Floats<S, W> {
        Floats(each!(self.token(), k => self.0[k][0].narrow(self.0[k][1])))
    }

    /// Views the vectors as a column, as out-of-line functions take them.
    #[inline(always)]
    pub(super) fn column(&self) -> Column<S::f64s> {
        Column { at: (&raw const self.0).cast(), pace: 1 }
    }

    /// The SIMD token of the vectors.
    #[inline(always)]
    fn token(self) -> S {
        self.0[0][0].token()
    }

    /// `|x|`
    #[inline(always)]
    pub fn abs(self) -> Wide<S, W> {
        Wide(both!(self.token(), k i => self.0[k][i].abs()))
    }

    /// The square root.
    #[inline(always)]
    pub fn sqrt(self) -> Wide<S, W> {
        Wide(both!(self.token(), k i => self.0[k][i].sqrt()))
    }

    /// Returns the f64 vectors in place of `f32` vectors `k` and `k + 1` of the step.
    #[inline(always)]
    pub fn pair(self, k: usize) -> Wide<S> {
        Wide([self.0[k], self.0[k + 1]])
    }

    /// Replaces the f64 vectors in place of `f32` vectors `k` and `k + 1` of the step.
    #[inline(always)]
    pub fn set_pair(&mut self, k: usize, pair: Wide<S>) {
        [self.0[k], self.0[k + 1]] = pair.0;
    }
}

macro_rules! infix {
    ($($Op:ident $op:ident)*) => {$(
        impl<S: Isa, const W: usize> $Op for Wide<S, W> {
            type Output = Wide<S, W>;
            #[inline(always)]
            fn $op(self, y: Wide<S, W>) -> Wide<S, W> {
                Wide(both!(self.token(), k i => self.0[k][i].$op(y.0[k][i])))
            }
        }
    )*};
}
infix!(Add add  Sub sub  Mul mul  Div div);

impl<S: Isa, const W: usize> Neg for Wide<S, W> {
    type Output = Wide<S, W>;
    #[inline(always)]
    fn neg(self) -> Wide<S, W> {
        Wide(both!(self.token(), k i => -self.0[k][i]))
    }
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident)*) => {
        impl<S: Isa, const W: usize> Wide<S, W> {$(
            $(#[$doc])*
            #[inline(always)]
            pub fn $name(self, y: Wide<S, W>) -> WideMask<S, W> {
                WideMask(both!(self.token(), k i => self.0[k][i].$name(y.0[k][i])))
            }
        )*}
    };
}
comparisons! {
    /// `x < y`; false for NaN, as all comparisons are.
    simd_lt
    /// `x <= y`
    simd_le
    /// `x == y`
    simd_eq
}

impl<S: Isa, const W: usize> WideMask<S, W> {
    /// Selects `yes` where the mask is set, else `no`.
    #[inline(always)]
    pub fn select(self, yes: Wide<S, W>, no: Wide<S, W>) -> Wide<S, W> {
        Wide(both!(yes.token(), k i => self.0[k][i].select(yes.0[k][i], no.0[k][i])))
    }

    /// Returns whether a uniform condition, which is equal in all lanes, is true.
    #[inline(always)]
    pub fn holds(self) -> bool {
        self.0[0][0].any_true()
    }
}

/// Defines functions that compare two values and return one of them.
macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name<S: Isa, const W: usize>(s: S, x: Wide<S, W>, y: Wide<S, W>) -> Wide<S, W> {
            Wide(both!(s, k i => minmax::$name(s, x.0[k][i], y.0[k][i])))
        }
    )*};
}
choices! {
    /// The smaller of `x` and `y`; NaN if either is.
    min;
    /// The larger of `x` and `y`; NaN if either is.
    max;
    /// The smaller of `x` and a number `y`; NaN if `x` is.
    at_most;
    /// The larger of `x` and a number `y`; NaN if `x` is.
    at_least;
}

/// The integer nearest to `x`, the even one of two; infinities and NaN stay.
#[inline(always)]
pub fn round<S: Isa, const W: usize>(s: S, x: Wide<S, W>) -> Wide<S, W> {
    Wide(both!(s, k i => rounding::round(s, x.0[k][i])))
}

/// `x * y * z`; factors in the range of f32 can neither overflow nor underflow on the way.
#[inline(always)]
pub fn mul3<S: Isa, const W: usize>(
    _: S,
    x: Wide<S, W>,
    y: Wide<S, W>,
    z: Wide<S, W>,
) -> Wide<S, W> {
    x * y * z
}
