//! Operands of a body: the vectors of a step, side by side.
//!
//! Several vectors hide the latency of each other's dependency chains, and amortise tests that are made once per step, for
//! example whether any lane is in a tail. A step of two vectors suits levels of 16 registers, and is one vector of a 16-bit
//! type in memory. Four vectors are better yet where chains are long and registers suffice (see [`width`]).

use super::simd::{Isa, Level};
pub use super::wide::functions::PAIR;
use core::mem::MaybeUninit;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Shl, Shr, Sub};
use fearless_simd::prelude::*;
use op_dsl_ir::DType;

/// Number of `f32` vectors in a step of a kernel.
///
/// With AVX2 it is four for types of 16 bits: kernels that look tables up take 0.82 to 0.93 of the time that they take with two
/// vectors (Zen 5; 1.01 for gradients with two outputs in bf16). In f32 it is 0.94 to 1.02 of the time, too little for kernels that
/// take longer to compile. Kernels without tables compute two vectors at a time, see [`Body::LOOKS_UP`].
///
/// [`Body::LOOKS_UP`]: super::block::Body::LOOKS_UP
pub const fn width(dtype: DType, level: Level) -> usize {
    match level {
        Level::Avx512 => 4,
        Level::Avx2 if dtype.is_narrow() => 4,
        _ => PAIR,
    }
}

/// A step: `W` vectors of `f32`. All operations apply to each vector, lane by lane.
#[derive(Clone, Copy)]
pub struct Floats<S: Isa, const W: usize = PAIR>(pub [S::f32s; W]);

/// A mask over the lanes of `W` vectors.
#[derive(Clone, Copy)]
pub struct Mask<S: Isa, const W: usize = PAIR>(pub [S::mask32s; W]);

/// The bits of a step, as vectors of `u32`.
#[derive(Clone, Copy)]
pub struct Bits<S: Isa, const W: usize = PAIR>(pub [S::u32s; W]);

/// Evaluates an expression for each index into an array, fully unrolled.
///
/// It is a macro because loops, arrays of one repeated value and the standard library's array functions make kernels compile
/// for up to 1.7 times as long. The library's functions are not always inlined.
///
/// A token before the index turns the expression into a function of its own with the level's instructions. That function is
/// inlined like all others, but only after it was compiled, so that the kernel receives its few instructions, not the ten calls
/// that `fearless_simd` makes of each. Kernels compile in a sixth less time.
macro_rules! each {
    ($s:expr, $k:ident => $f:expr) => {
        $s.vectorize(
            #[inline(always)]
            || each!($k => $f),
        )
    };
    ($k:ident => $f:expr) => {{
        use crate::rt::step::set;
        const { assert!(W == 2 || W == 4) }
        let mut all = core::mem::MaybeUninit::<[_; W]>::uninit();
        set::<_, W, 0>(&mut all, {
            let $k = 0;
            $f
        });
        set::<_, W, 1>(&mut all, {
            let $k = 1;
            $f
        });
        if const { W > 2 } {
            set::<_, W, 2>(&mut all, {
                let $k = 2;
                $f
            });
            set::<_, W, 3>(&mut all, {
                let $k = 3;
                $f
            });
        }
        // SAFETY: all elements were set.
        unsafe { all.assume_init() }
    }};
}

pub(in crate::rt) use each;

/// Sets element `K` of the array, if `K` is less than its length `W`.
#[inline(always)]
pub(in crate::rt) fn set<T, const W: usize, const K: usize>(
    all: &mut MaybeUninit<[T; W]>,
    value: T,
) {
    if const { K < W } {
        // SAFETY: `K` is within the array.
        unsafe { all.as_mut_ptr().cast::<T>().add(K).write(value) }
    }
}

impl<S: Isa, const W: usize> Bits<S, W> {
    /// Schedules each vector before vectors that are pinned later, see [`Isa::pin`].
    #[inline(always)]
    pub fn pin(self, s: S) -> Bits<S, W> {
        self.floats().pin(s).bits()
    }

    /// Reinterprets the bits as `f32`.
    #[inline(always)]
    pub fn floats(self) -> Floats<S, W> {
        Floats(each!(self.0[0].token(), k => self.0[k].bitcast()))
    }
}

macro_rules! bit_operations {
    ($($Op:ident $op:ident)*) => {$(
        impl<S: Isa, const W: usize> $Op<u32> for Bits<S, W> {
            type Output = Bits<S, W>;
            #[inline(always)]
            fn $op(self, y: u32) -> Bits<S, W> {
                Bits(each!(self.0[0].token(), k => self.0[k].$op(y)))
            }
        }
    )*};
}
bit_operations!(Add add  Shl shl  Shr shr);

