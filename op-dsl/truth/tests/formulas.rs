//! Whole formulas and their derivatives: breakpoints, branches, cancelling sums, infinities.
#![allow(missing_docs)]

use op_dsl_ir::format::Format;
use op_dsl_ir::graph::{Builder, Id};
use op_dsl_ir::op::{Derived, Spec};
use op_dsl_ir::wiring::Wiring;
use op_dsl_ir::{DType, Prim};
use op_dsl_truth::outputs;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Returns a formula of stream 0 alone.
fn written(formula: fn(&mut Builder, Id) -> Id) -> Spec {
    let mut b = Builder::new();
    let x = b.stream(0);
    let y = formula(&mut b, x);
    let traced = b.finish(&[y]);
    Spec::of(traced)
}

/// Returns its gradient, with the streams `dy` and `x`.
fn gradient(formula: fn(&mut Builder, Id) -> Id) -> Spec {
    let forward = written(formula);
    let wiring = Wiring {
        inputs: vec![Some(1)].into(),
        upstream: vec![Some(0)].into(),
        saved: vec![None].into(),
        wrt: vec![0].into(),
    };
    let steps = vec![wiring].into();
    Spec {
        derived: Some(Derived { forward: forward.traced.clone(), steps, rows: vec![].into() }),
        ..forward
    }
}

fn value(formula: fn(&mut Builder, Id) -> Id, x: f64) -> f64 {
    outputs(&written(formula), &[x], &[], Format::of(DType::F32))[0]
}

fn slope(formula: fn(&mut Builder, Id) -> Id, x: f64) -> f64 {
    outputs(&gradient(formula), &[1.0, x], &[], Format::of(DType::F32))[0]
}

#[track_caller]
fn same(is: f64, want: f64) {
    let close = (is - want).abs() <= 1e-11 * want.abs();
    assert!(close || is == want || is.is_nan() && want.is_nan(), "{is:e}, not {want:e}");
}

/// `if x > 0 { x } else { 2 (e^x - 1) }`
fn elu(b: &mut Builder, x: Id) -> Id {
    let (zero, one) = (b.num(0.0), b.num(1.0));
    let e = b.call(Prim::Exp, &[x]);
    let below = b.difference(e, one);
    let below = b.scaled(2.0, below);
    let positive = b.call(Prim::Lt, &[zero, x]);
    b.call(Prim::Select, &[positive, x, below])
}

/// `with_grad(round(x), x^3)`, squared
fn straight_through(b: &mut Builder, x: Id) -> Id {
    let (value, surrogate) = (b.call(Prim::Round, &[x]), b.power(x, 3));
    let q = b.call(Prim::WithGrad, &[value, surrogate]);
    b.product(q, q)
}

#[test]
fn a_value_has_the_derivative_of_another() {
    for (x, y) in [(1.25, 1.0), (2.75, 9.0), (-0.5, 0.0), (3e5, 9e10), (NAN, NAN)] {
        same(value(straight_through, x), y);
        same(slope(straight_through, x), 2.0 * x.round_ties_even() * 3.0 * x * x);
    }
    // Its second derivative is that of `2 q 3 x^2`, in which `q` has the derivative `3 x^2` again.
    let first = gradient(straight_through);
    let wiring = Wiring {
        inputs: vec![Some(1), Some(2)].into(),
        upstream: vec![Some(0)].into(),
        saved: vec![None].into(),
        wrt: vec![1].into(),
    };
    let mut derived = first.derived.clone().expect("a gradient");
    derived.steps.to_mut().push(wiring);
    let second = Spec { derived: Some(derived), ..first };
    for x in [1.25f64, -2.75, 0.0] {
        let is = outputs(&second, &[1.0, 1.0, x], &[], Format::of(DType::F32))[0];
        same(is, 18.0 * x.powi(4) + 12.0 * x.round() * x);
    }
}

