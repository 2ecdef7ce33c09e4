//! Infinite inputs: the reference evaluator agrees with the graphs that back ends lower.
//!
//! One infinite stream gives a limit. Several are combined as in f32 arithmetic on the formula as written.
#![allow(missing_docs)]

use op_dsl_ir::DType;
use op_dsl_ir::format::Format;
use op_dsl_ir::op::OpDef;

const INF: f64 = f64::INFINITY;

/// Returns an operator, and its gradients by the tensors `wrt`.
fn operators(item: &str, wrt: &str) -> Vec<OpDef> {
    let tokens = |text: &str| text.parse().expect("tokens");
    let args = format!("name = \"F\", outputs(out), grad(name = \"G\", wrt({wrt}))");
    let family = op_dsl_syntax::function(tokens(&args), tokens(item)).expect("a function");
    if let Some(error) = family.error {
        panic!("{item}: {error}");
    }
    family.ops.into_iter().map(|op| op.def).collect()
}

/// Returns the output `k` of the reference, and that of the graph that back ends evaluate.
fn all_results(def: &OpDef, k: usize, streams: &[f64], scalars: &[f64]) -> Vec<f64> {
    let spec = &def.specs[0];
    let reference = op_dsl_truth::outputs(spec, streams, scalars, Format::of(DType::F32))[k];
    let graph = spec.wide.as_ref().filter(|wide| wide.single).map_or(&spec.graph, |w| &w.graph);
    let got = graph.eval(streams, scalars)[k];
    vec![reference, Format::of(DType::F32).round(got)]
}

#[track_caller]
fn check(def: &OpDef, streams: &[f64], scalars: &[f64], want: f64) {
    check_output(def, 0, streams, scalars, want);
}

#[track_caller]
fn check_output(def: &OpDef, k: usize, streams: &[f64], scalars: &[f64], want: f64) {
    let results = all_results(def, k, streams, scalars);
    for (got, by) in results.into_iter().zip(["reference", "graph"]) {
        let is_same = got == want || got.is_nan() && want.is_nan();
        let is_near = (got - want).abs() <= 1e-6 * want.abs();
        assert!(
            is_same || is_near,
            "{by}, {streams:?}: {got}, not {want}\n{:?}",
            def.specs[0].wide
        );
    }
}

#[test]
fn infinities_that_meet() {
    let huber = &operators(
        "fn huber(x: Elem, t: Elem) -> Elem { let r = abs(x - t); if r < 1.0 { 0.5 * r * r } else { r - 0.5 } }",
        "x",
    )[0];
    check(huber, &[INF, INF], &[], f64::NAN);
    check(huber, &[INF, -INF], &[], INF);
    check(huber, &[INF, 1.0], &[], INF);
    let bce = "fn bce(x: Elem, t: Elem) -> Elem { -(t * ln(sigmoid(x)) + (1.0 - t) * ln(1.0 - sigmoid(x))) }";
    let bce = &operators(bce, "x")[0];
    check(bce, &[INF, INF], &[], f64::NAN);
    check(bce, &[INF, 0.5], &[], INF);
    let sgd = "fn sgd(p: Elem, g: Elem, #[attr(default = 0.1)] lr: f32, #[attr(default = 0.01)] decay: f32) -> Elem { p - lr * (g + decay * p) }";
    let sgd = &operators(sgd, "p")[0];
    check(sgd, &[INF, INF], &[0.1, 0.01], f64::NAN);
    check(sgd, &[1.0, INF], &[0.1, 0.01], -INF);
    let lion = "fn lion(p: Elem, g: Elem, m: Elem, #[attr(default = 0.001)] lr: f32, #[attr(default = 0.9)] beta: f32) -> Elem { p - lr * sign(beta * m + (1.0 - beta) * g) }";
    let lion = &operators(lion, "p")[0];
    check(lion, &[1.0, INF, -INF], &[0.001, 0.9], f64::NAN);
    check(lion, &[1.0, INF, 2.0], &[0.001, 0.9], 1.0 - 0.001);
}

/// An infinite gradient is noticed: the ratio of its sums is NaN instead of an update.
#[test]
fn sums_that_grow_apart() {
    let adamw = "fn adamw(p: Elem, g: Elem, m: Elem, v: Elem, #[attr(default = 0.001)] lr: f32, #[attr(default = 0.9)] beta1: f32, #[attr(default = 0.999)] beta2: f32) -> Elem {
        let mean = beta1 * m + (1.0 - beta1) * g;
        let square = beta2 * v + (1.0 - beta2) * g * g;
        p - lr * (mean / (sqrt(square) + 1e-8) + 0.01 * p)
    }";
    let adamw = &operators(adamw, "p")[0];
    let scalars = [0.001, 0.9, 0.999];
    check(adamw, &[1.0, INF, 1.0, 1.0], &scalars, f64::NAN);
    check(adamw, &[1.0, INF, -INF, 1.0], &scalars, f64::NAN);
}

