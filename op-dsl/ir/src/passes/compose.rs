//! Expands primitives that no target has an algorithm for into formulas of other primitives.
//!
//! They are rows of the table only for their derivatives, and so that the recogniser finds them in an author's formula.

use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;

/// Replaces every primitive that no target computes by a formula of other primitives.
pub fn run(graph: &Graph) -> Graph {
    graph.rewrite(|b, node| match node {
        Node::Call(prim, args) => composed(b, prim, args).unwrap_or_else(|| b.add(node)),
        leaf => b.add(leaf),
    })
}

/// Emits the formula of a primitive that no target computes; returns `None` for other primitives.
fn composed(b: &mut Builder, prim: Prim, [x, y, z]: [Id; 3]) -> Option<Id> {
    Some(match prim {
        Prim::Relu => {
            let zero = b.num(0.0);
            b.call(Prim::Max, &[x, zero])
        }
        Prim::Clamp => {
            let raised = b.call(Prim::Max, &[x, y]);
            b.call(Prim::Min, &[raised, z])
        }
        Prim::Sign => b.sign(x),
        Prim::WithGrad => x,
        // The sum does not cancel, because both terms have the sign of `x`.
        Prim::Sinh => {
            let (up, down) = both(b, Prim::Expm1, x);
            let twice = b.difference(up, down);
            b.scaled(0.5, twice)
        }
        Prim::Cosh => {
            let (up, down) = both(b, Prim::Exp, x);
            let twice = b.sum(up, down);
            b.scaled(0.5, twice)
        }
        _ => return None,
    })
}

/// Emits calls of a primitive at `x` and at `-x`, and returns them in this order.
fn both(b: &mut Builder, prim: Prim, x: Id) -> (Id, Id) {
    let minus = b.negative(x);
    (b.call(prim, &[x]), b.call(prim, &[minus]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::TABLE;

    #[test]
    fn formulas_have_the_values_of_their_rows() {
        let points = [-1e30, -3.5, -1.0, -1e-9, -0.0, 0.0, 0.25, 1.0, 2.0, 40.0, f64::INFINITY];
        let points = || points.into_iter().chain([f64::NAN, f64::NEG_INFINITY]);
        for row in TABLE {
            let mut b = Builder::new();
            let args: Vec<Id> = (0..row.arity).map(|i| b.stream(i)).collect();
            let call = b.call(row.prim, &args);
            let graph = b.finish(&[call]);
            let formula = run(&graph);
            assert_eq!(formula != graph, row.prim.is_composed(), "{}", row.name);
            for (x, y, z) in points().flat_map(|x| [(x, -1.0, 2.0), (x, 2.0, -1.0), (0.5, x, 1.0)])
            {
                let (is, want) = (formula.eval(&[x, y, z], &[])[0], (row.oracle)([x, y, z]));
                let close = (is - want).abs() <= 1e-12 * want.abs() || is == want;
                assert!(
                    close || is.is_nan() && want.is_nan(),
                    "{}({x}, {y}, {z}): {is}, {want}",
                    row.name
                );
            }
        }
    }
}
