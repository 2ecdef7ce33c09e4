//! Functions of `z >= 0` as one polynomial per segment, its coefficients found by a table look-up.
//!
//! Segment `i` has a centre `C[i]` that is *not* its middle: it is a nearby float at which the
//! function's value lies within about 2^-8 ulp of a float. So `A[0][i]` needs no low word, and
//! `d = z - C[i]` is exact because `z` and `C[i]` are close. A segment that holds a zero of
//! the function has its centre there, which keeps the *relative* accuracy across the zero.

use crate::rt::simd::K;
use crate::rt::step::{U, V, each};
use fearless_simd::prelude::*;

/// 1.5 * 2^23: adding it rounds to an integer, which is left in the low bits.
pub(super) const MAGIC: f32 = 12_582_912.0;

/// Where `z` is close to: `f(z) = a0 + d * p`.
#[derive(Clone, Copy)]
pub(super) struct Near<S: K, const W: usize> {
    pub(super) a0: V<S, W>,
    pub(super) p: V<S, W>,
    pub(super) d: V<S, W>,
}

impl<S: K, const W: usize> Near<S, W> {
    /// `a0 + d * p`, rounded.
    #[inline(always)]
    pub(super) fn value(self) -> V<S, W> {
        self.p.mul_add(self.d, self.a0)
    }
}

/// Look-up by the low bits of an index.
pub(super) trait Lut {
    /// The entry of every lane.
    fn lut<S: K, const W: usize>(&self, s: S, ix: U<S, W>) -> V<S, W>;
}

/// Look-up by where a number lies.
pub(super) trait Segmented: Lut {
    /// The segment of `z` among segments `scale` to the unit.
    fn segment<S: K, const W: usize>(s: S, z: V<S, W>, scale: f32) -> U<S, W>;
}

impl Lut for [f32; 8] {
    #[inline(always)]
    fn lut<S: K, const W: usize>(&self, s: S, ix: U<S, W>) -> V<S, W> {
        V(each!(k => s.lut8(self, ix.0[k])))
    }
}

impl Segmented for [f32; 8] {
    /// Truncates: with so few segments none may be half-used. Segment `i` starts at `i / scale`.
    #[inline(always)]
    fn segment<S: K, const W: usize>(_: S, z: V<S, W>, scale: f32) -> U<S, W> {
        let scaled = z * scale;
        U(each!(k => scaled.0[k].to_int::<S::i32s>().bitcast()))
    }
}

impl Lut for [f32; 16] {
    #[inline(always)]
    fn lut<S: K, const W: usize>(&self, s: S, ix: U<S, W>) -> V<S, W> {
        V(each!(k => s.lut16(self, ix.0[k])))
    }
}

impl Lut for [f32; 32] {
    #[inline(always)]
    fn lut<S: K, const W: usize>(&self, s: S, ix: U<S, W>) -> V<S, W> {
        V(each!(k => s.lut32(self, ix.0[k])))
    }
}

impl Segmented for [f32; 32] {
    /// Rounds, which is one operation. Segment `i` starts at `(i - 1/2) / scale`.
    #[inline(always)]
    fn segment<S: K, const W: usize>(_: S, z: V<S, W>, scale: f32) -> U<S, W> {
        z.mul_add(scale, MAGIC).bits()
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
pub(super) struct EvenTable<const D: usize, const P: usize> {
    pub(super) a: [[f32; 8]; D],
    pub(super) pairs: [[f32; 8]; P],
    pub(super) scale: f32,
    pub(super) end: f32,
}

/// The same on segments of a quarter, centred at `i / 4`, the polynomial being one of `z - i / 4`,
/// which is one operation where levels can cut a float after any bit. Only 16-bit accuracy.
#[repr(C, align(64))]
pub(super) struct Quarters<const D: usize> {
    pub(super) a: [[f32; 32]; D],
    pub(super) end: f32,
}

/// What all kinds of table offer.
pub(super) trait Segments: Sync + 'static {
    /// Where the table ends.
    fn end(&self) -> f32;
    /// Evaluates near `z`.
    fn near<S: K, const W: usize>(&self, s: S, z: V<S, W>) -> Near<S, W>;
}

impl<T: Segmented + Sync + 'static, const D: usize> Segments for Table<T, D> {
    #[inline(always)]
    fn end(&self) -> f32 {
        self.end
    }
    #[inline(always)]
    fn near<S: K, const W: usize>(&self, s: S, z: V<S, W>) -> Near<S, W> {
        let ix = T::segment(s, z, self.scale);
        let d = z - self.c.lut(s, ix);
        let mut p = self.a[D - 1].lut(s, ix);
        for k in (1..D - 1).rev() {
            p = p.mul_add(d, self.a[k].lut(s, ix)).pin(s);
        }
        Near { a0: self.a[0].lut(s, ix), p, d }
    }
}

