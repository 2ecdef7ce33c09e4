//! What is computed only where an attribute says so.
//!
//! `if beta > 0.0 { beta * tanh(x / beta) } else { x }` chooses once for all elements. What one arm alone needs is
//! computed in that arm: where the other is taken it costs nothing, and `x / 0` leads to no slow path.

use crate::Prim;
use crate::graph::{Graph, Id, Node};
use crate::regions::{costs, is_uniform};

/// The number of a choice, and whether it is the arm where the condition holds.
pub type Arm = (usize, bool);

/// Of each node the arm that alone needs it, if there is one. Choices that keep no function from being computed are none.
pub fn arms(graph: &Graph) -> Vec<Option<Arm>> {
    let uniform = is_uniform(graph);
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

/// Of each node the arm that alone needs it, of these choices.
fn owners(graph: &Graph, choices: &[bool]) -> Vec<Option<Arm>> {
    // Of each node that is needed: where. Users come after what they use.
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

    /// `if a > 0 { tanh(x) * tanh(y) } else { -x } + tanh(y)`: only `tanh(x)` and the product are the arm's own.
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

    /// A choice by a stream, or of what is cheap, has no arms.
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
