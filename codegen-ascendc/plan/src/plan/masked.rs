//! Takes selects that are 0 in one branch, such as `if c { 0 } else { f }`, out of products and sums.
//!
//! The derivative of a clamp is such a select of 0 and 1. A second derivative multiplies it into every term. It then hides from
//! other rewrites that terms are equal, and each product with it costs a call and a rounding. With `m = if c { 0 } else { 1 }`, the
//! sum `m f + m m g` becomes `if c { 0 } else { f + g }`.

use op_dsl_ir::passes::simplify;
use op_dsl_ir::{Builder, Graph, Id, Node, Prim};

/// A select: 0 where a condition is true, and a value where the condition is false.
#[derive(Clone, Copy)]
struct Choice {
    /// Condition, a node of the graph before the rewrite.
    condition: Id,
    /// Value, a node of the graph after the rewrite.
    value: Id,
}

/// Takes selects that are 0 in one branch out of products and sums. Without such selects the graph stays the same.
///
/// No select hides a NaN: the values that move into a branch depend on no input but those that the condition compares, and a
/// comparison with NaN is false.
pub(super) fn run(graph: &Graph) -> Graph {
    let inputs = graph.inputs();
    let is_zero = |id: Id| graph.as_const(id) == Some(0.0);
    let compares = |id: Id| match graph.nodes[id.index()] {
        Node::Call(prim, _) => prim.is_comparison(),
        _ => false,
    };
    let reads = |id: Id| inputs[id.index()].streams;
    let mut choices: Vec<Option<Choice>> = vec![None; graph.nodes.len()];
    let found = graph.rewrite_at(|b, at| {
        let choice = |id: Id| choices[id.index()];
        // The value of a node where the condition of `of` is false, if the condition reads what the node reads.
        let under = |of: Choice, id: Id| match choice(id) {
            Some(other) if other.condition == of.condition => Some(other.value),
            _ => (reads(id) & !reads(of.condition) == 0).then_some(at[id]),
        };
        let both = |b: &mut Builder, prim: Prim, of: Choice, other: Id| {
            let value = b.call(prim, &[of.value, under(of, other)?]);
            Some(Choice { value, ..of })
        };
        let found = match at.node {
            Node::Call(Prim::Select, [condition, zero, x])
                if is_zero(zero) && compares(condition) =>
            {
                let of = Choice { condition, value: at[x] };
                under(of, x).map(|value| Choice { value, ..of })
            }
            Node::Call(Prim::Neg, [x, ..]) => {
                choice(x).map(|of| Choice { value: b.negative(of.value), ..of })
            }
            Node::Call(Prim::Mul, [x, y, _]) => {
                let first = choice(x).and_then(|of| both(b, Prim::Mul, of, y));
                first.or_else(|| choice(y).and_then(|of| both(b, Prim::Mul, of, x)))
            }
            Node::Call(prim @ (Prim::Add | Prim::Sub), [x, y, _]) => match (choice(x), choice(y)) {
                (Some(of), Some(other)) if of.condition == other.condition => both(b, prim, of, y),
                _ => None,
            },
            _ => None,
        };
        choices[at.id.index()] = found;
        match found {
            Some(Choice { condition, value }) => {
                let zero = b.num(0.0);
                b.call(Prim::Select, &[at[condition], zero, value])
            }
            None => b.add(at.copy()),
        }
    });
    if found == *graph { found } else { simplify::run(&found) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_of_clamps_are_multiplied_last() {
        let mut b = Builder::new();
        let (x, dy, limit) = (b.stream(0), b.stream(1), b.scalar(0));
        let (zero, one) = (b.num(0.0), b.num(1.0));
        let is_over = b.call(Prim::Lt, &[limit, x]);
        let mask = b.call(Prim::Select, &[is_over, zero, one]);
        let (s, t) = (b.call(Prim::Sigmoid, &[x]), b.call(Prim::Tanh, &[x]));
        let (first, second) = (b.product(s, mask), b.product(mask, mask));
        let second = b.product(second, t);
        let sum = b.difference(first, second);
        // A NaN of `dy` would be lost in a choice by `x`.
        let result = b.product(dy, sum);
        let graph = b.finish(&[result]);
        let found = run(&graph);
        for x in [-2.0, 1e-9, 0.3, 5.0] {
            assert_eq!(found.eval(&[x, 0.7], &[3.0]), graph.eval(&[x, 0.7], &[3.0]));
            assert!(found.eval(&[x, f64::NAN], &[3.0])[0].is_nan());
        }
        assert!(found.eval(&[f64::NAN, 1.0], &[3.0])[0].is_nan());
        let count = |graph: &Graph, prim: Prim| {
            graph.nodes.iter().filter(|n| matches!(n, Node::Call(p, _) if *p == prim)).count()
        };
        assert_eq!((count(&found, Prim::Mul), count(&found, Prim::Select)), (1, 1));
        assert_eq!(run(&found), found);
    }
}
