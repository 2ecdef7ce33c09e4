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