#[test]
fn choices_are_taken_as_written() {
    for (x, y, dy) in [
        (1e30, 1e30, 1.0),
        (-0.0, 0.0, 2.0),
        (1e-40, 1e-40, 1.0),
        (-1e-30, -2e-30, 2.0 - 2e-30),
        (-300.0, -2.0, 1.029_64e-130),
        (INF, INF, 1.0),
        (-INF, -2.0, 0.0),
    ] {
        same(value(elu, x), y);
        let is = slope(elu, x);
        assert!((is - dy).abs() <= 1e-5 * dy.abs(), "{x}: {is:e}");
    }
    // Comparisons with NaN are false.
    same(value(elu, NAN), NAN);
    same(
        value(
            |b, x| {
                let zero = b.num(0.0);
                let c = b.call(Prim::Lt, &[zero, x]);
                b.call(Prim::Select, &[c, x, zero])
            },
            NAN,
        ),
        0.0,
    );
}

#[test]
fn kinks_have_one_rule() {
    let abs = |b: &mut Builder, x| b.call(Prim::Abs, &[x]);
    let relu = |b: &mut Builder, x| {
        let zero = b.num(0.0);
        b.call(Prim::Max, &[x, zero])
    };
    let tied = |b: &mut Builder, x| {
        let triple = b.scaled(3.0, x);
        b.call(Prim::Min, &[x, triple])
    };
    for (x, of_abs, of_relu, of_tied) in [
        (2.0, 1.0, 1.0, 1.0),
        (0.0, 0.0, 0.5, 2.0),
        (-0.0, 0.0, 0.5, 2.0),
        (-1e-45, -1.0, 0.0, 3.0),
        (NAN, NAN, NAN, NAN),
        (-INF, -1.0, 0.0, 3.0),
    ] {
        same(slope(abs, x), of_abs);
        same(slope(relu, x), of_relu);
        same(slope(tied, x), of_tied);
    }
}

/// `clamp(1 / x, -8, 7) x`
fn quantised(b: &mut Builder, x: Id) -> Id {
    let [one, low, high] = [1.0, -8.0, 7.0].map(|c| b.num(c));
    let scaled = b.quotient(one, x);
    let q = b.call(Prim::Clamp, &[scaled, low, high]);
    b.product(q, x)
}

/// `max(1 / x, 2)`
fn floored(b: &mut Builder, x: Id) -> Id {
    let [one, two] = [1.0, 2.0].map(|c| b.num(c));
    let inverse = b.quotient(one, x);
    b.call(Prim::Max, &[inverse, two])
}

/// Tests functions of `1 / x` at 0, where it is infinite and has an infinite slope.
#[test]
fn an_operand_that_is_not_chosen_may_move_infinitely_fast() {
    for (x, want) in [(0.0, 7.0), (-0.0, -8.0), (0.01, 7.0), (0.5, 0.0), (NAN, NAN)] {
        same(slope(quantised, x), want);
    }
    for (x, want) in [(-0.0, 0.0), (-1.0, 0.0), (0.25, -16.0), (NAN, NAN)] {
        same(slope(floored, x), want);
    }
}

/// `x / (1 + |x|)`, whose derivative by the rule of quotients is `1/d - |x|/d^2`.
fn softsign(b: &mut Builder, x: Id) -> Id {
    let (one, size) = (b.num(1.0), b.call(Prim::Abs, &[x]));
    let d = b.sum(one, size);
    b.quotient(x, d)
}

/// `x tanh(log(1 + e^x))`, written with powers of `n = 1 + e^x`.
fn mish(b: &mut Builder, x: Id) -> Id {
    let one = b.num(1.0);
    let e = b.call(Prim::Exp, &[x]);
    let n = b.sum(one, e);
    let square = b.product(n, n);
    let (above, below) = (b.difference(square, one), b.sum(square, one));
    let ratio = b.quotient(above, below);
    b.product(x, ratio)
}

#[test]
fn what_cancels_is_computed_with_more_digits() {
    for x in [1e-20, 0.5, 3.0, 1e5, 1e18] {
        same(slope(softsign, x), 1.0 / ((1.0 + x) * (1.0 + x)));
        same(slope(softsign, -x), 1.0 / ((1.0 + x) * (1.0 + x)));
    }
    // x e^x for far negative x
    for x in [-30.0f64, -80.0, -100.0] {
        same(value(mish, x), x * x.exp() * (1.0 - 0.5 * x.exp()));
    }
    for x in [50.0, 1e10, 3e38] {
        same(value(mish, x), x);
        same(slope(mish, x), 1.0);
    }
}

