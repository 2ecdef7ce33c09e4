use super::*;
use crate::graph::{Builder, Id};
use crate::prim::Prim;

/// `sigmoid(x) - 1`.
fn decay(b: &mut Builder, x: Id) -> Id {
    let (e, one) = (b.call(Prim::Sigmoid, &[x]), b.num(1.0));
    b.difference(e, one)
}

#[test]
fn a_gated_units_gradient_is_two_functions_of_the_gate() {
    let mut b = Builder::new();
    let [dy, gate, value] = [0, 1, 2].map(|k| b.stream(k));
    let (f, t) = (decay(&mut b, gate), b.call(Prim::Tanh, &[gate]));
    let (g, above) = (b.product(t, dy), b.product(dy, f));
    let (left, right) = (b.product(above, value), b.sum(g, above));
    let graph = b.finish(&[left, right]);
    let Split { rest, functions, .. } = split(&graph, 3).expect("two functions");
    assert_eq!(
        functions.iter().map(|f| f.variable.streams().collect::<Vec<_>>()).collect::<Vec<_>>(),
        [[1], [1]]
    );
    for (dy, x, value) in [(0.3, 0.7, -1.5), (-2.0, -3.0, 0.25)] {
        let values = functions.iter().map(|f| f.graph.eval(&[x], &[])[0]);
        let streams: Vec<f64> = [dy, x, value].into_iter().chain(values).collect();
        let (got, want) = (rest.eval(&streams, &[]), graph.eval(&streams, &[]));
        assert!(got.iter().zip(want).all(|(g, w)| (g / w - 1.0).abs() < 1e-14), "{got:?}");
    }
}

#[test]
fn a_choice_is_a_function_too() {
    let mut b = Builder::new();
    let (dy, x, zero) = (b.stream(0), b.stream(1), b.num(0.0));
    let (f, positive) = (decay(&mut b, x), b.call(Prim::Lt, &[zero, x]));
    let below = b.product(dy, f);
    let chosen = b.call(Prim::Select, &[positive, dy, below]);
    let Split { functions, .. } = split(&b.finish(&[chosen]), 2).expect("a function");
    let at = |x: f64| functions[0].graph.eval(&[x], &[])[0];
    assert_eq!((at(3.0), at(-1.0)), (1.0, -1.0 / (1.0 + (-1.0f64).exp())));
}

/// Splits a graph, and asserts that the functions and the combining expression give its values.
fn comes_to_the_same(graph: &Graph, inputs: usize, scalars: &[f64]) -> Split {
    let split = split(graph, inputs).expect("functions");
    for k in -12..=12 {
        let streams: Vec<f64> = (0..inputs).map(|s| f64::from(k) * 0.7 + s as f64).collect();
        let values = split.functions.iter().map(|f| {
            let Variable { of, times } = &f.variable;
            let y = of.eval(&streams, scalars)[0];
            let t = times.0.iter().fold(y, |t, (k, p)| t * scalars[*k].powi(*p));
            f.graph.eval(&[t], &[])[0]
        });
        let all: Vec<f64> = streams.iter().copied().chain(values).collect();
        let (got, want) = (split.rest.eval(&all, scalars), graph.eval(&streams, scalars));
        let same = |(g, w): (&f64, &f64)| (g - w).abs() <= 1e-13 * w.abs();
        assert!(got.iter().zip(&want).all(same), "{streams:?}: {got:?}, not {want:?}");
    }
    split
}

#[test]
fn an_attribute_beside_the_stream_is_taken_out() {
    let mut b = Builder::new();
    let (dy, x, beta) = (b.stream(0), b.stream(1), b.scalar(0));
    let t = b.product(beta, x);
    let (s, tanh) = (b.call(Prim::Sigmoid, &[t]), b.call(Prim::Tanh, &[t]));
    let (swish, bent) = (b.product(x, s), b.quotient(tanh, beta));
    let (left, right) = (b.product(dy, swish), b.product(dy, bent));
    let Split { functions, rest, .. } = comes_to_the_same(&b.finish(&[left, right]), 2, &[1.75]);
    assert!(
        functions.iter().all(|f| f.variable.times.0 == [(0, 1)] && f.variable.streams().eq([1]))
    );
    assert_eq!((functions.len(), rest.reads(1)), (2, false));
}

