//! Reference values of primitives in f64, by formulas that keep their accuracy in both tails.
//!
//! No formula here subtracts nearly equal numbers, except at the zero crossings of the derivatives (gelu' near -0.75,
//! silu' near -1.28), where the true value itself is small.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI};

/// Cubic coefficient of the tanh form of GELU.
pub const GELU_TANH_CUBIC: f64 = 0.044715;

type Args = [f64; 3];

/// Returns the smaller of two numbers; NaN if either is NaN.
pub fn min([x, y, _]: Args) -> f64 {
    if x.is_nan() || y.is_nan() { f64::NAN } else { x.min(y) }
}

/// Returns the larger of two numbers; NaN if either is NaN.
pub fn max([x, y, _]: Args) -> f64 {
    if x.is_nan() || y.is_nan() { f64::NAN } else { x.max(y) }
}

/// Returns `x` clamped to `[low, high]`, or `high` if `low > high`; NaN if any argument is NaN.
pub fn clamp([x, low, high]: Args) -> f64 {
    min([max([x, low, 0.0]), high, 0.0])
}

/// Returns the sign of `x` as -1, 0 or 1; zeros keep their sign, and NaN stays NaN.
pub fn sign([x, ..]: Args) -> f64 {
    if x == 0.0 { x } else { x.signum() }
}

/// Returns `1 / (1 + e^-x)`, computed as `e^x / (1 + e^x)` for negative `x`, so that nothing overflows.
pub fn sigmoid([x, ..]: Args) -> f64 {
    let e = libm::exp(-x.abs());
    if x < 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) }
}

/// Returns the number whose error function is `x`; infinite at -1 and 1, NaN beyond.
///
/// Computed by Newton's method. For `|x|` up to 1/2 it solves for `erf`, starting from the first terms of the series. For larger
/// `|x|` it solves for the logarithm of `erfc`, because that is nearly a quadratic function, starting from Winitzki's
/// approximation. Both starting values have an error below a hundredth.
pub fn erfinv([x, ..]: Args) -> f64 {
    let (z, rest) = (x.abs(), 1.0 - x.abs());
    if z == 0.0 || z.is_nan() {
        return x;
    }
    if z >= 1.0 {
        return if z == 1.0 { f64::INFINITY.copysign(x) } else { f64::NAN };
    }
    let is_small = z < 0.5;
    let mut y = match is_small {
        true => z / FRAC_2_SQRT_PI * (1.0 + PI / 12.0 * z * z),
        false => {
            const A: f64 = 0.147;
            let log = libm::log(rest) + libm::log1p(z);
            let b = 2.0 / (PI * A) + 0.5 * log;
            ((b * b - log / A).sqrt() - b).sqrt()
        }
    };
    for _ in 0..4 {
        let bell = FRAC_2_SQRT_PI * libm::exp(-y * y);
        y += match is_small {
            true => (z - libm::erf(y)) / bell,
            false => {
                let tail = libm::erfc(y);
                libm::log(tail / rest) * tail / bell
            }
        };
    }
    y.copysign(x)
}

/// `log |Gamma(x)|`; infinite at 0, -1, -2, .. and at both infinities.
pub fn lgamma([x, ..]: Args) -> f64 {
    libm::lgamma(x)
}

/// Least argument of Stirling's series in [`digamma`] and [`trigamma`], which then has all digits by eight terms.
const STIRLING: f64 = 16.0;
/// Bernoulli's numbers `B_2`, `B_4`, ..
const BERNOULLI: [f64; 8] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
];

/// Returns whether `log |Gamma(x)|` has a pole at `x`: at 0, at negative integers, and at -infinity, as all large numbers are integers.
fn is_pole(x: f64) -> bool {
    x <= 0.0 && (x.is_infinite() || x == x.trunc())
}

/// The derivative of [`lgamma`]; at its poles the limit from the right, -infinity, but infinity at -0.
pub fn digamma([x, ..]: Args) -> f64 {
    if is_pole(x) {
        return if x == 0.0 { -1.0 / x } else { f64::NEG_INFINITY };
    }
    if x < 0.0 {
        let (sin, cos) = libm::sincos(PI * (x - x.round()));
        return digamma([1.0 - x, 0.0, 0.0]) - PI * cos / sin;
    }
    let (mut sum, mut y) = (0.0, x);
    while y < STIRLING {
        sum += 1.0 / y;
        y += 1.0;
    }
    let z = 1.0 / (y * y);
    let terms = BERNOULLI.iter().enumerate().rev();
    let series = terms.fold(0.0, |p, (k, b)| z * (p + b / (2 * k + 2) as f64));
    libm::log(y) - 0.5 / y - series - sum
}

