//! Value of every function of one element that formulas call, in f64, accurate in both tails.
//!
//! The table of primitives has such formulas too. They are written a second time here on purpose: a mistake in formulas that both
//! the kernels and their reference use would never be found.

use std::f64::consts::FRAC_1_SQRT_2;

/// `2 sqrt(2/pi)`, the linear coefficient of [`inner`].
const LINEAR: f64 = 1.595_769_121_605_730_7;
/// Cubic coefficient of [`inner`].
const CUBIC: f64 = LINEAR * 0.044715;

pub(crate) fn abs(x: f64) -> f64 {
    x.abs()
}

pub(crate) fn relu(x: f64) -> f64 {
    if x > 0.0 || x.is_nan() { x } else { 0.0 }
}

pub(crate) fn sign(x: f64) -> f64 {
    if x == 0.0 { x } else { x.signum() }
}

/// Adding and subtracting `2^52` rounds, because sums have no digits behind the point there.
pub(crate) fn round(x: f64) -> f64 {
    const SPACED_BY_ONE: f64 = (1u64 << 52) as f64;
    let rounded =
        if x.abs() < SPACED_BY_ONE { (x.abs() + SPACED_BY_ONE) - SPACED_BY_ONE } else { x.abs() };
    rounded.copysign(x)
}

pub(crate) fn sqrt(x: f64) -> f64 {
    x.sqrt()
}

/// Defines functions that call a function of `libm`: the name here, then the name in `libm`.
macro_rules! of_libm {
    ($($name:ident $of_libm:ident),*) => {
        $(pub(crate) fn $name(x: f64) -> f64 {
            libm::$of_libm(x)
        })*
    };
}
of_libm! {
    exp exp, expm1 expm1, ln log, log1p log1p, sinh sinh, cosh cosh, tanh tanh,
    sin sin, cos cos, atan atan, erf erf, erfc erfc
}

/// Inverse of `erf`, by bisection over bit patterns, because the bit patterns of positive floats have the order of the numbers.
pub(crate) fn erfinv(x: f64) -> f64 {
    let rest = 1.0 - x.abs();
    if x.is_nan() || rest <= 0.0 {
        return if rest == 0.0 { f64::INFINITY.copysign(x) } else { f64::NAN };
    }
    let is_small = |y: f64| if rest > 0.5 { libm::erf(y) < x.abs() } else { libm::erfc(y) > rest };
    let (mut low, mut high) = (0, 27f64.to_bits());
    while low + 1 < high {
        let middle = low.midpoint(high);
        *if is_small(f64::from_bits(middle)) { &mut low } else { &mut high } = middle;
    }
    f64::from_bits(if x == 0.0 { 0 } else { high }).copysign(x)
}

/// Lanczos' coefficients `c`, for his number 607/128 (Godfrey): the gamma function has the factor `c_0 + c_1 / x + c_2 / (x + 1) + ..`.
const LANCZOS: [f64; 15] = [
    0.999_999_999_999_997_1,
    57.156_235_665_862_92,
    -59.597_960_355_475_49,
    14.136_097_974_741_746,
    -0.491_913_816_097_620_2,
    3.399_464_998_481_189e-5,
    4.652_362_892_704_858e-5,
    -9.837_447_530_487_956e-5,
    1.580_887_032_249_125e-4,
    -2.102_644_417_241_049e-4,
    2.174_396_181_152_126_4e-4,
    -1.643_181_065_367_639e-4,
    8.441_822_398_385_275e-5,
    -2.619_083_840_158_141e-5,
    3.689_918_265_953_162_3e-6,
];

/// Returns the logarithm of the gamma function of a positive number and its first two derivatives.
fn lanczos(x: f64) -> [f64; 3] {
    let (far, half) = (x + 607.0 / 128.0 - 0.5, x - 0.5);
    let (mut sum, mut slope, mut bend) = (LANCZOS[0], 0.0, 0.0);
    for (k, c) in LANCZOS.iter().enumerate().skip(1) {
        let at = x + (k - 1) as f64;
        sum += c / at;
        slope -= c / (at * at);
        bend += 2.0 * c / (at * at * at);
    }
    let (first, ratio) = (slope / sum, half / far);
    [
        0.5 * std::f64::consts::TAU.ln() + half * far.ln() - far + sum.ln(),
        far.ln() + ratio - 1.0 + first,
        (2.0 - ratio) / far + bend / sum - first * first,
    ]
}

/// Returns `log Gamma(1 + t)` for a small `t`, relative to `t`.
///
/// Both `Gamma(y + t)` and `Gamma(y)` with a large `y` are products and a gamma function; logarithms of the quotients are proportional to `t`.
fn near_one(t: f64) -> f64 {
    let y = 33.0;
    let series = |y: f64| 1.0 / (12.0 * y) - 1.0 / (360.0 * y.powi(3)) + 1.0 / (1260.0 * y.powi(5));
    let far = (y - 0.5) * (t / y).ln_1p() + t * (y + t).ln() - t + (series(y + t) - series(y));
    (1..33).fold(far, |sum, n| sum - (t / f64::from(n)).ln_1p())
}

/// Returns the value at a pole or an infinity from that at other infinities, and elsewhere `value`.
fn with_poles(x: f64, pole: f64, end: f64, value: impl Fn() -> f64) -> f64 {
    match x {
        f64::INFINITY => end,
        _ if x <= 0.0 && x.round() == x => pole,
        _ => value(),
    }
}

