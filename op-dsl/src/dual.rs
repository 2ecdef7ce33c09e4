//! Value, first and second derivative of every function of the table, in f64, accurate in both tails.
//!
//! These are written a second time on purpose, because a mistake in the table's own rules would agree with itself.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// Value, first derivative and second derivative of a function at one argument.
pub(crate) type Jet = (f64, f64, f64);

/// Cubic coefficient of the tanh form of GELU.
const CUBIC: f64 = 0.044715;

/// Returns value and derivatives of a function that is linear around `x`; all are NaN if `x` is NaN.
fn straight(x: f64, value: f64, slope: f64) -> Jet {
    if x.is_nan() { (x, x, x) } else { (value, slope, 0.0) }
}

pub(crate) fn abs(x: f64) -> Jet {
    straight(x, x.abs(), if x == 0.0 { 0.0 } else { x.signum() })
}

pub(crate) fn relu(x: f64) -> Jet {
    if x > 0.0 { (x, 1.0, 0.0) } else { straight(x, 0.0, 0.0) }
}

pub(crate) fn sign(x: f64) -> Jet {
    straight(x, if x == 0.0 { x } else { x.signum() }, 0.0)
}

pub(crate) fn sinh(x: f64) -> Jet {
    (libm::sinh(x), libm::cosh(x), libm::sinh(x))
}

pub(crate) fn cosh(x: f64) -> Jet {
    (libm::cosh(x), libm::sinh(x), libm::cosh(x))
}

pub(crate) fn sqrt(x: f64) -> Jet {
    (x.sqrt(), 0.5 / x.sqrt(), -0.25 / (x * x.sqrt()))
}

pub(crate) fn exp(x: f64) -> Jet {
    (libm::exp(x), libm::exp(x), libm::exp(x))
}

pub(crate) fn expm1(x: f64) -> Jet {
    (libm::expm1(x), libm::exp(x), libm::exp(x))
}

pub(crate) fn ln(x: f64) -> Jet {
    (libm::log(x), 1.0 / x, -1.0 / (x * x))
}

pub(crate) fn log1p(x: f64) -> Jet {
    (libm::log1p(x), 1.0 / (1.0 + x), -(1.0 + x).powi(-2))
}

/// Computes the derivative as `1 / cosh(x)^2`, which does not cancel as `1 - tanh(x)^2` does.
pub(crate) fn tanh(x: f64) -> Jet {
    let slope = libm::cosh(x).powi(-2);
    (libm::tanh(x), slope, -2.0 * libm::tanh(x) * slope)
}

pub(crate) fn sin(x: f64) -> Jet {
    (libm::sin(x), libm::cos(x), -libm::sin(x))
}

pub(crate) fn cos(x: f64) -> Jet {
    (libm::cos(x), -libm::sin(x), -libm::cos(x))
}

pub(crate) fn atan(x: f64) -> Jet {
    let slope = libm::hypot(1.0, x).powi(-2);
    (libm::atan(x), slope, if slope == 0.0 { 0.0 } else { -2.0 * x * slope * slope })
}

pub(crate) fn sigmoid(x: f64) -> Jet {
    let slope = logistic(x) * logistic(-x);
    (logistic(x), slope, slope * skew(x))
}

fn logistic(x: f64) -> f64 {
    if x < 0.0 { libm::exp(x) / (1.0 + libm::exp(x)) } else { 1.0 / (1.0 + libm::exp(-x)) }
}

/// `logistic(-x) - logistic(x)`, computed without cancellation.
fn skew(x: f64) -> f64 {
    -libm::tanh(0.5 * x)
}

pub(crate) fn erf(x: f64) -> Jet {
    let slope = FRAC_2_SQRT_PI * libm::exp(-x * x);
    (libm::erf(x), slope, damped(-2.0 * x, slope))
}

pub(crate) fn erfc(x: f64) -> Jet {
    let (_, slope, bend) = erf(x);
    (libm::erfc(x), -slope, -bend)
}

pub(crate) fn normal_cdf(x: f64) -> Jet {
    (0.5 * libm::erfc(-x * FRAC_1_SQRT_2), pdf(x), damped(-x, pdf(x)))
}

/// Returns the density of the standard normal distribution.
fn pdf(x: f64) -> f64 {
    0.398_942_280_401_432_7 * libm::exp(-0.5 * x * x)
}

