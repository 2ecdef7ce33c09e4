//! What a body computes with: the two vectors of a step, side by side.
//!
//! Two chains of dependent operations hide each other's latency, and what is asked once per step, such
//! as whether any lane is in a tail, is asked half as often.

use super::simd::K;
use core::ops::{Add, Div, Mul, Neg, Shl, Shr, Sub};
use fearless_simd::prelude::*;

/// Two vectors of `f32`. All operations are on each of the two, lane by lane.
#[derive(Clone, Copy)]
pub struct V<S: K>(pub S::f32s, pub S::f32s);

/// The lanes of two vectors for which something holds.
#[derive(Clone, Copy)]
pub struct M<S: K>(pub S::mask32s, pub S::mask32s);

/// The bits of a step: two vectors of `u32`.
#[derive(Clone, Copy)]
pub struct U<S: K>(pub S::u32s, pub S::u32s);

impl<S: K> U<S> {
    /// What they stand for.
    #[inline(always)]
    pub fn floats(self) -> V<S> {
        V(self.0.bitcast(), self.1.bitcast())
    }
}

macro_rules! bit_operations {
    ($($Op:ident $op:ident)*) => {$(
        impl<S: K> $Op<u32> for U<S> {
            type Output = U<S>;
            #[inline(always)]
            fn $op(self, y: u32) -> U<S> {
                U(self.0.$op(y), self.1.$op(y))
            }
        }
    )*};
}
bit_operations!(Add add  Shl shl  Shr shr);

/// A step, or the same number in all its lanes.
pub trait Operand<S: K>: Copy {
    /// What each of the two vectors takes.
    type Half: SimdInto<S::f32s, S>;
    /// For the first and for the second.
    fn halves(self) -> (Self::Half, Self::Half);
}

impl<S: K> Operand<S> for f32 {
    type Half = f32;
    #[inline(always)]
    fn halves(self) -> (f32, f32) {
        (self, self)
    }
}

impl<S: K> Operand<S> for V<S> {
    type Half = S::f32s;
    #[inline(always)]
    fn halves(self) -> (S::f32s, S::f32s) {
        (self.0, self.1)
    }
}

macro_rules! infix {
    ($($Op:ident $op:ident)*) => {$(
        impl<S: K> $Op for V<S> {
            type Output = V<S>;
            #[inline(always)]
            fn $op(self, y: V<S>) -> V<S> {
                V(self.0.$op(y.0), self.1.$op(y.1))
            }
        }
        impl<S: K> $Op<f32> for V<S> {
            type Output = V<S>;
            #[inline(always)]
            fn $op(self, y: f32) -> V<S> {
                V(self.0.$op(y), self.1.$op(y))
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
        pub fn $name(self, y: impl Operand<S>) -> M<S> {
            let y = y.halves();
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

    /// The smaller; of a number and a NaN either.
    #[inline(always)]
    pub fn min(self, y: impl Operand<S>) -> V<S> {
        let y = y.halves();
        V(self.0.min(y.0), self.1.min(y.1))
    }

    /// The larger; of a number and a NaN either.
    #[inline(always)]
    pub fn max(self, y: impl Operand<S>) -> V<S> {
        let y = y.halves();
        V(self.0.max(y.0), self.1.max(y.1))
    }

    /// The square root, correctly rounded.
    #[inline(always)]
    pub fn sqrt(self) -> V<S> {
        V(self.0.sqrt(), self.1.sqrt())
    }

    /// `x * y + z`, rounded once where the level can.
    #[inline(always)]
    pub fn mul_add(self, y: impl Operand<S>, z: impl Operand<S>) -> V<S> {
        let (y, z) = (y.halves(), z.halves());
        V(self.0.mul_add(y.0, z.0), self.1.mul_add(y.1, z.1))
    }

    /// `x` with the sign of `y`.
    #[inline(always)]
    pub fn copysign(self, y: V<S>) -> V<S> {
        V(self.0.copysign(y.0), self.1.copysign(y.1))
    }

    /// `x * y` as the sum of two, see [`K::two_prod`].
    #[inline(always)]
    pub fn two_prod(self, s: S, y: V<S>) -> (V<S>, V<S>) {
        let (a, b) = (s.two_prod(self.0, y.0), s.two_prod(self.1, y.1));
        (V(a.0, b.0), V(a.1, b.1))
    }

    /// `yes` where the sign bit is clear, else `no`; either for a zero or NaN.
    #[inline(always)]
    pub fn if_positive(self, s: S, yes: V<S>, no: V<S>) -> V<S> {
        V(s.if_positive(self.0, yes.0, no.0), s.if_positive(self.1, yes.1, no.1))
    }

    /// The bits. Functions out of line take these: they take their arguments by address, and what is
    /// stored there is then this copy, made where the call is, and not the step, wherever it was made.
    #[inline(always)]
    pub fn bits(self) -> U<S> {
        U(self.0.bitcast(), self.1.bitcast())
    }

    comparisons! {
        /// `x < y`; false for NaN, as all comparisons are.
        simd_lt
        /// `x <= y`
        simd_le
        /// `x >= y`
        simd_ge
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

    /// Whether it holds for every lane.
    #[inline(always)]
    pub fn all_true(self) -> bool {
        (self.0 & self.1).all_true()
    }
}
