//! What a body computes with: the two vectors of a step, side by side.
//!
//! Two chains of dependent operations hide each other's latency, and what is asked once per step, such
//! as whether any lane is in a tail, is asked half as often.

use super::simd::K;
use core::ops::{Add, Div, Mul, Neg, Sub};
use fearless_simd::prelude::*;

/// Two vectors of `f32`. All operations are on each of the two, lane by lane.
#[derive(Clone, Copy)]
pub struct V<S: K>(pub S::f32s, pub S::f32s);

/// The lanes of two vectors for which something holds.
#[derive(Clone, Copy)]
pub struct M<S: K>(pub S::mask32s, pub S::mask32s);

macro_rules! infix {
    ($($Op:ident $op:ident)*) => {$(
        impl<S: K> $Op for V<S> {
            type Output = V<S>;
            #[inline(always)]
            fn $op(self, y: V<S>) -> V<S> {
                V(self.0.$op(y.0), self.1.$op(y.1))
            }
        }
    )*};
}
infix!(Add add  Sub sub  Mul mul  Div div);

impl<S: K> Neg for V<S> {
    type Output = V<S>;
    #[inline(always)]
    fn neg(self) -> V<S> {
        V(-self.0, -self.1)
    }
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(self, y: V<S>) -> M<S> {
            M(self.0.$name(y.0), self.1.$name(y.1))
        }
    )*};
}

impl<S: K> V<S> {
    /// The same number in every lane.
    #[inline(always)]
    pub fn splat(s: S, x: f32) -> V<S> {
        V(S::f32s::splat(s, x), S::f32s::splat(s, x))
    }

    /// `|x|`
    #[inline(always)]
    pub fn abs(self) -> V<S> {
        V(self.0.abs(), self.1.abs())
    }

    /// The square root, correctly rounded.
    #[inline(always)]
    pub fn sqrt(self) -> V<S> {
        V(self.0.sqrt(), self.1.sqrt())
    }

    comparisons! {
        /// `x < y`; false for NaN, as all comparisons are.
        simd_lt
        /// `x <= y`
        simd_le
        /// `x == y`
        simd_eq
    }
}

impl<S: K> M<S> {
    /// `yes` where it holds, else `no`.
    #[inline(always)]
    pub fn select(self, yes: V<S>, no: V<S>) -> V<S> {
        V(self.0.select(yes.0, no.0), self.1.select(yes.1, no.1))
    }

    /// Whether it holds for any lane.
    #[inline(always)]
    pub fn any_true(self) -> bool {
        (self.0 | self.1).any_true()
    }

    /// Whether it holds for every lane.
    #[inline(always)]
    pub fn all_true(self) -> bool {
        (self.0 & self.1).all_true()
    }
}
