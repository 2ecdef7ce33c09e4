//! The language, from the macro to the kernel.
//!
//! Each operator's kernels and the author's function, or for derived gradients the reference evaluator, are compared with
//! the mathematical values of its formula.
#![allow(missing_docs)]

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "language/finite.rs"]
mod finite;
#[path = "../../../codegen-cpu/tests/levels/mod.rs"]
mod levels;
#[path = "language/masks.rs"]
mod masks;
#[path = "language/optional.rs"]
mod optional;
#[path = "language/rows.rs"]
mod rows;
#[path = "language/second.rs"]
mod second;
#[path = "language/updates.rs"]
mod updates;
#[path = "../../tests/common/verify.rs"]
mod verify;

use common::{Tensor, judged, run};
use levels::levels;
use op_dsl::ir::DType;
use op_dsl::ir::op::Value;
use op_dsl::{Operator, Options, View, ViewMut};

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

/// Spellings that rustc alone would not take, or would take for something else.
#[op_dsl::operators]
pub mod spellings {
    use op_dsl::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq, OpAttr)]
    pub enum Side {
        Left,
        Right,
    }

    /// Numbers have the methods of elements, and may be results.
    #[formula]
    pub(crate) fn width() -> f64 {
        (2.0 / std::f64::consts::PI).sqrt() * 2.0.recip()
    }

    #[formula]
    fn weights(side: Side, near: f64) -> (f64, f32) {
        match side {
            Side::Left => (near, -1.0),
            Side::Right => (0.0, near.powi(-2)),
        }
    }

    #[op(name = "Weighted", dtypes(f32))]
    pub fn weighted(x: Elem, #[attr(default = Side::Left)] side: Side) -> Elem {
        let (a, b) = weights(side, 4.0);
        let c = if side == Side::Left { 1.0 } else { 2.0 };
        let d = if x < 0.0 { -c } else { c };
        a * x + b + d * width()
    }

    #[op(name = "Cut", dtypes(f32))]
    pub fn cut(#[split(along = dim)] x: Gated, #[attr(default = -1)] dim: Dim) -> Gated {
        let inside: bool = x.gate > 0.0 && x.gate < 1.0;
        if inside { x } else { Gated { gate: 0.0, value: max(0.5, x.value) } }
    }
}

/// How parts lie, by attributes.
#[op_dsl::operators]
pub mod parts {
    use op_dsl::prelude::*;

    #[op(name = "Parts", dtypes(f32), grad(name = "PartsGrad", wrt(x)))]
    pub fn parts(
        #[split(along = dim, gate_left = left, interleaved = turns)] x: Gated,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = true)] left: bool,
        #[attr(default = false)] turns: bool,
    ) -> Elem {
        10.0 * x.gate + x.value
    }
}

/// The functions that are short for formulas, or have a rule of their own at kinks.
#[op_dsl::operators]
pub mod functions {
    use op_dsl::prelude::*;

    #[op(name = "Relu", dtypes(f32), grad(name = "ReluGrad", wrt(x)))]
    pub fn rectified(x: Elem) -> Elem {
        relu(x)
    }

    #[op(name = "Relu6", dtypes(f32), grad(name = "Relu6Grad", wrt(x)))]
    pub fn rectified_6(x: Elem) -> Elem {
        clamp(x, 0.0, 6.0)
    }

    #[op(name = "Clipped", dtypes(f32), grad(name = "ClippedGrad", wrt(x)))]
    pub fn clipped(x: Elem, #[attr(default = 2.0)] limit: f32) -> Elem {
        x.clamp(-limit, limit)
    }

    #[op(
        name = "Held",
        dtypes(f32),
        outputs(out),
        grad(name = "HeldGrad", wrt(x, y, z), outputs(by_x, by_y, by_z))
    )]
    pub fn held(x: Elem, y: Elem, z: Elem) -> Elem {
        clamp(x, y, z)
    }

    #[op(name = "Sign", dtypes(f32), grad(name = "SignGrad", wrt(x)))]
    pub fn signed(x: Elem) -> Elem {
        3.0 * sign(x)
    }

    #[op(name = "Recip", dtypes(f32), grad(name = "RecipGrad", wrt(x)))]
    pub fn inverse(x: Elem) -> Elem {
        x.recip()
    }

    #[op(name = "Sinh", dtypes(f32), grad(name = "SinhGrad", wrt(x)))]
    pub fn hyperbolic_sine(x: Elem) -> Elem {
        sinh(x)
    }

    #[op(name = "Cosh", dtypes(f32), grad(name = "CoshGrad", wrt(x)))]
    pub fn hyperbolic_cosine(x: Elem) -> Elem {
        x.cosh()
    }

    /// Found by its value: written out, its derivative would cancel.
    #[op(name = "CoshByHand", dtypes(f32), grad(name = "CoshByHandGrad", wrt(x)))]
    pub fn by_hand(x: Elem) -> Elem {
        0.5 * (exp(x) + exp(-x))
    }

    #[op(name = "Exp2", dtypes(f32), grad(name = "Exp2Grad", wrt(x)))]
    pub fn power_of_two(x: Elem) -> Elem {
        exp2(x)
    }

    #[op(name = "Log2", dtypes(f32), grad(name = "Log2Grad", wrt(x)))]
    pub fn logarithm(x: Elem) -> Elem {
        log2(x)
    }
}

