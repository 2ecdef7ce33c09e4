//! Functions to be fitted, in formulas without cancellation where that matters.

#![allow(dead_code)]

pub mod clock;
pub mod measure;
pub mod number;
pub mod pairs;

use core::f64::consts::{FRAC_1_SQRT_2, LN_2, PI};
use number::{Number, constant, exact};
use op_dsl_fit::{Element, Hints};

/// IEEE binary16.
pub const F16: Element = Element::new(11, (-14, 15));
/// The upper half of a binary32.
pub const BF16: Element = Element::new(8, (-126, 127));

pub struct Case {
    pub name: &'static str,
    pub f: fn(f64) -> Number,
    pub domain: [f64; 2],
    pub limits: [Option<f64>; 2],
}

impl Case {
    pub fn oracle(&self) -> impl Fn(&[f64]) -> Vec<(f64, f64)> + 'static {
        let f = self.f;
        move |x| x.iter().map(|&x| f(x)).map(|n| (n.value, n.error)).collect()
    }

    pub fn hints(&self) -> Hints {
        Hints { domain: self.domain, limits: self.limits, ..Hints::default() }
    }

    pub fn truth(&self, x: f64) -> f64 {
        (self.f)(x).value
    }
}

const ALL: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

const fn case(name: &'static str, f: fn(f64) -> Number, limits: [Option<f64>; 2]) -> Case {
    Case { name, f, domain: ALL, limits }
}

#[rustfmt::skip]
pub const CASES: [Case; 20] = [
    case("gelu'", gelu_grad, [Some(0.0), Some(1.0)]),
    case("gelu_tanh'", gelu_tanh_grad, [Some(0.0), Some(1.0)]),
    case("silu'", silu_grad, [Some(0.0), Some(1.0)]),
    case("sigmoid", |x| sigmoid(exact(x)), [Some(0.0), Some(1.0)]),
    case("quick_gelu'", quick_gelu_grad, [Some(0.0), Some(1.0)]),
    case("silu", |x| exact(x.max(-800.0)) * sigmoid(exact(x)), [Some(0.0), None]),
    case("gelu", gelu, [Some(0.0), None]),
    case("softplus", softplus, [Some(0.0), None]),
    case("tanh", |x| exact(x).tanh(), [Some(-1.0), Some(1.0)]),
    case("tanh'", tanh_grad, [Some(0.0), Some(0.0)]),
    case("erf", |x| exact(x).erf(), [Some(-1.0), Some(1.0)]),
    case("tanhshrink", tanhshrink, [None, None]),
    case("log cosh", log_cosh, [None, None]),
    case("softsign'", |x| { let o = exact(x.abs()) + 1.0; 1.0 / (o * o) }, [Some(0.0), Some(0.0)]),
    case("silu''", silu_second, [Some(0.0), Some(0.0)]),
    case("gelu''", gelu_second, [Some(0.0), Some(0.0)]),
    case("mish", mish, [Some(0.0), None]),
    case("mish'", mish_grad, [Some(0.0), Some(1.0)]),
    case("(x tanh x sigmoid x)'", situ_grad, [Some(0.0), Some(1.0)]),
    Case { name: "elu, x<0", f: |x| exact(x).expm1(), domain: [f64::NEG_INFINITY, 0.0], limits: [Some(-1.0), Some(0.0)] },
];

pub fn named(name: &str) -> &'static Case {
    CASES.iter().find(|c| c.name == name).unwrap()
}

fn sigmoid(x: Number) -> Number {
    let x = Number { value: x.value.clamp(-740.0, 740.0), ..x };
    let e = if x.value < 0.0 { x.exp() } else { (-x).exp() };
    if x.value < 0.0 { e / (e + 1.0) } else { 1.0 / (e + 1.0) }
}

/// Returns `q(|x|)` below zero, and `1 - q(|x|)` from there on.
fn reflected(x: f64, far: f64, q: impl Fn(Number) -> Number) -> Number {
    let q = q(exact(x.abs().min(far)));
    if x < 0.0 { q } else { 1.0 - q }
}

fn density(z: Number) -> Number {
    constant(1.0 / (2.0 * PI).sqrt()) * (-0.5 * (z * z)).exp()
}

