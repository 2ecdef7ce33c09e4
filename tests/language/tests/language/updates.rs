//! New values of inputs, and arithmetic in f32 with functions of attributes.

use super::common::{self, Tensor};
use super::levels::levels;
use op_dsl::ir::DType;
use op_dsl::ir::op::{Accuracy, Value};
use op_dsl::{Options, View, ViewMut};

#[op_dsl::operators]
pub mod ops {
    use op_dsl::prelude::*;

    /// Noise that replaces a part of `x`, less for a larger `t`; two functions of attributes, one in a condition.
    #[op(name = "Annealed", updates(x, seen), arithmetic = f32)]
    pub fn annealed(
        x: Elem,
        noise: Elem,
        seen: Elem<f32>,
        #[attr(default = 0.7)] t: f32,
        #[attr(default = 2)] n: i64,
    ) -> (Elem, Elem<f32>) {
        let kept = exp(-t);
        let weight = if tanh(t) > 0.5 { powf(1.0 + t, -n) } else { kept };
        (kept * x + (1.0 - kept) * noise * weight, seen + noise)
    }

    /// A result that no input changes, with the same function twice.
    #[op(name = "Constant", outputs(y), arithmetic = f32)]
    pub fn constant(#[unused] x: Elem, #[attr(default = 0.5)] t: f32) -> Elem {
        exp(t) * exp(t)
    }

    /// The terms cancel, and its gradient is that of any formula.
    #[op(
        name = "Difference",
        updates(x),
        outputs(z),
        arithmetic = f32,
        grad(name = "DifferenceGrad", wrt(x, w))
    )]
    pub fn difference(x: Elem, w: Elem, #[attr(default = 0.1)] a: f32) -> Elem {
        a * x - a * w
    }
}

fn weight(t: f64, n: i32) -> f64 {
    if t.tanh() > 0.5 { (1.0 + t).powi(-n) } else { (-t).exp() }
}

#[test]
fn functions_of_attributes_are_exact() {
    for (t, n) in [(0.7f32, 2), (0.2, 3), (3.0, -1)] {
        let (attrs, exact) = ([Value::Float(t.into()), Value::Int(n)], f64::from(t));
        for (dtype, level) in DType::ALL.iter().flat_map(|d| levels().into_iter().map(|l| (*d, l)))
        {
            let mut k = 0.0;
            let mut number = || {
                k += 0.618;
                (k % 1.0) * 4.0 - 2.0
            };
            let [x, noise] = [(); 2].map(|()| Tensor::new(&[77], dtype, &mut number));
            let seen = Tensor::new(&[77], DType::F32, &mut number);
            let inputs = [x, noise, seen];
            let options = Options { level: Some(level), ..Options::default() };
            let interpreted = ops::ANNEALED.interpreted().expect("a program");
            for op in [&ops::ANNEALED, &interpreted] {
                let outs = common::run(op, &attrs, &inputs, &options);
                for i in 0..77 {
                    let [x, noise, seen] = [0, 1, 2].map(|k| inputs[k].at(i));
                    let kept = (-exact).exp();
                    let want = kept * x + (1.0 - kept) * noise * weight(exact, n as i32);
                    let off = (outs[0].at(i) - want).abs();
                    let bound = 4.0 * f64::from(f32::EPSILON) * (x.abs() + noise.abs());
                    let rounding = if dtype == DType::F32 { 0.0 } else { want.abs() / 256.0 };
                    assert!(off <= bound + rounding, "{t} {n} {dtype} {}: {off:e}", level.name());
                    assert!((outs[1].at(i) - (seen + noise)).abs() <= 1e-6);
                }
            }
        }
    }
    let x = Tensor::new(&[5], DType::F32, || 1.0);
    let outs = common::run(&ops::CONSTANT, &[Value::Float(0.5)], &[x], &Options::default());
    assert!((0..5).all(|i| outs[0].at(i) == f64::from(1f64.exp() as f32)));
}

#[test]
fn inputs_are_replaced() {
    let (mut x, noise, mut seen) = ([1.0f32, 2.0, 3.0, 4.0], [0.5f32, 0.25], [0f32; 2]);
    let attrs = ops::Annealed::default();
    let noise = View::new(&noise, &[2]).expect("a view");
    let (mut y, mut z) = ([0f32; 2], [0f32; 2]);
    let [before, none] = [View::strided(&x, &[2], &[2], 1), View::new(&seen, &[2])];
    let [new_y, new_z] = [&mut y, &mut z].map(|v| ViewMut::new(v, &[2]).expect("a view"));
    let before = before.expect("a view");
    attrs.run(before, noise, none.expect("a view"), new_y, new_z).expect("a call");
    let part = ViewMut::strided(&mut x, &[2], &[2], 1).expect("a view");
    let state = ViewMut::new(&mut seen, &[2]).expect("a view");
    attrs.run_in_place(part, noise, state).expect("a call");
    assert_eq!((x, seen), ([1.0, y[0], 3.0, y[1]], z));
}

#[test]
fn definitions_say_what_is_replaced() {
    let def = ops::ANNEALED.def();
    assert_eq!(def.updates.to_vec(), [0, 2]);
    let names: Vec<&str> = def.outputs.iter().map(|t| &*t.name).collect();
    assert_eq!(names, ["new_x", "new_seen"]);
    assert_eq!(def.accuracy, Accuracy::AsWritten);
    assert!(def.specs.iter().all(|spec| spec.wide.is_none()));
    let gradient = ops::DIFFERENCE_GRAD.def();
    assert_eq!(&*ops::DIFFERENCE.def().outputs[0].name, "z");
    assert!(gradient.updates.is_empty() && gradient.accuracy == Accuracy::Exact);
}

/// `verify` allows the errors of f32 arithmetic to a formula that asks for it, overflow on the way included.
#[test]
fn errors_are_those_of_f32_arithmetic() {
    super::verify::finds_no_miss(&[&ops::DIFFERENCE], &["--dtype", "f32"]);
}
