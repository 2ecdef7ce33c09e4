//! Writes gelu, its derivative and its exponential by one `normal_cdf` and one `e^(-x^2/2)`.
//!
//! Gradients of gated units have several of them, each with a fraction or an exponential of its own. `gelu = x c` and
//! `gelu' = c + x e / sqrt(2 pi)` share both, which takes fewer calls. Where a result adds such functions, errors of the exponential
//! are errors of the whole result, instead of one term.

use super::shared_sigmoid::Values;
use crate::sequence::forms::tails::NORMAL_CDF_F32;
use op_dsl_ir::{Builder, Graph, Id, Node, Prim};

/// `1 / sqrt(2 pi)`
const HEIGHT: f64 = core::f64::consts::FRAC_1_SQRT_2 * 0.5 * core::f64::consts::FRAC_2_SQRT_PI;

/// Returns the graph with gelu and its derivatives rewritten to share their exponential.
///
/// Where a value has only one such function, it is the same graph.
pub(super) fn run(graph: &Graph) -> Graph {
    let is_gelu = |id: &Id| matches!(graph.nodes[id.index()], Node::Call(Prim::GeluGrad, _));
    if !graph.ids().any(|id| is_gelu(&id)) {
        return graph.clone();
    }
    let values = Values::new(graph);
    let all: Vec<(Id, Id)> =
        graph.ids().filter_map(|id| Some((id, variable(graph, &values, id)?))).collect();
    let shares = |x: Id| all.iter().filter(|(_, of)| *of == x).count() > 1;
    graph.rewrite_at(|b, at| {
        let of = all.iter().find(|(id, x)| *id == at.id && shares(*x));
        let (Some((_, x)), Node::Call(prim, _)) = (of, at.node) else { return b.add(at.copy()) };
        let x = at[*x];
        match prim {
            Prim::Gelu => {
                let below = b.call(Prim::NormalCdf, &[x]);
                b.product(below, x)
            }
            Prim::GeluGrad => {
                let (below, e) = (b.call(Prim::NormalCdf, &[x]), exponential(b, x));
                let density = b.scaled(HEIGHT, e);
                // At infinity the density is tiny, not 0. A clamp of the input itself would hold gelu below infinity as well.
                let most = b.num(NORMAL_CDF_F32.held);
                let bounded = b.call(Prim::Min, &[x, most]);
                let bend = b.product(density, bounded);
                b.sum(below, bend)
            }
            _ => exponential(b, x),
        }
    })
}

/// Returns `x` if node `id` is gelu of `x`, its derivative, or `e^(-x^2/2)`; otherwise `None`.
fn variable(graph: &Graph, values: &Values, id: Id) -> Option<Id> {
    match graph.nodes[id.index()] {
        Node::Call(Prim::Gelu | Prim::GeluGrad, [x, ..]) => Some(x),
        Node::Call(Prim::Exp, [v, ..]) => {
            let gelu = |node: &Node| match *node {
                Node::Call(Prim::GeluGrad, [x, ..]) => Some(x),
                _ => None,
            };
            let is_half_square =
                |x: &Id| *x < id && values.is(v, |at| -0.5 * at[x.index()] * at[x.index()]);
            graph.nodes.iter().filter_map(gelu).find(is_half_square)
        }
        _ => None,
    }
}

/// Emits `e^(-x^2/2)` by the calls of which `normal_cdf` has the same.
fn exponential(b: &mut Builder, x: Id) -> Id {
    let (size, most) = (b.call(Prim::Abs, &[x]), b.num(NORMAL_CDF_F32.held));
    let size = b.call(Prim::Min, &[size, most]);
    let square = b.product(size, size);
    let half = b.scaled(-NORMAL_CDF_F32.scale, square);
    b.call(Prim::Exp, &[half])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_one_value_share_their_exponential() {
        let mut b = Builder::new();
        let (x, y) = (b.stream(0), b.stream(1));
        let [f, g, alone] = [(Prim::Gelu, x), (Prim::GeluGrad, x), (Prim::GeluGrad, y)]
            .map(|(p, x)| b.call(p, &[x]));
        let half = b.scaled(-0.5, x);
        let v = b.product(half, x);
        let e = b.call(Prim::Exp, &[v]);
        let graph = b.finish(&[f, g, e, alone]);
        let found = run(&graph);
        assert_eq!(found.eval(&[f64::INFINITY, 0.7], &[])[..2], [f64::INFINITY, 1.0]);
        for x in [-5.0, -0.7, 1e-9, 0.3, 5.0] {
            let (got, want) = (found.eval(&[x, 0.7], &[]), graph.eval(&[x, 0.7], &[]));
            for (got, want) in got.iter().zip(&want) {
                assert!((got - want).abs() <= 1e-13 * want.abs(), "{x}: {got:e}, not {want:e}");
            }
        }
        let count = |of: Prim| {
            found.nodes.iter().filter(|n| matches!(n, Node::Call(prim, _) if *prim == of)).count()
        };
        assert_eq!(
            [Prim::Exp, Prim::NormalCdf, Prim::Gelu, Prim::GeluGrad].map(count),
            [1, 1, 0, 1]
        );
        assert_eq!(run(&found), found);
    }
}
