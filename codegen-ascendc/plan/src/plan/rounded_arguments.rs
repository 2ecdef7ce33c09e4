//! Functions of rounded arguments: which have results that such rounding makes inaccurate, and how results are corrected.
//!
//! In its tail, a function that vanishes like an exponential multiplies the rounding error `r` of its argument `v`: `sigmoid(v + r)`
//! is `sigmoid(v) (1 + r)` far below 0, and half a unit in the last place of `v = -60` is 2^-19. Elsewhere such an error is about
//! one of the result, unless `v` is a sum of rounded terms, which may cancel: `tanh(a x + b)`.

use super::double_float::{DoubleFloat, DoubleFloats};
use crate::sequence::forms::gate::Gate;
use crate::sequence::{Api, Compare, Source, Type, Val};
use op_dsl_ir::analysis::Visit;
use op_dsl_ir::{Graph, Id, Node, Prim};

/// Returns true if a function vanishes like an exponential below 0, where its relative slope `f'/f` is 1.
///
/// Gaussian tails do not, and are not corrected: `e^(-x^2/2)` rounds its own square, which errs by more than the rounding of `x`.
fn vanishes(prim: Prim) -> bool {
    let f = |x: f64| (prim.row().oracle)([x, 0.0, 0.0]);
    let ratio = f(-41.0) / f(-40.0);
    // Within 5 %, because `x sigmoid(x)` has a factor of 41 / 40 besides.
    prim.row().arity == 1 && (ratio * core::f64::consts::E - 1.0).abs() < 0.05
}

/// Returns true if a graph has a function whose argument's rounding errors matter.
pub(super) fn are_in(graph: &Graph) -> bool {
    let uniform = graph.uniform();
    graph.nodes.iter().any(|node| match *node {
        Node::Call(prim, [x, ..]) => {
            prim.row().ulp.0 > 0.5 && !uniform[x.index()] && matter(graph, prim, x)
        }
        _ => false,
    })
}

/// Returns true if rounding errors of the argument `x` make the result of a function inaccurate.
///
/// In tails those of any arithmetic do, elsewhere those of terms that may cancel. Values of functions have larger errors than rounding
/// them again, so that only exponentials of such values are corrected.
pub(super) fn matter(graph: &Graph, prim: Prim, x: Id) -> bool {
    match prim {
        Prim::Exp | Prim::Expm1 => is_rounded(graph, x),
        _ if vanishes(prim) => is_corrected(graph, x),
        _ => may_cancel(graph, x) && is_arithmetic(graph, x),
    }
}

/// Returns true if a value is computed from streams and numbers by arithmetic alone.
fn is_arithmetic(graph: &Graph, id: Id) -> bool {
    let arithmetic = graph.forward(|at: Visit<'_, bool>| match at.node {
        Node::Call(prim, _) => {
            let rounds_little = at.node.is_product() || prim.row().ulp.0 <= 0.5;
            rounds_little && at.args().all(|arg| *arg)
        }
        _ => true,
    });
    arithmetic[id.index()]
}

/// Returns true if a value is rounded, and computed from streams and numbers by arithmetic alone.
pub(super) fn is_corrected(graph: &Graph, id: Id) -> bool {
    is_rounded(graph, id) && is_arithmetic(graph, id)
}

fn is_rounded(graph: &Graph, id: Id) -> bool {
    let Node::Call(prim, [x, y, _]) = graph.nodes[id.index()] else { return false };
    match prim {
        Prim::Neg | Prim::Abs => is_rounded(graph, x),
        Prim::Min | Prim::Max => [x, y].into_iter().any(|arg| is_rounded(graph, arg)),
        Prim::Mul | Prim::Mul3 | Prim::Div | Prim::Add | Prim::Sub => true,
        _ => false,
    }
}

/// Returns true if `id` is a sum of rounded terms, perhaps bounded or scaled.
fn may_cancel(graph: &Graph, id: Id) -> bool {
    let Node::Call(prim, [x, y, _]) = graph.nodes[id.index()] else { return false };
    match prim {
        Prim::Neg | Prim::Abs => may_cancel(graph, x),
        Prim::Mul | Prim::Div | Prim::Min | Prim::Max => {
            [x, y].into_iter().any(|arg| may_cancel(graph, arg))
        }
        Prim::Add | Prim::Sub => [x, y].into_iter().any(|term| is_rounded(graph, term)),
        _ => false,
    }
}

impl DoubleFloats<'_> {
    /// Emits `f(x)`, where `value` is that of the upper part of `x`.
    pub fn corrected(&mut self, prim: Prim, x: DoubleFloat, value: Val) -> Val {
        let Some(low) = x.low.filter(|_| vanishes(prim)) else { return value };
        let below = Source::Call(Api::Compares(Compare::Lt));
        let is_below = self.seq.push(below, &[x.high], Some(0.0.into()), Type::Mask);
        let none = self.seq.splat(0.0);
        let change = self.seq.call(Api::Select, &[is_below, low, none]);
        let more = self.seq.adds(change, 1.0);
        self.seq.mul(value, more)
    }

    /// Emits the gate of `x`, where `gate` is that of the upper part of `x`, and `prim` is a member of its family.
    ///
    /// The derivative of `s = sigmoid(x)` is `s (1 - s)`.
    pub fn corrected_gate(&mut self, prim: Prim, x: DoubleFloat, gate: Gate) -> Gate {
        let Some(low) = x.low.filter(|_| vanishes(prim)) else { return gate };
        let [more, less] = [(gate.rest, 1.0), (gate.sigma, -1.0)].map(|(other, sign)| {
            let part = self.seq.mul(low, other);
            let part = self.seq.muls(part, sign);
            self.seq.adds(part, 1.0)
        });
        let sigma = self.seq.mul(gate.sigma, more);
        let [rest, slope] = [gate.rest, gate.slope].map(|part| self.seq.mul(part, less));
        Gate { sigma, rest, slope, ..gate }
    }
}
