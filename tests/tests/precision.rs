//! Formulas that need more than f32, compared with f64 values, at every level.
#![allow(missing_docs)]

#[path = "precision/attributes.rs"]
mod attributes;
mod common;
#[path = "../../codegen-cpu/tests/levels/mod.rs"]
mod levels;

use common::{Data, Tensor, run, thorough, ulp};
use half::{bf16, f16};
use levels::levels;
use op_dsl::ir::DType;
use op_dsl::ir::op::Wide;
use op_dsl::ir::rounding::{Arithmetic, worst};
use op_dsl::{Operator, Options};

#[op_dsl::operators]
pub mod composed {
    use op_dsl::prelude::*;

    /// The gradient of `x / (1 + |x|)`. In f32 the square is infinite where the quotient is not yet zero.
    #[op(name = "SoftsignGrad", outputs(dx))]
    pub fn softsign_grad(dy: Elem, x: Elem) -> Elem {
        dy / ((1.0 + abs(x)) * (1.0 + abs(x)))
    }

    #[op(name = "TanhShrink")]
    pub fn tanh_shrink(x: Elem) -> Elem {
        x - tanh(x)
    }

    #[op(name = "Snake", grad(name = "SnakeGrad", wrt(x)))]
    pub fn snake(x: Elem) -> Elem {
        x + sin(2.0 * x) * sin(2.0 * x) / 2.0
    }

    #[op(name = "Angle", grad(name = "AngleGrad", wrt(x)))]
    pub fn angle(x: Elem) -> Elem {
        atan(x) * cos(x)
    }

    /// `|x|^1.7`, whose slope at 0 is 0.
    #[op(name = "Power", grad(name = "PowerGrad", wrt(x)))]
    pub fn power(x: Elem) -> Elem {
        powf(abs(x), 1.7)
    }

    #[op(name = "QuickGelu", grad(name = "QuickGeluGrad", wrt(x)))]
    pub fn quick_gelu(x: Elem) -> Elem {
        x / (1.0 + exp(-1.702 * x))
    }
}

/// Reference values of one element, by formulas without cancellation.
mod truth {
    fn logistic(x: f64) -> f64 {
        if x < 0.0 { libm::exp(x) / (1.0 + libm::exp(x)) } else { 1.0 / (1.0 + libm::exp(-x)) }
    }

    /// Returns `n` and `n + 2` for `n = e^(2x) + 2 e^x`, scaled.
    ///
    /// Both are divided by the square of the larger of 1 and `e^x`, so that they do not overflow.
    fn parts(x: f64) -> (f64, f64) {
        let e = libm::exp(-x.abs());
        if x > 0.0 {
            (1.0 + 2.0 * e, 1.0 + 2.0 * e + 2.0 * e * e)
        } else {
            (e * e + 2.0 * e, e * e + 2.0 * e + 2.0)
        }
    }

    pub fn mish(x: f64) -> f64 {
        let (n, d) = parts(x);
        if x == f64::NEG_INFINITY { -0.0 } else { x * n / d }
    }

    pub fn snake(x: f64) -> f64 {
        let s = libm::sin(2.0 * x);
        // The bounded term is negligible at infinity.
        if x.is_infinite() { x } else { x + s * s / 2.0 }
    }

    pub fn snake_grad(x: f64) -> f64 {
        1.0 + libm::sin(4.0 * x)
    }

    pub fn angle(x: f64) -> f64 {
        libm::atan(x) * libm::cos(x)
    }

    pub fn angle_grad(x: f64) -> f64 {
        libm::cos(x) / (1.0 + x * x) - libm::atan(x) * libm::sin(x)
    }

    pub fn power(x: f64) -> f64 {
        libm::pow(x.abs(), 1.7)
    }

    pub fn power_grad(x: f64) -> f64 {
        let slope = 1.7 * libm::pow(x.abs(), 0.7);
        if x == 0.0 { 0.0 } else { slope * x.signum() }
    }

    pub fn softsign_grad(x: f64) -> f64 {
        let d = 1.0 + x.abs();
        1.0 / (d * d)
    }

