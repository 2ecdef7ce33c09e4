//! Functions of calls on f64: within a unit in the last place, where the functions for results in f32 lose several.
//!
//! ```text
//! power    exponentials, logarithms, x^y
//! normal   the error function, its inverse, the normal distribution, gelu
//! ```
//!
//! An intermediate value that is multiplied, divided or used as an exponent is a double-double, an unevaluated sum of two numbers.
//! A quotient takes one division, whose rounding error a fused multiply-add gives exactly. A vanishing exponential is a number near 1
//! times a power of two, so that it keeps its digits below the least normal number until a factor scales it back. Sums that cancel, as in a derivative near its zero, are accurate relative to their terms.

mod normal;
mod power;

use super::circle::{ATAN, turned};
use super::double::Double;
use crate::rt::math::poly::{at_least, at_most, horner};
use crate::rt::simd::Isa;
use fearless_simd::prelude::*;
pub(super) use normal::{erf_f64, erfc_f64, erfinv_f64, gelu_f64, gelu_grad_f64, normal_cdf_f64};
use power::{Scaled, exponent, polynomial, power_of_two, reduced};
pub(super) use power::{logarithm, powf_f64};

/// Magnitude at which a gate's argument is clamped: its exponential is zero there, whatever it is multiplied by.
const BEYOND: f64 = 1000.0;

/// `sigmoid(v) = 2^exponent / below`, where `below` is between 0.7 and 2.5.
struct Logistic<S: Isa> {
    below: Double<S>,
    /// The rounded reciprocal of `below`.
    inverse: S::f64s,
    exponent: S::f64s,
    /// `2^exponent`, or a number below 2^-900.
    power: S::f64s,
}

/// `sigmoid(v)`, of a number up to 1000.
#[inline(always)]
fn logistic<S: Isa>(s: S, v: Double<S>) -> Logistic<S> {
    let k = exponent(s, v.high);
    // Without its low part, which is below a quarter of a unit of the result.
    let e = reduced(s, -v, -k).high;
    // e^-v = 2^-k (1 + e), and with j = min(k, 0) the quotient is 2^j / (2^j + 2^(j - k) (1 + e)).
    let one = S::f64s::splat(s, 1.0);
    let small = power_of_two::<S>(-at_most(s, k.abs(), 1000.0));
    let whole = Double::<S>::ordered(one, small);
    let is_negative = k.simd_lt(0.0);
    let factor = is_negative.select(one, small);
    let high = factor.mul_add(e, whole.high);
    let low = factor.mul_add(e, whole.high - high) + whole.low;
    Logistic {
        below: Double { high, low },
        inverse: one / high,
        exponent: at_most(s, k, 0.0),
        power: is_negative.select(small, one),
    }
}

/// `x sigmoid(v)` for a `v` with the sign of `x`.
#[inline(always)]
fn gated<S: Isa>(s: S, x: S::f64s, v: Double<S>) -> S::f64s {
    let gate = logistic(s, v);
    s.scale_f64(gate.below.divides(x, gate.inverse), gate.exponent)
}

/// `g (1 + x dv (1 - g))` with `g = sigmoid(v)`, the derivative of `x sigmoid(v)`, given `xdv = x v'`.
#[inline(always)]
fn gated_grad<S: Isa>(s: S, v: Double<S>, xdv: Double<S>) -> S::f64s {
    let Logistic { below, inverse, exponent, power } = logistic(s, v);
    let one = S::f64s::splat(s, 1.0);
    let gate = Double { high: inverse, low: -(below.excess(inverse, one) * inverse) };
    let other = Double::<S> { high: gate.high * power, low: gate.low * power }.one_minus(s);
    // Where the product is below -1, it is a multiple of the sum's last digit, so that the sum is exact.
    s.scale_f64(gate.mul_nearest(xdv.mul(other).added_to(one)), exponent)
}

/// A number between `-bound` and `bound`, or NaN.
#[inline(always)]
fn within<S: Isa>(s: S, x: S::f64s, bound: f64) -> S::f64s {
    at_least(s, at_most(s, x, bound), -bound)
}

/// `1 / (1 + e^-x)`
#[inline(always)]
pub(super) fn sigmoid_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let gate = logistic(s, Double::of(s, within(s, x, BEYOND)));
    let (below, inverse, one) = (gate.below, gate.inverse, S::f64s::splat(s, 1.0));
    s.scale_f64((-below.excess(inverse, one)).mul_add(inverse, inverse), gate.exponent)
}

/// `x sigmoid(x)`
#[inline(always)]
pub(super) fn silu_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let x = at_least(s, x, -BEYOND);
    gated(s, x, Double::of(s, at_most(s, x, BEYOND)))
}

/// `g (1 + x (1 - g))`, where `g = sigmoid(x)`.
#[inline(always)]
pub(super) fn silu_grad_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let x = Double::of(s, within(s, x, BEYOND));
    gated_grad(s, x, x)
}

/// `2 sqrt(2/pi)`
const TWICE: [f64; 2] = [1.595_769_121_605_730_8, -9.969_308_809_110_92e-17];
/// Magnitude at which the tanh form of gelu clamps its argument: its exponential is zero there.
const CUBIC: f64 = 23.0;

