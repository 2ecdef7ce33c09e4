//! Rewrites `sigmoid(v) sigmoid(-v)`, the slope of a sigmoid, as `m - m^2` with `m = sigmoid(-|v|)`, and the difference
//! `sigmoid(-v) - sigmoid(v)` beside such a product as `2 m - 1`, with the sign of `v`.
//!
//! Each of the two sigmoids is a quotient of rounded sums, so their product is five roundings away from the exponential. With `m`
//! an error of it is multiplied by `1 - 2 m`, which is 0 at 0, and both calls round values just below a power of two. Near 0, where
//! second derivatives add several such products, half a unit of error is left instead of three. In tails `m^2` vanishes beside `m`.

use super::shared_sigmoid::{Relation, Values, are_in, kin};
use op_dsl_ir::analysis::Visit;
use op_dsl_ir::{Builder, Graph, Id, Node, Prim};

/// Returns the graph with `sigmoid(v) sigmoid(-v)` rewritten as `m - m^2`, `m = sigmoid(-|v|)`.
///
/// Where the product does not occur, it is the same graph.
pub(super) fn run(graph: &Graph) -> Graph {
    if !are_in(graph) {
        return graph.clone();
    }
    let kin = kin(graph, &Values::new(graph));
    let slopes =
        graph.rewrite_at(|b, at| product(graph, at, &kin, b).unwrap_or_else(|| b.add(at.copy())));
    if slopes == *graph {
        return slopes;
    }
    graph.rewrite_at(|b, at| {
        let found = product(graph, at, &kin, b).or_else(|| difference(at, &kin, b));
        found.unwrap_or_else(|| b.add(at.copy()))
    })
}

/// Emits `m = sigmoid(-|v|)`.
fn lesser(v: Id, b: &mut Builder) -> Id {
    let size = b.call(Prim::Abs, &[v]);
    let below = b.negative(size);
    b.call(Prim::Sigmoid, &[below])
}

/// Rewrites `sigmoid(-v) - sigmoid(v)` as `2 m - 1`, or as `1 - 2 m` where `v` is negative.
///
/// Returns `None` for any other node.
fn difference(at: Visit<'_, Id>, kin: &[Relation], b: &mut Builder) -> Option<Id> {
    let Node::Call(Prim::Sub, [x, y, _]) = at.node else { return None };
    let of = |kin: &Relation| {
        let sign = |id: Id| kin.members.iter().find(|(of, _)| *of == id).map(|(_, sign)| *sign);
        let (x, y) = (sign(x)?, sign(y)?);
        (x == -y && kin.argument < at.id).then_some((kin.argument, x))
    };
    let (argument, sign) = kin.iter().find_map(of)?;
    let m = lesser(at[argument], b);
    let (twice, one, zero) = (b.scaled(2.0 * sign, m), b.num(sign), b.num(0.0));
    let (below, above) = (b.difference(twice, one), b.difference(one, twice));
    let is_below = b.call(Prim::Lt, &[at[argument], zero]);
    Some(b.call(Prim::Select, &[is_below, below, above]))
}

/// Rewrites `sigmoid(v) sigmoid(-v)` in a product as `m - m^2`, where `m = sigmoid(-|v|)`.
///
/// One argument of the product must contain one of the two factors, and another argument the other. Returns `None` for any other
/// node.
fn product(graph: &Graph, at: Visit<'_, Id>, kin: &[Relation], b: &mut Builder) -> Option<Id> {
    if !at.node.is_product() {
        return None;
    }
    let of_arg = |(k, arg): (usize, &Id)| {
        graph.factors(*arg, |_| true).into_iter().map(move |factor| (k, factor))
    };
    let all: Vec<(usize, Id)> = at.node.args().iter().enumerate().flat_map(of_arg).collect();
    let pair = |kin: &Relation| {
        let is_member = |id: Id, sign: f64| kin.members.contains(&(id, sign));
        let opposites = |i: usize, j: usize| {
            let ((k, x), (l, y)) = (all[i], all[j]);
            k != l && [1.0, -1.0].into_iter().any(|sign| is_member(x, sign) && is_member(y, -sign))
        };
        let mut pairs = (0..all.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        pairs.find(|(i, j)| opposites(*i, *j)).map(|pair| (kin.argument, pair))
    };
    let (argument, (i, j)) = kin.iter().find_map(pair)?;
    // If the group's argument comes later than this node, the sigmoid's own argument serves, since its absolute value is the same.
    let own = graph.nodes[all[i].1.index()].args().first().copied();
    let argument = Some(argument).filter(|v| *v < at.id).or(own)?;
    let m = lesser(at[argument], b);
    let square = b.product(m, m);
    let slope = b.difference(m, square);
    let others = (0..all.len()).filter(|k| ![i, j].contains(k));
    Some(others.fold(slope, |product, k| b.product(product, at[all[k].1])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::Node;

    #[test]
    fn pairs_that_meet_in_a_product() {
        let mut b = Builder::new();
        let (x, w) = (b.stream(0), b.stream(1));
        let (plus, minus) = (b.num(3.0), b.num(-3.0));
        let (v, u) = (b.product(plus, x), b.product(minus, x));
        let (s, r) = (b.call(Prim::Sigmoid, &[v]), b.call(Prim::Sigmoid, &[u]));
        let slope = b.product(s, r);
        let apart = b.product(s, w);
        let apart = b.product(apart, r);
        let square = b.product(s, s);
        let alone = b.product(square, w);
        let graph = b.finish(&[slope, apart, alone]);
        let found = run(&graph);
        for x in [-300.0, -2.0, 1e-9, 0.3, 5.0] {
            let (got, want) = (found.eval(&[x, 0.7], &[]), graph.eval(&[x, 0.7], &[]));
            for (got, want) in got.iter().zip(&want) {
                assert!((got - want).abs() <= 1e-14 * want.abs(), "{x}: {got:e}, not {want:e}");
            }
        }
        // One sigmoid serves both products; the other is that of the square.
        let sigmoids = |graph: &Graph| {
            graph.nodes.iter().filter(|n| matches!(n, Node::Call(Prim::Sigmoid, _))).count()
        };
        assert_eq!(sigmoids(&found), 2);
        assert_eq!(run(&found), found);
    }
}
