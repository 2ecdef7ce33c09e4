//! Operators at points where the formula as written has no correct digit; each needs one pass.
#![allow(missing_docs)]

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../../codegen-cpu/tests/levels/mod.rs"]
mod levels;

use common::{Tensor, run};
use levels::levels;
use op_dsl::ir::{DType, display};
use op_dsl::{Operator, Options};

#[op_dsl::operators]
pub mod formulas {
    use op_dsl::prelude::*;

    #[op(name = "Softplus", dtypes(f32), grad(name = "SoftplusGrad", wrt(x)))]
    pub fn softplus_written_out(x: Elem) -> Elem {
        ln(1.0 + exp(x))
    }

    #[op(name = "Bump", dtypes(f32), outputs(out))]
    pub fn bump(x: Elem, y: Elem) -> Elem {
        y * (x * x * x * exp(-x * x))
    }

    #[op(name = "Settled", dtypes(f32), outputs(out))]
    pub fn settled(x: Elem, y: Elem) -> Elem {
        y * tanh(x * x * x - x * x)
    }

    #[op(name = "Swish", dtypes(f32), outputs(out))]
    pub fn swish(x: Elem, y: Elem) -> Elem {
        x * y / (1.0 + exp(-x * y))
    }

    #[op(name = "Rest", dtypes(f32), outputs(out))]
    pub fn rest(x: Elem, y: Elem) -> Elem {
        y * (1.0 - tanh(x))
    }

    #[op(name = "Mirrored", dtypes(f32), grad(name = "MirroredGrad", wrt(x)))]
    pub fn mirrored(x: Elem) -> Elem {
        1.0 + tanh(-x)
    }

    #[op(name = "Elu", dtypes(f32), grad(name = "EluGrad", wrt(x)))]
    pub fn elu(x: Elem) -> Elem {
        if x > 0.0 { x } else { exp(x) - 1.0 }
    }

    #[op(name = "Least", dtypes(f32), outputs(out), grad(name = "LeastGrad", wrt(x)))]
    pub fn least(x: Elem, y: Elem) -> Elem {
        min(x, y)
    }

    #[op(name = "Most", dtypes(f32), outputs(out), grad(name = "MostGrad", wrt(x)))]
    pub fn most(x: Elem, y: Elem) -> Elem {
        max(x, y)
    }

    #[op(name = "Size", dtypes(f32), grad(name = "SizeGrad", wrt(x)))]
    pub fn size(x: Elem) -> Elem {
        abs(x)
    }

    #[op(name = "Gate", dtypes(f32), outputs(out))]
    pub fn gate(x: Elem, y: Elem, z: Elem) -> Elem {
        y * z * sigmoid(x)
    }

    #[op(name = "Shrunk", dtypes(f32), grad(name = "ShrunkGrad", wrt(x)))]
    pub fn shrunk(x: Elem) -> Elem {
        x - tanh(x)
    }

    #[op(name = "Mish", dtypes(f32), grad(name = "MishGrad", wrt(x)))]
    pub fn mish_by_squares(x: Elem) -> Elem {
        let n = (1.0 + exp(x)) * (1.0 + exp(x));
        x * (n - 1.0) / (n + 1.0)
    }

    #[op(name = "Soft", dtypes(f32), grad(name = "SoftGrad", wrt(x)))]
    pub fn soft(x: Elem) -> Elem {
        x / (1.0 + abs(x))
    }

    #[op(name = "Robust", dtypes(f32), outputs(out), grad(name = "RobustGrad", wrt(x)))]
    pub fn robust(x: Elem, t: Elem) -> Elem {
        let d = x - t;
        d * d / (1.0 + d * d)
    }

    #[op(name = "SoftOf", dtypes(f32), outputs(out), grad(name = "SoftOfGrad", wrt(x)))]
    pub fn soft_of(x: Elem, t: Elem) -> Elem {
        (x - t) / (1.0 + abs(x - t))
    }

    #[op(name = "Swift", dtypes(f32), grad(name = "SwiftGrad", wrt(x)))]
    pub fn swift(x: Elem, #[attr(default = 1.0)] k: f32) -> Elem {
        x / (1.0 + exp(-k * x))
    }

    #[op(name = "Quick", dtypes(f32), outputs(out))]
    pub fn quick(x: Elem, y: Elem) -> Elem {
        y * x * x / (1.0 + exp(-1.702 * x))
    }

    #[op(name = "Lift", dtypes(f32), outputs(out))]
    pub fn lift(x: Elem, y: Elem, z: Elem) -> Elem {
        y * z * erfc(x)
    }
}

fn named(name: &str) -> &'static Operator {
    formulas::OPERATORS.iter().find(|op| op.name() == name).expect("an operator of this file")
}

