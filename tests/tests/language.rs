//! What an author can write, through the macro to the kernel: each operator's kernels and the author's own function against
//! the values that its formula has on paper.
#![allow(missing_docs)]

mod common;
#[path = "../../codegen-cpu/tests/levels/mod.rs"]
mod levels;

use common::{Tensor, run};
use levels::levels;
use op_dsl::ir::DType;
use op_dsl::ir::op::Value;
use op_dsl::{Operator, Options, OracleInput};

/// Numbers as values: in branches, `let`s, constants, parameters and results.
#[op_dsl::operators]
pub mod numbers {
    use op_dsl::prelude::*;

    const SLOPE: f32 = 0.1;
    const TWICE: f64 = 2.0 * THIRD;
    const THIRD: f64 = 1.0 / 3.0;
    const CUBE: i32 = 3;

    #[op(name = "Ramp", dtypes(f32), grad(name = "RampGrad", wrt(x)))]
    pub fn ramp(x: Elem) -> Elem {
        if x > 0.0 { x } else { 0.0 }
    }

    #[op(name = "Swish", dtypes(f32))]
    pub fn swish(x: Elem) -> Elem {
        let k = 1.702;
        x * sigmoid(k * x)
    }

    #[op(name = "Leaky", dtypes(f32))]
    pub fn leaky(x: Elem) -> Elem {
        let below = SLOPE;
        scaled(x, below) + TWICE
    }

    #[op(name = "LeakyBy", dtypes(f32))]
    pub fn leaky_by(x: Elem, #[attr(default = SLOPE)] alpha: f32) -> Elem {
        scaled(x, alpha) + scaled(x, 2.0 * alpha)
    }

    /// One formula for a number and an attribute.
    #[formula]
    fn scaled(x: Elem, slope: f32) -> Elem {
        if x > 0.0 { x } else { slope * x }
    }

    #[op(name = "Pieces", dtypes(f32))]
    pub fn pieces(x: Elem, #[attr(default = true)] odd: bool) -> Elem {
        const HALF: f32 = 0.5;
        #[formula]
        fn piece(x: Elem, odd: bool) -> (Elem, f64) {
            if odd { (x.powi(CUBE), HALF) } else { (0.25, 0.0) }
        }
        let (bend, shift) = if x < -1.0 { (-1.0, 0.0) } else { piece(x, odd) };
        let level: f64 = 4.0;
        bend + shift * level
    }
}

/// An operator of one of the families, by its name.
fn named(name: &str) -> &'static Operator {
    let mut all = [numbers::OPERATORS].concat().into_iter();
    all.find(|op| op.name() == name).expect("an operator of this file")
}

fn close(got: f64, want: f64, by: f64) -> bool {
    (got - want).abs() <= by * want.abs() || got == want || (got.is_nan() && want.is_nan())
}

/// Kernels at every level, and the author's own function.
#[track_caller]
fn check(name: &str, attrs: &[Value], point: &[f64], want: &[f64]) {
    let op = named(name);
    let attrs = if attrs.is_empty() { op.default_attrs() } else { attrs.to_vec() };
    let judged = op.oracle(&OracleInput { streams: point, attrs: &attrs });
    assert_eq!(judged.len(), want.len(), "{name}");
    for (k, (got, want)) in judged.iter().zip(want).enumerate() {
        assert!(
            close(*got, *want, 1e-9),
            "{name}{point:?}: output {k} of the oracle is {got}, not {want}"
        );
    }
    let element = |v: &f64| Tensor::new(&[19], DType::F32, || *v);
    let inputs: Vec<Tensor> = point.iter().map(element).collect();
    for level in levels() {
        let options = Options { level: Some(level), ..Options::default() };
        let out = run(op, &attrs, &inputs, &options);
        for (k, (out, want)) in out.iter().zip(want).enumerate() {
            for got in (0..19).map(|i| out.at(i)) {
                let level = level.name();
                assert!(
                    close(got, *want, 1e-6),
                    "{name}{point:?} {level}: output {k} is {got}, not {want}"
                );
            }
        }
    }
}

#[test]
fn numbers_are_values() {
    for (x, y, slope) in [(-2.0, 0.0, 0.0), (0.0, 0.0, 0.0), (3.0, 3.0, 1.0)] {
        check("Ramp", &[], &[x], &[y]);
        check("RampGrad", &[], &[0.5, x], &[0.5 * slope]);
    }
    check("Swish", &[], &[1.0], &[1.0 / (1.0 + (-1.702f64).exp())]);
    // A constant of f32 is the number that Rust makes of it.
    let tenth = f64::from(0.1f32);
    check("Leaky", &[], &[-2.0], &[-2.0 * tenth + 2.0 / 3.0]);
    check("LeakyBy", &[], &[-2.0], &[-6.0 * tenth]);
    check("LeakyBy", &[Value::Float(0.5)], &[-2.0], &[-3.0]);
    check("Pieces", &[], &[2.0], &[10.0]);
    check("Pieces", &[], &[-2.0], &[-1.0]);
    check("Pieces", &[Value::Bool(false)], &[2.0], &[0.25]);
}