#[test]
fn limits_are_worked_out() {
    let over = |b: &mut Builder, x| {
        let minus = b.scaled(-1.702, x);
        let (one, e) = (b.num(1.0), b.call(Prim::Exp, &[minus]));
        let d = b.sum(one, e);
        b.quotient(x, d)
    };
    same(value(over, INF), INF);
    same(value(over, -INF), 0.0);
    same(slope(over, INF), 1.0);
    same(slope(over, -INF), 0.0);
    same(slope(softsign, -INF), 0.0);
    same(value(softsign, -INF), -1.0);
    same(value(mish, INF), INF);
    same(value(mish, -INF), 0.0);
    // log(e^x + e^-x) - x
    let log_cosh = |b: &mut Builder, x| {
        let minus = b.negative(x);
        let (up, down) = (b.call(Prim::Exp, &[x]), b.call(Prim::Exp, &[minus]));
        let sum = b.sum(up, down);
        let log = b.call(Prim::Ln, &[sum]);
        b.difference(log, x)
    };
    same(value(log_cosh, INF), 0.0);
    same(value(log_cosh, -INF), INF);
    same(slope(log_cosh, -INF), -2.0);
}

/// Outside its domain a formula has no value; at a pole it is infinite.
#[test]
fn domains_end_where_they_do() {
    let ln = |b: &mut Builder, x| b.call(Prim::Ln, &[x]);
    let sqrt = |b: &mut Builder, x| b.call(Prim::Sqrt, &[x]);
    same(value(ln, -1.0), NAN);
    same(value(ln, 0.0), -INF);
    same(value(sqrt, -1e-40), NAN);
    same(slope(sqrt, 0.0), INF);
    same(slope(ln, 1e-40), 1e40);
    same(value(ln, -INF), NAN);
}

/// Results in 16 bits are rounded as the exact value is.
#[test]
fn sixteen_bits_round_as_the_truth() {
    // 1 + 2^-11 is halfway between two neighbours of f16; slightly above it, the upper one is right.
    let format = Format::of(DType::F16);
    let above = |b: &mut Builder, x: Id| {
        let e = b.call(Prim::Expm1, &[x]);
        let half = b.num(1.0 + 1.0 / 2048.0);
        b.sum(half, e)
    };
    let spec = written(above);
    for (x, want) in [(1e-20, 1.0 + 1.0 / 1024.0), (-1e-20, 1.0), (0.0, 1.0)] {
        let y = outputs(&spec, &[x], &[], format)[0];
        assert_eq!(format.round(y), want, "{x}: {y}");
    }
}

/// The chain rule evaluates `0 * inf` at some poles: the derivative is infinite there in every spelling.
#[test]
fn derivatives_are_infinite_at_poles() {
    fn x_log(b: &mut Builder, x: Id) -> Id {
        let size = b.call(Prim::Abs, &[x]);
        let log = b.call(Prim::Ln, &[size]);
        b.product(x, log)
    }
    fn x_log_of_square(b: &mut Builder, x: Id) -> Id {
        let square = b.product(x, x);
        let log = b.call(Prim::Ln, &[square]);
        let half = b.scaled(0.5, x);
        b.product(half, log)
    }
    fn logit(b: &mut Builder, x: Id) -> Id {
        let one = b.num(1.0);
        let below = b.difference(one, x);
        let ratio = b.quotient(x, below);
        b.call(Prim::Ln, &[ratio])
    }
    for zero in [0.0, -0.0] {
        same(slope(x_log, zero), -INF);
        same(slope(x_log_of_square, zero), -INF);
        // The formula itself is `0 * -inf`, as written.
        same(value(x_log, zero), NAN);
        assert_eq!(slope(logit, zero).abs(), INF);
    }
    assert_eq!(slope(logit, 1.0).abs(), INF);
    let times_dy =
        |dy: f64, x: f64| outputs(&gradient(x_log), &[dy, x], &[], Format::of(DType::F32))[0];
    same(times_dy(-2.0, 0.0), INF);
    // Zero times a pole is NaN.
    same(times_dy(0.0, 0.0), NAN);
    // These are no poles: a breakpoint, the root of a square, and a function without a value on either side.
    fn size(b: &mut Builder, x: Id) -> Id {
        let square = b.product(x, x);
        b.call(Prim::Sqrt, &[square])
    }
    same(slope(size, 0.0), NAN);
    fn root_of_minus_square(b: &mut Builder, x: Id) -> Id {
        let square = b.product(x, x);
        let minus = b.negative(square);
        b.call(Prim::Sqrt, &[minus])
    }
    same(slope(root_of_minus_square, 0.0), NAN);
    // The slope of x e^(1/x) goes to infinity from one side, and to 0 from the other.
    fn one_sided(b: &mut Builder, x: Id) -> Id {
        let one = b.num(1.0);
        let over = b.quotient(one, x);
        let e = b.call(Prim::Exp, &[over]);
        b.product(x, e)
    }
    same(slope(one_sided, 0.0), NAN);
}