/// `2 sqrt(2/pi) 0.044715`, with the f64 that is nearest to the decimal.
const CUBED: [f64; 2] = [0.071_354_816_272_600_25, -4.121_857_721_743_182_5e-18];
/// Three times [`CUBED`].
const CUBED_3: [f64; 2] = [0.214_064_448_817_800_73, 1.512_214_642_584_908_4e-18];

/// `x (2 sqrt(2/pi) + c x^2)`
#[inline(always)]
fn cubic<S: Isa>(s: S, x: S::f64s, c: [f64; 2]) -> Double<S> {
    let term = Double::<S>::product(x, x).mul(Double::constant(s, c));
    Double::constant(s, TWICE).add(term).times(x)
}

/// `x (1 + tanh u) / 2 = x sigmoid(2 u)`, where `u = sqrt(2/pi) (x + 0.044715 x^3)`.
#[inline(always)]
pub(super) fn gelu_tanh_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let x = at_least(s, x, -CUBIC);
    gated(s, x, cubic(s, at_most(s, x, CUBIC), CUBED))
}

/// The derivative of [`gelu_tanh_f64`].
#[inline(always)]
pub(super) fn gelu_tanh_grad_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let x = within(s, x, CUBIC);
    gated_grad(s, cubic(s, x, CUBED), cubic(s, x, CUBED_3))
}

/// `tanh x = u / (u + 2)` with `u = e^(2x) - 1`.
#[inline(always)]
pub(super) fn tanh_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let x2 = at_most(s, x.abs(), 30.0) * 2.0;
    let k = exponent(s, x2);
    let (e, power) = (reduced(s, Double::of(s, x2), k), power_of_two::<S>(k));
    let whole = power - 1.0;
    let high = power.mul_add(e.high, whole);
    let low = power.mul_add(e.low, power.mul_add(e.high, whole - high));
    let (u, two) = (Double::<S> { high, low }, S::f64s::splat(s, 2.0));
    u.div(u.plus(two)).nearest().copysign(x)
}

/// Coefficients of `p`, lowest power first, in `2 atanh q = 2 q + q z p(z)`, where `z = q^2`; the error is 2^-59 for `q` up to 1/3.
const ATANH: [f64; 10] = [
    0.666_666_666_666_663_1, 0.400_000_000_001_566_7, 0.285_714_285_479_086_95,
    0.222_222_239_670_618_22, 0.181_817_440_000_193_18, 0.153_865_586_343_020_64,
    0.133_009_872_368_196_42, 0.121_059_996_131_894_72, 0.083_404_012_995_929_71,
    0.170_181_453_818_063_52,
];

/// `log_e (1 + e^x) = max(x, 0) + 2 atanh(w / (2 + w))` with `w = e^-|x|`.
#[inline(always)]
pub(super) fn softplus_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let size = at_most(s, x.abs(), BEYOND);
    let k = exponent(s, -size);
    let value = reduced(s, Double::of(s, -size), k).added_to(S::f64s::splat(s, 1.0));
    let e = Scaled { value, exponent: k };
    let (w, two) = (e.flat(s), S::f64s::splat(s, 2.0));
    let q = w.div(w.added_to(two));
    let z = q.high * q.high;
    let tail = polynomial(s, z, ATANH).mul_add(z * q.high, q.low + q.low);
    let sum = Double::<S>::sum(at_least(s, x, 0.0), q.high + q.high);
    let y = sum.high + (sum.low + tail);
    // The exponential is its own logarithm if it is small, and vanishes beside a large number.
    let y = x.simd_gt(-40.0).select(y, e.nearest(s));
    x.simd_lt(40.0).select(y, x)
}

/// `pi/4` and `pi/2`.
const QUARTER: [f64; 2] = [core::f64::consts::FRAC_PI_4, 3.061_616_997_868_383e-17];
const HALF: [f64; 2] = [core::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17];

/// `atan x`, reduced to an argument below `tan(pi/8)`: see [`crate::rt::wide::circle`].
#[inline(always)]
pub(super) fn atan_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let splat = |c| S::f64s::splat(s, c);
    let z = at_most(s, x.abs(), 1e290);
    let (far, middle) = (z.simd_gt(2.414_213_562_373_095), z.simd_gt(0.414_213_562_373_095_03));
    let whole = Double::of(s, z);
    let one = Double::of(s, splat(1.0));
    let (less, more) = (Double::<S>::sum(z, splat(-1.0)), Double::<S>::sum(z, splat(1.0)));
    let above = Double::choose(far, -one, Double::choose(middle, less, whole));
    let below = Double::choose(far, whole, Double::choose(middle, more, one));
    let none = Double::of(s, splat(0.0));
    let quarter = Double::choose(middle, Double::constant(s, QUARTER), none);
    let angle = Double::choose(far, Double::constant(s, HALF), quarter);
    let t = above.div(below);
    let u = t.high * t.high;
    let tail = horner(s, u, ATAN) * (t.high * u);
    let sum = Double::<S>::sum(angle.high, t.high);
    let y = sum.high + (sum.low + (tail + (t.low - t.low * u) + angle.low));
    y.copysign(x)
}

/// `sin x`
#[inline(always)]
pub(super) fn sin_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    // Keeps -0, which would come back as +0.
    x.simd_eq(0.0).select(x, turned::<S, true>(s, x, 0, libm::sin))
}

/// `cos x`
#[inline(always)]
pub(super) fn cos_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    turned::<S, true>(s, x, 1, libm::cos)
}
