//! Queries on a graph: uniform nodes, nodes with one reader, and smooth primitives times factors.

use super::redundant_bounds::unbound;
use super::target::Target;
use crate::column::{family, form_of, number};
use crate::sequence::Scalar;
use crate::sequence::form::Form;
use op_dsl_ir::analysis::Visit;
use op_dsl_ir::{Graph, Id, Node, Prim, Stored};

/// A product of a smooth primitive and other factors, which one sequence of vector calls computes.
///
/// A smooth primitive is one that a sequence of vector calls computes, such as sigmoid. In the graph, only this product reads it.
pub(super) struct Fold {
    pub smooth: Id,
    pub factors: Vec<Id>,
}

/// A smooth primitive (one that is computed by a sequence of vector calls) and its argument.
///
/// If `is_rest` is true, the node is the sigmoid of the negation of `arg`.
pub(super) struct Smooth {
    pub prim: Prim,
    pub arg: Id,
    pub is_rest: bool,
}

/// A primitive that can share vector calls with another of the same argument, as sigmoid with silu.
pub(super) struct Relative {
    pub is_rest: bool,
    /// The factors that the graph multiplies this primitive by.
    pub factors: Vec<Id>,
}

/// A graph with the facts about its nodes that the lowering to vector calls needs.
///
/// These are the number of readers, dependence on attributes only, and the sequence of vector calls for each smooth primitive.
pub(super) struct Reading<'g> {
    graph: &'g Graph,
    target: Target<'g>,
    uses: Vec<usize>,
    /// For each node, true if it depends on attributes only, so that scalar code can compute it.
    uniform: Vec<bool>,
    /// The primitives that sequences of vector calls compute, each with the sequence chosen for it.
    known: Vec<(Prim, &'static Form)>,
}

