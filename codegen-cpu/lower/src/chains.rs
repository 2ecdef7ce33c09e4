//! Products of products: their factors are multiplied together, for what the products on the way may lose
//! (`rt/math/range.rs`).

use op_dsl_ir::Prim;
use op_dsl_ir::graph::{Graph, Id, Node};

/// Which products are no more than a factor of another one.
pub struct Chains<'g> {
    graph: &'g Graph,
    inner: Vec<bool>,
}

impl<'g> Chains<'g> {
    /// The chains of those products for which `is_product` holds.
    pub fn new(graph: &'g Graph, is_product: impl Fn(Id) -> bool) -> Chains<'g> {
        let all = || (0..graph.nodes.len()).map(|k| Id(k as u32));
        let is_inner = |id: Id| {
            let uses = all().flat_map(|user| {
                let args = graph.nodes[user.index()].args().iter();
                args.filter(|arg| **arg == id).map(move |_| user)
            });
            let users: Vec<Id> = uses.take(2).collect();
            is_product(id)
                && !graph.outputs.contains(&id)
                && matches!(users[..], [user] if is_product(user))
        };
        Chains { graph, inner: all().map(is_inner).collect() }
    }

    /// Whether a node is part of a larger product, and has no statement of its own.
    pub fn is_inner(&self, id: Id) -> bool {
        self.inner[id.index()]
    }

    /// The factors of a product of more than two. Products inside it come first, as they are computed first.
    pub fn factors(&self, id: Id) -> Option<Vec<Id>> {
        let Node::Call(Prim::Mul | Prim::Mul3, _) = self.graph.nodes[id.index()] else {
            return None;
        };
        let args = self.graph.nodes[id.index()].args();
        args.iter().any(|arg| self.is_inner(*arg)).then(|| self.flat(id))
    }

    fn flat(&self, id: Id) -> Vec<Id> {
        let args = self.graph.nodes[id.index()].args();
        let (inner, others): (Vec<Id>, Vec<Id>) = args.iter().partition(|arg| self.is_inner(**arg));
        inner.into_iter().flat_map(|arg| self.flat(arg)).chain(others).collect()
    }
}
