//! Predicates for NaN and infinities, and integer attributes.

use super::common::{self, Tensor};
use super::levels::levels;
use op_dsl::ir::DType;
use op_dsl::ir::op::Value;
use op_dsl::{Operator, Options};

#[op_dsl::operators]
#[allow(clippy::eq_op)] // `x - x` tests whether `x` is finite
pub mod ops {
    use op_dsl::prelude::*;

    /// Replaces NaN by a number.
    #[op(name = "NanToNum", grad(name = "NanToNumGrad", wrt(x)))]
    pub fn nan_to_num(x: Elem, #[attr(default = 0.5)] nan: f32) -> Elem {
        if is_nan(x) {
            nan
        } else if is_inf(x) {
            if x > 0.0 { 2.0 } else { -2.0 }
        } else {
            x / (1.0 + exp(-x))
        }
    }

    /// As methods, of a value on the way, and turned round.
    #[op(name = "Guarded", outputs(z))]
    pub fn guarded(x: Elem, y: Elem) -> Elem {
        let product = x * y;
        if !product.is_finite() || (x - x).is_nan() { 7.0 } else { product }
    }

    /// An exponent and a factor.
    #[op(name = "Monomial", grad(name = "MonomialGrad", wrt(x)))]
    pub fn monomial(x: Elem, #[attr(default = 3)] n: i64, #[attr(default = 0.5)] a: f32) -> Elem {
        a * scaled(x, n) * powf(x, n)
    }

    /// Cross-entropy with targets in [0, 1].
    #[op(name = "Entropy", grad(name = "EntropyGrad", wrt(x)))]
    pub fn entropy(x: Elem, #[range(0.0, 1.0)] t: Elem) -> Elem {
        -(t * ln(sigmoid(x)) + (1.0 - t) * ln(1.0 - sigmoid(x)))
    }

    /// The same of any targets.
    #[op(name = "EntropyAnywhere")]
    pub fn entropy_anywhere(x: Elem, t: Elem) -> Elem {
        -(t * ln(sigmoid(x)) + (1.0 - t) * ln(1.0 - sigmoid(x)))
    }

    #[formula]
    fn scaled(x: Elem, n: i64) -> Elem {
        if n > 5.0 { x } else { n * x }
    }
}

const NUMBERS: [f64; 9] =
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, 1.5, -2.25, 3.0e38, -3.0e38, -1.0e-30];

/// Checks results at every level, and those of an independent judge, against exact values up to rounding.
fn hold(
    op: &'static Operator,
    attrs: &[Value],
    inputs: &[&[f64]],
    dtype: DType,
    want: impl Fn(&[f64]) -> f64,
) {
    let count = inputs[0].len();
    let tensor = |values: &&[f64]| {
        let mut values = values.iter();
        Tensor::new(&[count], dtype, || *values.next().expect("a value"))
    };
    let tensors: Vec<Tensor> = inputs.iter().map(tensor).collect();
    let near = |got: f64, want: f64, unit: f64| {
        got == want || got.is_nan() && want.is_nan() || (got - want).abs() <= unit * want.abs()
    };
    let unit = [1e-3, 8e-3, 3e-7][dtype as usize];
    let streams = |i: usize| tensors.iter().map(|t| t.at(i)).collect::<Vec<f64>>();
    for level in levels() {
        let options = Options { level: Some(level), ..Options::default() };
        let got = common::run(op, attrs, &tensors, &options);
        for i in 0..count {
            let (got, want) = (got[0].at(i), want(&streams(i)));
            assert!(
                near(got, want, unit),
                "{} {level:?} {dtype} {i}: {got}, not {want}",
                op.name()
            );
        }
    }
    for streams in (0..count).map(streams) {
        let (got, want) = (common::judged(op, attrs, &streams)[0], want(&streams));
        assert!(near(got, want, 1e-6), "{} {streams:?}: {got} of the judge, not {want}", op.name());
    }
}

#[test]
fn what_is_no_number_is_told() {
    let attrs = [Value::Float(0.5)];
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    let value = |x: &[f64]| match x[0] {
        x if x.is_nan() => 0.5,
        x if x.is_infinite() => 2.0f64.copysign(x),
        x => x * sigmoid(x),
    };
    for dtype in [DType::F32, DType::BF16] {
        hold(&ops::NAN_TO_NUM, &attrs, &[&NUMBERS], dtype, value);
    }
    let numbers = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, 1.5, -2.25, 6.0e4];
    hold(&ops::NAN_TO_NUM, &attrs, &[&numbers], DType::F16, value);
    // The derivative is that of the taken branch: 0 where `x` is replaced.
    let slope = |x: &[f64]| match x[1] {
        x if x.is_finite() => sigmoid(x) * (1.0 + x * sigmoid(-x)),
        _ => 0.0,
    };
    for dtype in [DType::F32, DType::F16] {
        hold(&ops::NAN_TO_NUM_GRAD, &attrs, &[&[1.0; 7], &numbers], dtype, slope);
    }
}

#[test]
fn values_on_the_way_are_asked() {
    let (x, y) = ([2.0, 3.0e38, f64::NAN, -3.0e38, 1.0e-30], [3.0, 2.0, 1.0, 2.0, 1.0e-5]);
    let product = |x: &[f64]| {
        let product = x[0] * x[1];
        if product.abs() <= f64::from(f32::MAX) { product } else { 7.0 }
    };
    hold(&ops::GUARDED, &[], &[&x, &y], DType::F32, product);
}

#[test]
fn integers_are_numbers_of_formulas() {
    let x = [0.0, 1.5, -2.0, 3.0];
    for n in [3, 2, 1, -1, 6] {
        let attrs = [Value::Int(n), Value::Float(0.5)];
        let scale = if n > 5 { 1.0 } else { n as f64 };
        let x = if n < 0 { &x[1..] } else { &x };
        hold(&ops::MONOMIAL, &attrs, &[x], DType::F32, |x| {
            let factor = if n > 5 { x[0] } else { scale * x[0] };
            0.5 * factor * x[0].powi(n as i32)
        });
    }
    // The integer is rounded to the nearest f32.
    let attrs = [Value::Int((1 << 24) + 1), Value::Float(2.0)];
    hold(&ops::MONOMIAL, &attrs, &[&[1.0]], DType::F32, |_| 2.0);
    let attrs = [Value::Int(3), Value::Float(0.5)];
    let slope = |x: &[f64]| 0.5 * 3.0 * 4.0 * x[1].powi(3);
    hold(&ops::MONOMIAL_GRAD, &attrs, &[&[1.0; 3], &x[1..]], DType::F32, slope);
}

/// Declared ranges reach the error estimate and the gradient.
#[test]
fn ranges_are_asked_of_the_estimate() {
    let bounds = |op: &'static Operator| {
        op.def().ranges.iter().map(|r| (r.input, r.bounds)).collect::<Vec<_>>()
    };
    assert_eq!(bounds(&ops::ENTROPY), [(1, [0.0, 1.0])]);
    assert_eq!(bounds(&ops::ENTROPY_GRAD), [(2, [0.0, 1.0])]);
    let halves = |op: &'static Operator| op.def().specs[0].wide.as_ref().map(|w| w.halves);
    assert_eq!(halves(&ops::ENTROPY), Some(false), "16-bit kernels compute in f32");
    assert_eq!(halves(&ops::ENTROPY_ANYWHERE), Some(true), "targets may be anywhere");
}
