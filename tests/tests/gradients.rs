//! Derived gradients against three references that share nothing with the passes that derived them.
//!
//! They are the reference evaluator, central differences of the forward graph, and handwritten formulas.
#![allow(missing_docs)]

mod common;

use common::*;
use op_dsl::Operator;
use ops_glu_grad::OPERATORS;

fn named(name: &str) -> &'static Operator {
    OPERATORS.iter().find(|o| o.name() == name).expect("an operator of this crate")
}

/// Graphs agree to rounding with the author's function, or for derived gradients with the reference evaluator.
///
/// The tails are left out, because the author's sums cancel there.
#[test]
fn graphs_agree_with_their_judges() {
    let mut random = Random(3);
    for op in OPERATORS {
        for attrs in attribute_values(op) {
            let graph = graph(op, &attrs);
            for _ in 0..2000 {
                let mut draw = |op: &Operator| -> Vec<f64> {
                    op.def().input_streams().iter().map(|_| random.normal(1.2)).collect()
                };
                // A saved value must match the inputs that it was computed from.
                let x = match forward(OPERATORS, op) {
                    Some(f) => gradient_streams(f, op, &attrs, &draw(f), 0.75),
                    None => draw(op),
                };
                let want = judged(op, &attrs, &x);
                let got = graph.eval(&x, &scalars(&attrs));
                assert_eq!(got.len(), want.len());
                for (g, w) in got.iter().zip(&want) {
                    assert!((g - w).abs() <= 1e-9 * w.abs().max(1e-3), "{} {g} {w}", op.name());
                }
            }
        }
    }
}

/// Every gradient is the derivative of its forward operator, away from breakpoints.
#[test]
fn all_are_the_gradients_of_their_forward_operators() {
    for g in OPERATORS {
        if let Some(f) = forward(OPERATORS, g) {
            op_dsl::check::gradient(f, g).unwrap_or_else(|why| panic!("{why}"));
        }
    }
}

/// Each gradient has an output stream for each input stream of its forward operator, in the same order.
#[test]
fn central_differences() {
    let mut random = Random(5);
    let gradients = thorough().into_iter().filter_map(|g| Some((forward(OPERATORS, g)?, g)));
    let mut judged = 0;
    for (f, g) in gradients {
        let streams = f.def().input_streams().len();
        assert_eq!(streams, g.def().output_streams().len(), "{}", g.name());
        for attrs in attribute_values(f) {
            let (graph_f, graph_g) = (graph(f, &attrs), graph(g, &attrs));
            for _ in 0..500 {
                let x: Vec<f64> = (0..streams).map(|_| random.normal(1.5)).collect();
                let dy = random.normal(1.0);
                let got = graph_g.eval(&gradient_streams(f, g, &attrs, &x, dy), &[]);
                for k in 0..streams {
                    let y = |step: f64| {
                        let mut x = x.clone();
                        x[k] += step;
                        graph_f.eval(&x, &[])[0]
                    };
                    let h = 1e-4;
                    let slope = (8.0 * (y(h) - y(-h)) - (y(2.0 * h) - y(-2.0 * h))) / (12.0 * h);
                    let close = (got[k] - dy * slope).abs() <= 1e-10 * (1.0 + dy.abs());
                    assert!(close, "{} {k}: {} {}", g.name(), got[k], dy * slope);
                }
            }
        }
        judged += 1;
    }
    assert_eq!(judged, 5);
}

/// Compares second derivatives with handwritten formulas.
///
/// `gelu'' = phi(x) (2 - x^2)`, `silu'' = s (1 - s) (2 + x (1 - 2 s))`, each times the upstream gradient and `dy`.
#[test]
fn second_derivatives_by_hand() {
    let bell = |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let gelu = |x: f64| bell(x) * (2.0 - x * x);
    let silu = |x: f64| {
        let s = 1.0 / (1.0 + (-x).exp());
        s * (1.0 - s) * (2.0 + x * (1.0 - 2.0 * s))
    };
    let mut random = Random(11);
    let mut judge = |name: &str, second: &dyn Fn(f64) -> f64| {
        let op = named(name);
        let graph = graph(op, &op.default_attrs());
        for _ in 0..1000 {
            let [upstream, dy, x] = [(); 3].map(|()| random.normal(2.0));
            let (got, want) = (graph.eval(&[upstream, dy, x], &[])[1], upstream * dy * second(x));
            assert!((got - want).abs() <= 1e-13 * (1.0 + want.abs()), "{name} {x}: {got} {want}");
        }
    };
    judge("GeluGradGradV2", &gelu);
    judge("SiluGradGrad", &silu);

    // Streams of the upstream gradient, gate before value, then those of the first gradient itself.
    let swi_glu = named("SwiGluGradGrad");
    let inputs = ["dx_grad.gate", "dx_grad.value", "y_grad", "x.gate", "x.value"];
    assert_eq!(swi_glu.def().input_names(), inputs);
    assert_eq!(swi_glu.def().output_names(), ["dy_grad", "dx.gate", "dx.value"]);
    for _ in 0..1000 {
        let [up_a, up_b, dy, a, b] = [(); 5].map(|()| random.normal(2.0));
        let s = 1.0 / (1.0 + (-a).exp());
        let (value, slope) = (a * s, s + a * s * (1.0 - s));
        let want = [
            up_a * b * slope + up_b * value,
            dy * (up_a * b * silu(a) + up_b * slope),
            up_a * dy * slope,
        ];
        let got = graph(swi_glu, &swi_glu.default_attrs()).eval(&[up_a, up_b, dy, a, b], &[]);
        for (g, w) in got.iter().zip(want) {
            assert!((g - w).abs() <= 1e-13 * (1.0 + w.abs()), "{got:?} {want:?}");
        }
    }
}

/// `dA = dy B (s + A s (1 - s))`, `dB = dy A s`: the true derivative, not the published one.
#[test]
fn swi_glu_by_hand() {
    let op = named("SwiGluGrad");
    let graph = graph(op, &op.default_attrs());
    assert_eq!(op.def().input_names(), ["y_grad", "x.gate", "x.value"]);
    let mut random = Random(6);
    for _ in 0..1000 {
        let [dy, a, b] = [(); 3].map(|()| random.normal(2.0));
        let s = 1.0 / (1.0 + (-a).exp());
        let want = [dy * b * (s + a * s * (1.0 - s)), dy * a * s];
        for (g, w) in graph.eval(&[dy, a, b], &[]).iter().zip(want) {
            assert!((g - w).abs() <= 1e-13 * (1.0 + w.abs()));
        }
        let published = dy * b * (s + s * (1.0 - s * a));
        assert!((graph.eval(&[dy, a, b], &[])[0] - published).abs() > 1e-9 * published.abs());
    }
}
