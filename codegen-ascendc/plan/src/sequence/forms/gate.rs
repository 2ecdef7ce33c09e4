//! Sigmoid, its products with the argument, and the derivatives of both, which share their parts.

use super::{Factors, over, times};
use crate::sequence::{Api, Seq, Val};

/// The parts that `x sigmoid(v)` and its derivative share, where `v` is a function of `x`.
///
/// With `sigma = sigmoid(v)`, the value is `x sigma` and the derivative `slope sigma + sigma`.
#[derive(Clone, Copy, Debug)]
pub struct Gate {
    /// `x`, clamped where the results do not change any more.
    pub x: Val,
    /// `sigmoid(v)`
    pub sigma: Val,
    /// `x v' (1 - sigmoid(v))`, where `v'` is the derivative of `v`.
    pub slope: Val,
    /// `1 - sigmoid(v)`; only [`sigmoids`] and [`sigmoids_far`] keep all digits where this is close to 0.
    pub rest: Val,
}

/// Emits `sigmoid(x)` and `sigmoid(-x)` with accurate tails.
///
/// `e^x` is clamped where it is in a numerator, and may be infinite where it is in a denominator.
pub fn sigmoids(s: &mut Seq, x: Val) -> Gate {
    let e = s.exp(x);
    let d = s.adds(e, 1.0);
    let rest = over(s, &[], d);
    let held = s.mins(e, (1u64 << 40) as f64);
    let below = s.adds(held, 1.0);
    let sigma = s.div(held, below);
    let x = s.maxs(x, -110.0);
    let c = s.mins(x, 20.0);
    let slope = s.mul(c, rest);
    s.named(e, "e^x");
    s.named(rest, "1 - s");
    s.named(sigma, "s = sigmoid(x)");
    Gate { x, sigma, slope, rest }
}

/// Emits `sigmoid(x)` and `sigmoid(-x)`; `sigmoid(-x)` is not 0 where `e^x` overflows.
///
/// `e^x` is infinite from 88.7 on, where `sigmoid(-x)` times a large factor still is a normal number. The quotients `f / (f + g)`
/// and `g / (f + g)` with `f = e^(x/2)` and `g = 1 / f` are not cut off there.
pub fn sigmoids_far(s: &mut Seq, x: Val) -> Gate {
    let x = s.maxs(x, -170.0);
    let c = s.mins(x, 170.0);
    let half = s.muls(c, 0.5);
    let f = s.exp(half);
    let g = over(s, &[], f);
    let sum = s.call(Api::Add, &[f, g]);
    let sigma = s.div(f, sum);
    let rest = s.div(g, sum);
    let slope = s.mul(c, rest);
    s.named(f, "f = e^(x/2)");
    s.named(g, "g = e^(-x/2)");
    s.named(rest, "1 - s");
    s.named(sigma, "s = sigmoid(x)");
    Gate { x, sigma, slope, rest }
}

/// Emits the parts of silu: `sigma = e^c / (e^c + 1)` and `slope = c / (e^c + 1)`, `c = min(x, 20)`.
///
/// Silu is `x sigma`, and its derivative `slope sigma + sigma`. Above 20 sigma is one and slope `4e-8`. The limit at +inf is
/// exact.
pub fn silu_gate(s: &mut Seq, x: Val) -> Gate {
    let c = s.mins(x, 20.0);
    let e = s.exp(c);
    let d = s.adds(e, 1.0);
    let slope = s.div(c, d);
    let sigma = s.div(e, d);
    let rest = over(s, &[], d);
    s.named(e, "e^x");
    s.named(slope, "x (1 - s)");
    s.named(sigma, "s = sigmoid(x)");
    Gate { x, sigma, slope, rest }
}

/// Emits the parts of silu as [`silu_gate`] does, but with `x` clamped to at least -110.
///
/// Sigma is zero there. Results at both infinities are the exact limits. Without the clamp, `x sigma` would be NaN at -inf.
pub fn silu_gate_held(s: &mut Seq, x: Val) -> Gate {
    let x = s.maxs(x, -110.0);
    silu_gate(s, x)
}

