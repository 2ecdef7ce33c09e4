//! The whole family: the requirements on every operator.
//!
//! Only few levels, sizes and ranks are tested here; `differential.rs` tests all of them on a few operators.
#![allow(missing_docs)]

mod common;
#[path = "../../codegen-cpu/tests/levels/mod.rs"]
mod levels;
#[path = "family/npu.rs"]
mod npu;

use common::*;
use levels::levels;
use op_dsl::ir::DType;
use op_dsl::ir::op::Value;
use op_dsl::{Operator, Options};
use ops_glu_grad::OPERATORS;

fn named(name: &str) -> &'static Operator {
    OPERATORS.iter().find(|op| op.name() == name).expect("an operator of this name")
}

/// Full steps, tails and both, at every level.
///
/// Rounding errors are relative to the largest intermediate value.
#[test]
fn kernels_agree_with_graphs() {
    for op in OPERATORS {
        for attrs in attribute_values(op) {
            for dtype in op.def().dtypes.iter().copied() {
                for level in levels() {
                    for n in [1, 17, 333] {
                        let options = Options { level: Some(level), ..Options::default() };
                        agree(op, &attrs, &[2, n], dtype, &options);
                    }
                }
            }
        }
    }
}

fn agree(op: &Operator, attrs: &[Value], domain: &[usize], dtype: DType, options: &Options) {
    let mut random = Random(domain.iter().sum::<usize>() as u64);
    let ins = inputs(op, attrs, domain, dtype, |_| random.normal(2.0));
    let outs = run(op, attrs, &ins, options);
    let (graph, scalars) = (graph(op, attrs), scalars(attrs));
    for i in 0..domain.iter().product() {
        let x = element(op, attrs, &ins, domain, i);
        let want = graph.eval(&x, &scalars);
        let all = graph.eval_all(&x, &scalars).into_iter().filter(|v| v.is_finite());
        let largest = all.fold(0.0, |a: f64, v| a.max(v.abs()));
        for (k, stream) in op.def().output_streams().into_iter().enumerate() {
            let got = outs[stream.tensor].at(place(op, attrs, stream, domain, i));
            let allowed = match dtype {
                DType::F32 => 8.0 * ulp(dtype, largest, 0.0),
                _ => 1.01 * ulp(dtype, want[k], largest / 128.0),
            };
            let close = (got - want[k]).abs() <= allowed;
            assert!(close, "{} {attrs:?} {dtype} {x:?}: {got}, not {}", op.name(), want[k]);
        }
    }
}

/// The gradients of activations at breakpoints, next to them, and for NaN.
///
/// The upstream gradient is 2.
#[test]
fn kinks_are_as_documented() {
    const NAN: f64 = f64::NAN;
    let pass = 2.0;
    for (name, at, want) in [
        ("ReluGrad", [-0.0, 0.0, NAN], [0.0, 0.0, pass]),
        ("Relu6Grad", [0.0, 6.0, NAN], [0.0, 0.0, 0.0]),
        ("Relu6Grad", [1e-30, 5.999, -1.0], [pass, pass, 0.0]),
        ("FusedBiasLeakyReluGrad", [0.0, -1.0, 1.0], [0.5656854, 0.5656854, 2.828427]),
        ("ThresholdGradV2D", [1.0, 1.0000001, NAN], [0.0, pass, pass]),
        ("HardShrinkGrad", [-0.5, 0.5, NAN], [0.0, 0.0, 0.0]),
        ("HardShrinkGrad", [-0.50000006, 0.50000006, 0.0], [pass, pass, 0.0]),
        ("SoftShrinkGrad", [-0.5, 0.5, NAN], [0.0, 0.0, pass]),
        ("HardSigmoidGrad", [-4.0, 4.0, NAN], [0.0, 0.0, 0.0]),
        ("HardSwishGrad", [-3.0, 3.0, NAN], [-1.0, 3.0, pass]),
        ("HardSwishGradV2", [-3.0, 3.0, NAN], [0.0, pass, pass]),
        ("HardtanhGrad", [-1.0, 1.0, NAN], [0.0, 0.0, pass]),
        ("EluGrad", [0.0, -1.0, NAN], [pass, 0.0, pass]),
        ("EluGradV2", [0.0, 1.0, NAN], [pass, pass, NAN]),
        ("SeluGrad", [0.0, 1.0, NAN], [2.101402, 2.101402, NAN]),
        ("SoftplusV2Grad", [20.0, 21.0, NAN], [2.0, pass, NAN]),
        ("SoftsignGrad", [0.0, -0.0, NAN], [pass, pass, NAN]),
    ] {
        let op = named(name);
        // The first input is the upstream gradient, except where it is the result.
        let activation = usize::from(name != "HardtanhGrad");
        for level in levels() {
            let options = Options { level: Some(level), ..Options::default() };
            for (at, want) in at.into_iter().zip(want) {
                let attrs = op.default_attrs();
                let mut ins = inputs(op, &attrs, &[19], DType::F32, |_| 2.0);
                (0..19).for_each(|i| ins[activation].set(i, at));
                let out = run(op, &attrs, &ins, &options)[0].at(18);
                let close = (out - want).abs() <= 1e-6 || (out.is_nan() && want.is_nan());
                assert!(close, "{name} at {at}, {}: {out}, not {want}", level.name());
            }
        }
    }
}

