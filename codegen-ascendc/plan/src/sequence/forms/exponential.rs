//! Functions that are close to Exp and Ln.
//!
//! Near a zero of the function, digits are lost because `e^x` is rounded to a number close to 1. Where 16 bits need more digits than
//! remain, a straight line replaces the function.

use super::near::Near;
use super::{Factors, choice, mask, straight_near_zero, times};
use crate::sequence::{Api, Compare, Seq, Val};
use std::sync::LazyLock;

/// Emits tanh, times the factors `t`, as `(e^2x - 1) / (e^2x + 1)`.
///
/// `2 x` is clamped to at most 40, where the limit is reached.
pub fn tanh(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let twice = s.muls(x, 2.0);
    let held = s.mins(twice, 40.0);
    let e = s.exp(held);
    let d = s.adds(e, 1.0);
    let n = s.adds(e, -1.0);
    let y = s.div(n, d);
    s.named(e, "e^2x");
    s.named(y, "tanh x");
    times(s, y, t)
}

/// Emits tanh, times the factors `t`, as `1 - 2 / (u^2 + 1)` with `u = e^x`.
///
/// No clamp is needed, because the square overflows only where a limit is reached.
pub fn tanh_f32(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let e = s.exp(x);
    let d = s.square_plus(e, 1.0);
    let two = s.splat(-2.0);
    let q = s.div(two, d);
    let y = s.adds(q, 1.0);
    s.named(e, "e^x");
    s.named(d, "e^2x + 1");
    s.named(y, "tanh x");
    times(s, y, t)
}

/// Emits `e^x - 1`, times the factors `t`.
pub fn expm1(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let e = s.exp(x);
    let y = s.adds(e, -1.0);
    s.named(y, "e^x - 1");
    times(s, y, t)
}

/// Emits tanh as [`tanh`] does, but with a polynomial for `|x|` below 0.16.
///
/// The result is relatively accurate near 0.
pub fn tanh_near(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    // From there on `(e - 1) / (e + 1)` is 3 units off at most.
    static NEAR: LazyLock<Option<Near>> = LazyLock::new(|| Near::fit(&libm::tanh, 0.16, 2));
    beside(s, x, t, &NEAR, tanh)
}

/// Emits tanh as [`tanh`] does, but with a polynomial for `|x|` below 0.8.
///
/// Above 0.8 the roundings of `e - 1`, `e + 1` and `e = e^2x` amount to a unit in the last place. At 0.16, where the polynomial of
/// [`tanh_near`] ends, they are three.
pub fn tanh_fine(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    static NEAR: LazyLock<Option<Near>> = LazyLock::new(|| Near::fit(&libm::tanh, 0.8, 7));
    beside(s, x, t, &NEAR, tanh)
}

/// Emits the polynomial `near` around 0 and the vector calls `far` elsewhere, times the factors `t`.
fn beside(
    s: &mut Seq,
    x: Val,
    t: Factors<'_>,
    near: &Option<Near>,
    far: fn(&mut Seq, Val, Factors<'_>) -> Val,
) -> Val {
    let far = far(s, x, &[]);
    let y = near.as_ref().map_or(far, |near| near.build(s, x, far));
    times(s, y, t)
}

/// Emits `e^x - 1` as [`expm1`] does, but with a polynomial for `|x|` below 0.2.
///
/// The result is relatively accurate near 0.
pub fn expm1_near(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    static NEAR: LazyLock<Option<Near>> = LazyLock::new(|| Near::fit(&libm::expm1, 0.2, 4));
    beside(s, x, t, &NEAR, expm1)
}

/// Emits `ln(1 + x)`, times the factors `t`, with relative accuracy near 0.
///
/// For `|x|` below 0.5, it adds what the rounding of `1 + x` lost.
pub fn log1p_near(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let u = s.adds(x, 1.0);
    let far = s.ln(u);
    let back = s.adds(u, -1.0);
    let lost = s.sub(x, back);
    let lost = s.div(lost, u);
    let near = s.call(Api::Add, &[lost, far]);
    let a = s.abs(x);
    let is_near = mask(s, a, Compare::Lt, 0.5);
    let y = choice(s, is_near, near, far);
    s.named(lost, "what rounding lost");
    s.named(y, "ln(1 + x)");
    times(s, y, t)
}

/// Emits `x` itself where `|x|` is below `least`, `far` elsewhere, times the factors `t`.
///
/// It is for 16 bits. At `least` the next term is at most half a unit in the last place of `x`: `x^2 / 2` for `e^x - 1` and
/// `ln(1 + x)`, `x^3 / 3` for tanh. For tanh in f16 it is a third of that.
pub fn near_itself(
    s: &mut Seq,
    x: Val,
    t: Factors<'_>,
    least: f64,
    far: fn(&mut Seq, Val, Factors<'_>) -> Val,
) -> Val {
    let far = far(s, x, &[]);
    let y = straight_near_zero(s, x, least, 1.0, far);
    times(s, y, t)
}

/// Emits `ln(x + 1)`, times the factors `t`.
pub fn log1p(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let u = s.adds(x, 1.0);
    let y = s.ln(u);
    s.named(y, "ln(1 + x)");
    times(s, y, t)
}

/// Emits softplus, times the factors `t`, as `ln u + (e^x - (u - 1)) / u`.
///
/// Here `u` is `e^x + 1` rounded; the quotient adds what the rounding lost. Above 80 the result is `x`.
pub fn softplus(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let held = s.mins(x, 80.0);
    let e = s.exp(held);
    let u = s.adds(e, 1.0);
    let l = s.ln(u);
    let back = s.adds(u, -1.0);
    let lost = s.sub(e, back);
    let lost = s.div(lost, u);
    let y = s.call(Api::Add, &[lost, l]);
    let y = s.max(y, x);
    s.named(e, "e^x");
    s.named(lost, "what rounding lost");
    s.named(y, "ln(1 + e^x)");
    times(s, y, t)
}

/// Emits softplus in 16 bits, times the factors `t`, as `ln(e^x + 1)`.
///
/// Where `x` is below `least` the result is `e^x`, and above 80 it is `x`.
pub fn softplus_16(s: &mut Seq, x: Val, t: Factors<'_>, least: f64) -> Val {
    let held = s.mins(x, 80.0);
    let e = s.exp(held);
    let u = s.adds(e, 1.0);
    let l = s.ln(u);
    let far = mask(s, x, Compare::Lt, least);
    let y = choice(s, far, e, l);
    let y = s.max(y, x);
    s.named(e, "e^x");
    s.named(y, "ln(1 + e^x)");
    times(s, y, t)
}
