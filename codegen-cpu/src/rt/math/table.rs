//! Functions of `z >= 0` as one polynomial per segment, its coefficients found by a table look-up.
//!
//! Segment `i` has a centre `C[i]` that is *not* its middle: it is a nearby float at which the
//! function's value lies within about 2^-8 ulp of a float. So `A[0][i]` needs no low word, and
//! `d = z - C[i]` is exact because `z` and `C[i]` are close. A segment that holds a zero of
//! the function has its centre there, which keeps the *relative* accuracy across the zero.

use crate::rt::simd::Isa;
use crate::rt::step::{Bits, Floats, Mask, each};
use fearless_simd::prelude::*;
pub(super) use op_dsl_fit::exponential::MAGIC;

/// Where `z` is close to: `f(z) = a0 + d * p`.
#[derive(Clone, Copy)]
pub(super) struct Near<S: Isa, const W: usize> {
    pub(super) a0: Floats<S, W>,
    pub(super) p: Floats<S, W>,
    pub(super) d: Floats<S, W>,
}

impl<S: Isa, const W: usize> Near<S, W> {
    /// `a0 + d * p`, rounded.
    #[inline(always)]
    pub(super) fn value(self) -> Floats<S, W> {
        self.p.mul_add(self.d, self.a0)
    }
}

/// Look-up by the low bits of an index.
pub trait Lut {
    /// The entry of every lane.
    fn lut<S: Isa, const W: usize>(&self, s: S, ix: Bits<S, W>) -> Floats<S, W>;
}

/// Look-up by where a number lies.
pub(super) trait Segmented: Lut {
    /// The segment of `z` among segments `scale` to the unit.
    fn segment<S: Isa, const W: usize>(s: S, z: Floats<S, W>, scale: f32) -> Bits<S, W>;
}

impl Lut for [f32; 8] {
    #[inline(always)]
    fn lut<S: Isa, const W: usize>(&self, s: S, ix: Bits<S, W>) -> Floats<S, W> {
        Floats(each!(s, k => s.lut8(self, ix.0[k])))
    }
}

impl Segmented for [f32; 8] {
    /// Truncates: with so few segments none may be half-used. Segment `i` starts at `i / scale`.
    #[inline(always)]
    fn segment<S: Isa, const W: usize>(s: S, z: Floats<S, W>, scale: f32) -> Bits<S, W> {
        let scaled = z * scale;
        Bits(each!(s, k => scaled.0[k].to_int::<S::i32s>().bitcast()))
    }
}

impl Lut for [f32; 16] {
    #[inline(always)]
    fn lut<S: Isa, const W: usize>(&self, s: S, ix: Bits<S, W>) -> Floats<S, W> {
        Floats(each!(s, k => s.lut16(self, ix.0[k])))
    }
}

impl Lut for [f32; 32] {
    #[inline(always)]
    fn lut<S: Isa, const W: usize>(&self, s: S, ix: Bits<S, W>) -> Floats<S, W> {
        Floats(each!(s, k => s.lut32(self, ix.0[k])))
    }
}

impl Segmented for [f32; 32] {
    /// Rounds, which is one operation. Segment `i` starts at `(i - 1/2) / scale`.
    #[inline(always)]
    fn segment<S: Isa, const W: usize>(_: S, z: Floats<S, W>, scale: f32) -> Bits<S, W> {
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

/// Where a table is right.
pub(super) trait Bounded: Sync + 'static {
    /// Nearer to zero than this no `x` is outside.
    fn end(&self) -> f32;
    /// The lanes that are inside in every vector. A lane where some vector has a NaN may be among them or
    /// not.
    fn inside<S: Isa, const W: usize>(&self, s: S, x: Floats<S, W>) -> S::mask32s;
    /// Lanes outside. A NaN is not: the table's arithmetic hands it on.
    fn beyond<S: Isa>(&self, s: S, x: Floats<S>) -> Mask<S>;
}

/// A table of `z = |x|`.
pub(super) trait Symmetric: Sync + 'static {
    /// From this `z` on it is not right.
    fn until(&self) -> f32;
}

impl<T: Symmetric> Bounded for T {
    #[inline(always)]
    fn end(&self) -> f32 {
        self.until()
    }
    #[inline(always)]
    fn inside<S: Isa, const W: usize>(&self, s: S, x: Floats<S, W>) -> S::mask32s {
        // One comparison for all vectors. Of a number and a NaN, `max` is the second operand on some levels,
        // the NaN or the number on others. The largest so far is the second operand: a NaN may take its
        // place only where the NaN then stays.
        let largest = x.abs().fold(|z, largest| z.max(largest));
        largest.simd_lt(S::f32s::splat(s, self.until()))
    }
    #[inline(always)]
    fn beyond<S: Isa>(&self, _: S, x: Floats<S>) -> Mask<S> {
        x.abs().simd_ge(self.until())
    }
}