/// A step, or the same number in all its lanes.
pub trait Operand<S: Isa, const W: usize>: Copy {
    /// Type of the operand for one vector of a step: a vector or a number.
    type One: SimdInto<S::f32s, S>;
    /// Returns the operand for vector `k` of the step.
    fn one(self, k: usize) -> Self::One;
}

impl<S: Isa, const W: usize> Operand<S, W> for f32 {
    type One = f32;
    #[inline(always)]
    fn one(self, _: usize) -> f32 {
        self
    }
}

impl<S: Isa, const W: usize> Operand<S, W> for Floats<S, W> {
    type One = S::f32s;
    #[inline(always)]
    fn one(self, k: usize) -> S::f32s {
        self.0[k]
    }
}

macro_rules! infix {
    ($($Op:ident $op:ident)*) => {$(
        impl<S: Isa, const W: usize> $Op for Floats<S, W> {
            type Output = Floats<S, W>;
            #[inline(always)]
            fn $op(self, y: Floats<S, W>) -> Floats<S, W> {
                Floats(each!(self.0[0].token(), k => self.0[k].$op(y.0[k])))
            }
        }
        impl<S: Isa, const W: usize> $Op<f32> for Floats<S, W> {
            type Output = Floats<S, W>;
            #[inline(always)]
            fn $op(self, y: f32) -> Floats<S, W> {
                Floats(each!(self.0[0].token(), k => self.0[k].$op(y)))
            }
        }
    )*};
}
infix!(Add add  Sub sub  Mul mul  Div div);

impl<S: Isa, const W: usize> Neg for Floats<S, W> {
    type Output = Floats<S, W>;
    #[inline(always)]
    fn neg(self) -> Floats<S, W> {
        Floats(each!(self.0[0].token(), k => -self.0[k]))
    }
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(self, y: impl Operand<S, W>) -> Mask<S, W> {
            Mask(each!(self.0[0].token(), k => self.0[k].$name(y.one(k))))
        }
    )*};
}

impl<S: Isa, const W: usize> Floats<S, W> {
    /// The same number in every lane.
    #[inline(always)]
    pub fn splat(s: S, x: f32) -> Floats<S, W> {
        Floats([S::f32s::splat(s, x); W])
    }

    /// `|x|`
    #[inline(always)]
    pub fn abs(self) -> Floats<S, W> {
        Floats(each!(self.0[0].token(), k => self.0[k].abs()))
    }

    /// The smaller of `self` and `y`; either of them if one is NaN.
    #[inline(always)]
    pub fn min(self, y: impl Operand<S, W>) -> Floats<S, W> {
        Floats(each!(self.0[0].token(), k => self.0[k].min(y.one(k))))
    }

    /// The larger of `self` and `y`; either of them if one is NaN.
    #[inline(always)]
    pub fn max(self, y: impl Operand<S, W>) -> Floats<S, W> {
        Floats(each!(self.0[0].token(), k => self.0[k].max(y.one(k))))
    }

    /// The square root, correctly rounded.
    #[inline(always)]
    pub fn sqrt(self) -> Floats<S, W> {
        Floats(each!(self.0[0].token(), k => self.0[k].sqrt()))
    }

    /// `self * y + z`, rounded once where the level has FMA.
    #[inline(always)]
    pub fn mul_add(self, y: impl Operand<S, W>, z: impl Operand<S, W>) -> Floats<S, W> {
        Floats(each!(self.0[0].token(), k => self.0[k].mul_add(y.one(k), z.one(k))))
    }

    /// `self` with the sign of `y`.
    #[inline(always)]
    pub fn copysign(self, y: Floats<S, W>) -> Floats<S, W> {
        Floats(each!(self.0[0].token(), k => self.0[k].copysign(y.0[k])))
    }

    /// `self`, negated in lanes where the sign bit of `y` is set.
    #[inline(always)]
    pub fn flipped(self, y: Floats<S, W>) -> Floats<S, W> {
        let sign = y.bits();
        let bits = self.bits();
        Floats(each!(self.0[0].token(), k => (bits.0[k] ^ (sign.0[k] & 0x8000_0000)).bitcast()))
    }

    /// Error-free product: `self * y` as the sum of two floats, see [`Isa::two_prod`].
    #[inline(always)]
    pub fn two_prod(self, s: S, y: Floats<S, W>) -> (Floats<S, W>, Floats<S, W>) {
        let both = each!(s, k => s.two_prod(self.0[k], y.0[k]));
        (Floats(each!(k => both[k].0)), Floats(each!(k => both[k].1)))
    }

