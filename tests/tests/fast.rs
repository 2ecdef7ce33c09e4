//! `accuracy = "fast"`: the same formulas with and without it.
#![allow(missing_docs)]

#[path = "../../codegen-cpu/tests/levels/mod.rs"]
mod levels;
#[path = "common/verify.rs"]
mod verify;

use levels::levels;
use op_dsl::ir::op::{Accuracy, Fast, OpDef};
use op_dsl::ir::rounding::{largest_addends, worst_of_addends};
use op_dsl::ir::{DType, format::Format};
use op_dsl::{Operator, Options, View, ViewMut};

#[op_dsl::operators]
pub mod ops {
    use op_dsl::prelude::*;

    #[formula]
    fn cross_entropy(x: Elem, t: Elem) -> Elem {
        -(t * ln(sigmoid(x)) + (1.0 - t) * ln(1.0 - sigmoid(x)))
    }

    #[op(name = "ExactEntropy", dtypes(f32), grad(name = "ExactEntropyGrad", wrt(x)))]
    pub fn exact_entropy(x: Elem, t: Elem) -> Elem {
        cross_entropy(x, t)
    }

    #[op(
        name = "FastEntropy",
        dtypes(f32),
        accuracy = "fast",
        grad(name = "FastEntropyGrad", wrt(x), accuracy = "fast")
    )]
    pub fn fast_entropy(x: Elem, t: Elem) -> Elem {
        cross_entropy(x, t)
    }

    /// Its gradient does not say that it is fast.
    #[op(
        name = "FastDifference",
        dtypes(f32),
        accuracy = "fast",
        grad(name = "FastDifferenceGrad", wrt(x))
    )]
    pub fn fast_difference(x: Elem, t: Elem) -> Elem {
        tanh(x) - tanh(t)
    }

    /// The rounding error of the product is that of the whole exponent, so that f32 does not do.
    #[op(name = "FastSwish", dtypes(f32), accuracy = "fast")]
    pub fn fast_swish(x: Elem, b: Elem) -> Elem {
        x * sigmoid(1.702 * b * x)
    }
}

fn fast(def: &OpDef) -> Fast {
    def.specs[0].wide.as_ref().map_or(Fast::NONE, |wide| wide.fast)
}

#[test]
fn each_operator_says_it() {
    let accuracy = |op: &'static Operator| op.def().accuracy;
    assert_eq!(accuracy(&ops::EXACT_ENTROPY), Accuracy::Exact);
    assert_eq!(accuracy(&ops::FAST_ENTROPY_GRAD), Accuracy::Fast);
    assert_eq!(accuracy(&ops::FAST_DIFFERENCE_GRAD), Accuracy::Exact);
    assert_eq!(fast(ops::EXACT_ENTROPY.def()), Fast::NONE);
    assert!(
        fast(ops::FAST_ENTROPY.def()).serves() && fast(ops::FAST_DIFFERENCE.def()).tables.is_some()
    );
    // f64 stays, as nothing else reaches the budget.
    assert_eq!(fast(ops::FAST_SWISH.def()), Fast::NONE);
}

/// Results of both operators at elements with infinities and NaN, and where terms cancel.
#[test]
fn limits_and_nan_are_those_of_exact_results() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let x = [inf, -inf, nan, 0.5, 1.0, -90.0, 90.0, 3e38, -3e38, 1e-40, 0.0, 17.0];
    let t = [0.5, 0.5, 0.5, nan, inf, 1.0, 0.0, 0.5, 1.0, 0.5, 0.5, 0.999_999_96];
    let n = x.len();
    let run = |op: &Operator, level| {
        let views: Vec<View> = match op.def().inputs.len() {
            3 => vec![View::new(&[1.0f32; 12], &[n]), View::new(&x, &[n]), View::new(&t, &[n])],
            _ => vec![View::new(&x, &[n]), View::new(&t, &[n])],
        }
        .into_iter()
        .map(|view| view.expect("a view"))
        .collect();
        let mut y = vec![0f32; n];
        let mut out = [ViewMut::new(&mut y, &[n]).expect("a view")];
        let options = Options { level: Some(level), ..Options::default() };
        op.run(&[], &views, &mut out, &options).expect("a call");
        y
    };
    for level in levels() {
        for (exact, fast) in [
            (&ops::EXACT_ENTROPY, &ops::FAST_ENTROPY),
            (&ops::EXACT_ENTROPY_GRAD, &ops::FAST_ENTROPY_GRAD),
        ] {
            for (k, (exact, got)) in run(exact, level).into_iter().zip(run(fast, level)).enumerate()
            {
                let is_same = exact == got || exact.is_nan() && got.is_nan();
                let streams = [f64::from(x[k]), f64::from(t[k])];
                let with_dy = [1.0, streams[0], streams[1]];
                let streams = if fast.def().inputs.len() == 3 { &with_dy[..] } else { &streams };
                let addend = largest_addends(&fast.def().specs[0].traced, streams, &[])[0];
                let off = f64::from((exact - got).abs());
                let is_near = off <= 6.0 * Format::of(DType::F32).ulp(addend);
                assert!(is_same || is_near, "{level:?} {k}: {got}, not {exact}");
            }
        }
    }
}

/// `verify` judges by the largest addend.
#[test]
fn errors_are_within_the_budget() {
    for op in [&ops::FAST_ENTROPY, &ops::FAST_ENTROPY_GRAD, &ops::FAST_DIFFERENCE, &ops::FAST_SWISH]
    {
        verify::finds_no_miss(&[op], &[op.name()]);
    }
}

/// The question of the estimate: relative to the result a difference has no digits, relative to its terms it has all.
#[test]
fn the_estimate_is_relative_to_the_largest_addend() {
    let spec = &ops::FAST_DIFFERENCE.def().specs[0];
    assert!(spec.wide.as_ref().is_some_and(|wide| wide.single));
    assert!(worst_of_addends(&spec.traced, &spec.graph, &[]) < 4.0);
    let addend = largest_addends(&spec.traced, &[0.5, 0.5], &[])[0];
    assert!((addend - 0.5f64.tanh()).abs() < 1e-12, "{addend}");
}