impl<const D: usize, const P: usize> Segments for EvenTable<D, P> {
    #[inline(always)]
    fn end(&self) -> f32 {
        self.end
    }
    #[inline(always)]
    fn near<S: K, const W: usize>(&self, s: S, z: V<S, W>) -> Near<S, W> {
        let t = z.mul_add(self.scale, MAGIC);
        let u = z.mul_add(self.scale, -(t - MAGIC));
        let ix = t.bits();
        let pairs: [V<S, W>; P] = core::array::from_fn(
            #[inline(always)]
            |j| self.pairs[j].lut(s, ix),
        );
        let low = |j: usize| (pairs[j].bits() << 16).floats();
        let mut p = low(P - 1);
        for j in (0..P - 1).rev() {
            p = p.mul_add(u, low(j));
        }
        for j in (0..P).rev() {
            p = p.mul_add(u, pairs[j]);
        }
        for k in (1..D).rev() {
            p = p.mul_add(u, self.a[k].lut(s, ix));
        }
        Near { a0: self.a[0].lut(s, ix), p, d: u }
    }
}

impl<const D: usize> Segments for Quarters<D> {
    #[inline(always)]
    fn end(&self) -> f32 {
        self.end
    }
    #[inline(always)]
    fn near<S: K, const W: usize>(&self, s: S, z: V<S, W>) -> Near<S, W> {
        // The sum's last place is a quarter.
        let ix = (z + MAGIC / 4.0).bits();
        let d = V(each!(k => s.off_quarter(z.0[k])));
        let mut p = self.a[D - 1].lut(s, ix);
        for k in (1..D - 1).rev() {
            p = p.mul_add(d, self.a[k].lut(s, ix)).pin(s);
        }
        Near { a0: self.a[0].lut(s, ix), p, d }
    }
}

/// A function `f` and less its derivative, `Q = -f'`, from one look-up. With `d = z - C`:
///
/// ```text
/// Q = a + d (2 p + d p')         p = e[0] + d e[1] + ..,  e[k] = (coefficient k + 1 of Q) / (k + 2)
/// f = f(C) - d (a + d p)
/// ```
#[repr(C, align(64))]
pub(super) struct Integral<const N: usize> {
    f: [f32; 32],
    a: [f32; 32],
    e: [[f32; 32]; N],
    c: [f32; 32],
    scale: f32,
    pub(super) end: f32,
}

impl<const D: usize> Table<[f32; 32], D> {
    /// With the integral's values at the centres.
    pub(super) const fn with_integral<const N: usize>(&self, f: [f32; 32]) -> Integral<N> {
        assert!(N + 1 == D);
        let mut e = [[0.0; 32]; N];
        let mut k = 0;
        while k < N {
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

impl<const N: usize> Integral<N> {
    /// `(f(z), Q(z))`
    #[inline(always)]
    pub(super) fn near<S: K, const W: usize>(&self, s: S, z: V<S, W>) -> (V<S, W>, V<S, W>) {
        let mut ix = <[f32; 32]>::segment(s, z, self.scale);
        let d = z - self.c.lut(s, ix);
        let mut p = self.e[N - 1].lut(s, ix);
        let mut slope = p;
        for k in (0..N - 1).rev() {
            if k < N - 2 {
                slope = slope.mul_add(d, p).pin(s);
            }
            p = p.mul_add(d, self.e[k].lut(s, ix)).pin(s);
            ix = ix.pin(s);
        }
        let a = self.a.lut(s, ix);
        let q = d.mul_add(slope, p + p).pin(s).mul_add(d, a).pin(s);
        ((-p.mul_add(d, a)).mul_add(d, self.f.lut(s, ix)), q)
    }
}