/// Several outputs, and gradients by several inputs.
#[op_dsl::operators]
pub mod several {
    use op_dsl::prelude::*;

    #[op(
        name = "SumAndProduct",
        dtypes(f32),
        outputs(sum, product),
        grad(name = "SumAndProductGrad", wrt(x, z))
    )]
    pub fn sum_and_product(x: Elem, z: Elem, #[attr(default = 2.0)] alpha: f32) -> (Elem, Elem) {
        (x + alpha * z, x * z)
    }

    /// The bias may be smaller than `x`, so there is a gradient by `x` alone.
    #[op(name = "Biased", dtypes(f32), grad(name = "BiasedGrad", wrt(x)))]
    pub fn biased(x: Elem, #[broadcast] bias: Elem) -> Elem {
        relu(x + bias)
    }

    /// Bounds may be infinite.
    #[op(name = "Between", dtypes(f32), grad(name = "BetweenGrad", wrt(x)))]
    pub fn between(
        x: Elem,
        #[attr(default = 0.0, any)] low: f32,
        #[attr(default = 1.0)] high: f32,
    ) -> Elem {
        if x > low && x < high { x } else { 0.0 }
    }
}

/// Returns an operator of one of the families, by its name.
fn named(name: &str) -> &'static Operator {
    let mut all =
        [numbers::OPERATORS, spellings::OPERATORS, functions::OPERATORS, several::OPERATORS]
            .concat()
            .into_iter();
    all.find(|op| op.name() == name).expect("an operator of this file")
}

fn close(got: f64, want: f64, by: f64) -> bool {
    (got - want).abs() <= by * want.abs() || got == want || (got.is_nan() && want.is_nan())
}