    /// Error-free sum: `self + y` as the exact sum of two floats (Knuth).
    #[inline(always)]
    pub fn two_sum(self, y: Floats<S, W>) -> (Floats<S, W>, Floats<S, W>) {
        let high = self + y;
        let of_y = high - self;
        (high, (self - (high - of_y)) + (y - of_y))
    }

    /// `yes` where the sign bit of `self` is clear, else `no`; either of them where `self` is zero or NaN.
    #[inline(always)]
    pub fn if_positive(self, s: S, yes: Floats<S, W>, no: Floats<S, W>) -> Floats<S, W> {
        Floats(each!(s, k => s.if_positive(self.0[k], yes.0[k], no.0[k])))
    }

    /// Schedules each vector before vectors that are pinned later, see [`Isa::pin`].
    #[inline(always)]
    pub fn pin(self, s: S) -> Floats<S, W> {
        if const { W == PAIR && !S::PINS_PAIRS } {
            return self;
        }
        Floats(each!(s, k => s.pin(self.0[k])))
    }

    /// Reinterprets the step as bits.
    ///
    /// Functions out of line take bits rather than floats, because they take their arguments by address: memory then holds this
    /// copy, made at the call, and the step itself can stay in registers.
    #[inline(always)]
    pub fn bits(self) -> Bits<S, W> {
        Bits(each!(self.0[0].token(), k => self.0[k].bitcast()))
    }

    /// Reduces all vectors to one by `f(vector, result so far)`, so that one test covers all of them.
    #[inline(always)]
    pub fn fold(self, f: impl Fn(S::f32s, S::f32s) -> S::f32s) -> S::f32s {
        let pair = f(self.0[1], self.0[0]);
        if const { W > 2 } { f(self.0[3], f(self.0[2], pair)) } else { pair }
    }

    /// Reduces all vectors to one by `f`, pair by pair, so that two of four wait for each other.
    #[inline(always)]
    pub fn join(self, f: impl Fn(S::f32s, S::f32s) -> S::f32s) -> S::f32s {
        let pair = f(self.0[1], self.0[0]);
        if const { W > 2 } { f(f(self.0[3], self.0[2]), pair) } else { pair }
    }

    /// Returns vectors `k` and `k + 1` of the step.
    #[inline(always)]
    pub fn pair(self, k: usize) -> Floats<S> {
        Floats([self.0[k], self.0[k + 1]])
    }

    /// Replaces vectors `k` and `k + 1` of the step.
    #[inline(always)]
    pub fn set_pair(&mut self, k: usize, pair: Floats<S>) {
        [self.0[k], self.0[k + 1]] = pair.0;
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

impl<S: Isa, const W: usize> Mask<S, W> {
    /// Selects `yes` where the mask is set, else `no`.
    #[inline(always)]
    pub fn select(self, yes: Floats<S, W>, no: Floats<S, W>) -> Floats<S, W> {
        Floats(each!(yes.0[0].token(), k => self.0[k].select(yes.0[k], no.0[k])))
    }

    /// Returns whether a uniform condition, which is equal in all lanes, is true.
    #[inline(always)]
    pub fn holds(self) -> bool {
        self.0[0].any_true()
    }
}

impl<S: Isa, const W: usize> BitAnd for Mask<S, W> {
    type Output = Mask<S, W>;
    #[inline(always)]
    fn bitand(self, y: Mask<S, W>) -> Mask<S, W> {
        Mask(each!(k => self.0[k] & y.0[k]))
    }
}

impl<S: Isa, const W: usize> BitOr for Mask<S, W> {
    type Output = Mask<S, W>;
    #[inline(always)]
    fn bitor(self, y: Mask<S, W>) -> Mask<S, W> {
        Mask(each!(k => self.0[k] | y.0[k]))
    }
}

impl<S: Isa, const W: usize> Not for Mask<S, W> {
    type Output = Mask<S, W>;
    #[inline(always)]
    fn not(self) -> Mask<S, W> {
        Mask(each!(k => !self.0[k]))
    }
}

impl<S: Isa, const W: usize> Mask<S, W> {
    /// The lanes of this mask that are not in `y`.
    #[inline(always)]
    pub fn without(self, y: Mask<S, W>) -> Mask<S, W> {
        self & !y
    }

    /// Returns whether every lane is true.
    #[inline(always)]
    pub fn all_true(self) -> bool {
        let pair = self.0[0] & self.0[1];
        if const { W > 2 } { (pair & (self.0[2] & self.0[3])).all_true() } else { pair.all_true() }
    }

    /// Returns whether any lane is true.
    #[inline(always)]
    pub fn any_true(self) -> bool {
        let pair = self.0[0] | self.0[1];
        if const { W > 2 } { (pair | (self.0[2] | self.0[3])).any_true() } else { pair.any_true() }
    }
}
