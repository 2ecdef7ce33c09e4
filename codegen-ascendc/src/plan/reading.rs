//! Queries on a graph: uniform nodes, nodes with one reader, and smooth primitives times factors.

use super::redundant_bounds::is_spare;
use super::target::Target;
use crate::column::{family, form_of, number};
use crate::sequence::Scalar;
use crate::sequence::form::Form;
use op_dsl_ir::{DType, Graph, Id, Node, Prim, Stored};

/// A product of a smooth primitive and other factors, which one sequence of calls computes.
///
/// No other node reads the primitive.
pub(super) struct Fold {
    pub smooth: Id,
    pub factors: Vec<Id>,
}

/// A smooth primitive (one that is computed by a sequence of calls) and its argument.
///
/// If `is_rest` is true, the node is the sigmoid of the negation of `arg`.
pub(super) struct Smooth {
    pub prim: Prim,
    pub arg: Id,
    pub is_rest: bool,
}

/// A primitive that can share calls with another one of the same argument, as sigmoid with silu.
pub(super) struct Relative {
    pub is_rest: bool,
    /// The factors that this primitive is multiplied by.
    pub factors: Vec<Id>,
}

/// Counts the reads of each node, by other nodes and as an output.
pub(super) fn uses(graph: &Graph) -> Vec<usize> {
    let mut uses = vec![0; graph.nodes.len()];
    let read = graph.nodes.iter().flat_map(|n| n.args()).chain(graph.outputs.iter());
    read.for_each(|a| uses[a.index()] += 1);
    uses
}

/// A graph with facts about its nodes: number of readers, dependence on attributes only, sequences.
pub(super) struct Reading<'g> {
    graph: &'g Graph,
    target: Target<'g>,
    uses: Vec<usize>,
    /// For each node, true if it depends on attributes only, so that scalar code can compute it.
    uniform: Vec<bool>,
    /// The sequence chosen for each primitive of the graph that has one.
    known: Vec<(Prim, &'static Form)>,
}

impl<'g> Reading<'g> {
    pub fn new(graph: &'g Graph, target: Target<'g>) -> Reading<'g> {
        let uses = uses(graph);
        let mut uniform: Vec<bool> = Vec::with_capacity(graph.nodes.len());
        for node in graph.nodes.iter() {
            uniform.push(match node {
                Node::Stream(_) => false,
                Node::Const(_) | Node::Scalar(_) => true,
                Node::Call(prim, _) => {
                    number(*prim).is_some() && node.args().iter().all(|a| uniform[a.index()])
                }
            });
        }
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

    /// Returns true if a node has the same value for every element.
    pub fn is_uniform(&self, id: Id) -> bool {
        self.uniform[id.index()]
    }

    pub fn node(&self, id: Id) -> Node {
        self.graph.nodes[id.index()]
    }

    pub fn as_const(&self, id: Id) -> Option<f64> {
        if let Node::Const(c) = self.node(id) { Some(c) } else { None }
    }

    /// Returns the node as a scalar operand, if it has the same value for every element.
    pub fn scalar(&self, id: Id) -> Option<Scalar> {
        let scalar = || self.as_const(id).map_or(Scalar::Uniform(id), Scalar::from);
        self.uniform[id.index()].then(scalar)
    }

    pub fn form(&self, prim: Prim) -> Option<&'static Form> {
        self.known.iter().find(|(p, _)| *p == prim).map(|(_, form)| *form)
    }

    /// Returns `x` for `max(x, -2^40)` and similar huge bounds of `x`, and any other node unchanged.
    ///
    /// The sequence of a smooth primitive clamps its argument itself, so it does not need such bounds.
    fn bare(&self, id: Id) -> Id {
        match self.node(id) {
            Node::Call(prim @ (Prim::Max | Prim::Min), [x, c, _])
                if is_spare(prim, self.as_const(c)) =>
            {
                self.bare(x)
            }
            _ => id,
        }
    }

    /// Returns a node's primitive and argument, if it is smooth: computed by a sequence of calls.
    ///
    /// If the graph also has `sigmoid(x)`, then `sigmoid(-x)` is reported as its complement (`is_rest`) with argument `x`.
    pub fn smooth(&self, id: Id) -> Option<Smooth> {
        let Node::Call(prim, [arg, ..]) = self.node(id) else { return None };
        self.form(prim)?;
        let opposite = match self.node(arg) {
            // Not in bf16: a product may be representable there where the complement alone is not, so it takes an exponential of
            // its own.
            Node::Call(Prim::Neg, [x, ..])
                if prim == Prim::Sigmoid && self.target.dtype != DType::BF16 =>
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

    /// Returns all other nodes with the same argument whose primitives can share calls with this one.
    ///
    /// `prim` and `arg` are the primitive and the argument of node `id`.
    pub fn relatives(&self, id: Id, prim: Prim, arg: Id) -> Vec<Relative> {
        let Some(family) = family(prim) else { return vec![] };
        let ids = || (0..self.graph.nodes.len() as u32).map(Id);
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

    /// Returns the two factors if the node is a product with one reader.
    ///
    /// Returns `None` for a product that the sequence of a smooth primitive includes.
    pub fn own_product(&self, id: Id) -> Option<(Id, Id)> {
        match self.node(id) {
            Node::Call(Prim::Mul, [x, y, _]) if self.uses[id.index()] == 1 => Some((x, y)),
            _ => None,
        }
        .filter(|_| self.fold(id).is_none())
    }

    /// Returns the product `a b` as scalar and vector, if just one factor is equal for all elements.
    pub fn scaled(&self, a: Id, b: Id) -> Option<(Scalar, Id)> {
        let one =
            |c: Id, w: Id| self.scalar(c).filter(|_| !self.uniform[w.index()]).map(|c| (c, w));
        one(a, b).or_else(|| one(b, a))
    }

    /// Returns true if a compound call (such as `Axpy`) may overwrite the node.
    ///
    /// The node must be a vector that nothing else reads.
    pub fn spendable(&self, id: Id) -> bool {
        let is_vector = matches!(self.node(id), Node::Call(..)) && !self.uniform[id.index()];
        is_vector && self.uses[id.index()] == 1
    }

    /// Returns `x` if the node is `x * x`.
    pub fn square(&self, id: Id) -> Option<Id> {
        match self.node(id) {
            Node::Call(Prim::Mul, [x, y, _]) if x == y && !self.uniform[id.index()] => Some(x),
            _ => None,
        }
    }

    /// Returns `x` if the node is `1 / (x * x)` and has one reader.
    pub fn reciprocal_of_square(&self, id: Id) -> Option<Id> {
        match self.node(id) {
            Node::Call(Prim::Div, [one, square, _]) if self.as_const(one) == Some(1.0) => {
                self.square(square).filter(|_| self.uses[id.index()] == 1)
            }
            _ => None,
        }
    }

    /// Returns the stream `k` of mask bits if the node is `k == 0`, the negation of that mask.
    ///
    /// `Select` reads mask bits directly, so it needs no comparison if its two branches are swapped.
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
