//! gelu, silu and their derivatives, by the formulas of the primitives' oracles.
//!
//! Arguments are clamped where the gate is below every `f32`. The function keeps its value there, so that no infinity
//! is multiplied by a zero, and vanishing values keep their sign.

use super::erf::{normal_cdf, normal_pdf};
use super::exp::sigmoid;
use crate::rt::math::poly::{at_least, at_most};
use crate::rt::simd::Isa;
use core::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};
use fearless_simd::prelude::*;
use op_dsl_ir::oracle::{CUBIC, GELU_TANH_CUBIC, LOGISTIC, NORMAL};

/// `x Phi(x)`, where `Phi` is the normal distribution function.
#[inline(always)]
pub(super) fn gelu<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let x = at_least(s, x, -NORMAL);
    x * normal_cdf(s, x)
}

/// `Phi(x) + x phi(x)`, where `Phi` is the normal distribution function and `phi` its density.
#[inline(always)]
pub(super) fn gelu_grad<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let x = at_least(s, at_most(s, x, NORMAL), -NORMAL);
    normal_pdf(s, x).mul_add(x, normal_cdf(s, x))
}

/// `2 sqrt(2/pi)`, a factor of the argument of sigmoid in [`gelu_tanh`].
const TWICE: f64 = 2.0 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2;

/// `x (1 + tanh u) / 2 = x sigmoid(2 u)`, where `u = sqrt(2/pi) (x + 0.044715 x^3)`.
#[inline(always)]
pub(super) fn gelu_tanh<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let x = at_least(s, x, -CUBIC);
    let v = (x * x * GELU_TANH_CUBIC + 1.0) * x * TWICE;
    x * sigmoid(s, v)
}

/// The derivative of [`gelu_tanh`].
#[inline(always)]
pub(super) fn gelu_tanh_grad<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let x = at_least(s, at_most(s, x, CUBIC), -CUBIC);
    let p = x * x * GELU_TANH_CUBIC;
    gated_grad(s, x, (p + 1.0) * x * TWICE, (p * 3.0 + 1.0) * TWICE)
}

/// `x sigmoid(x)`
#[inline(always)]
pub(super) fn silu<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let x = at_least(s, x, -LOGISTIC);
    x * sigmoid(s, x)
}

/// `s (1 + x (1 - s))`, where `s = sigmoid(x)`: the derivative of [`silu`].
#[inline(always)]
pub(super) fn silu_grad<S: Isa>(s: S, x: S::f64s) -> S::f64s {
    let x = at_least(s, at_most(s, x, LOGISTIC), -LOGISTIC);
    gated_grad(s, x, x, S::f64s::splat(s, 1.0))
}

/// `s(v) + x dv s(v) s(-v)`: the derivative of `x s(v(x))`, where `s` is sigmoid and `dv = v'(x)`.
#[inline(always)]
fn gated_grad<S: Isa>(s: S, x: S::f64s, v: S::f64s, dv: S::f64s) -> S::f64s {
    let gate = sigmoid(s, v);
    (x * dv * sigmoid(s, -v)).mul_add(gate, gate)
}