impl<'g> Reading<'g> {
    pub fn new(graph: &'g Graph, target: Target<'g>) -> Reading<'g> {
        let uses = graph.uses();
        let uniform = graph.forward(|at: Visit<'_, bool>| match at.node {
            Node::Stream(_) => false,
            Node::Const(_) | Node::Scalar(_) => true,
            Node::Call(prim, _) => number(prim).is_some() && at.args().all(|uniform| *uniform),
        });
        let mut known: Vec<(Prim, &Form)> = Vec::new();
        for node in graph.nodes.iter() {
            let Node::Call(prim, _) = *node else { continue };
            if known.iter().all(|(p, _)| *p != prim) {
                let form =
                    form_of(prim, target.dtype, target.limits, target.digits, target.soc.arch);
                known.extend(form.map(|form| (prim, form)));
            }
        }
        Reading { graph, target, uses, uniform, known }
    }

    /// Returns true if node `id` has the same value for every element.
    pub fn is_uniform(&self, id: Id) -> bool {
        self.uniform[id.index()]
    }

    pub fn node(&self, id: Id) -> Node {
        self.graph.nodes[id.index()]
    }

    pub fn as_const(&self, id: Id) -> Option<f64> {
        self.graph.as_const(id)
    }

    /// Returns node `id` as a scalar operand; `None` if its value differs between elements.
    pub fn scalar(&self, id: Id) -> Option<Scalar> {
        let scalar = || self.as_const(id).map_or(Scalar::Uniform(id), Scalar::from);
        self.uniform[id.index()].then(scalar)
    }

    pub fn form(&self, prim: Prim) -> Option<&'static Form> {
        self.known.iter().find(|(p, _)| *p == prim).map(|(_, form)| *form)
    }

    /// Returns `x` if node `id` is `max(x, -2^40)` or a similar huge bound of `x`; otherwise `id`.
    ///
    /// The vector calls of a smooth primitive clamp its argument themselves, so they do not need such bounds.
    fn bare(&self, id: Id) -> Id {
        unbound(self.graph, id).map_or(id, |x| self.bare(x))
    }

    /// Returns the primitive and the argument of node `id`; `None` if the primitive is not smooth.
    ///
    /// A smooth primitive is one that a sequence of vector calls computes. If the graph also has `sigmoid(x)`, then `sigmoid(-x)`
    /// is reported as its complement (`is_rest`) with argument `x`.
    pub fn smooth(&self, id: Id) -> Option<Smooth> {
        let Node::Call(prim, [arg, ..]) = self.node(id) else { return None };
        self.form(prim)?;
        let dtype = self.target.dtype;
        let opposite = match self.node(arg) {
            // Not in bf16, whose range is that of f32: a product may be representable there where the complement alone is not, so
            // it takes an exponential of its own.
            Node::Call(Prim::Neg, [x, ..])
                if prim == Prim::Sigmoid && !(dtype.is_narrow() && dtype.has_f32_range()) =>
            {
                Some(x)
            }
            _ => None,
        };
        let is_there = |x: &Id| {
            self.graph.nodes.contains(&Node::Call(Prim::Sigmoid, [*x, Id::NONE, Id::NONE]))
        };
        Some(match opposite.filter(is_there) {
            Some(x) => Smooth { prim, arg: self.bare(x), is_rest: true },
            None => Smooth { prim, arg: self.bare(arg), is_rest: false },
        })
    }

    pub fn fold(&self, id: Id) -> Option<Fold> {
        let free = |s: &Id| self.smooth(*s).is_some() && self.uses[s.index()] == 1;
        let (smooth, factors) = match self.node(id) {
            Node::Call(Prim::Mul3, [x, y, z]) if free(&x) => (x, vec![y, z]),
            Node::Call(Prim::Mul, [x, y, _]) if free(&x) => (x, vec![y]),
            Node::Call(Prim::Mul, [x, y, _]) if free(&y) => (y, vec![x]),
            _ => return None,
        };
        let varies = factors.iter().all(|f| !self.uniform[f.index()]);
        (varies && !self.uniform[smooth.index()]).then_some(Fold { smooth, factors })
    }

    /// Returns the other nodes with argument `arg` whose primitives can share vector calls with `prim`.
    ///
    /// `prim` and `arg` are the primitive and the argument of node `id`.
    pub fn relatives(&self, id: Id, prim: Prim, arg: Id) -> Vec<Relative> {
        let Some(family) = family(prim) else { return vec![] };
        let ids = || self.graph.ids();
        let related = |o: Id| {
            let of = self.smooth(o).filter(|of| of.arg == arg && o != id)?;
            family.iter().any(|m| m.0 == of.prim).then_some((o, of.is_rest))
        };
        let relative = |(o, is_rest): (Id, bool)| {
            let folds = ids().filter_map(|n| self.fold(n)).find(|f| f.smooth == o);
            Relative { is_rest, factors: folds.map_or_else(Vec::new, |f| f.factors) }
        };
        ids().filter_map(related).map(relative).collect()
    }

    /// Returns the two factors if node `id` is a product with one reader; otherwise `None`.
    ///
    /// Also returns `None` for a product that is computed by one sequence of vector calls together with a factor, as `w
    /// sigmoid(x)`.
    pub fn own_product(&self, id: Id) -> Option<(Id, Id)> {
        match self.node(id) {
            Node::Call(Prim::Mul, [x, y, _]) if self.uses[id.index()] == 1 => Some((x, y)),
            _ => None,
        }
        .filter(|_| self.fold(id).is_none())
    }

    /// Returns the factors of `a b` as scalar and vector, if exactly one is equal for all elements.
    ///
    /// Returns `None` if both are, or neither.
    pub fn scaled(&self, a: Id, b: Id) -> Option<(Scalar, Id)> {
        let one =
            |c: Id, w: Id| self.scalar(c).filter(|_| !self.uniform[w.index()]).map(|c| (c, w));
        one(a, b).or_else(|| one(b, a))
    }

    /// Returns true if a compound call (such as `Axpy`) may overwrite node `id`.
    ///
    /// The node must be a vector that nothing else reads.
    pub fn spendable(&self, id: Id) -> bool {
        let is_vector = matches!(self.node(id), Node::Call(..)) && !self.uniform[id.index()];
        is_vector && self.uses[id.index()] == 1
    }

    /// Returns `x` if node `id` is `x * x` and differs between elements; otherwise `None`.
    pub fn square(&self, id: Id) -> Option<Id> {
        match self.node(id) {
            Node::Call(Prim::Mul, [x, y, _]) if x == y && !self.uniform[id.index()] => Some(x),
            _ => None,
        }
    }

    /// Returns `x` if node `id` is `1 / (x * x)` and has one reader; otherwise `None`.
    pub fn reciprocal_of_square(&self, id: Id) -> Option<Id> {
        match self.node(id) {
            Node::Call(Prim::Div, [one, square, _]) if self.as_const(one) == Some(1.0) => {
                self.square(square).filter(|_| self.uses[id.index()] == 1)
            }
            _ => None,
        }
    }

    /// Returns the index of stream `k` of mask bits if node `id` is `k == 0`; otherwise `None`.
    ///
    /// `Select` reads mask bits directly, so the negation of a mask needs no comparison if the two branches are swapped.
    pub fn is_not(&self, id: Id) -> Option<usize> {
        let Node::Call(Prim::Eq, [x, y, _]) = self.node(id) else { return None };
        let bits = |x: Id| match self.node(x) {
            Node::Stream(k) => Some(usize::from(k)),
            _ => None,
        };
        let of = match (self.as_const(x), self.as_const(y)) {
            (_, Some(0.0)) => bits(x)?,
            (Some(0.0), _) => bits(y)?,
            _ => return None,
        };
        (self.target.truths(of) == Some(Stored::Bit)).then_some(of)
    }
}
