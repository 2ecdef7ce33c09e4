//! The tails: what is left of a function at `-z` once `z` has left its table.
//!
//! Every tail is an exponential times a smooth factor, formed as a float with 64 added to its
//! exponent, so that no step before the last one rounds into the denormal range:
//!
//! ```text
//! exp(-v) = 2^floor(k/16) * T[j] * (1 + s),   k = -round(16 v / ln 2),  j = k mod 16
//! f(-z)   = w * 2^(floor(k/16) + 64) * 2^-64, w  = T[j] * (c0 + m) * (1 + s),  |m| << |c0|
//! ```
//!
//! Tails are told from which `z` on they are asked for.
//!
//! A plain f32 `v` would lose half its bits to the exponent (`v` reaches 110), so `v` is a sum of
//! two floats wherever it is the result of an operation.

use super::coeffs_tail::{GAUSS, MILLS};
use super::exponential::{EXP, Exp};
use super::table::Lut;
use crate::rt::simd::Isa;
use crate::rt::step::Floats;

/// 2^64 times a value, as the product of two factors: neither it nor they are denormal.
#[derive(Clone, Copy)]
pub(super) struct Scaled<S: Isa> {
    /// The value less its power of two.
    pub(super) w: Floats<S>,
    /// The power of two, with 64 added to the exponent.
    pub(super) up: Floats<S>,
}

/// The bits of 2^64.
const UP: u32 = 191 << 23;
const TWO_M64: f32 = 1.0 / 18_446_744_073_709_551_616.0;

/// Undoes the 2^64 of `v`, rounding once even into the denormal range. From `gone` on the result is
/// zero without a computed underflow, which costs a hundred cycles on many CPUs.
#[inline(always)]
pub(super) fn scale_down<S: Isa>(s: S, v: Floats<S>, z: Floats<S>, gone: f32) -> Floats<S> {
    let splat = |v: f32| Floats::splat(s, v);
    v * z.simd_ge(gone).select(splat(0.0), splat(TWO_M64))
}

impl<S: Isa> Exp<S> {
    /// `exp(-v)` itself; small values are only as exact as sums with 1 need them.
    #[inline(always)]
    fn value(&self, s: S) -> Floats<S> {
        let e = self.s.mul_add(self.t, self.t) * self.up(UP);
        // Not below 2^-64: a denormal factor would be slow.
        e.simd_lt(1.0).select(Floats::splat(s, 1.0), e) * TWO_M64
    }

    /// `T * (c0 + m) * (1 + s)` for |m| < |c0| / 8 or so.
    #[inline(always)]
    fn times(&self, s: S, c0: Floats<S>, m: Floats<S>) -> Floats<S> {
        let (a, low) = self.t.two_prod(s, c0);
        let q = self.t.mul_add(m, low);
        a + self.s.mul_add(a + q, q)
    }
}

/// phi(z) (R(z) - z), R being Mills' ratio Phi(-z) / phi(z): gelu' with erf at -z.
#[inline(always)]
pub(super) fn gelu_erf_grad<S: Isa>(s: S, z: Floats<S>, _: f32) -> Scaled<S> {
    let z = z.min(15.0);
    let (zh, zl) = z.two_prod(s, z);
    let exp = Exp::new(s, &GAUSS, zh * 0.5, zl * 0.5);
    let (r0, r1) = mills(s, z);
    Scaled { w: exp.times(s, -z, r0 + r1), up: exp.up(UP) }
}

/// phi(z) R(z) = Phi(-z).
#[inline(always)]
pub(super) fn normal_cdf<S: Isa>(s: S, z: Floats<S>, _: f32) -> Scaled<S> {
    let z = z.min(15.0);
    let (zh, zl) = z.two_prod(s, z);
    let exp = Exp::new(s, &GAUSS, zh * 0.5, zl * 0.5);
    let (r0, r1) = mills(s, z);
    Scaled { w: exp.times(s, r0, r1), up: exp.up(UP) }
}

/// Mills' ratio as a table value and a correction, z < 16; below 4 that of 4's segment.
#[inline(always)]
fn mills<S: Isa>(s: S, z: Floats<S>) -> (Floats<S>, Floats<S>) {
    let from = z.simd_lt(4.0).select(Floats::splat(s, 4.0), z);
    // The last exponent bit and three bits of fraction: 8 segments in [4, 8), 8 in [8, 16).
    let bits = from.bits();
    let ix = bits >> 20;
    let d = z - MILLS.c.lut(s, ix);
    let mut p = MILLS.a[5].lut(s, ix);
    for k in (1..5).rev() {
        p = p.mul_add(d, MILLS.a[k].lut(s, ix));
    }
    (MILLS.a[0].lut(s, ix), d * p)
}