/// `|x| + ln(1 + e^(-2|x|)) - LN_2` is `ln cosh x`: 0 at 0, and `x^2/2` near it.
#[test]
fn constants_are_what_they_stand_for() {
    fn log_cosh(b: &mut Builder, x: Id) -> Id {
        let size = b.call(Prim::Abs, &[x]);
        let minus = b.scaled(-2.0, size);
        let e = b.call(Prim::Exp, &[minus]);
        let (log, ln2) = (b.call(Prim::Log1p, &[e]), b.num(std::f64::consts::LN_2));
        let sum = b.sum(size, log);
        b.difference(sum, ln2)
    }
    same(value(log_cosh, 0.0), 0.0);
    for x in [1e-30, -1e-19, 3e-9] {
        same(value(log_cosh, x), 0.5 * x * x);
    }
}

/// A saved value is read from its stream; its derivative is that of the formula.
#[test]
fn saved_values_come_from_their_stream() {
    let mut b = Builder::new();
    let (x, k) = (b.stream(0), b.stream(1));
    let e = b.call(Prim::Exp, &[x]);
    let y = b.product(k, e);
    let forward = b.finish(&[y, e]);
    let wiring = Wiring {
        inputs: vec![None, Some(1)].into(),
        upstream: vec![Some(0), None].into(),
        saved: vec![None, Some(2)].into(),
        wrt: vec![0, 1].into(),
    };
    let derived =
        Some(Derived { forward: forward.clone(), steps: vec![wiring].into(), rows: vec![].into() });
    let spec = Spec { derived, ..Spec::of(forward) };
    // dy, k, e
    assert_eq!(outputs(&spec, &[3.0, 5.0, 7.0], &[], Format::of(DType::F32)), [105.0, 21.0]);
}

/// Tests values that vanish next to 1.
///
/// They are `(e^2x - 1) / (e^2x + 1)` of a tiny `x`, and `x + ln(1 + e^x)` far to the left. Each takes microseconds,
/// though written out it would have millions of digits.
#[test]
fn what_is_tiny_beside_one_has_its_digits() {
    fn tanh(b: &mut Builder, x: Id) -> Id {
        let t = b.scaled(2.0, x);
        let (e, one) = (b.call(Prim::Exp, &[t]), b.num(1.0));
        let (above, below) = (b.difference(e, one), b.sum(e, one));
        b.quotient(above, below)
    }
    for x in [2.351_177e-38, 3e-39, 1e-20] {
        assert!((value(tanh, x) / x - 1.0).abs() < 1e-15, "{x:e}");
    }
    fn rest(b: &mut Builder, x: Id) -> Id {
        let e = b.call(Prim::Exp, &[x]);
        let log = b.call(Prim::Log1p, &[e]);
        b.sum(x, log)
    }
    assert_eq!(value(rest, -1e30), -1e30);
    assert_eq!(value(rest, -1e7), -1e7);
}