/// The second derivative of [`lgamma`]; infinite at its poles.
pub fn trigamma([x, ..]: Args) -> f64 {
    if is_pole(x) {
        return f64::INFINITY;
    }
    if x < 0.0 {
        let sin = libm::sin(PI * (x - x.round()));
        return (PI / sin) * (PI / sin) - trigamma([1.0 - x, 0.0, 0.0]);
    }
    let (mut sum, mut y) = (0.0, x);
    while y < STIRLING {
        sum += 1.0 / y / y;
        y += 1.0;
    }
    let z = 1.0 / (y * y);
    let series = BERNOULLI.iter().rev().fold(0.0, |p, b| z * (p + b));
    sum + (1.0 + 0.5 / y + series) / y
}

/// `Phi(x) = erfc(-x / sqrt 2) / 2`, the distribution function of the standard normal distribution.
pub fn normal_cdf([x, ..]: Args) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// `phi(x) = e^(-x^2/2) / sqrt(2 pi)`, the density of the standard normal distribution.
pub fn normal_pdf(x: f64) -> f64 {
    0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2 * libm::exp(-0.5 * x * x)
}

/// Returns `log(1 + e^x)`, computed as `max(x, 0) + log1p(e^-|x|)`.
pub fn softplus([x, ..]: Args) -> f64 {
    if x.is_nan() {
        return x;
    }
    x.max(0.0) + libm::log1p(libm::exp(-x.abs()))
}

/// Magnitude at which functions of the normal distribution function `Phi` clamp their argument.
///
/// `Phi(-37)` is far below every `f32`, but not yet zero. Further out the functions keep the value they have at the
/// clamp, so that no infinity is multiplied by a zero and vanishing results keep their sign.
pub const NORMAL: f64 = 37.0;
/// Magnitude at which the tanh form of GELU clamps its argument, for the reason given at [`NORMAL`].
pub const CUBIC: f64 = 20.0;
/// Magnitude at which SiLU clamps its argument, for the reason given at [`NORMAL`].
pub const LOGISTIC: f64 = 700.0;

/// Returns `x f(x)` with `x` clamped to at least `-far`.
///
/// Below `-far`, `f(x)` goes to 0 faster than `x` to -infinity.
fn damped(x: f64, far: f64, f: impl Fn(f64) -> f64) -> f64 {
    let x = x.clamp(-far, f64::INFINITY);
    x * f(x)
}

/// `x Phi(x)`, where `Phi` is [`normal_cdf`].
pub fn gelu([x, ..]: Args) -> f64 {
    damped(x, NORMAL, |x| normal_cdf([x, 0.0, 0.0]))
}

/// Returns `2 u` and its derivative by `x`, for `u = sqrt(2/pi) (x + 0.044715 x^3)`.
fn tanh_form(x: f64) -> (f64, f64) {
    let k = 2.0 * (2.0 / PI).sqrt();
    (k * (x + GELU_TANH_CUBIC * x * x * x), k * (1.0 + 3.0 * GELU_TANH_CUBIC * x * x))
}

/// `x (1 + tanh u) / 2 = x sigmoid(2 u)`, where `u = sqrt(2/pi) (x + 0.044715 x^3)`.
pub fn gelu_tanh([x, ..]: Args) -> f64 {
    damped(x, CUBIC, |x| sigmoid([tanh_form(x).0, 0.0, 0.0]))
}

/// `x sigmoid(x)`
pub fn silu([x, ..]: Args) -> f64 {
    damped(x, LOGISTIC, |x| sigmoid([x, 0.0, 0.0]))
}

/// `gelu'(x) = Phi(x) + x phi(x)`, where `Phi` is [`normal_cdf`] and `phi` is [`normal_pdf`].
pub fn gelu_grad([x, ..]: Args) -> f64 {
    let x = x.clamp(-NORMAL, NORMAL);
    normal_cdf([x, 0.0, 0.0]) + x * normal_pdf(x)
}

/// Returns the derivative of `x sigmoid(v)`, given `x`, `v(x)` and `dv = v'(x)`.
///
/// It is `s + x s (1 - s) v'` with `s = sigmoid(v)`.
fn gated_grad(x: f64, (v, dv): (f64, f64)) -> f64 {
    let (s, rest) = (sigmoid([v, 0.0, 0.0]), sigmoid([-v, 0.0, 0.0]));
    s + x * dv * s * rest
}

/// Returns the derivative of [`gelu_tanh`].
pub fn gelu_tanh_grad([x, ..]: Args) -> f64 {
    let x = x.clamp(-CUBIC, CUBIC);
    gated_grad(x, tanh_form(x))
}

/// `silu'(x) = s (1 + x (1 - s))`, where `s = sigmoid(x)`.
pub fn silu_grad([x, ..]: Args) -> f64 {
    let x = x.clamp(-LOGISTIC, LOGISTIC);
    gated_grad(x, (x, 1.0))
}