macro_rules! symmetric {
    ($($table:ty, [$($generics:tt)*];)*) => {$(
        impl<$($generics)*> Symmetric for $table {
            #[inline(always)]
            fn until(&self) -> f32 {
                self.end
            }
        }
    )*};
}
symmetric! {
    Table<T, D>, [T: Sync + 'static, const D: usize];
    EvenTable<D, P>, [const D: usize, const P: usize];
    Integral<N>, [const N: usize];
}

/// What tables of `z` with one function offer.
pub(super) trait Segments: Symmetric {
    /// Evaluates near `z`.
    fn near<S: Isa, const W: usize>(&self, s: S, z: Floats<S, W>) -> Near<S, W>;
}

impl<T: Segmented + Sync + 'static, const D: usize> Segments for Table<T, D> {
    #[inline(always)]
    fn near<S: Isa, const W: usize>(&self, s: S, z: Floats<S, W>) -> Near<S, W> {
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
    fn near<S: Isa, const W: usize>(&self, s: S, z: Floats<S, W>) -> Near<S, W> {
        let t = z.mul_add(self.scale, MAGIC);
        let u = z.mul_add(self.scale, -(t - MAGIC));
        let ix = t.bits();
        let pairs: [Floats<S, W>; P] = core::array::from_fn(
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

/// A function of `x` itself on `[-16.5, 15.5) * width`, in equal segments centred at multiples of the
/// width: nothing is to be reflected, but the segments are twice as wide, for 16-bit accuracy.
///
/// The polynomial is one of the distance to the centre or, unless `CENTRED`, of `x`: that is two
/// operations less, and its terms cancel less the slower the function falls.
#[repr(C, align(64))]
pub(super) struct Signed<const D: usize, const CENTRED: bool> {
    a: [[f32; 32]; D],
    /// From `x` to units of the index, and back.
    scale: f32,
    back: f32,
    /// The nearer end, without its sign.
    end: f32,
}

/// Where the index of a [`Signed`] table starts: at `x = 0` the sum with it ends in 16. It is in
/// [2, 4), where one unit of the last place is [`UNIT`] and all bits of the exponent but one are zero.
const START: f32 = 2.0 + 16.0 * UNIT;
const UNIT: f32 = 1.0 / 4_194_304.0;

impl<const D: usize, const CENTRED: bool> Signed<D, CENTRED> {
    /// The scale must have nearly as many bits as a float can: `START` has 20, so no float times such a
    /// scale is quite `-START`, and the sum with it is never zero.
    pub(super) const fn new(a: [[f32; 32]; D], width: f32) -> Self {
        let scale = UNIT / width;
        assert!(scale.to_bits().trailing_zeros() < 4);
        Signed { a, scale, back: width / UNIT, end: 15.5 * width }
    }

    /// The last five bits are the segment of `x`.
    #[inline(always)]
    fn index<S: Isa, const W: usize>(&self, _: S, x: Floats<S, W>) -> Floats<S, W> {
        x.mul_add(self.scale, START)
    }

    /// The value at `x`.
    #[inline(always)]
    pub(super) fn at<S: Isa, const W: usize>(&self, s: S, x: Floats<S, W>) -> Floats<S, W> {
        let t = self.index(s, x);
        let ix = t.bits();
        let d = if CENTRED { (t - START).mul_add(-self.back, x) } else { x };
        let mut p = self.a[D - 1].lut(s, ix);
        for k in (1..D - 1).rev() {
            p = p.mul_add(d, self.a[k].lut(s, ix)).pin(s);
        }
        p.mul_add(d, self.a[0].lut(s, ix))
    }
}

impl<const D: usize, const CENTRED: bool> Bounded for Signed<D, CENTRED> {
    #[inline(always)]
    fn end(&self) -> f32 {
        self.end
    }
    /// On levels with FMA: outside, bits are set that no index has, as only the exponents of 2 and of zero
    /// have none of them.
    #[inline(always)]
    fn inside<S: Isa, const W: usize>(&self, s: S, x: Floats<S, W>) -> S::mask32s {
        self.index(s, x).bits().without(s, !(2f32.to_bits() | 31))
    }
    #[inline(always)]
    fn beyond<S: Isa>(&self, s: S, x: Floats<S>) -> Mask<S> {
        let t = self.index(s, x);
        t.simd_lt(2.0) | t.simd_ge(2.0 + 32.0 * UNIT)
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
    end: f32,
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
    pub(super) fn near<S: Isa, const W: usize>(
        &self,
        s: S,
        z: Floats<S, W>,
    ) -> (Floats<S, W>, Floats<S, W>) {
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