/// `-ln(1 - sigmoid(x))` is `x`, although `1 - sigmoid(x)` would take `x` bits.
///
/// The same holds for its slope and for focal loss.
#[test]
fn what_one_swallows_is_there_again() {
    fn pt(b: &mut Builder, x: Id) -> Id {
        let (s, one) = (b.call(Prim::Sigmoid, &[x]), b.num(1.0));
        b.difference(one, s)
    }
    fn cross_entropy(b: &mut Builder, x: Id) -> Id {
        let pt = pt(b, x);
        let log = b.call(Prim::Ln, &[pt]);
        b.negative(log)
    }
    fn focal(b: &mut Builder, x: Id) -> Id {
        let (pt, one, two) = (pt(b, x), b.num(1.0), b.num(2.0));
        let miss = b.difference(one, pt);
        let weight = b.call(Prim::Pow, &[miss, two]);
        let log = cross_entropy(b, x);
        b.product(weight, log)
    }
    for x in [746.0, 6600.0, 43160.0, 1e7, 1e30, 3e38] {
        same(value(cross_entropy, x), x);
        same(slope(cross_entropy, x), 1.0);
        same(value(focal, x), x);
        same(slope(focal, x), 1.0);
        same(value(pt, x), 0.0);
    }
    // Far to the left `-ln(1 - e^x)` vanishes.
    same(value(cross_entropy, -1e3), 0.0);
    same(value(pt, 80.0), (-80f64).exp());
}

/// The exponent of `e^(e^710)` cannot be stored, and yet `x (1 - 2/(1 + e^(2 e^x)))` has its slope there.
#[test]
fn numbers_beyond_every_exponent_meet_their_limits() {
    fn tanh_exp(b: &mut Builder, x: Id) -> Id {
        let e = b.call(Prim::Exp, &[x]);
        let twice = b.scaled(2.0, e);
        let (e, one, two) = (b.call(Prim::Exp, &[twice]), b.num(1.0), b.num(2.0));
        let below = b.sum(one, e);
        let rest = b.quotient(two, below);
        let t = b.difference(one, rest);
        b.product(x, t)
    }
    fn gompertz(b: &mut Builder, x: Id) -> Id {
        let minus = b.negative(x);
        let e = b.call(Prim::Exp, &[minus]);
        let (e, one) = (b.call(Prim::Exp, &[e]), b.num(1.0));
        b.quotient(one, e)
    }
    /// `E / (1 + E)`, and `ln(sqrt(1 + E) E) / e^x`, of `E = e^(e^(e^x))`.
    fn share(b: &mut Builder, x: Id) -> Id {
        let (e, one) = (x, b.num(1.0));
        let e = (0..3).fold(e, |e, _| b.call(Prim::Exp, &[e]));
        let below = b.sum(one, e);
        b.quotient(e, below)
    }
    fn logarithm(b: &mut Builder, x: Id) -> Id {
        let (first, one) = (b.call(Prim::Exp, &[x]), b.num(1.0));
        let e = b.call(Prim::Exp, &[first]);
        let more = b.sum(one, e);
        let root = b.call(Prim::Sqrt, &[more]);
        let product = b.product(root, e);
        let log = b.call(Prim::Ln, &[product]);
        b.quotient(log, first)
    }
    /// The slope is 1 plus two terms that vanish; no precision decides which of them is larger.
    fn tanh_of_exp(b: &mut Builder, x: Id) -> Id {
        let e = b.call(Prim::Exp, &[x]);
        let t = b.call(Prim::Tanh, &[e]);
        b.product(x, t)
    }
    for x in [700.0, 709.5, 738.8, 39808.0, 1e5, 3e38, INF] {
        same(value(tanh_of_exp, x), x);
        same(slope(tanh_of_exp, x), 1.0);
        same(value(tanh_exp, x), x);
        same(slope(tanh_exp, x), 1.0);
        same(value(gompertz, -x), 0.0);
        same(slope(gompertz, -x), 0.0);
        same(value(share, x), 1.0);
        same(slope(share, x), 0.0);
        same(value(logarithm, x), 1.5);
    }
    // Here `E` is `e`, since `e^x` is 0.
    same(value(share, -3e38), 1.0 / (1.0 + (-1f64).exp()));
}