/// Compares kernels at every level, and an independent judge, with the expected values.
#[track_caller]
fn check(name: &str, attrs: &[Value], point: &[f64], want: &[f64]) {
    let op = named(name);
    let attrs = if attrs.is_empty() { op.default_attrs() } else { attrs.to_vec() };
    let known = judged(op, &attrs, point);
    assert_eq!(known.len(), want.len(), "{name}");
    for (k, (got, want)) in known.iter().zip(want).enumerate() {
        assert!(
            close(*got, *want, 1e-9),
            "{name}{point:?}: output {k} of the judge is {got}, not {want}"
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
    // A constant of type f32 is rounded to f32, as in Rust.
    let tenth = f64::from(0.1f32);
    check("Leaky", &[], &[-2.0], &[-2.0 * tenth + 2.0 / 3.0]);
    check("LeakyBy", &[], &[-2.0], &[-6.0 * tenth]);
    check("LeakyBy", &[Value::Float(0.5)], &[-2.0], &[-3.0]);
    check("Pieces", &[], &[2.0], &[10.0]);
    check("Pieces", &[], &[-2.0], &[-1.0]);
    check("Pieces", &[Value::Bool(false)], &[2.0], &[0.25]);
}

#[test]
fn spellings_that_are_formulas() {
    let width = (2.0 / std::f64::consts::PI).sqrt() / 2.0;
    check("Weighted", &[], &[3.0], &[11.0 + width]);
    check("Weighted", &[Value::Int(1)], &[-3.0], &[0.0625 - 2.0 * width]);
    check("Weighted", &[Value::Int(1)], &[NAN], &[NAN]);
    let op = named("Cut");
    for (x, want) in [([0.25, 3.0], [0.25, 3.0]), ([1.0, -2.0], [0.0, 0.5])] {
        let known = judged(op, &op.default_attrs(), &x);
        assert_eq!(known, want);
        assert_eq!(op.def().specs[0].graph.eval(&x, &[]), want);
    }
    // A formula can still be called on elements and numbers.
    assert_eq!(spellings::width(), width);
}

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

#[test]
fn kinks_of_functions() {
    // Point, value, derivative.
    type Point = (f64, f64, f64);
    let table: &[(&str, &str, &[Point])] = &[
        (
            "Relu",
            "ReluGrad",
            &[(-2.0, 0.0, 0.0), (0.0, 0.0, 0.0), (1e-30, 1e-30, 1.0), (INF, INF, 1.0)],
        ),
        (
            "Relu6",
            "Relu6Grad",
            &[(-INF, 0.0, 0.0), (0.0, 0.0, 0.0), (3.0, 3.0, 1.0), (6.0, 6.0, 0.0), (7.0, 6.0, 0.0)],
        ),
        (
            "Clipped",
            "ClippedGrad",
            &[(-2.0, -2.0, 0.0), (1.5, 1.5, 1.0), (2.0, 2.0, 0.0), (INF, 2.0, 0.0)],
        ),
        (
            "Sign",
            "SignGrad",
            &[(-0.5, -3.0, 0.0), (0.0, 0.0, 0.0), (-0.0, 0.0, 0.0), (INF, 3.0, 0.0)],
        ),
    ];
    for &(forward, gradient, points) in table {
        for &(x, y, slope) in points.iter().chain(&[(NAN, NAN, NAN)]) {
            check(forward, &[], &[x], &[y]);
            check(gradient, &[], &[1e30, x], &[1e30 * slope]);
        }
    }
    check("ClippedGrad", &[Value::Float(1.0)], &[0.5, 1.5], &[0.0]);
    // The bound that clamps `x` has all of the derivative.
    for (x, y, z, out, grads) in [
        (0.5, -1.0, 1.0, 0.5, [4.0, 0.0, 0.0]),
        (-1.0, -1.0, 1.0, -1.0, [0.0, 4.0, 0.0]),
        (-3.0, -1.0, 1.0, -1.0, [0.0, 4.0, 0.0]),
        (1.0, -1.0, 1.0, 1.0, [0.0, 0.0, 4.0]),
        (INF, -1.0, 1.0, 1.0, [0.0, 0.0, 4.0]),
        (0.0, 2.0, 1.0, 1.0, [0.0, 0.0, 4.0]),
        (-1.0, 1.0, 1.0, 1.0, [0.0, 0.0, 4.0]),
        (0.5, -INF, INF, 0.5, [4.0, 0.0, 0.0]),
        (NAN, 2.0, 1.0, NAN, [NAN; 3]),
        (0.5, NAN, 1.0, NAN, [NAN; 3]),
        (0.5, 0.0, NAN, NAN, [NAN; 3]),
    ] {
        check("Held", &[], &[x, y, z], &[out]);
        check("HeldGrad", &[], &[4.0, x, y, z], &grads);
    }
}

#[test]
fn smooth_functions() {
    type Function = fn(f64) -> f64;
    let table: [(&str, &str, Function, Function); 6] = [
        ("Recip", "RecipGrad", f64::recip, |x| -1.0 / (x * x)),
        ("Sinh", "SinhGrad", f64::sinh, f64::cosh),
        ("Cosh", "CoshGrad", f64::cosh, f64::sinh),
        ("CoshByHand", "CoshByHandGrad", f64::cosh, f64::sinh),
        ("Exp2", "Exp2Grad", f64::exp2, |x| std::f64::consts::LN_2 * x.exp2()),
        ("Log2", "Log2Grad", f64::log2, |x| std::f64::consts::LOG2_E / x),
    ];
    for (forward, gradient, f, slope) in table {
        let positive = [f64::from(1e-5f32), 0.03125, 0.75, 3.0, 20.0];
        let points = positive.into_iter().chain([NAN]);
        let both = points.flat_map(|x| [x, -x]);
        for x in both.filter(|x| forward != "Log2" || x.is_nan() || *x > 0.0) {
            check(forward, &[], &[x], &[f(x)]);
            check(gradient, &[], &[0.5, x], &[0.5 * slope(x)]);
        }
    }
}

#[test]
fn several_outputs_and_variables() {
    check("SumAndProduct", &[], &[3.0, 5.0], &[13.0, 15.0]);
    let gradient = named("SumAndProductGrad");
    assert_eq!(gradient.def().input_names(), ["dy_sum", "dy_product", "x", "z"]);
    assert_eq!(gradient.def().output_names(), ["dx", "dz"]);
    check("SumAndProductGrad", &[], &[10.0, 100.0, 3.0, 5.0], &[510.0, 320.0]);
    check("BiasedGrad", &[], &[0.5, -1.0, 2.0], &[0.5]);
}

/// Non-finite attributes are refused, because they would turn all results into NaN.
#[test]
fn float_attributes_are_finite() {
    let (x, mut y) = ([1.0f32], [0.0f32]);
    for alpha in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let op = numbers::LeakyBy { alpha };
        let view = |x| View::new(x, &[1]).expect("a view");
        let out = ViewMut::new(&mut y, &[1]).expect("a view");
        let error = op.run(view(&x), out).expect_err("a refusal").to_string();
        assert!(error.starts_with("LeakyBy: attribute `alpha` cannot be "), "{error}");
    }
    for text in ["nan", "inf", "-inf", "1e39"] {
        let error = named("LeakyBy").parse_attr("alpha", text).expect_err("a refusal").to_string();
        let want = format!(
            "LeakyBy: attribute `alpha` cannot be `{text}`; allowed: finite numbers of f32"
        );
        assert_eq!(error, want);
    }
}

#[test]
fn an_attribute_says_how_parts_lie() {
    let x: [f32; 8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
    for (dim, left, turns, want, slopes) in [
        (1, true, false, [13.0, 24.0, 57.0, 68.0], [10.0, 10.0, 1.0, 1.0, 10.0, 10.0, 1.0, 1.0]),
        (1, true, true, [12.0, 34.0, 56.0, 78.0], [10.0, 1.0, 10.0, 1.0, 10.0, 1.0, 10.0, 1.0]),
        (1, false, true, [21.0, 43.0, 65.0, 87.0], [1.0, 10.0, 1.0, 10.0, 1.0, 10.0, 1.0, 10.0]),
        (0, true, true, [15.0, 26.0, 37.0, 48.0], [10.0, 10.0, 10.0, 10.0, 1.0, 1.0, 1.0, 1.0]),
    ] {
        let shape: &[usize] = if dim == 0 { &[1, 4] } else { &[2, 2] };
        let (mut y, mut dx) = ([0f32; 4], [0f32; 8]);
        let view = View::new(&x, &[2, 4]).unwrap();
        let parts = parts::Parts { dim, left, turns };
        parts.run(view, ViewMut::new(&mut y, shape).unwrap()).unwrap();
        assert_eq!(y, want, "{dim} {left} {turns}");
        let dy = View::new(&[1f32; 4], shape).unwrap();
        let grad = parts::PartsGrad { dim, left, turns };
        grad.run(dy, ViewMut::new(&mut dx, &[2, 4]).unwrap()).unwrap();
        assert_eq!(dx, slopes, "{dim} {left} {turns}");
    }
}

/// If only the bias is broadcast, `x` has the shape of the result, and so does its gradient.
#[test]
fn what_has_a_gradient_is_not_broadcast() {
    let (x, bias) = ([1f32, -1.0, 2.0], [0.5f32; 6]);
    let (mut y, mut dx) = ([0f32; 6], [0f32; 6]);
    let (narrow, wide) = (View::new(&x, &[1, 3]).unwrap(), View::new(&bias, &[2, 3]).unwrap());
    let dy = View::new(&[1f32; 6], &[2, 3]).unwrap();
    let out = ViewMut::new(&mut y, &[2, 3]).unwrap();
    let refused = several::Biased::default().run(narrow, wide, out).unwrap_err().to_string();
    let want = "Biased: tensor `x` has shape [1, 3]; must be [2, 3]";
    assert!(refused.starts_with(want), "{refused}");
    let out = ViewMut::new(&mut dx, &[2, 3]).unwrap();
    let refused = several::BiasedGrad::default().run(dy, narrow, wide, out).unwrap_err();
    let want = "BiasedGrad: tensor `x` has shape [1, 3]; must be [2, 3]";
    assert!(refused.to_string().starts_with(want), "{refused}");
    let out = ViewMut::new(&mut y, &[2, 3]).unwrap();
    several::Biased::default().run(wide, narrow, out).unwrap();
    assert_eq!(y, [1.5, 0.0, 2.5, 1.5, 0.0, 2.5]);
}

/// `any` lets NaN and infinities through; other floats are finite.
#[test]
fn a_float_attribute_may_be_infinite_if_it_says_so() {
    let [inf, one] = [f64::INFINITY, 1.0].map(Value::Float);
    check("Between", &[Value::Float(-f64::INFINITY), one], &[-1e30], &[-1e30]);
    check("BetweenGrad", &[Value::Float(-f64::INFINITY), one], &[3.0, -1e30], &[3.0]);
    check("Between", &[Value::Float(f64::NAN), one], &[0.5], &[0.0]);
    let (x, mut y) = ([1f32], [0f32]);
    let (x, y) = (View::new(&x, &[1]).unwrap(), ViewMut::new(&mut y, &[1]).unwrap());
    let refused = named("Between").run(&[one, inf], &[x], &mut [y], &Options::default());
    let refused = refused.unwrap_err().to_string();
    assert_eq!(refused, "Between: attribute `high` cannot be inf; allowed: finite numbers of f32");
}
