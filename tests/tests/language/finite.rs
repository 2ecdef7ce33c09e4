//! Questions about values that are no numbers, and attributes that are integers.

use super::common::{self, Tensor};
use super::levels::levels;
use op_dsl::ir::DType;
use op_dsl::ir::op::Value;
use op_dsl::{Operator, Options, OracleInput};

#[op_dsl::operators]
pub mod ops {
    use op_dsl::prelude::*;

    /// What is no number is replaced.
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

    #[formula]
    fn scaled(x: Elem, n: i64) -> Elem {
        if n > 5.0 { x } else { n * x }
    }
}

const NUMBERS: [f64; 9] =
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, 1.5, -2.25, 3.0e38, -3.0e38, -1.0e-30];

/// Results at every level, and of the author's function, are equal to these but for rounding.
fn hold(op: &'static Operator, attrs: &[Value], inputs: &[Vec<f64>], dtype: DType, want: &[f64]) {
    let tensors: Vec<Tensor> = inputs
        .iter()
        .map(|values| {
            let mut values = values.iter();
            Tensor::new(&[want.len()], dtype, || *values.next().expect("a value"))
        })
        .collect();
    let near = |got: f64, want: f64, unit: f64| {
        got == want || got.is_nan() && want.is_nan() || (got - want).abs() <= unit * want.abs()
    };
    let unit = if dtype == DType::F32 { 3e-7 } else { 0.005 };
    for level in levels() {
        let options = Options { level: Some(level), ..Options::default() };
        let got = common::run(op, attrs, &tensors, &options);
        for (i, want) in want.iter().enumerate() {
            let got = got[0].at(i);
            assert!(
                near(got, *want, unit),
                "{} {level:?} {dtype} {i}: {got}, not {want}",
                op.name()
            );
        }
    }
    let streams = |i: usize| tensors.iter().map(move |t| t.at(i)).collect::<Vec<f64>>();
    for (i, want) in want.iter().enumerate() {
        let streams = streams(i);
        let got = op.oracle(&OracleInput { streams: &streams, attrs });
        assert!(
            near(got[0], *want, 1e-6),
            "{} {i}: {} of the author's, not {want}",
            op.name(),
            got[0]
        );
    }
}

fn silu(x: f64) -> f64 {
    x / (1.0 + (-x).exp())
}

#[test]
fn what_is_no_number_is_told() {
    let attrs = [Value::Float(0.5)];
    let want: Vec<f64> = NUMBERS
        .iter()
        .map(|x| match x {
            x if x.is_nan() => 0.5,
            x if x.is_infinite() => 2.0f64.copysign(*x),
            x => silu(*x),
        })
        .collect();
    for dtype in [DType::F32, DType::BF16] {
        hold(&ops::NAN_TO_NUM, &attrs, &[NUMBERS.to_vec()], dtype, &want);
    }
    let numbers = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, 1.5, -2.25, 6.0e4];
    let want: Vec<f64> = want[..6].iter().copied().chain([6.0e4]).collect();
    hold(&ops::NAN_TO_NUM, &attrs, &[numbers.to_vec()], DType::F16, &want);
    // Its derivative is that of the arm that is taken.
    let slopes: Vec<f64> = [0.0, 0.0, 0.0, 0.5, 1.040_5, -0.070_9, 1.0].to_vec();
    let dy = vec![1.0; numbers.len()];
    hold(&ops::NAN_TO_NUM_GRAD, &attrs, &[dy, numbers.to_vec()], DType::F16, &slopes);
}

#[test]
fn values_on_the_way_are_asked() {
    let (x, y) = (vec![2.0, 3.0e38, f64::NAN, -3.0e38, 1.0e-30], vec![3.0, 2.0, 1.0, 2.0, 1.0e-5]);
    hold(&ops::GUARDED, &[], &[x, y], DType::F32, &[6.0, 7.0, 7.0, 7.0, 1.0e-35]);
}

#[test]
fn integers_are_numbers_of_formulas() {
    let x = vec![0.0, 1.5, -2.0, 3.0];
    let of = |n: i64| x.iter().map(|x| 0.5 * n as f64 * x * x.powi(n as i32)).collect::<Vec<_>>();
    for n in [3, 2, 1, -1] {
        let mut want = of(n);
        want[0] = if n == -1 { f64::NAN } else { 0.0 };
        hold(&ops::MONOMIAL, &[Value::Int(n), Value::Float(0.5)], &[x.clone()], DType::F32, &want);
    }
    let want: Vec<f64> = x.iter().map(|x| 0.5 * x.powi(7)).collect();
    hold(&ops::MONOMIAL, &[Value::Int(6), Value::Float(0.5)], &[x.clone()], DType::F32, &want);
    // The nearest number of f32.
    let (n, ones) = ((1 << 24) + 1, vec![1.0]);
    hold(&ops::MONOMIAL, &[Value::Int(n), Value::Float(2.0)], &[ones], DType::F32, &[2.0]);
    let slope: Vec<f64> = x[1..].iter().map(|x| 0.5 * 3.0 * 4.0 * x.powi(3)).collect();
    let dy = vec![1.0; 3];
    let attrs = [Value::Int(3), Value::Float(0.5)];
    hold(&ops::MONOMIAL_GRAD, &attrs, &[dy, x[1..].to_vec()], DType::F32, &slope);
}
