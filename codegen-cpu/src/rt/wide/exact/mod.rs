//! Functions of calls on f64: within a unit in the last place, where the functions for results in f32 lose several.
//!
//! ```text
//! power    exponentials, logarithms, x^y
//! normal   the error function, its inverse, the normal distribution, gelu
//! ```
//!
//! An intermediate value that is multiplied, divided or used as an exponent is a double-double, an unevaluated sum of two numbers.
//! A vanishing exponential is a number near 1 times two powers of two, so that it keeps its digits below the least normal number
//! until a factor scales it back. Sums that cancel, as in a derivative near its zero, are accurate relative to their terms.

mod normal;
mod power;

use super::circle::{ATAN, turned};
use super::double::Double;
use crate::rt::math::poly::{at_least, at_most, horner};
use crate::rt::simd::Isa;
use fearless_simd::prelude::*;
pub(super) use normal::{erf_f64, erfc_f64, erfinv_f64, gelu_f64, gelu_grad_f64, normal_cdf_f64};
use op_dsl_ir::oracle::GELU_TANH_CUBIC;
use power::{Scaled, exponential};
pub(super) use power::{logarithm, powf_f64};

/// Magnitude at which a gate's argument is clamped: its exponential is zero there, whatever it is multiplied by.
const BEYOND: f64 = 1000.0;

/// `sigmoid(v)` and `sigmoid(-v)` for `v >= 0`.
#[inline(always)]
fn gates<S: Isa>(s: S, v: Double<S>) -> (Double<S>, Scaled<S>) {
    let e = exponential(s, -v);
    let one = Double::of(s, S::f64s::splat(s, 1.0));
    let below = e.flat().plus(S::f64s::splat(s, 1.0));
    let large = one.div(below);
    (large, e.with(e.value.mul(large)))
}

/// `x sigmoid(v)` for a `v` with the sign of `x`, given `|v|`.
#[inline(always)]
fn gated<S: Isa>(s: S, x: S::f64s, v: Double<S>) -> S::f64s {
    let (large, small) = gates(s, v);
    let negative = small.with(small.value.times(x)).nearest();
    let positive = x.simd_lt(BEYOND).select(large.times(x).nearest(), x);
    // A zero keeps its sign.
    x.simd_lt(0.0).select(negative, positive).copysign(x)
}

/// The derivative of `x sigmoid(v)` for an odd `v(x)`, given `|x|`, `|v|` and `v'`; it is `1 - g(x)` at `-x`.
#[inline(always)]
fn gated_grad<S: Isa>(s: S, x: S::f64s, size: Double<S>, v: Double<S>, dv: Double<S>) -> S::f64s {
    let (large, small) = gates(s, v);
    let factor = size.mul(dv).mul(large).one_minus(s);
    let small = small.with(small.value.mul(factor));
    let positive = small.flat().one_minus(s).nearest();
    x.simd_lt(0.0).select(small.nearest(), positive)
}

/// `1 / (1 + e^-x)`
#[inline(always)]
pub(super) fn sigmoid_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let (large, small) = gates(s, Double::of(s, x.abs()));
    x.simd_lt(0.0).select(small.nearest(), large.nearest())
}

/// `x sigmoid(x)`
#[inline(always)]
pub(super) fn silu_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let x = at_least(s, x, -BEYOND);
    gated(s, x, Double::of(s, x.abs()))
}

/// `s (1 + x (1 - s))`, where `s = sigmoid(x)`.
#[inline(always)]
pub(super) fn silu_grad_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let size = Double::of(s, at_most(s, x.abs(), BEYOND));
    gated_grad(s, x, size, size, Double::of(s, S::f64s::splat(s, 1.0)))
}

/// `2 sqrt(2/pi)`
const TWICE: [f64; 2] = [1.595_769_121_605_730_8, -9.969_308_809_110_92e-17];
/// Magnitude at which the tanh form of gelu clamps its argument: its exponential is zero there.
const CUBIC: f64 = 32.0;

/// `1 + c 0.044715 x^2`, times `2 sqrt(2/pi)`.
#[inline(always)]
fn tanh_form<S: Isa>(s: S, square: Double<S>, c: f64) -> Double<S> {
    let cubic = S::f64s::splat(s, GELU_TANH_CUBIC);
    let sum = square.times(cubic).times(S::f64s::splat(s, c)).plus(S::f64s::splat(s, 1.0));
    sum.mul(Double::constant(s, TWICE))
}

/// `x (1 + tanh u) / 2 = x sigmoid(2 u)`, where `u = sqrt(2/pi) (x + 0.044715 x^3)`.
#[inline(always)]
pub(super) fn gelu_tanh_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let x = at_least(s, x, -CUBIC);
    let size = at_most(s, x.abs(), CUBIC);
    let v = tanh_form(s, Double::product(size, size), 1.0).times(size);
    gated(s, x, v)
}

/// The derivative of [`gelu_tanh_f64`].
#[inline(always)]
pub(super) fn gelu_tanh_grad_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let size = at_most(s, x.abs(), CUBIC);
    let square = Double::product(size, size);
    let (v, dv) = (tanh_form(s, square, 1.0).times(size), tanh_form(s, square, 3.0));
    gated_grad(s, x, Double::of(s, size), v, dv)
}

/// Coefficients of `p`, lowest power first, in `tanh x = x + x z p(z)`, where `z = x^2`: those of Taylor's series.
const TANH: [f64; 13] = [
    -0.333_333_333_333_333_3,
    0.133_333_333_333_333_33,
    -0.053_968_253_968_253_97,
    0.021_869_488_536_155_203,
    -0.008_863_235_529_902_197,
    0.003_592_128_036_572_481,
    -0.001_455_834_387_051_318_3,
    0.000_590_027_440_945_586,
    -0.000_239_129_114_243_552_48,
    9.691_537_956_929_451e-5,
    -3.927_832_388_331_683e-5,
    1.591_890_506_932_896_4e-5,
    -6.451_689_215_655_431e-6,
];

/// `tanh x`, for larger arguments as `(1 - e) / (1 + e)` with `e = e^(-2|x|)`.
#[inline(always)]
pub(super) fn tanh_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let z = at_most(s, x.abs(), 30.0);
    let square = z * z;
    let near = (horner(s, square, TANH) * square).mul_add(z, z);
    let e = exponential(s, Double::of(s, z * -2.0)).flat();
    let far = e.one_minus(s).div(e.plus(S::f64s::splat(s, 1.0))).nearest();
    z.simd_lt(0.35).select(near, far).copysign(x)
}

/// `log_e (1 + e^x) = max(x, 0) + log(1 + e^-|x|)`
#[inline(always)]
pub(super) fn softplus_f64<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let zero = S::f64s::splat(s, 0.0);
    let e = exponential(s, Double::of(s, -x.abs()));
    let flat = e.flat();
    let sum = flat.plus(S::f64s::splat(s, 1.0));
    let log = logarithm(s, sum.high, sum.low);
    // Where 1 has absorbed the exponential, it is its own logarithm.
    let log = Double::choose(flat.high.simd_lt(1e-20), flat, log);
    let sum = log.plus(x.simd_gt(zero).select(x, zero)).nearest();
    x.simd_lt(40.0).select(sum, x)
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
