//! Handwritten gradients and interleaved splits.
//!
//! The differential tests do not cover these, because no operator of the table has them.
#![allow(missing_docs)]

mod common;
#[path = "../../codegen-cpu/tests/levels/mod.rs"]
mod levels;

use common::*;
use levels::levels;
use op_dsl::ir::DType;
use op_dsl::ir::op::Value;
use op_dsl::{Level, Operator, Options};

/// Right ones: what each expansion tests of itself runs here.
#[op_dsl::operators]
pub mod right {
    use op_dsl::prelude::*;

    #[derive(OpAttr, Clone, Copy, Debug, PartialEq)]
    pub enum Mode {
        Plain,
        Cut,
    }

    /// `y = value * gate * sigmoid(beta gate) + z * gate`, over alternating elements.
    #[op(name = "Mixed")]
    pub fn mixed(
        #[split(along = dim, interleaved)] x: Gated,
        z: Elem,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = 1.5)] beta: f32,
    ) -> Elem {
        #[saved]
        let s = sigmoid(beta * x.gate);
        x.value * x.gate * s + z * x.gate
    }

    /// Two outputs, and a saved value among the inputs.
    #[op(name = "MixedGrad", grad_of = mixed, outputs(dx, dz))]
    pub fn mixed_grad(
        dy: Elem,
        #[split(along = dim, interleaved)] x: Gated,
        z: Elem,
        s: Elem,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = 1.5)] beta: f32,
    ) -> (Gated, Elem) {
        let gate = x.value * s * (1.0 + beta * x.gate * (1.0 - s)) + z;
        (Gated { gate: dy * gate, value: dy * x.gate * s }, dy * x.gate)
    }

    /// The gate is the odd element, and the gradient is derived.
    #[op(name = "Odd", grad(name = "OddGrad", wrt(x)))]
    pub fn odd(
        #[split(along = dim, gate_left = false, interleaved)] x: Gated,
        #[attr(default = -1)] dim: Dim,
    ) -> Elem {
        x.value * silu(x.gate)
    }

    /// Names that an expansion might have had for itself.
    #[op(name = "Names", grad(name = "NamesGrad", wrt(x)))]
    pub fn a(x: Elem, saved: Elem) -> Elem {
        #[saved]
        let y0 = exp(-abs(x));
        y0 * saved
    }

    /// One kink, of which two specialisations make different things.
    #[op(name = "Leaky")]
    pub fn leaky(
        x: Elem,
        #[attr(default = Mode::Plain)] mode: Mode,
        #[attr(default = 0.0)] slope: f32,
    ) -> Elem {
        let y = if x > 0.0 { x } else { slope * x };
        match mode {
            Mode::Plain => y,
            Mode::Cut => min(y, 2.0),
        }
    }

    /// Names of CANN's own: matched by their order.
    #[op(name = "LeakyGrad", grad_of = leaky, outputs(backprops))]
    pub fn leaky_grad(
        gradients: Elem,
        x: Elem,
        #[attr(default = 0.0)] slope: f32,
        #[attr(default = Mode::Plain)] mode: Mode,
    ) -> Elem {
        let cut = mode == Mode::Cut;
        let y = if x > 0.0 { x } else { slope * x };
        let dx = if x > 0.0 { gradients } else { slope * gradients };
        if cut && y > 2.0 { 0.0 * gradients } else { dx }
    }
}

/// Compares the kernel with the graph in f64. The error budget is relative to the largest intermediate value.
fn check(op: &Operator, attrs: &[Value], domain: &[usize], dtype: DType, level: Level) {
    let mut random = Random(domain.iter().sum::<usize>() as u64);
    let ins = inputs(op, attrs, domain, dtype, |_| random.normal(2.0));
    let options = Options { level: Some(level), threads: 1, ..Options::default() };
    let outs = run(op, attrs, &ins, &options);
    let graph = graph(op, attrs);
    let scalars: Vec<f64> = attrs
        .iter()
        .filter_map(|v| match v {
            Value::Float(v) => Some(*v),
            _ => None,
        })
        .collect();
    for i in 0..domain.iter().product() {
        let x = element(op, attrs, &ins, domain, i);
        let largest =
            graph.eval_all(&x, &scalars).into_iter().fold(0.0, |a: f64, v| a.max(v.abs()));
        let want = graph.eval(&x, &scalars);
        for (k, stream) in op.def().output_streams().into_iter().enumerate() {
            let got = outs[stream.tensor].at(place(op, attrs, stream, domain, i));
            let allowed = match dtype {
                DType::F32 => 8.0 * ulp(dtype, largest, 0.0),
                _ => 1.01 * ulp(dtype, want[k], largest / 128.0),
            };
            assert!(
                (got - want[k]).abs() <= allowed,
                "{} {attrs:?} {domain:?} {dtype} {}: output {k} of {x:?} is {got}, not {}",
                op.name(),
                level.name(),
                want[k]
            );
        }
    }
}

