//! Second derivatives.
//!
//! Cases have saved values, attributes, masks, optional inputs, breakpoints, and several outputs.

use super::common::*;
use super::levels::levels;
use op_dsl::ir::DType;
use op_dsl::{Operator, Options, check};

#[op_dsl::operators]
pub mod second {
    use op_dsl::prelude::*;

    /// Half of the formula is saved, which the second derivative follows.
    #[op(
        name = "Decay",
        dtypes(f32),
        grad(name = "DecayGrad", wrt(x, k), grad(name = "DecayGradGrad", wrt(dy, x, k)))
    )]
    pub fn decay(x: Elem, k: Elem, #[attr(default = 0.5)] rate: f32) -> Elem {
        #[saved]
        let e = exp(-(rate * x * x));
        k * x * e
    }

    /// A split result, a mask, and what may be left out.
    #[op(
        name = "Kept",
        dtypes(f32),
        grad(name = "KeptGrad", wrt(x), grad(name = "KeptGradGrad", wrt(dy, x)))
    )]
    pub fn kept(
        #[split(along = dim, gate_left = true)] x: Gated,
        #[mask] keep: Mask,
        scale: Option<Elem>,
        #[attr(default = -1)] dim: Dim,
    ) -> Elem {
        let y = sin(x.gate) * x.value * scale.unwrap_or(2.0) * x.value;
        if keep { y } else { 0.0 }
    }

    #[op(
        name = "Kinks",
        dtypes(f32),
        outputs(relu, abs, min, held),
        grad(name = "KinksGrad", wrt(x), grad(name = "KinksGradGrad", wrt(x)))
    )]
    pub fn kinks(x: Elem) -> (Elem, Elem, Elem, Elem) {
        (relu(x), abs(x), min(x, 1.0), clamp(x, -1.0, 1.0))
    }

    /// Broadcast, but not what is differentiated by.
    #[op(
        name = "Powers",
        dtypes(f32),
        broadcast,
        grad(
            name = "PowersGrad",
            wrt(x, n),
            broadcast = false,
            grad(name = "PowersGradGrad", wrt(dy, x, n))
        )
    )]
    pub fn powers(x: Elem, n: Elem) -> Elem {
        powf(x, n) / (1.0 + n * n)
    }

    #[op(name = "Logistic", dtypes(f32))]
    pub fn logistic(x: Elem) -> Elem {
        sigmoid(x)
    }

    /// By its result, as written.
    #[op(
        name = "LogisticGrad", dtypes(f32), grad_of = logistic, outputs(dx),
        grad(name = "LogisticGradGrad", wrt(y, dy), outputs(by_y, by_dy))
    )]
    pub fn logistic_grad(y: Elem, dy: Elem) -> Elem {
        dy * y * (1.0 - y)
    }
}

/// Compares second derivatives with central differences of the graphs of first ones.
///
/// For saved values these differences are derivatives as well.
#[test]
fn they_are_the_gradients_of_gradients() {
    let second = second::OPERATORS.iter().filter(|op| op.name().ends_with("GradGrad"));
    let names: Vec<&str> = second.clone().map(|op| op.name()).collect();
    assert_eq!(names.len(), 5, "{names:?}");
    for g in second {
        let f = forward(second::OPERATORS, g).expect("a gradient");
        check::gradient(f, g).unwrap_or_else(|why| panic!("{why}"));
    }
}

/// Compares graphs with the reference evaluator, and those that are not derived with the author's function.
#[test]
fn graphs_agree_with_their_judges() {
    let mut random = Random(7);
    for op in second::OPERATORS {
        for attrs in attribute_values(op) {
            let (graph, scalars) = (graph(op, &attrs), scalars(&attrs));
            for _ in 0..500 {
                // Bases are positive, because powers of negative numbers are NaN.
                let mut draw = |op: &Operator| -> Vec<f64> {
                    let streams = op.def().input_streams();
                    streams.iter().map(|_| random.normal(1.0).abs() + 0.01).collect()
                };
                // Saved values are computed from the inputs that they belong to.
                let x = match forward(second::OPERATORS, op) {
                    Some(f) => {
                        let mut x = draw(f);
                        spec(f, &attrs).restore(&mut x, &scalars);
                        gradient_streams(f, op, &attrs, &x, 0.75)
                    }
                    None => draw(op),
                };
                let truth = op_dsl_truth::outputs(spec(op, &attrs), &x, &scalars, FORMAT);
                let got = graph.eval(&x, &scalars);
                for want in [Some(truth), op.oracle(&x, &attrs)].into_iter().flatten() {
                    for (want, got) in want.iter().zip(&got) {
                        let is_near = (want - got).abs() <= 1e-9 * got.abs().max(1e-3);
                        assert!(is_near, "{} {x:?}: {got}, not {want}", op.name());
                    }
                }
            }
        }
    }
}

const FORMAT: op_dsl_ir::format::Format = op_dsl_ir::format::Format::of(DType::F32);

/// The derivative of a select is the select of the derivatives.
///
/// A linear function has no second derivative, not even at its breakpoints. NaN stays NaN.
#[test]
fn kinks_have_no_second_derivative() {
    let op: &Operator = &second::KINKS_GRAD_GRAD;
    for level in levels() {
        let options = Options { level: Some(level), ..Options::default() };
        for at in [-2.0, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, f64::NAN] {
            let mut ins = inputs(op, &[], &[19], DType::F32, |_| 2.0);
            let x = op.def().inputs.iter().position(|t| t.name == "x").expect("an input");
            (0..19).for_each(|i| ins[x].set(i, at));
            let out = run(op, &[], &ins, &options)[0].at(18);
            let same = out == 0.0 && !at.is_nan() || out.is_nan() && at.is_nan();
            assert!(same, "at {at}, {}: {out}", level.name());
        }
    }
}

/// A condition that is evaluated twice selects the same branch: no untaken value reaches a result.
#[test]
fn what_a_mask_leaves_out_stays_out() {
    let op: &Operator = &second::KEPT_GRAD_GRAD;
    let keep = op.def().inputs.iter().position(|t| t.name == "keep").expect("an input");
    for attrs in attribute_values(op) {
        let mut ins = inputs(op, &attrs, &[5, 8], DType::F32, |name| match name {
            "keep" => 0.0,
            _ => f64::INFINITY,
        });
        (0..40).for_each(|i| ins[keep].set(i, 0.0));
        for out in run(op, &attrs, &ins, &Options::default()) {
            let n: usize = out.shape.iter().product();
            assert!((0..n).all(|i| out.at(i) == 0.0), "{attrs:?} {out:?}");
        }
    }
}