/// Expected values, computed to 40 digits. The comments say what the result would be without the pass.
#[test]
fn results_are_right_where_formulas_as_written_are_not() {
    let table: &[(&str, &[f64], f64)] = &[
        // recognise: 1 + e^-20 is 1, and e^100 is infinite.
        ("Softplus", &[-20.0], 2.061153620314381e-9),
        ("Softplus", &[100.0], 100.0),
        // recognise before differentiate: otherwise (dy / inf) * inf.
        ("SoftplusGrad", &[0.5, 100.0], 0.5),
        ("SoftplusGrad", &[0.5, -20.0], 1.0305768090951018e-9),
        // differentiate: the untaken branch is infinite, and would be multiplied by zero.
        ("EluGrad", &[0.5, 100.0], 0.5),
        ("EluGrad", &[f64::INFINITY, 100.0], f64::INFINITY),
        ("EluGrad", &[0.5, -20.0], 1.0305768112192785e-9),
        // At breakpoints: half each at a tie, 0 at the corner of `abs`, NaN for NaN.
        ("LeastGrad", &[0.5, 1.0, 2.0], 0.5),
        ("LeastGrad", &[0.5, 2.0, 2.0], 0.25),
        ("LeastGrad", &[f64::INFINITY, 3.0, 2.0], 0.0),
        ("LeastGrad", &[0.5, f64::NAN, 2.0], f64::NAN),
        ("MostGrad", &[f64::INFINITY, 1.0, 2.0], 0.0),
        ("MostGrad", &[0.5, -2.0, -2.0], 0.25),
        ("MostGrad", &[0.5, 3.0, 2.0], 0.5),
        ("MostGrad", &[0.5, 3.0, f64::NAN], f64::NAN),
        ("SizeGrad", &[0.5, -3.0], -0.5),
        ("SizeGrad", &[0.5, 0.0], 0.0),
        ("SizeGrad", &[0.5, 1e-45], 0.5),
        ("SizeGrad", &[0.5, f64::NAN], f64::NAN),
        // saturate: inf * 0, and inf - inf.
        ("Bump", &[1e15, 2.0], 0.0),
        ("Bump", &[-1e30, 2.0], 0.0),
        ("Bump", &[1.0, 2.0], 0.7357588823428847),
        ("Settled", &[1e30, -3.0], -3.0),
        ("Settled", &[-1e30, -3.0], 3.0),
        ("Settled", &[f64::INFINITY, -3.0], -3.0),
        // simplify, so that `-x * y` is the negative of `x * y`: otherwise e^90 is infinite in f32.
        ("Swish", &[-90.0, 1.0], -7.374611361591464e-38),
        // stabilise: 1 - 1.
        ("Rest", &[12.0, 2.0], 1.5100538177654633e-10),
        ("Mirrored", &[12.0], 7.550269088827316e-11),
        // In f64: otherwise 1.702 x is rounded, and its exponential multiplies that error.
        ("Quick", &[-30.0, 1e20], 6.014039323502829),
        // series: x - x.
        ("Shrunk", &[1e-5], 3.3333333332e-16),
        ("Shrunk", &[-1e-12], -3.3333333333e-37),
        // rational: 1 - 4 / 4, 1 - 1, and inf / inf.
        ("ShrunkGrad", &[0.5, 1e-9], 5e-19),
        ("Mish", &[-40.0], -1.6993417021166356e-16),
        ("Mish", &[-1e30], 0.0),
        ("Mish", &[70.0], 70.0),
        ("MishGrad", &[0.5, 90.0], 0.5),
        ("MishGrad", &[1.0, -40.0], -1.6568581595637196e-16),
        // rational: 1/d - (1/d - 1/d^2).
        ("SoftGrad", &[1e20, 1e10], 0.9999999998),
        ("SoftGrad", &[f64::INFINITY, f64::NAN], f64::NAN),
        // functions_of_sums: 1 + x^2 - 2 x t + t^2 is 65536 instead of 65537, or infinite, and 1 + |x - t| cancels.
        ("RobustGrad", &[0.5, 3e9, 3e9 + 256.0], -5.9602825827619596e-8),
        ("RobustGrad", &[0.5, 3e9, 3e9 - 256.0], 5.9602825827619596e-8),
        ("RobustGrad", &[2e36, 1e27, 1e27], 0.0),
        ("SoftOfGrad", &[1.0, 3.0, -18_014_398_509_481_984.0], 3.0814879110195774e-33),
        ("SoftOfGrad", &[0.5, -1e30, 1e30], 0.0),
        // limits: inf * 0 and inf / inf.
        ("Quick", &[-1e30, 1e30], 0.0),
        ("Quick", &[f64::NEG_INFINITY, 1.0], 0.0),
        ("Swift", &[f64::NEG_INFINITY], 0.0),
        ("Swift", &[f64::INFINITY], f64::INFINITY),
        ("SwiftGrad", &[2.0, f64::INFINITY], 2.0),
        ("SwiftGrad", &[2.0, -1e38], 0.0),
        // stabilise: inf * 0, and inf before it is a quarter.
        ("Gate", &[-400.0, 1e30, 1e30], 0.0),
        ("Lift", &[-5.0, 3e38, 0.25], 1.5e38),
    ];
    for &(name, point, want) in table {
        let op = named(name);
        let element = |v: &f64| Tensor::new(&[19], DType::F32, || *v);
        let inputs: Vec<Tensor> = point.iter().map(element).collect();
        for level in levels() {
            let options = Options { level: Some(level), ..Options::default() };
            let out = run(op, &op.default_attrs(), &inputs, &options).swap_remove(0);
            for i in 0..19 {
                let close = (out.at(i) - want).abs() <= 1e-6 * want.abs()
                    || out.at(i) == want
                    || (out.at(i).is_nan() && want.is_nan());
                assert!(close, "{name}{point:?} {}: {}, not {want}", level.name(), out.at(i));
            }
        }
    }
}

/// simplify after the other passes, so that graphs have no redundant call.
///
/// After stabilise, `2 * -x` would be one call more; after differentiate, the gradient would have factors of one.
#[test]
fn no_call_is_one_too_many() {
    for (name, want) in [
        ("Mirrored", "2 * sigmoid(-2 * x)"),
        ("Rest", "2 * sigmoid(-2 * x) * y"),
        ("SoftplusGrad", "dy * sigmoid(x)"),
    ] {
        let def = &named(name).def();
        let text = display::expression(&def.specs[0].graph, &def.input_names(), &[]);
        assert_eq!(text, want, "{name}");
    }
    let def = named("MirroredGrad").def();
    let text = display::expression(&def.specs[0].traced, &def.input_names(), &[]);
    assert_eq!(text, "dy * (-4 * (sigmoid(-2 * x) * sigmoid(2 * x)))");
}
