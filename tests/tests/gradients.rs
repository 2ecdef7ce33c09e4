//! Derived gradients against three judges that share nothing with the passes that derived them:
//! the author's own code on dual numbers, central differences of the forward graph, and formulas
//! written by hand.
#![allow(missing_docs)]

mod common;

use common::*;
use op_dsl::OracleInput;
use op_dsl::ir::op::Value;
use op_dsl::{Operator, ir::oracle};
use ops_glu_grad::OPERATORS;

fn named(name: &str) -> &'static Operator {
    OPERATORS.iter().find(|o| o.name() == name).expect("an operator of this crate")
}

/// Away from the tails, where the author's sums cancel, graph and author agree to rounding.
#[test]
fn graphs_agree_with_the_authors_code() {
    let mut random = Random(3);
    for op in OPERATORS {
        for attrs in attribute_values(op) {
            let graph = graph(op, &attrs);
            for _ in 0..2000 {
                let n = op.def().input_streams().len();
                let mut x: Vec<f64> = (0..n).map(|_| random.normal(1.2)).collect();
                give_saved(op, &attrs, &mut x);
                let want = op.oracle(&OracleInput { streams: &x, attrs: &attrs });
                let got = graph.eval(&x, &[]);
                assert_eq!(got.len(), want.len());
                for (g, w) in got.iter().zip(&want) {
                    assert!((g - w).abs() <= 1e-9 * w.abs().max(1e-3), "{} {g} {w}", op.name());
                }
            }
        }
    }
}

/// Puts into the stream of a saved tensor what the forward operator would have saved.
fn give_saved(op: &Operator, attrs: &[Value], x: &mut [f64]) {
    let names = op.def().input_names();
    let at = |name: &str| names.iter().position(|n| n == name);
    if let (Some(saved), Some(gate)) = (at("gelu"), at("x.gate")) {
        let tanh = attrs.contains(&Value::Int(1));
        let gate = [x[gate], 0.0, 0.0];
        x[saved] = if tanh { oracle::gelu_tanh(gate) } else { oracle::gelu(gate) };
    }
}

#[test]
fn central_differences() {
    let pairs = [
        ("GeGluV2", "GeGluGradV2", "x.gate", "dy"),
        ("GeGluV2", "GeGluGradV2", "x.value", "dy"),
        ("SwiGlu", "SwiGluGrad", "x.gate", "y_grad"),
        ("SwiGlu", "SwiGluGrad", "x.value", "y_grad"),
        ("GeluV2", "GeluGradV2", "x", "dy"),
        ("Gelu", "GeluGrad", "x", "dy"),
        ("GeLU", "GeLUBackward", "input", "grad_output"),
    ];
    let mut random = Random(5);
    for (forward, gradient, wrt, upstream) in pairs {
        let (f, g) = (named(forward), named(gradient));
        for attrs in attribute_values(f) {
            let (graph_f, graph_g) = (graph(f, &attrs), graph(g, &attrs));
            for _ in 0..500 {
                let inputs = f.def().input_names();
                let x: Vec<f64> = inputs.iter().map(|_| random.normal(1.5)).collect();
                let k = inputs.iter().position(|n| n == wrt).expect("an input");
                let h = 1e-4;
                let y = |step: f64| {
                    let mut x = x.clone();
                    x[k] += step;
                    graph_f.eval(&x, &[])[0]
                };
                let slope = (8.0 * (y(h) - y(-h)) - (y(2.0 * h) - y(-2.0 * h))) / (12.0 * h);
                let dy = random.normal(1.0);
                let mut gx: Vec<f64> = g
                    .def()
                    .input_names()
                    .iter()
                    .map(|n| match inputs.iter().position(|i| i == n) {
                        Some(i) => x[i],
                        None if n == upstream => dy,
                        None => f64::NAN,
                    })
                    .collect();
                give_saved(g, &attrs, &mut gx);
                let outs = graph_g.eval(&gx, &[]);
                let out = match wrt {
                    "x.value" => outs[1],
                    _ => outs[0],
                };
                assert!((out - dy * slope).abs() <= 1e-10 * (1.0 + dy.abs()), "{gradient} {wrt}");
            }
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
