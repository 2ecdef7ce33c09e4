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

/// A function `F` and its derivative `Q` from one look-up. With `d = z - C`:
///
/// ```text
/// Q = a + d (2 p + d p')         p = e[0] + d e[1] + ..,  e[k] = (coefficient k + 1 of Q) / (k + 2)
/// F = f + d (a + d p)
/// ```
#[repr(C, align(64))]
pub(super) struct Integral<const U: usize> {
    f: [f32; 32],
    a: [f32; 32],
    e: [[f32; 32]; U],
    c: [f32; 32],
    scale: f32,
    pub(super) end: f32,
}

impl<const D: usize> Table<[f32; 32], D> {
    /// With the integral's values at the centres.
    pub(super) const fn with_integral<const U: usize>(&self, f: [f32; 32]) -> Integral<U> {
        assert!(U + 1 == D);
        let mut e = [[0.0; 32]; U];
        let mut k = 0;
        while k < U {
            let mut i = 0;
            while i < 32 {
                e[k][i] = (self.a[k + 1][i] as f64 / (k + 2) as f64) as f32;
                i += 1;
            }
            k += 1;
        }
        Integral { f, a: self.a[0], e, c: self.c, scale: self.scale, end: self.end }
    }
}

impl<const U: usize> Integral<U> {
    /// `(F(z), Q(z))`
    #[inline(always)]
    pub(super) fn near<S: K>(&self, s: S, z: S::f32s) -> (S::f32s, S::f32s) {
        let ix = <[f32; 32]>::segment(s, z, self.scale);
        let d = z - self.c.lut(s, ix);
        let mut p = self.e[U - 1].lut(s, ix);
        let mut slope = p;
        for k in (0..U - 1).rev() {
            if k < U - 2 {
                slope = slope.mul_add(d, p);
            }
            p = p.mul_add(d, self.e[k].lut(s, ix));
        }
        let a = self.a.lut(s, ix);
        let q = d.mul_add(slope, p + p).mul_add(d, a);
        (p.mul_add(d, a).mul_add(d, self.f.lut(s, ix)), q)
    }
}