    pub fn quick_gelu(x: f64) -> f64 {
        let x = x.clamp(-400.0, f64::INFINITY);
        x * logistic(1.702 * x)
    }

    pub fn quick_gelu_grad(x: f64) -> f64 {
        let (x, a) = (x.clamp(-400.0, 400.0), 1.702);
        logistic(a * x) * (1.0 + a * x * logistic(-a * x))
    }
}

/// f32 is accurate for operators of table functions.
///
/// The exception are results that a large factor scales up, which have no digits in f32.
#[test]
fn operators_of_table_functions_are_good_in_f32() {
    for op in thorough() {
        for spec in op.def().specs.iter() {
            let error = worst(&spec.graph, Arithmetic::F32, &[]).ulps;
            assert!(error <= 2.0, "{}: {error}", op.name());
            assert!(spec.wide.as_ref().is_none_or(|wide| !wide.halves), "{}", op.name());
        }
    }
}

/// A formula: its operator, the input that varies while the others are 1, its value, and the smallest unit.
///
/// Units are at least those of this magnitude, which is larger where the value crosses zero.
struct Case {
    op: &'static Operator,
    varied: usize,
    truth: fn(f64) -> f64,
    least: f64,
    holds: fn(f64) -> bool,
}

const EVERYWHERE: Case = Case {
    op: &ops_glu_grad::sigmoid::MISH,
    varied: 0,
    truth: truth::mish,
    least: 0.0,
    holds: |_| true,
};

const CASES: &[Case] = &[
    EVERYWHERE,
    Case { op: &composed::SOFTSIGN_GRAD, varied: 1, truth: truth::softsign_grad, ..EVERYWHERE },
    // Closer to zero the f64 evaluation cancels too.
    Case {
        op: &composed::TANH_SHRINK,
        truth: |x| x - libm::tanh(x),
        holds: |x| x.abs() > 0.015625,
        ..EVERYWHERE
    },
    Case { op: &composed::SNAKE, truth: truth::snake, ..EVERYWHERE },
    Case {
        op: &composed::SNAKE_GRAD,
        varied: 1,
        truth: truth::snake_grad,
        least: 1.0 / 128.0,
        ..EVERYWHERE
    },
    Case { op: &composed::ANGLE, truth: truth::angle, ..EVERYWHERE },
    Case {
        op: &composed::ANGLE_GRAD,
        varied: 1,
        truth: truth::angle_grad,
        least: 1.0 / 128.0,
        ..EVERYWHERE
    },
    Case { op: &composed::POWER, truth: truth::power, ..EVERYWHERE },
    Case { op: &composed::POWER_GRAD, varied: 1, truth: truth::power_grad, ..EVERYWHERE },
    Case { op: &composed::QUICK_GELU, truth: truth::quick_gelu, ..EVERYWHERE },
    Case {
        op: &composed::QUICK_GELU_GRAD,
        varied: 1,
        truth: truth::quick_gelu_grad,
        least: 1.0 / 128.0,
        ..EVERYWHERE
    },
];

impl Case {
    /// Returns arguments, results of the kernel and reference values for one column of numbers.
    fn values(&self, x: &Tensor, options: &Options) -> Vec<(f64, f64, f64)> {
        let ones = Tensor::new(&x.shape, x.dtype(), || 1.0);
        let inputs = (0..self.op.def().inputs.len())
            .map(|k| if k == self.varied { x } else { &ones }.clone());
        let inputs: Vec<Tensor> = inputs.collect();
        let out = run(self.op, &self.op.default_attrs(), &inputs, options);
        let n = x.shape[0];
        let rows = (0..n).map(|i| (x.at(i), out[0].at(i), (self.truth)(x.at(i))));
        rows.filter(|(x, ..)| (self.holds)(*x)).collect()
    }

    fn name(&self) -> &str {
        self.op.name()
    }
}

/// Returns the error in units in the last place; infinite where a special value is wrong.
fn error(dtype: DType, got: f64, truth: f64, least: f64) -> f64 {
    let greatest = if dtype == DType::F16 { 65504.0 } else { f64::from(f32::MAX) };
    let beyond = |v: f64| v.clamp(-2.0 * greatest, 2.0 * greatest);
    match truth.is_nan() || got.is_nan() {
        true if truth.is_nan() && got.is_nan() => 0.0,
        true => f64::INFINITY,
        false if truth.abs() > greatest && got.is_infinite() && got * truth > 0.0 => 0.0,
        false => (beyond(got) - beyond(truth)).abs() / ulp(dtype, beyond(truth), least),
    }
}