pub(crate) fn softplus(x: f64) -> Jet {
    let value = if x > 0.0 { x + libm::log1p(libm::exp(-x)) } else { libm::log1p(libm::exp(x)) };
    (value, logistic(x), logistic(x) * logistic(-x))
}

/// Returns `x * f`, or 0 where `f` is 0, even if `x` is infinite.
///
/// Callers pass a value `f` that goes to 0 faster than `x` grows.
fn damped(x: f64, f: f64) -> f64 {
    if f == 0.0 { 0.0 * x.signum() } else { x * f }
}

pub(crate) fn gelu(x: f64) -> Jet {
    let (first, second, _) = gelu_grad(x);
    (damped(x, normal_cdf(x).0), first, second)
}

pub(crate) fn gelu_grad(x: f64) -> Jet {
    let first = normal_cdf(x).0 + damped(x, pdf(x));
    (first, damped(2.0 - x * x, pdf(x)), damped(x * (x * x - 4.0), pdf(x)))
}

/// Returns `v` and its three derivatives, where the tanh form of GELU is `x * logistic(v)`.
fn inner(x: f64) -> [f64; 4] {
    // 2 sqrt(2/pi)
    let k = 1.595_769_121_605_730_7;
    let cubic = k * CUBIC;
    [k * x + cubic * x * x * x, k + 3.0 * cubic * x * x, 6.0 * cubic * x, 6.0 * cubic]
}

/// Returns the value and three derivatives of `x * logistic(v(x))`, given `v` and its derivatives.
fn gated(x: f64, [v, dv, ddv, dddv]: [f64; 4]) -> [f64; 4] {
    let (s, q, r) = (logistic(v), logistic(v) * logistic(-v), skew(v));
    if q == 0.0 {
        return [damped(x, s), s, 0.0, 0.0];
    }
    // The derivatives of the logistic function of v, over q.
    let [one, two] = [dv, ddv + dv * dv * r];
    let three = dddv + 3.0 * dv * ddv * r + dv * dv * dv * (r * r - 2.0 * q);
    [x * s, s + x * q * one, q * (2.0 * one + x * two), q * (3.0 * two + x * three)]
}

pub(crate) fn gelu_tanh(x: f64) -> Jet {
    let [value, first, second, _] = gated(x, inner(x));
    (value, first, second)
}

pub(crate) fn gelu_tanh_grad(x: f64) -> Jet {
    let [_, first, second, third] = gated(x, inner(x));
    (first, second, third)
}

pub(crate) fn silu(x: f64) -> Jet {
    let [value, first, second, _] = gated(x, [x, 1.0, 0.0, 0.0]);
    (value, first, second)
}

pub(crate) fn silu_grad(x: f64) -> Jet {
    let [_, first, second, third] = gated(x, [x, 1.0, 0.0, 0.0]);
    (first, second, third)
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::prim::{Style, TABLE};

    type Function = fn(f64) -> Jet;
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
                // The table's functions are clamped where they are this far below every `f32`.
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
                let (up, at, down) = (f(x + h), f(x), f(x - h));
                let pairs = [(up.0, at.0, down.0, at.1), (up.1, at.1, down.1, at.2)];
                for (order, (up, at, down, is)) in pairs.into_iter().enumerate() {
                    let difference = (up - down) / (2.0 * h);
                    if difference.is_finite() && at.is_finite() {
                        let close = (is - difference).abs() <= 1e-8 * (1.0 + is.abs() + at.abs());
                        assert!(close, "{name}, {order}, at {x}: {is}, {difference}");
                    }
                }
            }
        }
    }

    #[test]
    fn activations_and_gradients_have_limits_at_infinity() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        for f in [gelu, gelu_tanh, silu] {
            assert_eq!((f(inf), f(-inf).0.abs(), f(-inf).1), ((inf, 1.0, 0.0), 0.0, 0.0));
            assert!(f(nan).0.is_nan() && f(nan).1.is_nan());
        }
        for f in [gelu_grad, gelu_tanh_grad, silu_grad] {
            assert_eq!((f(inf), f(-inf)), ((1.0, 0.0, 0.0), (0.0, 0.0, 0.0)));
        }
    }
}
