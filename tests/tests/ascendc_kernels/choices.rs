//! Formulas with `if` and their derivatives, on every architecture.
//!
//! Selects between constants, vectors and attributes, nested, at their breakpoints and for NaN.

use super::common::*;
use super::judge::judge;
use super::program::Program;
use super::shared::planned;
use codegen_ascendc::arch::Soc;
use codegen_ascendc::plan::{Plan, Storage};
use op_dsl::ir::DType;
use op_dsl::ir::op::Value;

/// Only the first is for bf16, whose results are those of f32, rounded.
#[op_dsl::operators(kernels = false)]
pub mod ops {
    use op_dsl::prelude::*;

    /// A choice between a vector and a scaled one.
    #[op(name = "Leaky", grad(name = "LeakyGrad", wrt(x)))]
    pub fn leaky(x: Elem, #[attr(default = 0.25)] slope: f32) -> Elem {
        if x > 0.0 { x } else { slope * x }
    }

    /// One inside another, with a constant first.
    #[op(name = "Hard", dtypes(f16, f32), grad(name = "HardGrad", wrt(x)))]
    pub fn hard(x: Elem) -> Elem {
        if x <= -3.0 {
            0.0 * x
        } else if x < 3.0 {
            x * (x + 3.0) * 0.125
        } else {
            x
        }
    }

    /// A branch that grows where it is not taken.
    #[op(name = "Elu", dtypes(f16, f32), grad(name = "EluGrad", wrt(x)))]
    pub fn elu(x: Elem, #[attr(default = 1.5)] alpha: f32) -> Elem {
        if x > 0.0 { x } else { alpha * (exp(x) - 1.0) }
    }

    /// Constants and attributes only, by two vectors.
    #[op(name = "Step", dtypes(f16, f32), outputs(y, z))]
    pub fn step(x: Elem, w: Elem, #[attr(default = -0.5)] low: f32) -> (Elem, Elem) {
        let a = if x < w { 1.0 } else { -2.0 };
        let b = if x == w || x >= 2.5 { low } else { 2.0 * low };
        (a * x, b)
    }

    /// A condition of an attribute, and what scalar code cannot compute of one.
    #[op(name = "Ruled", dtypes(f16, f32), grad(name = "RuledGrad", wrt(x, w)))]
    pub fn ruled(x: Elem, w: Elem, #[attr(default = 0.5)] alpha: f32) -> Elem {
        let z = if alpha > 0.25 { x * w } else { x - w };
        z * exp(alpha) + (2.0 * alpha + 3.0 * x)
    }

    /// Kinks that primitives have of themselves.
    #[op(name = "Kinks", dtypes(f16, f32), grad(name = "KinksGrad", wrt(x, w)))]
    pub fn kinks(x: Elem, w: Elem, #[attr(default = 1.25)] limit: f32) -> Elem {
        abs(x) * w + max(min(x, limit), -limit) + max(x, w)
    }
}

/// Breakpoints of the conditions above, infinities and NaN.
///
/// No exponential overflows in `float` alone, because a gradient multiplies the untaken branch by zero on every
/// target.
const EDGES: [f64; 14] = [
    f64::NAN,
    f64::NEG_INFINITY,
    -50.0,
    -3.0,
    -1.25,
    -0.25,
    -0.0,
    0.0,
    0.25,
    1.25,
    2.5,
    3.0,
    50.0,
    f64::INFINITY,
];

/// Checks every pair of these values in all inputs.
///
/// The last of three inputs is an exception, because it is a gradient's other factor.
fn edges(p: &Program, attrs: &[Value], dtype: DType) {
    let n = EDGES.len();
    let mut at = 0;
    let ins = inputs(p.op, attrs, &[n * n], dtype, |_| {
        let (input, i) = (at / (n * n), at % (n * n));
        at += 1;
        // A gradient's first input is `dy`.
        match (p.op.def().grad_of.is_some(), input) {
            (true, 0) => 1.5,
            (gradient, input) if input == usize::from(gradient) => EDGES[i / n],
            _ => EDGES[i % n],
        }
    });
    let ran = p.run(attrs, &ins, 3);
    judge(p, attrs, &ins, &[n * n], &ran);
}

#[test]
fn every_choice_on_tensors_and_in_registers() {
    every_choice(&["ascend910b", "ascend950"]);
}

#[test]
#[ignore = "a quarter of a minute: .ci/deep everything"]
fn every_choice_on_all_other_products() {
    every_choice(&["ascend310p", "ascend910"]);
}

fn every_choice(products: &[&str]) {
    for soc in products.iter().map(|name| Soc::named(name).expect("a target")) {
        for p in &Program::all(ops::OPERATORS, soc.name) {
            let attrs = p.op.default_attrs();
            for dtype in p.dtypes() {
                for (domain, cores) in [(&[37, 33][..], 2), (&[1], 1), (&[5, 9001], 40)] {
                    super::check(p, &attrs, domain, dtype, cores);
                }
                edges(p, &attrs, dtype);
            }
            let mut other = attrs.clone();
            other.iter_mut().for_each(|v| {
                if let Value::Float(v) = v {
                    *v = -*v;
                }
            });
            super::check(p, &other, &[3, 70], p.dtypes()[0], 2);
        }
    }
}

/// Plans just within their error budget are preferred to much more expensive ones.
///
/// These took 93 and 67 calls once, of which the second was no more accurate.
#[test]
fn second_derivatives_take_the_cheaper_plan() {
    for (name, soc, most) in
        [("GeGluGradGradV2", "ascend950", 38), ("GeluGradGradV2", "ascend910b", 45)]
    {
        let soc = Soc::named(soc).expect("a target");
        let package = planned(super::operator(name), soc, Storage::default()).expect("plans");
        let is_wanted = |plan: &&Plan| plan.dtype == DType::F32 && plan.soc.name == soc.name;
        for plan in package.plans.iter().filter(is_wanted) {
            assert!(plan.cost.calls <= most, "{name} on {}: {} calls", soc.name, plan.cost.calls);
        }
    }
}
