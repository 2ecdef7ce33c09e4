//! `e^-v` in f32, where `v` is a double-float, by one look-up.
//!
//! ```text
//! e^-v = 2^floor(k/16) T[k mod 16] (1 + s),   k = -round(16 v / ln 2)
//! ```
//!
//! The error of `s` is about 2^-29. Evaluators use the same constants.

use crate::float::fma;

/// 1.5 * 2^23: adding this number rounds a float to an integer, left in the low bits of the sum.
pub const MAGIC: f32 = 12_582_912.0;
/// `2^(j/16)` for `j` from 0 to 15 as floats, and the relative error of each float.
#[rustfmt::skip]
#[expect(clippy::approx_constant, reason = "sqrt 2 is one of sixteen powers")]
pub const POWERS: [[f32; 16]; 2] = [
    [1.0, 1.0442737, 1.0905077, 1.1387886, 1.1892071, 1.2418578, 1.2968396, 1.3542556,
     1.4142135, 1.4768262, 1.5422108, 1.6104903, 1.6817929, 1.7562522, 1.8340081, 1.9152066],
    [0.0, 4.628547e-8, -1.19921575e-8, 4.7297824e-8, 3.193418e-8, 3.6210572e-8, -3.099072e-8, -7.475213e-9,
     1.7114271e-8, -3.0476834e-8, 5.233334e-9, 6.1075918e-9, -1.4719605e-8, -5.258795e-9, -6.1282597e-9, 5.1406093e-9],
];
/// `16 / ln 2`, which converts an exponent of `e` to sixteenths of an exponent of 2.
pub const STEPS: f32 = 23.083_12;
/// `ln 2 / 16` as a high part of 21 bits, whose products with integers are exact, and a low part.
pub const STEP: [f32; 2] = [0.043_321_7, -1.190_408_9e-10];
/// Coefficients of `e^-r ~ 1 - r + SERIES[0] r^2 - SERIES[1] r^3` for `|r| < ln 2 / 32`.
pub const SERIES: [f32; 2] = [0.500_016_5, 0.166_670_32];

/// Returns `e^-(high + low)`, which has to be a normal number.
pub(crate) fn exp(high: f32, low: f32) -> f32 {
    let t = fma(-high, STEPS, MAGIC);
    let k = t - MAGIC;
    let r = fma(k, STEP[0], high) + fma(k, STEP[1], low);
    let p = fma(fma(r, -SERIES[1], SERIES[0]), r, -1.0);
    let j = t.to_bits() as usize % 16;
    let s = fma(p, r, POWERS[1][j]);
    // The shift drops all but the low bits of `floor(k / 16)`, which is what two's complement requires.
    let up = f32::from_bits((t.to_bits() >> 4 << 23).wrapping_add(127 << 23));
    fma(s, POWERS[0][j], POWERS[0][j]) * up
}
