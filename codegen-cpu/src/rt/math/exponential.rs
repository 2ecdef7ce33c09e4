//! `e^-v` for a double-float `v`, the exponential of the functions' tails.
//!
//! `op_dsl_fit::exponential` describes the algorithm and has its constants.

use super::table::{Lut, MAGIC};
use crate::rt::simd::Isa;
use crate::rt::step::{Bits, Floats};
use op_dsl_fit::exponential::{POWERS, SERIES, STEP, STEPS};

/// Table of `factor * 2^(j/16) = high[j] (1 + low[j])` for `j` from 0 to 15.
///
/// `high[j]` is the number as a float, `low[j]` its relative rounding error.
#[repr(C, align(64))]
pub(super) struct ExpTable {
    pub(super) high: [f32; 16],
    pub(super) low: [f32; 16],
}

/// The table for factor 1.
pub(super) static EXP: ExpTable = ExpTable { high: POWERS[0], low: POWERS[1] };

/// An exponential in parts: `factor * e^-v = t (1 + s) 2^floor(k/16)`, where `|s| < 0.022`.
///
/// `k` is about `-16 v / ln 2`, and `t` is entry `k mod 16` of a table of powers.
pub(super) struct Exp<S: Isa> {
    pub(super) t: Floats<S>,
    pub(super) s: Floats<S>,
    /// `k` as an integer, in the low bits of each lane.
    pub(super) k: Bits<S>,
}

impl<S: Isa> Exp<S> {
    /// Evaluates `factor * e^-v` for `v = vh + vl`, `|v| < 128`, where `factor` is that of the table.
    ///
    /// The error of `s` is about 2^-29.
    #[inline(always)]
    pub(super) fn new(s: S, table: &ExpTable, vh: Floats<S>, vl: Floats<S>) -> Self {
        let t = (-vh).mul_add(STEPS, MAGIC);
        let r = remainder(s, vh, vl, t - MAGIC);
        let k = t.bits();
        let p = r.mul_add(-SERIES[1], SERIES[0]).mul_add(r, -1.0);
        let tau = table.low.lut(s, k);
        Exp { t: table.high.lut(s, k), s: p.mul_add(r, tau), k }
    }

    /// Returns `2^floor(k/16)` times the float with the bits `by`, which is a power of two of either sign.
    #[inline(always)]
    pub(super) fn up(&self, by: u32) -> Floats<S> {
        // The shift drops all but the low bits of floor(k / 16), because they are in two's complement.
        (((self.k >> 4) << 23) + by).floats()
    }
}

/// `v + k ln 2 / 16` for `v = vh + vl`, which is small because `k` is about `-16 v / ln 2`.
#[inline(always)]
fn remainder<S: Isa>(_: S, vh: Floats<S>, vl: Floats<S>, k: Floats<S>) -> Floats<S> {
    if S::FMA {
        // The first sum is exact because it is rounded only once.
        return k.mul_add(STEP[0], vh) + k.mul_add(STEP[1], vl);
    }
    // Without FMA k * H must be exact by itself, so k and each part of the constant have 12 bits.
    const H: f32 = 0.043_319_702;
    const M: f32 = 1.995_824_3e-6;
    const L: f32 = 8.122_817e-10;
    (k * H + vh) + (k * M + (k * L + vl))
}
