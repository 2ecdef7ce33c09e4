//! Functions and their derivatives.

use super::number::{Number, constant, exact};
use super::{Case, case, named, sigmoid};
use core::f64::consts::{FRAC_2_SQRT_PI, PI};

/// A function and its derivative.
pub struct Both {
    pub f: Case,
    pub derivative: Case,
}

/// Returns all pairs.
pub fn pairs() -> Vec<Both> {
    let of = |name: &str| {
        let Case { name, f, domain, limits } = *named(name);
        Case { name, f, domain, limits }
    };
    let all = |name, f| case(name, f, [None; 2]);
    let pair = |f, derivative| Both { f, derivative };
    let expm1 = of("elu, x<0");
    let exp = Case { domain: expm1.domain, ..all("exp, x<0", |x| exact(x.max(-740.0)).exp()) };
    vec![
        pair(of("silu"), of("silu'")),
        pair(of("gelu"), of("gelu'")),
        pair(all("gelu_tanh", gelu_tanh), of("gelu_tanh'")),
        pair(of("mish"), of("mish'")),
        pair(of("sigmoid"), all("sigmoid'", sigmoid_grad)),
        pair(of("softplus"), of("sigmoid")),
        pair(of("tanh"), of("tanh'")),
        pair(of("erf"), all("erf'", erf_grad)),
        pair(all("x tanh x sigmoid x", situ), of("(x tanh x sigmoid x)'")),
        pair(of("silu'"), of("silu''")),
        pair(of("gelu'"), of("gelu''")),
        pair(expm1, exp),
    ]
}

/// Returns the pair of the function `name`.
pub fn pair(name: &str) -> Both {
    pairs().into_iter().find(|both| both.f.name == name).unwrap()
}

fn gelu_tanh(x: f64) -> Number {
    let x = exact(x.max(-20.0));
    let v = constant(2.0 * (2.0 / PI).sqrt()) * x * (constant(0.044715) * x * x + 1.0);
    x * sigmoid(v)
}

fn sigmoid_grad(x: f64) -> Number {
    let e = (-exact(x.abs().min(700.0))).exp();
    let o = e + 1.0;
    e / (o * o)
}

fn erf_grad(x: f64) -> Number {
    let z = exact(x.abs().min(26.0));
    constant(FRAC_2_SQRT_PI) * (-(z * z)).exp()
}

fn situ(x: f64) -> Number {
    let x = exact(x.max(-700.0));
    x * x.tanh() * sigmoid(x)
}