/// Univariate functions have their limits, however they are spelt and whatever is added to their argument.
#[test]
fn limits_do_not_depend_on_spelling() {
    for gated in [
        "fn f(x: Elem, y: Elem, b: Elem) -> Elem { let u = x + b; u / (1.0 + exp(-u)) * y }",
        "fn f(x: Elem, y: Elem, b: Elem) -> Elem { let u = x + b; y * u * sigmoid(u) }",
        "fn f(x: Elem, y: Elem, b: Elem) -> Elem { let u = x + b; y * u / (1.0 + exp(-u)) }",
    ] {
        let def = &operators(gated, "x")[0];
        check(def, &[-INF, 2.0, 1.0], &[], 0.0);
        check(def, &[INF, -2.0, 1.0], &[], -INF);
        check(def, &[INF, INF, 1.0], &[], INF);
    }
    let tanh =
        "fn f(x: Elem, b: Elem) -> Elem { let u = x + b; (exp(u) - exp(-u)) / (exp(u) + exp(-u)) }";
    let tanh = &operators(tanh, "x")[0];
    check(tanh, &[INF, 3.0], &[], 1.0);
    check(tanh, &[INF, -INF], &[], f64::NAN);
    let opposite =
        "fn f(x: Elem, t: Elem) -> Elem { (exp(x - t) - exp(t - x)) / (exp(x - t) + exp(t - x)) }";
    check(&operators(opposite, "x")[0], &[-INF, 3.0], &[], -1.0);
    let log_cosh = &operators("fn f(x: Elem, t: Elem) -> Elem { ln(cosh(x - t)) }", "x")[0];
    check(log_cosh, &[-1024.0, 0.5], &[], 1024.5 - std::f64::consts::LN_2);
    check(log_cosh, &[1.0, INF], &[], INF);
    check(log_cosh, &[INF, INF], &[], f64::NAN);
}

/// Far out a sum that cancels keeps its digits, and a difference of equal streams is 0 before it is squared.
#[test]
fn roots_of_squares() {
    let arc = "fn f(x: Elem) -> Elem { x * sqrt(x * x + 1.0) + ln(x + sqrt(1.0 + x * x)) }";
    let arc = &operators(arc, "x")[0];
    check(arc, &[-(2f64.powi(26))], &[], -(2f64.powi(52)) - 19.214775639);
    check(arc, &[-INF], &[], -INF);
    let bend = "fn f(x: Elem, t: Elem) -> Elem { sqrt((x - t) * (x - t) + 1.0) - (x - t) }";
    let bend = &operators(bend, "x")[0];
    check(bend, &[1.4e23, 1.4e23], &[], 1.0);
    check(bend, &[3e9, 1e9], &[], 2.5e-10);
}

/// Exponentials that leave f64 do not take their logarithm, or quotient, with them.
#[test]
fn sums_of_exponentials() {
    for written in ["ln(exp(x) + exp(y))", "logaddexp(x, y)", "-ln(1.0 / (exp(y) + exp(x)))"] {
        let log = operators(&format!("fn f(x: Elem, y: Elem) -> Elem {{ {written} }}"), "x, y");
        check(&log[0], &[3e30, -1e30], &[], 3e30);
        check(&log[0], &[-3e-30, -1e30], &[], -3e-30);
        check(&log[0], &[-INF, 2.5], &[], 2.5);
        for (x, y, by_x, by_y) in
            [(1e4, 1e4, 0.5, 0.5), (-1e30, -2e30, 1.0, 0.0), (INF, 1.0, 1.0, 0.0)]
        {
            check_output(&log[1], 0, &[1.0, x, y], &[], by_x);
            check_output(&log[1], 1, &[1.0, x, y], &[], by_y);
        }
        check_output(&log[1], 0, &[1.0, INF, INF], &[], f64::NAN);
    }
    let mean = "fn f(x: Elem, y: Elem) -> Elem { (x * exp(x) + exp(y) * y) / (exp(x) + exp(y)) }";
    check(&operators(mean, "x")[0], &[-9e3, -1e30], &[], -9e3);
    let share = "fn f(x: Elem, y: Elem) -> Elem { exp(x) / (exp(x) + exp(y)) }";
    check(&operators(share, "x")[0], &[INF, 1.0], &[], 1.0);
    check(&operators(share, "x")[0], &[INF, INF], &[], f64::NAN);
}

