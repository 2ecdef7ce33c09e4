//! Functions of `z >= 0` as one polynomial per segment, its coefficients found by a table look-up.
//!
//! Segment `i` has a centre `C[i]` that is *not* its middle: it is a nearby float at which the
//! function's value lies within about 2^-8 ulp of a float. So `A[0][i]` needs no low word, and
//! `d = z - C[i]` is exact because `z` and `C[i]` are close. A segment that holds a zero of
//! the function has its centre there, which keeps the *relative* accuracy across the zero.

use crate::rt::simd::K;
use fearless_simd::prelude::*;

/// 1.5 * 2^23: adding it rounds to an integer, which is left in the low bits.
pub(super) const MAGIC: f32 = 12_582_912.0;

/// Where `z` is close to: `f(z) = a0 + d * p`.
#[derive(Clone, Copy)]
pub(super) struct Near<S: K> {
    pub(super) a0: S::f32s,
    pub(super) p: S::f32s,
    pub(super) d: S::f32s,
}

impl<S: K> Near<S> {
    /// `a0 + d * p`, rounded.
    #[inline(always)]
    pub(super) fn value(self) -> S::f32s {
        self.p.mul_add(self.d, self.a0)
    }
}

/// Look-up by the low bits of an index.
pub(super) trait Lut: Sized {
    fn lut<S: K>(&self, s: S, ix: S::u32s) -> S::f32s;
    /// The segment of `z` among segments `scale` to the unit.
    fn segment<S: K>(s: S, z: S::f32s, scale: f32) -> S::u32s;
}

impl Lut for [f32; 8] {
    #[inline(always)]
    fn lut<S: K>(&self, s: S, ix: S::u32s) -> S::f32s {
        s.lut8(self, ix)
    }
    /// Truncates: with so few segments none may be half-used. Segment `i` starts at `i / scale`.
    #[inline(always)]
    fn segment<S: K>(_: S, z: S::f32s, scale: f32) -> S::u32s {
        (z * scale).to_int::<S::i32s>().bitcast()
    }
}

impl Lut for [f32; 32] {
    #[inline(always)]
    fn lut<S: K>(&self, s: S, ix: S::u32s) -> S::f32s {
        s.lut32(self, ix)
    }
    /// Rounds, which is one operation. Segment `i` starts at `(i - 1/2) / scale`.
    #[inline(always)]
    fn segment<S: K>(_: S, z: S::f32s, scale: f32) -> S::u32s {
        z.mul_add(scale, MAGIC).bitcast()
    }
}

/// A function on `[0, end)`: `f(z) = A[0] + d (A[1] + d (A[2] + ..))` with `d = z - C`.
///
/// At or beyond `end`, and for a NaN, the segment is arbitrary but never out of the table.
#[repr(C, align(64))]
pub(super) struct Table<T, const D: usize> {
    pub(super) a: [T; D],
    pub(super) c: T,
    pub(super) scale: f32,
    pub(super) end: f32,
}

/// The same on equal segments centred at `i / scale`, the polynomial being one of
/// `u = scale * z - i` in [-1/2, 1/2]: one look-up less, but only 16-bit accuracy.
///
/// Look-ups are what these functions cost on AVX2, so the upper `2 P` coefficients, which need
/// few bits, share entries: `pairs[j]` as it stands is coefficient `D + j`, its lower half the
/// upper half of coefficient `D + P + j`. The fit knows what the lower half adds to the former.
#[repr(C, align(64))]
pub(super) struct EvenTable<T, const D: usize, const P: usize> {
    pub(super) a: [T; D],
    pub(super) pairs: [T; P],
    pub(super) scale: f32,
    pub(super) end: f32,
}

/// What both kinds of table offer.
pub(super) trait Segments: Sync + 'static {
    /// Where the table ends.
    fn end(&self) -> f32;
    /// Evaluates near `z`.
    fn near<S: K>(&self, s: S, z: S::f32s) -> Near<S>;
}

impl<T: Lut + Sync + 'static, const D: usize> Segments for Table<T, D> {
    #[inline(always)]
    fn end(&self) -> f32 {
        self.end
    }
    #[inline(always)]
    fn near<S: K>(&self, s: S, z: S::f32s) -> Near<S> {
        let ix = T::segment(s, z, self.scale);
        let d = z - self.c.lut(s, ix);
        let mut p = self.a[D - 1].lut(s, ix);
        for k in (1..D - 1).rev() {
            p = p.mul_add(d, self.a[k].lut(s, ix));
        }
        Near { a0: self.a[0].lut(s, ix), p, d }
    }
}

impl<T: Lut + Sync + 'static, const D: usize, const P: usize> Segments for EvenTable<T, D, P> {
    #[inline(always)]
    fn end(&self) -> f32 {
        self.end
    }
    #[inline(always)]
    fn near<S: K>(&self, s: S, z: S::f32s) -> Near<S> {
        let t = z.mul_add(self.scale, MAGIC);
        let u = z.mul_add(self.scale, -(t - MAGIC));
        let ix: S::u32s = t.bitcast();
        let pairs: [S::f32s; P] = core::array::from_fn(
            #[inline(always)]
            |j| self.pairs[j].lut(s, ix),
        );
        let low = |j: usize| -> S::f32s { (pairs[j].bitcast::<S::u32s>() << 16).bitcast() };
        // From the highest coefficient down; which one that is depends on P alone.
        let mut p = if P > 0 { low(P - 1) } else { self.a[D - 1].lut(s, ix) };
        for j in (0..P.saturating_sub(1)).rev() {
            p = p.mul_add(u, low(j));
        }
        for j in (0..P).rev() {
            p = p.mul_add(u, pairs[j]);
        }
        for k in (1..if P > 0 { D } else { D - 1 }).rev() {
            p = p.mul_add(u, self.a[k].lut(s, ix));
        }
        Near { a0: self.a[0].lut(s, ix), p, d: u }
    }
}