/// `if x > 0 { scale * x } else { scale * alpha * expm1(beta * x) }`
#[test]
fn a_choice_with_an_attribute_on_one_side_is_taken_apart() {
    let mut b = Builder::new();
    let (x, zero) = (b.stream(0), b.num(0.0));
    let [scale, alpha, beta] = [0, 1, 2].map(|k| b.scalar(k));
    let (t, line, both) = (b.product(beta, x), b.product(scale, x), b.product(scale, alpha));
    let e = b.call(Prim::Expm1, &[t]);
    let (below, above) = (b.product(both, e), b.call(Prim::Lt, &[zero, x]));
    let elu = b.call(Prim::Select, &[above, line, below]);
    let split = comes_to_the_same(&b.finish(&[elu]), 1, &[1.5, 0.25, 3.0]);
    let [Function { variable, domain, .. }] = &split.functions[..] else { panic!() };
    assert_eq!((&variable.times.0[..], *domain), (&[(2, 1)][..], [0.0, f64::INFINITY]));
}

/// The gradient of `a sigmoid(alpha a)` with `a = min(x, limit)` written as a `select`.
#[test]
fn what_is_chosen_is_a_variable() {
    let mut b = Builder::new();
    let (x, zero, one) = (b.stream(0), b.num(0.0), b.num(1.0));
    let [alpha, limit] = [0, 1].map(|k| b.scalar(k));
    let above = b.call(Prim::Lt, &[limit, x]);
    let a = b.call(Prim::Select, &[above, limit, x]);
    let slope = b.call(Prim::Select, &[above, zero, one]);
    let t = b.product(alpha, a);
    let minus = b.negative(t);
    let [s, r] = [t, minus].map(|t| b.call(Prim::Sigmoid, &[t]));
    let forward = b.product(a, s);
    let (gated, scaled) = (b.product(slope, s), b.product(slope, alpha));
    let (inner, rest) = (b.product(s, r), b.product(scaled, a));
    let second = b.product(rest, inner);
    let backward = b.sum(gated, second);
    let split = comes_to_the_same(&b.finish(&[forward, backward]), 1, &[1.25, 2.0]);
    let chosen: Vec<bool> = split.functions.iter().map(|f| f.variable.of.nodes.len() > 1).collect();
    assert_eq!(chosen, [true, false]);
}

/// `(y + b) * x * sigmoid(k * x)`, with `x` and the function of `x` in different products.
#[test]
fn factors_of_one_stream_meet() {
    let mut b = Builder::new();
    let (dy, x, y) = (b.stream(0), b.stream(1), b.stream(2));
    let (k, bias) = (b.scalar(0), b.scalar(1));
    let (t, shifted) = (b.product(k, x), b.sum(y, bias));
    let s = b.call(Prim::Sigmoid, &[t]);
    let (upstream, inner) = (b.product(dy, shifted), b.product(x, s));
    let left = b.product(upstream, x);
    let results = [b.product(left, s), b.product(upstream, inner)];
    for result in results {
        let split = comes_to_the_same(&b.finish(&[result]), 3, &[1.25, -0.5]);
        assert!(!split.rest.reads(1), "{:?}", split.rest);
    }
}

/// `if x > limit { tanh(k * limit) } else { tanh(k * x) }` has no split into univariate functions.
///
/// With a split, `tanh(k * limit)`, which depends on no stream, would be evaluated anew for every step.
#[test]
fn functions_of_attributes_alone_are_no_rest() {
    let mut b = Builder::new();
    let (x, limit, k) = (b.stream(0), b.scalar(0), b.scalar(1));
    let above = b.call(Prim::Lt, &[limit, x]);
    let [yes, no] = [limit, x].map(|v| {
        let t = b.product(k, v);
        b.call(Prim::Tanh, &[t])
    });
    let chosen = b.call(Prim::Select, &[above, yes, no]);
    assert_eq!(split(&b.finish(&[chosen]), 1), None);
}

#[test]
fn two_functions_of_two_streams_and_short_arithmetic_have_none() {
    let mut b = Builder::new();
    let (x, y) = (b.stream(0), b.stream(1));
    let (f, g) = (decay(&mut b, x), decay(&mut b, y));
    let sum = b.sum(f, y);
    for result in [b.product(f, g), b.product(x, x), sum] {
        assert_eq!(split(&b.finish(&[result]), 2), None);
    }
}

/// Checks that the functions of a split, combined by its expression, have the values of the graph.
fn is_same(graph: &Graph, split: &Split, inputs: usize) {
    let values = split.values();
    for at in [[0.7, -1.3, 2.0], [-3.0, 0.25, 0.5], [1e-3, 5.0, -1.0]] {
        let mut streams = at[..inputs].to_vec();
        streams.extend(values.eval(&at[..inputs], &[]));
        let (got, want) = (split.rest.eval(&streams, &[]), graph.eval(&at[..inputs], &[]));
        for (got, want) in got.iter().zip(&want) {
            assert!((got - want).abs() <= 1e-14 * want.abs(), "{at:?}: {got}, not {want}");
        }
    }
}