/// Functions of one stream, or of a difference, have their limits whatever they are added to.
#[test]
fn functions_in_sums() {
    let gate = &operators("fn f(x: Elem, g: Elem) -> Elem { x * asinh(g) + g }", "g")[1];
    let bend = "fn f(x: Elem, t: Elem) -> Elem { sqrt((x - t) * (x - t) + 1.0) - (x - t) }";
    let bend = &operators(bend, "x")[1];
    for (end, slope) in [(INF, 0.0), (-INF, -2.0)] {
        check(gate, &[2.0, 3.0, end], &[], 2.0);
        check(bend, &[1.0, end, 0.5], &[], slope);
    }
    check(bend, &[1.0, 1.8e27, 1.8e27], &[], -1.0);
}

/// `p ln(p / q)` has the derivatives `ln(p / q) + 1`, whose limit infinity itself gives, and `-p / q`, as written infinity by infinity.
#[test]
fn each_result_has_its_own_limit() {
    for formula in ["p * ln(p / q)", "ln(p / q) * p", "-p * ln(q / p)", "p * (ln(p) - ln(q))"] {
        let item = format!("fn kl(p: Elem, q: Elem) -> Elem {{ {formula} }}");
        for (wrt, by_p, by_q) in
            [("p, q", Some(0), Some(1)), ("p", Some(0), None), ("q", None, Some(0))]
        {
            let gradient = &operators(&item, wrt)[1];
            if let Some(k) = by_p {
                check_output(gradient, k, &[1.0, INF, 0.5], &[], INF);
                check_output(gradient, k, &[-2.0, INF, 0.5], &[], -INF);
                check_output(gradient, k, &[1.0, 0.25, INF], &[], -INF);
                check_output(gradient, k, &[1.0, 0.0, 0.5], &[], -INF);
            }
            if let Some(k) = by_q {
                check_output(gradient, k, &[1.0, INF, 0.5], &[], -INF);
                check_output(gradient, k, &[1.0, 0.25, INF], &[], 0.0);
            }
        }
    }
}

/// A sine has no limit, whatever number replaces infinity.
#[test]
fn sine_has_no_limit_at_infinity() {
    let snake = "fn snake(x: Elem, #[attr(default = 1.0)] a: f32) -> Elem { x + sin(a * x) * sin(a * x) / a }";
    let all = operators(snake, "x");
    for x in [INF, -INF] {
        check(&all[0], &[x], &[2.0], x);
        check(&all[1], &[1.0, x], &[2.0], f64::NAN);
    }
}

/// Parts that depend on one infinite input have their limits, which are combined by arithmetic.
///
/// A limit of 0 times an infinity is NaN; a limit that is another number multiplies it.
#[test]
fn parts_that_meet() {
    let reference = |item: &str, wrt: &str, which: usize, streams: &[f64]| {
        let def = &operators(item, wrt)[which];
        op_dsl_truth::outputs(&def.specs[0], streams, &[], Format::of(DType::F32))[0]
    };
    let gated = "fn f(x: Elem, y: Elem) -> Elem { x / (1.0 + exp(-x)) * y }";
    assert!(reference(gated, "x", 0, &[-INF, INF]).is_nan());
    assert_eq!(reference(gated, "x", 0, &[INF, -INF]), -INF);
    // `dy y silu'(x)`, where silu' goes to 0 on the left and to 1 on the right.
    let silu = "fn f(x: Elem) -> Elem { x * sigmoid(x) }";
    assert!(reference(silu, "x", 1, &[INF, -INF]).is_nan());
    assert_eq!(reference(silu, "x", 1, &[INF, INF]), INF);
    assert!((reference(silu, "x", 1, &[2.0, INF]) - 2.0).abs() < 1e-12);
}

/// The rest that rounding leaves of a number has no limit; steps have one where their heights do.
#[test]
fn limits_of_rounded_numbers() {
    let of = |formula: &str| {
        operators(
            &format!("fn f(x: Elem, #[attr(default = 0.05)] k: f32) -> Elem {{ {formula} }}"),
            "x",
        )
    };
    for (formula, limits) in [
        ("x - floor(x) + k", [f64::NAN; 2]),
        ("clamp(round(x / k), -128.0, 127.0)", [-128.0, 127.0]),
        ("x * sigmoid(-round(k * x))", [-INF, 0.0]),
        ("k * ceil(x)", [-INF, INF]),
    ] {
        let all = of(formula);
        check(&all[0], &[-INF], &[0.05], limits[0]);
        check(&all[0], &[INF], &[0.05], limits[1]);
        check(&all[0], &[f64::NAN], &[0.05], f64::NAN);
    }
    let gradient = &of("x - floor(x / k)")[1];
    check(gradient, &[2.0, INF], &[0.05], 2.0);
    check(gradient, &[2.0, f64::NAN], &[0.05], f64::NAN);
}
