//! Value and derivative of every function of the table, in f64, accurate in both tails.
//!
//! Written out here a second time on purpose: were these the table's own rules, a mistake there
//! would agree with itself.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

type Dual = (f64, f64);

/// Cubic coefficient of the tanh form of GELU.
const CUBIC: f64 = 0.044715;

pub(crate) fn abs(x: f64) -> Dual {
    (x.abs(), if x == 0.0 { 0.0 } else { x.signum() })
}

pub(crate) fn relu(x: f64) -> Dual {
    match x {
        x if x.is_nan() => (x, x),
        x if x > 0.0 => (x, 1.0),
        _ => (0.0, 0.0),
    }
}

pub(crate) fn sign(x: f64) -> Dual {
    match x {
        x if x.is_nan() => (x, x),
        x if x == 0.0 => (x, 0.0),
        x => (x.signum(), 0.0),
    }
}

pub(crate) fn sinh(x: f64) -> Dual {
    (libm::sinh(x), libm::cosh(x))
}

pub(crate) fn cosh(x: f64) -> Dual {
    (libm::cosh(x), libm::sinh(x))
}

pub(crate) fn sqrt(x: f64) -> Dual {
    (x.sqrt(), 0.5 / x.sqrt())
}

pub(crate) fn exp(x: f64) -> Dual {
    (libm::exp(x), libm::exp(x))
}

pub(crate) fn expm1(x: f64) -> Dual {
    (libm::expm1(x), libm::exp(x))
}

pub(crate) fn ln(x: f64) -> Dual {
    (libm::log(x), 1.0 / x)
}

pub(crate) fn log1p(x: f64) -> Dual {
    (libm::log1p(x), 1.0 / (1.0 + x))
}

/// The slope is `1 / cosh^2`, which does not cancel.
pub(crate) fn tanh(x: f64) -> Dual {
    (libm::tanh(x), libm::cosh(x).powi(-2))
}

pub(crate) fn sin(x: f64) -> Dual {
    (libm::sin(x), libm::cos(x))
}

pub(crate) fn cos(x: f64) -> Dual {
    (libm::cos(x), -libm::sin(x))
}

pub(crate) fn atan(x: f64) -> Dual {
    (libm::atan(x), libm::hypot(1.0, x).powi(-2))
}

pub(crate) fn sigmoid(x: f64) -> Dual {
    (logistic(x), logistic(x) * logistic(-x))
}

fn logistic(x: f64) -> f64 {
    if x < 0.0 { libm::exp(x) / (1.0 + libm::exp(x)) } else { 1.0 / (1.0 + libm::exp(-x)) }
}

pub(crate) fn erf(x: f64) -> Dual {
    (libm::erf(x), FRAC_2_SQRT_PI * libm::exp(-x * x))
}

pub(crate) fn erfc(x: f64) -> Dual {
    (libm::erfc(x), -FRAC_2_SQRT_PI * libm::exp(-x * x))
}

pub(crate) fn normal_cdf(x: f64) -> Dual {
    (0.5 * libm::erfc(-x * FRAC_1_SQRT_2), pdf(x))
}

/// The density of the standard normal distribution.
fn pdf(x: f64) -> f64 {
    0.398_942_280_401_432_7 * libm::exp(-0.5 * x * x)
}

pub(crate) fn softplus(x: f64) -> Dual {
    let value = if x > 0.0 { x + libm::log1p(libm::exp(-x)) } else { libm::log1p(libm::exp(x)) };
    (value, logistic(x))
}

/// `x * f`, where `f` goes to 0 faster than `x` grows.
fn damped(x: f64, f: f64) -> f64 {
    if f == 0.0 { 0.0 * x.signum() } else { x * f }
}

pub(crate) fn gelu(x: f64) -> Dual {
    (damped(x, normal_cdf(x).0), gelu_grad(x).0)
}

pub(crate) fn gelu_grad(x: f64) -> Dual {
    (normal_cdf(x).0 + damped(x, pdf(x)), if pdf(x) == 0.0 { 0.0 } else { (2.0 - x * x) * pdf(x) })
}

/// The argument of the logistic function in the tanh form, and its two derivatives.
fn inner(x: f64) -> [f64; 3] {
    // 2 sqrt(2/pi)
    let k = 1.595_769_121_605_730_7;
    [k * x * (1.0 + CUBIC * x * x), k * (1.0 + 3.0 * CUBIC * x * x), 6.0 * k * CUBIC * x]
}