#[test]
fn sums_and_products_of_two_streams_are_variables() {
    // dy gelu(x + b)
    let mut b = Builder::new();
    let [x, bias, dy] = [0, 1, 2].map(|k| b.stream(k));
    let sum = b.sum(x, bias);
    let gelu = b.call(Prim::Gelu, &[sum]);
    let y = b.product(gelu, dy);
    let graph = b.finish(&[y]);
    let found = split(&graph, 3).expect("a function of the sum");
    let [function] = &found.functions[..] else { panic!("one function") };
    assert!(matches!(function.variable.pair(), Some((Prim::Add, ..))));
    assert!(function.variable.is_rounded());
    is_same(&graph, &found, 3);

    // x sigmoid(t x) and its derivative by x, whose product of t and x is the variable as well.
    let mut b = Builder::new();
    let [x, t] = [0, 1].map(|k| b.stream(k));
    let v = b.product(t, x);
    let minus = b.negative(v);
    let [s, rest] = [v, minus].map(|v| b.call(Prim::Sigmoid, &[v]));
    let slope = b.product(s, rest);
    let slope = b.product(slope, t);
    let slope = b.product(slope, x);
    let (y, dx) = (b.product(x, s), b.sum(s, slope));
    let graph = b.finish(&[y, dx]);
    let found = split(&graph, 2).expect("functions of the product");
    assert_eq!(found.functions.len(), 2);
    let is_product = |f: &Function| matches!(f.variable.pair(), Some((Prim::Mul, ..)));
    assert!(found.functions.iter().all(is_product));
    is_same(&graph, &found, 2);
}

#[test]
fn numbers_before_what_is_no_function_do_not_recur() {
    // 3 (sigmoid(x t) + x) has no split, nor has 3 sigmoid(x / t).
    let mut b = Builder::new();
    let (x, t) = (b.stream(0), b.stream(1));
    let (product, quotient) = (b.product(x, t), b.quotient(x, t));
    let [s, of_quotient] = [product, quotient].map(|v| b.call(Prim::Sigmoid, &[v]));
    let sum = b.sum(s, x);
    let outputs = [sum, of_quotient].map(|v| b.scaled(3.0, v));
    for output in outputs {
        assert!(split(&b.clone().finish(&[output]), 2).is_none());
    }
    let shared = b.finish(&outputs);
    assert!(split(&shared, 2).is_none());
}

/// `x - t` and `t - x` are one variable, whose sign a choice may read, but no rounded sum is compared with a number or added.
#[test]
fn differences_are_one_variable() {
    let of = |build: fn(&mut Builder, Id, Id) -> Id| {
        let mut b = Builder::new();
        let (x, t) = (b.stream(0), b.stream(1));
        let y = build(&mut b, x, t);
        b.finish(&[y])
    };
    let cosh = of(|b, x, t| {
        let apart = [b.difference(x, t), b.difference(t, x)];
        let [first, second] = apart.map(|v| b.call(Prim::Exp, &[v]));
        let sum = b.sum(first, second);
        b.call(Prim::Ln, &[sum])
    });
    let found = split(&cosh, 2).expect("a function of the difference");
    assert_eq!(found.functions.len(), 1);
    is_same(&cosh, &found, 2);
    let chosen = of(|b, x, t| {
        let (apart, one) = (b.difference(x, t), b.num(1.0));
        let (e, is_below) = (b.call(Prim::Exp, &[apart]), b.call(Prim::Lt, &[apart, one]));
        let product = b.product(e, x);
        b.call(Prim::Select, &[is_below, product, t])
    });
    assert!(split(&chosen, 2).is_none());
    // A product may be rounded to 0.
    let by_sign = of(|b, x, t| {
        let (v, zero) = (b.product(x, t), b.num(0.0));
        let (e, is_above) = (b.call(Prim::Exp, &[v]), b.call(Prim::Lt, &[zero, v]));
        let product = b.product(e, x);
        b.call(Prim::Select, &[is_above, product, t])
    });
    assert!(split(&by_sign, 2).is_none());
    let added = of(|b, x, t| {
        let (sum, product) = (b.sum(x, t), b.product(x, t));
        let (e, more) = (b.call(Prim::Exp, &[product]), b.sum(sum, x));
        b.product(e, more)
    });
    assert!(split(&added, 2).is_none());
}
