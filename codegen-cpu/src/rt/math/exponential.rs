//! `e^-v` for a double-float `v`, the exponential of the functions' tails.
//!
//! `op_dsl_fit::exponential` describes the algorithm and has its constants. Only levels with FMA have tails.

use super::table::{Column, Lut, MAGIC};
use crate::rt::simd::Isa;
use crate::rt::step::Floats;
use op_dsl_fit::exponential::{POWERS, SERIES, STEP, STEPS};

/// `2^(j/16)` for `j` from 0 to 15 as floats, and the relative error of each float.
static POWER: [Column<16>; 2] = [Column(POWERS[0]), Column(POWERS[1])];

/// An exponential in parts: `e^-v = t (1 + s) up`, where `|s| < 0.022` and `up` is a power of two.
pub(super) struct Exp<S: Isa> {
    pub(super) t: Floats<S>,
    pub(super) s: Floats<S>,
    pub(super) up: Floats<S>,
}

impl<S: Isa> Exp<S> {
    /// Evaluates `e^-v` for `v = vh + vl`, `|v| < 128`, or `-e^-v` if `negative`.
    ///
    /// The error of `s` is about 2^-29.
    #[inline(always)]
    pub(super) fn new(s: S, vh: Floats<S>, vl: Floats<S>, negative: bool) -> Self {
        let sum = (-vh).mul_add(STEPS, MAGIC);
        let (k, number) = (sum.bits(), sum - MAGIC);
        // The first sum is exact because it is rounded only once.
        let r = number.mul_add(STEP[0], vh) + number.mul_add(STEP[1], vl);
        let p = r.mul_add(-SERIES[1], SERIES[0]).mul_add(r, -1.0);
        let [t, error] = [POWER[0].0.lut(s, k), POWER[1].0.lut(s, k)];
        // The shift drops all but the low bits of floor(k / 16), because they are in two's complement.
        let up = ((k >> 4) << 23) + (u32::from(negative) << 31 | 127 << 23);
        Exp { t, s: p.mul_add(r, error), up: up.floats() }
    }
}