/// The gradient whose activation is either of two tensors.
///
/// No forward operator is compared with it. It is the derivative of Elu, by `x` and by the result.
#[test]
fn elu_by_its_result_and_by_its_input() {
    let (op, elu) = (named("EluGradV2"), named("Elu"));
    let mut random = Random(8);
    for _ in 0..1000 {
        let (dy, x) = (random.normal(1.0), random.normal(1.0));
        let scales = [0.5 + random.unit(), 0.5 + random.unit(), 0.5 + random.unit()];
        let y = |x: f64| graph(elu, &elu.default_attrs()).eval(&[x], &scales)[0];
        let h = 1e-4;
        let slope = (8.0 * (y(x + h) - y(x - h)) - (y(x + 2.0 * h) - y(x - 2.0 * h))) / (12.0 * h);
        for (is_result, activation) in [(false, x), (true, y(x))] {
            let mut attrs = op.default_attrs();
            attrs[3] = Value::Bool(is_result);
            let got = graph(op, &attrs).eval(&[dy, activation], &scales)[0];
            let close = (got - dy * slope).abs() < 1e-9 || x.abs() <= 2.0 * h;
            assert!(close, "{is_result} {x}: {got}, not {}", dy * slope);
        }
    }
}

/// The gradient of mish is the same with and without `tanh(softplus(x))` as an input.
#[test]
fn mish_with_its_tanh_and_without() {
    let (op, mut random) = (named("MishGrad"), Random(10));
    let mut ins = inputs(op, &[Value::Bool(true)], &[999], DType::F32, |_| random.normal(3.0));
    for i in 0..999 {
        let x = ins[1].at(i);
        ins[2].set(i, x.exp().ln_1p().tanh());
    }
    let with = run(op, &[], &ins, &Options::default()).remove(0);
    ins[2] = Tensor { shape: Vec::new(), data: Data::Nothing };
    let without = run(op, &[], &ins, &Options::default()).remove(0);
    for i in 0..999 {
        let (a, b) = (with.at(i), without.at(i));
        // A tanh near 1 in f32 has few digits of its distance from 1.
        assert!(
            (a - b).abs() <= 2e-6 * ins[0].at(i).abs() * ins[1].at(i).abs().max(1.0),
            "{a} {b}"
        );
    }
}

/// Relu's gradient by a mask is the same as by the activation.
#[test]
fn relu_by_its_mask_and_by_its_input() {
    let (by_mask, by_input) = (named("ReluGradV2"), named("ReluGrad"));
    for dtype in DType::ALL {
        let mut random = Random(9);
        let [dy, x] = [(); 2].map(|()| Tensor::new(&[3, 77], dtype, || random.normal(1.0)));
        let mut i = 0..;
        let mask = Tensor::mask(&[3, 77], || x.at(i.next().unwrap_or_default()));
        let options = Options::default();
        let want = run(by_input, &[], &[dy.clone(), x.clone()], &options);
        assert_eq!(run(by_mask, &[], &[dy, mask], &options), want, "{dtype}");
    }
}

/// Lines of each operator from the attribute to the closing brace, without comments.
///
/// Operators with a second derivative have six more, because rustfmt writes each argument of a long attribute on its
/// own line.
#[test]
fn no_operator_takes_more_than_fifteen_lines() {
    let families = concat!(env!("CARGO_MANIFEST_DIR"), "/../ops-glu-grad/src/families");
    let mut operators = 0;
    for file in std::fs::read_dir(families).expect("the families") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("a text");
        for operator in text.split("    #[op(").skip(1) {
            let lines: Vec<&str> = operator.lines().take_while(|l| *l != "    }").collect();
            let is_twice = lines.iter().any(|l| l.contains("GradGrad"));
            // An optimizer has up to ten parameters, and each has its line.
            let is_step = lines.iter().any(|l| l.contains("updates("));
            let allowed = if is_twice || is_step { 21 } else { 15 };
            let lines = lines.len() + 1;
            assert!(lines <= allowed, "{lines} lines:\n    #[op({operator}");
            operators += 1;
        }
    }
    assert!(operators > 30, "{operators}");
}

/// The guide to the family lists every gradient.
#[test]
fn the_guide_names_every_gradient() {
    let guide = include_str!("../../docs/family.md");
    for op in OPERATORS.iter().filter(|op| op.name().contains("Grad")) {
        assert!(guide.contains(op.name()), "{}", op.name());
    }
}