#[test]
fn kernels_agree_with_graphs() {
    for op in right::OPERATORS {
        for attrs in attribute_values(op) {
            for dtype in DType::ALL {
                for level in levels() {
                    for n in [1, 7, 8, 16, 17, 31, 32, 33, 64, 129, 1000] {
                        check(op, &attrs, &[n], dtype, level);
                        check(op, &attrs, &[3, n], dtype, level);
                    }
                }
            }
        }
    }
}

#[test]
fn any_dimension_is_split() {
    for op in right::OPERATORS {
        let Some(dim) = dim_attr(op) else { continue };
        for d in -3..3 {
            let mut attrs = op.default_attrs();
            attrs[dim] = Value::Int(d);
            for dtype in DType::ALL {
                for domain in [[5, 3, 37], [2, 40, 1], [1, 1, 9]] {
                    for level in levels() {
                        check(op, &attrs, &domain, dtype, level);
                    }
                }
            }
        }
    }
}

/// Wrong gradients and their reports.
///
/// They are in a function, so that the tests of the expansion itself, which must fail, are not run.
#[allow(unnameable_test_items)]
fn refused(what: &str) -> String {
    #[op_dsl::operators(kernels = false)]
    mod wrong {
        use op_dsl::prelude::*;

        #[op(name = "Square")]
        pub fn square(x: Elem, z: Elem) -> Elem {
            x * x * z
        }

        /// The factor 2 is missing.
        #[op(name = "Half", grad_of = square, outputs(dx))]
        pub fn half(dy: Elem, x: Elem, z: Elem) -> Elem {
            dy * x * z
        }

        /// Right at `z = 1` only, and not a number elsewhere.
        #[op(name = "Nan", grad_of = square, outputs(dx))]
        pub fn nan(dy: Elem, x: Elem, z: Elem) -> Elem {
            if z == 1.0 { 2.0 * dy * x } else { ln(-exp(dy * x)) }
        }

        #[op(name = "NoUpstream", grad_of = square, outputs(dx))]
        pub fn no_upstream(x: Elem, z: Elem) -> Elem {
            2.0 * x * z
        }

        #[op(name = "Unnamed", grad_of = square, outputs(w))]
        pub fn unnamed(dy: Elem, x: Elem, z: Elem) -> Elem {
            2.0 * dy * x * z
        }

        #[op(name = "Undefined")]
        pub fn undefined(x: Elem) -> Elem {
            ln(-abs(x))
        }

        #[op(name = "UndefinedGrad", grad_of = undefined, outputs(dx))]
        pub fn undefined_grad(dy: Elem, x: Elem) -> Elem {
            dy / x
        }
    }
    let named = |name: &str| wrong::OPERATORS.iter().find(|o| o.name() == name).expect("a name");
    let gradient = named(what);
    let of = gradient.def().forward().expect("a gradient");
    op_dsl::check::gradient(named(of), gradient).expect_err(what)
}

#[test]
fn what_is_no_gradient_is_told() {
    for (what, why) in [
        ("Half", "`Half` is not the gradient of `Square`: `dx` is "),
        ("Nan", "`dx` is NaN, not "),
        ("NoUpstream", "one input is the upstream gradient, besides some of: x, z, y"),
        ("Unnamed", "outputs are `d` and the name of an input, of x, z"),
        ("UndefinedGrad", "fewer than 20 of 400 points have a derivative"),
    ] {
        let said = refused(what);
        assert!(said.contains(why), "{what}: {said}");
    }
}