/// Value and two derivatives of `x * logistic(v)`, given `v` and its derivatives.
fn gated(x: f64, [v, dv, ddv]: [f64; 3]) -> [f64; 3] {
    let (s, c) = (logistic(v), logistic(-v));
    let q = s * c;
    if q == 0.0 {
        return [damped(x, s), s, 0.0];
    }
    let first = s + x * q * dv;
    let second = q * (2.0 * dv + x * (ddv + dv * dv * (c - s)));
    [x * s, first, second]
}

pub(crate) fn gelu_tanh(x: f64) -> Dual {
    let [value, first, _] = gated(x, inner(x));
    (value, first)
}

pub(crate) fn gelu_tanh_grad(x: f64) -> Dual {
    let [_, first, second] = gated(x, inner(x));
    (first, second)
}

pub(crate) fn silu(x: f64) -> Dual {
    let [value, first, _] = gated(x, [x, 1.0, 0.0]);
    (value, first)
}

pub(crate) fn silu_grad(x: f64) -> Dual {
    let [_, first, second] = gated(x, [x, 1.0, 0.0]);
    (first, second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::prim::{Style, TABLE};

    type Function = fn(f64) -> Dual;
    const ALL: &[(&str, Function)] = &[
        ("abs", abs),
        ("relu", relu),
        ("sign", sign),
        ("sqrt", sqrt),
        ("exp", exp),
        ("expm1", expm1),
        ("sinh", sinh),
        ("cosh", cosh),
        ("ln", ln),
        ("log1p", log1p),
        ("tanh", tanh),
        ("sin", sin),
        ("cos", cos),
        ("atan", atan),
        ("sigmoid", sigmoid),
        ("erf", erf),
        ("erfc", erfc),
        ("normal_cdf", normal_cdf),
        ("softplus", softplus),
        ("gelu", gelu),
        ("gelu_tanh", gelu_tanh),
        ("silu", silu),
        ("gelu_grad", gelu_grad),
        ("gelu_tanh_grad", gelu_tanh_grad),
        ("silu_grad", silu_grad),
    ];

    #[test]
    fn every_function_of_the_table_is_here() {
        for row in TABLE.iter().filter(|r| r.style == Style::Function && r.arity == 1) {
            assert!(ALL.iter().any(|(name, _)| *name == row.name), "{} is missing", row.name);
        }
    }

    #[test]
    fn values_are_those_of_the_table() {
        for (name, f) in ALL {
            let row = TABLE.iter().find(|r| r.name == *name).expect("in the table");
            for i in -300..=300 {
                let x = f64::from(i) / 10.0 + 1e-3;
                let (is, want) = (f(x).0, (row.oracle)([x, 0.0, 0.0]));
                // The table's functions stand still where they are this far below every `f32`.
                let close = (is - want).abs() <= 1e-12 * want.abs() + 1e-200
                    || is.is_nan() && want.is_nan();
                assert!(close, "{name}({x}) is {is}, the table has {want}");
            }
        }
    }

    #[test]
    fn derivatives_are_central_differences() {
        for (name, f) in ALL {
            for i in -60..=60 {
                let (x, h) = (f64::from(i) / 10.0 + 0.03, 1e-6);
                let difference = (f(x + h).0 - f(x - h).0) / (2.0 * h);
                let is = f(x).1;
                if difference.is_finite() && f(x).0.is_finite() {
                    let scale = 1.0 + is.abs() + f(x).0.abs();
                    assert!(
                        (is - difference).abs() <= 1e-8 * scale,
                        "{name}'({x}): {is}, {difference}"
                    );
                }
            }
        }
    }

    #[test]
    fn limits() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        for f in [gelu, gelu_tanh, silu] {
            assert_eq!((f(inf), f(-inf).0.abs(), f(-inf).1), ((inf, 1.0), 0.0, 0.0));
            assert!(f(nan).0.is_nan() && f(nan).1.is_nan());
        }
        for f in [gelu_grad, gelu_tanh_grad, silu_grad] {
            assert_eq!((f(inf), f(-inf)), ((1.0, 0.0), (0.0, 0.0)));
        }
    }
}