#[test]
fn f32_is_rounded_once() {
    let step = if cfg!(target_arch = "x86_64") { 20_011 } else { 400_009 };
    let ends = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    let x: Vec<f32> = (0..=u32::MAX).step_by(step).map(f32::from_bits).chain(ends).collect();
    let x = Tensor { shape: vec![x.len()], data: Data::F32(x) };
    for case in CASES {
        for level in levels() {
            let options = Options { level: Some(level), ..Options::default() };
            let errors = case.values(&x, &options).into_iter();
            let errors = errors
                .map(|(x, got, truth)| (error(DType::F32, got, truth, case.least), x, got, truth));
            let worst = errors.max_by(|a, b| a.0.total_cmp(&b.0)).expect("numbers");
            println!("{} at {}: {:.3} ulp at {:e}", case.name(), level.name(), worst.0, worst.1);
            // Where the estimate accepts f32, roundings add up to its budget. Tables have their own budget, plus a
            // product.
            let inputs = case.op.def().input_streams().len();
            let spec = &case.op.def().specs[0];
            let most = match (&spec.wide, spec.split(inputs)) {
                (_, Some(_)) if level.has_fma() => 1.8,
                (None | Some(Wide { single: false, .. }), _) => 2.0,
                _ => 0.501,
            };
            assert!(worst.0 <= most, "{} at {}: {worst:?}", case.name(), level.name());
        }
    }
}

#[test]
fn halves_are_correctly_rounded() {
    let f16s = (0..=u16::MAX).map(f16::from_bits).collect();
    let bf16s = (0..=u16::MAX).map(bf16::from_bits).collect();
    for x in [Data::F16(f16s), Data::Bf16(bf16s)] {
        let x = Tensor { shape: vec![1 << 16], data: x };
        let dtype = x.dtype();
        let nearest = |truth: f64| match dtype {
            DType::F16 => f16::from_f64(truth).to_f64(),
            _ => bf16::from_f64(truth).to_f64(),
        };
        for case in CASES {
            for level in levels() {
                let options = Options { level: Some(level), ..Options::default() };
                let rows = case.values(&x, &options);
                // Either neighbour is right for values that are halfway to within the precision of f32: for example,
                // `x / 2` for the smallest numbers, where the true value is `x / 2 - x^2`.
                let halfway = |got: f64, truth: f64| {
                    let near = 0.5 * (ulp(dtype, truth, 0.0) + ulp(DType::F32, truth, 0.0));
                    (got - truth).abs() <= near
                };
                let right = |(_, got, truth): &&(f64, f64, f64)| {
                    *got == nearest(*truth)
                        || got.is_nan() && truth.is_nan()
                        || halfway(*got, *truth)
                };
                let share = rows.iter().filter(right).count() as f64 / rows.len() as f64;
                let worst = rows.iter().map(|r| (error(dtype, r.1, r.2, case.least), r));
                let worst = worst.max_by(|a, b| a.0.total_cmp(&b.0)).expect("numbers");
                let at =
                    format!("{} of {dtype:?} at {}: {share} {worst:?}", case.name(), level.name());
                println!("{at}");
                assert!(share >= 0.999 && worst.0 <= 1.0, "{at}");
            }
        }
    }
}

/// In f32 the square is infinite, so any `dy` would give 0.
#[test]
fn factors_meet_before_anything_is_rounded() {
    for level in levels() {
        let options = Options { level: Some(level), ..Options::default() };
        let [dy, x] = [1e38, 1e25].map(|v| Tensor::new(&[1], DType::F32, || v));
        let dx = run(&composed::SOFTSIGN_GRAD, &[], &[dy, x], &options);
        let truth = f64::from(1e38f32) / f64::from(1e25f32).powi(2);
        assert_eq!(dx[0].at(0), f64::from(truth as f32), "at {}", level.name());
    }
}