/// `v = 2 sqrt(2/pi) (z + 0.044715 z^3)` and what the tanh forms make of it.
struct Cubic<S: Isa> {
    v: Floats<S>,
    vl: Floats<S>,
}

// 2 sqrt(2/pi) and 0.044715 times that, as sums of two floats.
const VA: f32 = 1.595_769_2;
const VAL: f32 = -4.534_068e-8;
const VB: f32 = 0.071_354_814;
const VBL: f32 = 2.398_832_5e-9;

#[inline(always)]
fn cubic<S: Isa>(s: S, z: Floats<S>) -> Cubic<S> {
    let splat = |v: f32| Floats::splat(s, v);
    let (h, l) = z.two_prod(s, z);
    let (p, low) = h.two_prod(s, splat(VB));
    let pl = h.mul_add(VBL, l.mul_add(VB, low));
    // p + VA as a sum of two floats, whichever is larger.
    let w = p + VA;
    let back = w - p;
    let er = (p - (w - back)) + (splat(VA) - back);
    let wl = er + pl + VAL;
    let (v, low) = z.two_prod(s, w);
    Cubic { v, vl: z.mul_add(wl, low) }
}

/// -E (D - 1 - E) / (1 + E)^2 with E = exp(-v), D = z v': gelu' with tanh at -z.
///
/// From z = 5.5 on E is below 2^-29, and what it is added to is at least one: -E (D - 1) will do.
#[inline(always)]
pub(super) fn gelu_tanh_grad<S: Isa>(s: S, z: Floats<S>, from: f32) -> Scaled<S> {
    let splat = |v: f32| Floats::splat(s, v);
    let z = z.min(11.0);
    let Cubic { v, vl } = cubic(s, z);
    let exp = Exp::new(s, &EXP, v, vl);
    // D = 3 v - 2 VA z = y + yl.
    let (a, al) = v.two_prod(s, splat(3.0));
    let (b, bl) = z.two_prod(s, splat(2.0 * VA));
    let y = a - b;
    let low = (a - y) - b;
    let yl = (al - bl + low) + z.mul_add(-2.0 * VAL, vl * 3.0);
    if from >= 5.5 {
        return Scaled { w: exp.times(s, -y, splat(1.0) - yl), up: exp.up(UP) };
    }
    let e = exp.value(s);
    let m = (e + 1.0) - yl;
    let exp = over_square(exp, e);
    Scaled { w: exp.times(s, -y, m), up: exp.up(UP) }
}

/// E / (1 + E): the tanh form of Phi at -z.
#[inline(always)]
pub(super) fn tanh_cdf<S: Isa>(s: S, z: Floats<S>, _: f32) -> Scaled<S> {
    let z = z.min(11.0);
    let Cubic { v, vl } = cubic(s, z);
    let exp = Exp::new(s, &EXP, v, vl);
    logistic(s, exp)
}

/// -E (z - 1 - E) / (1 + E)^2 with E = exp(-z): silu' at -z.
#[inline(always)]
pub(super) fn silu_grad<S: Isa>(s: S, z: Floats<S>, _: f32) -> Scaled<S> {
    let z = z.min(120.0);
    let exp = Exp::new(s, &EXP, z, Floats::splat(s, 0.0));
    let e = exp.value(s);
    let exp = over_square(exp, e);
    Scaled { w: exp.times(s, -z, e + 1.0), up: exp.up(UP) }
}

/// E / (1 + E) with E = exp(-z).
#[inline(always)]
pub(super) fn sigmoid<S: Isa>(s: S, z: Floats<S>, _: f32) -> Scaled<S> {
    let z = z.min(120.0);
    let exp = Exp::new(s, &EXP, z, Floats::splat(s, 0.0));
    logistic(s, exp)
}

/// Puts the factor `1 / (1 + E)^2 = 1 - 2 E + 3 E^2 - 4 E^3` into `1 + s`.
#[inline(always)]
fn over_square<S: Isa>(exp: Exp<S>, e: Floats<S>) -> Exp<S> {
    let f = e * e.mul_add(e.mul_add(-4.0, 3.0), -2.0);
    // The product matters: without it the error is tens of ulp.
    Exp { s: f.mul_add(exp.s, exp.s + f), ..exp }
}

/// `E / (1 + E)`, again by the series: E < 2^-9 here.
#[inline(always)]
fn logistic<S: Isa>(s: S, exp: Exp<S>) -> Scaled<S> {
    let e = exp.value(s);
    let f = e * e.mul_add(e.mul_add(-1.0, 1.0), -1.0);
    let sum = f.mul_add(exp.s, exp.s + f);
    Scaled { w: sum.mul_add(exp.t, exp.t), up: exp.up(UP) }
}