/// Linear coefficient of gelu by tanh: `2 sqrt(2/pi)`.
const K: f64 = 1.595_769_121_605_730_8;
/// Cubic coefficient of gelu by tanh: `0.044715 K`.
const K_CUBIC: f64 = 0.071_354_816_272_600_25;
/// Cubic coefficient of gelu by tanh in powers of `K x` instead of `x`.
const AL: f64 = K_CUBIC / (K * K * K);

/// Emits the parts of gelu by tanh: `sigmoid(v)` with `v = K x + K_CUBIC x^3`.
///
/// `x` is clamped to at least -15, and in `v` to at most 6, where both limits are reached. The cube is that of `x`, because it is
/// most of `v` in the tail, and the cube of `K x` would have three times the rounding of `K x`.
pub fn tanh_gate(s: &mut Seq, x: Val) -> Gate {
    let x = s.maxs(x, -15.0);
    let held = s.mins(x, 6.0);
    let z = s.muls(held, K);
    let square = s.mul(held, held);
    let cube = s.mul(square, held);
    let v = s.axpy(z, cube, K_CUBIC);
    let e = s.exp(v);
    let xdv = s.axpy(v, cube, 2.0 * K_CUBIC);
    let d = s.adds(e, 1.0);
    let slope = s.div(xdv, d);
    let sigma = s.div(e, d);
    let rest = over(s, &[], d);
    s.named(z, "k x");
    s.named(v, "v = k x + c x^3");
    s.named(xdv, "x v'");
    s.named(slope, "x v' (1 - s)");
    s.named(sigma, "s = sigmoid(v)");
    Gate { x, sigma, slope, rest }
}

/// Emits the derivative of gelu by tanh, times the factors `t`, without a clamp.
///
/// The result is NaN at infinity, and right only for numbers whose cube is finite.
pub fn gelu_tanh_grad_n(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let z = s.muls(x, -K);
    let square = s.mul(z, z);
    let cube = s.mul(square, z);
    let v = s.axpy(z, cube, AL);
    let e = s.exp(v);
    let xdv = s.axpy(v, cube, 2.0 * AL);
    let d = s.adds(e, 1.0);
    let part = s.div(xdv, d);
    let slope = s.sub(part, xdv);
    let sigma = over(s, t, d);
    s.named(z, "z = -k x");
    s.named(v, "v = z + al z^3");
    s.named(xdv, "x v'");
    s.named(slope, "-x v' (1 - s)");
    s.named(sigma, if t.is_empty() { "s = sigmoid(-v)" } else { "t s" });
    s.fused_mul_add(slope, sigma, sigma)
}

/// Emits gelu by tanh, times the factors `t`: `x / (1 + e^-v)` with `v = K x + K_CUBIC x^3`.
///
/// The result is NaN at -inf.
pub fn gelu_tanh(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let square = s.mul(x, x);
    let p = s.muls(square, -K_CUBIC);
    let p = s.adds(p, -K);
    let v = s.mul(p, x);
    let e = s.exp(v);
    let d = s.adds(e, 1.0);
    let y = s.div(x, d);
    s.named(v, "-v");
    s.named(y, "x sigmoid(v)");
    times(s, y, t)
}

/// Emits gelu by tanh as [`gelu_tanh`] does, but with `x` clamped to at least -15.
///
/// The limit at -inf is therefore exact too.
pub fn gelu_tanh_held(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let x = s.maxs(x, -15.0);
    gelu_tanh(s, x, t)
}

/// Emits silu, times the factors `t`, as `x / (1 + e^-x)`; the result is NaN at -inf.
pub fn silu(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let minus = s.muls(x, -1.0);
    let e = s.exp(minus);
    let d = s.adds(e, 1.0);
    let y = s.div(x, d);
    s.named(y, "x sigmoid(x)");
    times(s, y, t)
}

/// Emits silu as [`silu`] does, but with `x` clamped to at least -110.
///
/// The limit at -inf is therefore exact too.
pub fn silu_held(s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
    let x = s.maxs(x, -110.0);
    silu(s, x, t)
}
