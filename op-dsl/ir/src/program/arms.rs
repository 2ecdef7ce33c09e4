//! Branch sinking: computes values that only one arm of an attribute condition needs in that arm alone.
//!
//! For example, `if beta > 0.0 { beta * tanh(x / beta) } else { x }` chooses once for all elements. Where the else
//! arm is taken, `tanh(x / beta)` is not computed, so it costs nothing and `x / 0` causes no slow path.

use crate::Prim;
use crate::graph::{Graph, Id, Node};
use crate::univariate::costs;

/// An arm of a `select`: the node index of the `select`, and true for the arm of a true condition.
pub type Arm = (usize, bool);

/// Returns, per node, the arm of a `select` that alone needs its value.
///
/// `None` if other nodes or outputs need the value too. Only `select`s whose condition is the same for all elements
/// count.
///
/// A `select` is ignored if skipping one of its arms saves no evaluation of a function.
pub fn arms(graph: &Graph) -> Vec<Option<Arm>> {
    let uniform = graph.uniform();
    let is_choice = |node: &Node| match *node {
        Node::Call(Prim::Select, [condition, ..]) => uniform[condition.index()],
        _ => false,
    };
    let all: Vec<bool> = graph.nodes.iter().map(is_choice).collect();
    let found = owners(graph, &all);
    let mut saves = vec![false; all.len()];
    for (node, owner) in graph.nodes.iter().zip(found) {
        if let (Node::Call(prim, _), Some((choice, _))) = (node, owner) {
            saves[choice] |= costs(*prim);
        }
    }
    owners(graph, &saves)
}

/// Returns, per node, the arm that alone needs its value, of the `select`s marked in `choices`.
///
/// `None` if other nodes or outputs need the value too. `choices` has one entry per node.
fn owners(graph: &Graph, choices: &[bool]) -> Vec<Option<Arm>> {
    // `None`: not needed yet; `Some(None)`: needed outside of any one arm. Users come after their arguments, so the
    // walk is backwards.
    let mut owners: Vec<Option<Option<Arm>>> = vec![None; graph.nodes.len()];
    let need = |owners: &mut Vec<Option<Option<Arm>>>, id: Id, by: Option<Arm>| {
        let owner = &mut owners[id.index()];
        *owner = Some(by.filter(|_| owner.is_none_or(|known| known == by)));
    };
    graph.outputs.iter().for_each(|id| need(&mut owners, *id, None));
    for (k, node) in graph.nodes.iter().enumerate().rev() {
        let by = owners[k].flatten();
        for (place, id) in node.args().iter().enumerate() {
            let arm = (choices[k] && place > 0).then_some((k, place == 1));
            need(&mut owners, *id, arm.or(by));
        }
    }
    owners.into_iter().map(Option::flatten).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Builder;

    /// Checks that only nodes that no other arm or output needs belong to an arm.
    ///
    /// In `if a > 0 { tanh(x) * tanh(y) } else { -x } + tanh(y)`, these are `tanh(x)`, the product and `-x`.
    #[test]
    fn what_others_need_is_no_arms() {
        let mut b = Builder::new();
        let (x, y, a, zero) = (b.stream(0), b.stream(1), b.scalar(0), b.num(0.0));
        let [tx, ty] = [x, y].map(|x| b.call(Prim::Tanh, &[x]));
        let product = b.product(tx, ty);
        let minus = b.negative(x);
        let holds = b.call(Prim::Lt, &[zero, a]);
        let choice = b.call(Prim::Select, &[holds, product, minus]);
        let sum = b.call(Prim::Add, &[choice, ty]);
        let graph = b.finish(&[sum]);
        let arms = arms(&graph);
        let of = |wanted: &dyn Fn(&Node) -> bool| -> Vec<Option<bool>> {
            let nodes = graph.nodes.iter().zip(&arms);
            nodes.filter(|(node, _)| wanted(node)).map(|(_, arm)| arm.map(|(_, yes)| yes)).collect()
        };
        assert_eq!(of(&|n| matches!(n, Node::Call(Prim::Tanh, _))), [Some(true), None]);
        assert_eq!(of(&|n| matches!(n, Node::Call(Prim::Mul, _))), [Some(true)]);
        assert_eq!(of(&|n| matches!(n, Node::Call(Prim::Neg, _))), [Some(false)]);
        assert_eq!(of(&|n| matches!(n, Node::Call(Prim::Lt | Prim::Add, _))), [None, None]);
        assert_eq!(of(&|n| matches!(n, Node::Stream(_))), [None, None]);
    }

    /// Checks that a `select` by a stream, or one between values of low cost, has no arms.
    #[test]
    fn other_choices_have_none() {
        let mut b = Builder::new();
        let (x, a, zero) = (b.stream(0), b.scalar(0), b.num(0.0));
        let tanh = b.call(Prim::Tanh, &[x]);
        let positive = b.call(Prim::Lt, &[zero, x]);
        let bent = b.call(Prim::Select, &[positive, tanh, x]);
        let holds = b.call(Prim::Lt, &[zero, a]);
        let minus = b.negative(x);
        let turned = b.call(Prim::Select, &[holds, x, minus]);
        let sum = b.call(Prim::Add, &[bent, turned]);
        assert!(arms(&b.finish(&[sum])).iter().all(Option::is_none));
    }
}