/// Returns the derivative of `x / (1 + exp(-v))` at `-z`, from `e = exp(-v)` and `d = z v'(z)`.
fn gate_grad(e: Number, d: Number) -> Number {
    let o = e + 1.0;
    e * (o - d) / (o * o)
}

fn gelu_grad(x: f64) -> Number {
    reflected(x, 30.0, |z| 0.5 * (constant(FRAC_1_SQRT_2) * z).erfc() - z * density(z))
}

fn gelu(x: f64) -> Number {
    exact(x.max(-40.0)) * (0.5 * (constant(-FRAC_1_SQRT_2) * exact(x.max(-40.0))).erfc())
}

fn gelu_second(x: f64) -> Number {
    let z = exact(x.abs().min(30.0));
    (2.0 - z * z) * density(z)
}

fn gelu_tanh_grad(x: f64) -> Number {
    reflected(x, 20.0, |z| {
        let (a, b) = (constant(2.0 * (2.0 / PI).sqrt()) * z, constant(0.044715) * z * z);
        gate_grad((-(a * (b + 1.0))).exp(), a * (3.0 * b + 1.0))
    })
}

fn silu_grad(x: f64) -> Number {
    reflected(x, 700.0, |z| gate_grad((-z).exp(), z))
}

fn quick_gelu_grad(x: f64) -> Number {
    reflected(x, 400.0, |z| {
        let v = constant(1.702) * z;
        gate_grad((-v).exp(), v)
    })
}

fn silu_second(x: f64) -> Number {
    let z = exact(x.abs().min(700.0));
    let e = (-z).exp();
    let o = e + 1.0;
    e * (2.0 * o + z * (e - 1.0)) / (o * o * o)
}

fn softplus(x: f64) -> Number {
    exact(x.max(0.0)) + (-exact(x.abs())).exp().log1p()
}

fn tanh_grad(x: f64) -> Number {
    let e = (-2.0 * exact(x.abs().min(370.0))).exp();
    let o = e + 1.0;
    4.0 * e / (o * o)
}

/// Uses the series where `x - tanh x` has lost digits.
fn tanhshrink(x: f64) -> Number {
    const SERIES: [f64; 10] = [
        1.0 / 3.0,
        -2.0 / 15.0,
        17.0 / 315.0,
        -62.0 / 2835.0,
        1382.0 / 155_925.0,
        -21_844.0 / 6_081_075.0,
        929_569.0 / 638_512_875.0,
        -6_404_582.0 / 10_854_718_875.0,
        443_861_162.0 / 1_856_156_927_625.0,
        -18_888_466_084.0 / 194_896_477_400_625.0,
    ];
    let x = exact(x);
    if x.value.abs() > 0.3 {
        return x - x.tanh();
    }
    let u = x * x;
    let mut sum = constant(SERIES[9]);
    for c in SERIES[..9].iter().rev() {
        sum = constant(*c) + u * sum;
    }
    x * u * sum
}

fn log_cosh(x: f64) -> Number {
    let z = exact(x.abs());
    if z.value < 1.0 {
        let s = z.sinh();
        0.5 * (s * s).log1p()
    } else {
        z + ((-2.0 * z).exp().log1p() - constant(LN_2))
    }
}

fn mish(x: f64) -> Number {
    if x > 40.0 {
        return exact(x);
    }
    let e = exact(x.max(-740.0)).exp();
    let n = e * (e + 2.0);
    exact(x.max(-740.0)) * n / (n + 2.0)
}

fn mish_grad(x: f64) -> Number {
    if x > 40.0 {
        return exact(1.0);
    }
    let x = exact(x.max(-740.0));
    let e = x.exp();
    let d = e * (e + 2.0) + 2.0;
    e * ((e + 2.0) * d + 4.0 * x * (e + 1.0)) / (d * d)
}

fn situ_grad(x: f64) -> Number {
    if x > 40.0 {
        return exact(1.0);
    }
    let x = exact(x.max(-740.0));
    let (t, s) = (x.tanh(), sigmoid(x));
    s * (t + x * tanh_grad(x.value) + x * t * sigmoid(-x))
}