/// Returns `cos(pi x)` and `sin(pi x)`, up to a common sign.
fn half_turns(x: f64) -> (f64, f64) {
    let angle = (x - x.round()) * std::f64::consts::PI;
    (angle.cos(), angle.sin())
}

pub(crate) fn lgamma(x: f64) -> f64 {
    with_poles(x, f64::INFINITY, f64::INFINITY, || match x {
        _ if x < 0.0 => (std::f64::consts::PI / half_turns(x).1.abs()).ln() - lgamma(1.0 - x),
        0.5..1.5 => near_one(x - 1.0),
        1.5..2.5 => near_one(x - 2.0) + (x - 2.0).ln_1p(),
        // Beyond, Lanczos' two largest terms are infinite before the value is.
        _ if x > 1e17 => x * (x.ln() - 1.0),
        _ => lanczos(x)[0],
    })
}

pub(crate) fn digamma(x: f64) -> f64 {
    let pole = if x == 0.0 { -1.0 / x } else { f64::NEG_INFINITY };
    with_poles(x, pole, f64::INFINITY, || match half_turns(x) {
        (cos, sin) if x < 0.0 => digamma(1.0 - x) - std::f64::consts::PI * cos / sin,
        _ => lanczos(x)[1],
    })
}

pub(crate) fn trigamma(x: f64) -> f64 {
    with_poles(x, f64::INFINITY, 0.0, || match half_turns(x) {
        (_, sin) if x < 0.0 => (std::f64::consts::PI / sin).powi(2) - trigamma(1.0 - x),
        _ => lanczos(x)[2],
    })
}

pub(crate) fn sigmoid(x: f64) -> f64 {
    if x < 0.0 { libm::exp(x) / (1.0 + libm::exp(x)) } else { 1.0 / (1.0 + libm::exp(-x)) }
}

pub(crate) fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

pub(crate) fn softplus(x: f64) -> f64 {
    if x > 0.0 { x + libm::log1p(libm::exp(-x)) } else { libm::log1p(libm::exp(x)) }
}

/// Returns `x * f`, or 0 where `f` is 0, even if `x` is infinite.
///
/// Callers pass a value `f` that goes to 0 faster than `x` grows.
fn damped(x: f64, f: f64) -> f64 {
    if f == 0.0 { 0.0 * x.signum() } else { x * f }
}

pub(crate) fn gelu(x: f64) -> f64 {
    damped(x, normal_cdf(x))
}

pub(crate) fn gelu_grad(x: f64) -> f64 {
    let density = 0.398_942_280_401_432_7 * libm::exp(-0.5 * x * x);
    normal_cdf(x) + damped(x, density)
}

/// Returns `v`, where the tanh form of GELU is `x * sigmoid(v)`.
fn inner(x: f64) -> f64 {
    LINEAR * x + CUBIC * x * x * x
}

/// Returns the derivative of `x * sigmoid(v(x))`, where `dv` is that of `v`.
fn gated_slope(x: f64, v: f64, dv: f64) -> f64 {
    let slope = sigmoid(v) * sigmoid(-v);
    sigmoid(v) + if slope == 0.0 { 0.0 } else { x * slope * dv }
}

pub(crate) fn gelu_tanh(x: f64) -> f64 {
    damped(x, sigmoid(inner(x)))
}

pub(crate) fn gelu_tanh_grad(x: f64) -> f64 {
    gated_slope(x, inner(x), LINEAR + 3.0 * CUBIC * x * x)
}

pub(crate) fn silu(x: f64) -> f64 {
    damped(x, sigmoid(x))
}

pub(crate) fn silu_grad(x: f64) -> f64 {
    gated_slope(x, x, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::prim::TABLE;

    type Function = fn(f64) -> f64;

    macro_rules! list {
        ($($f:ident $formula:literal;)*) => {
            const ALL: &[(&str, Function)] = &[$((stringify!($f), $f)),*];
        };
    }
    op_dsl_ir::functions_of_one_value!(list);

    #[test]
    fn values_are_those_of_the_table() {
        for (name, f) in ALL {
            let row = TABLE.iter().find(|r| r.name == *name).expect("in the table");
            for i in -300..=300 {
                let x = f64::from(i) / 10.0 + 1e-3;
                let (is, want) = (f(x), (row.oracle)([x, 0.0, 0.0]));
                // The table's functions are clamped where they are this far below every `f32`.
                let close = (is - want).abs() <= 1e-12 * want.abs() + 1e-200
                    || is.is_nan() && want.is_nan();
                assert!(close, "{name}({x}) is {is}, the table has {want}");
            }
        }
    }

    #[test]
    fn activations_and_gradients_have_limits_at_infinity() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        let pairs: [(Function, Function); 3] =
            [(gelu, gelu_grad), (gelu_tanh, gelu_tanh_grad), (silu, silu_grad)];
        for (f, gradient) in pairs {
            assert_eq!((f(inf), f(-inf)), (inf, 0.0));
            assert_eq!((gradient(inf), gradient(-inf)), (1.0, 0.0));
            assert!(f(nan).is_nan() && gradient(nan).is_nan());
        }
    }
}
