//! Values that may leave the range of f32 although the result does not.

use op_dsl_ir::Prim;
use op_dsl_ir::graph::{Graph, Id, Node, needed};
use op_dsl_ir::program::arms::arms;

/// For each node of a graph, whether its value is checked for leaving the range of f32.
pub struct Watched {
    /// True, per node, if later nodes need digits that its value loses by being too small.
    pub small: Vec<bool>,
    /// True, per node, if the results may not show that its value is infinite or NaN.
    pub large: Vec<bool>,
}

impl Watched {
    /// Finds the nodes whose values have to be checked, from how later nodes use them.
    ///
    /// Returns `None` where the untaken branch of a choice by an attribute is computed as well, because values that leave the
    /// range there do not matter.
    ///
    /// With `inputs`, infinite and NaN elements of inputs count as well.
    pub fn new(graph: &Graph, inputs: bool) -> Option<Watched> {
        let uniform = graph.uniform();
        let arms = arms(graph);
        let is_needed = needed(&graph.nodes, &graph.outputs, |k, id| match &graph.nodes[k] {
            Node::Call(Prim::Select, [by, yes, no]) if uniform[by.index()] => {
                ![*yes, *no].contains(&id)
            }
            _ => true,
        });
        let is_lost = |k: usize| {
            let is_computed = matches!(graph.nodes[k], Node::Call(..)) && !uniform[k];
            is_computed && !is_needed[k] && arms[k].is_none()
        };
        if (0..graph.nodes.len()).any(is_lost) {
            return None;
        }
        let of = |id: Id| match graph.nodes[id.index()] {
            Node::Call(prim, _) if !(uniform[id.index()] || prim.is_comparison()) => Some(prim),
            _ => None,
        };
        let none = vec![false; graph.nodes.len()];
        let mut watched = Watched { small: none.clone(), large: none };
        for node in graph.nodes.iter() {
            let Node::Call(user, args) = *node else { continue };
            let is_number = |id: &Id| matches!(graph.nodes[id.index()], Node::Const(_));
            // A constant addend absorbs small values, and infinities survive sums and products.
            let is_seen = !matches!(user, Prim::Add | Prim::Sub if args[..2].iter().any(is_number));
            let stays = matches!(
                user,
                Prim::Add | Prim::Sub | Prim::Mul | Prim::Mul3 | Prim::Neg | Prim::Abs
            );
            for (place, id) in node.args().iter().enumerate() {
                let Some(prim) = of(*id) else { continue };
                watched.small[id.index()] |= is_seen && may_shrink(prim) && !user.is_comparison();
                watched.large[id.index()] |= !(stays || user == Prim::Div && place == 0);
            }
        }
        for id in graph.outputs.iter().filter(|id| of(**id).is_some()) {
            watched.large[id.index()] = true;
        }
        for (k, node) in graph.nodes.iter().enumerate() {
            watched.large[k] |= inputs && matches!(node, Node::Stream(_));
        }
        Some(watched)
    }
}

/// Returns true if a primitive's values may be far smaller than its arguments.
///
/// Sums do not count, because small sums are exact.
fn may_shrink(prim: Prim) -> bool {
    use Prim::{Abs, Add, Max, Min, Neg, Select, Sub};
    !matches!(prim, Abs | Add | Max | Min | Neg | Select | Sub)
}
