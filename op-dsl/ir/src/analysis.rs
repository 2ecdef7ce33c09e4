//! Analyses of a graph, each of which computes one value per node, and rewrites of a graph node by node.
//!
//! ```text
//! forward   from arguments to users: dependence on other nodes (`depends_on`), on inputs (`inputs`), on none (`uniform`)
//! backward  from outputs to what they are computed from: `needed_for`
//! local     how often a node is used (`uses`), and by which nodes (`read_by`); the factors of a product (`factors`)
//! rewrites  a new node in place of each (`rewrite`), with what it was and where (`rewrite_at`)
//! ```
//!
//! Each takes one walk over the nodes, and allocates its result only.

use crate::graph::{Builder, Graph, Id, Node, needed};
use crate::prim::Prim;
use std::ops::Index;

/// A node that a forward walk has reached, with the results of all earlier nodes.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a, T> {
    /// Id of the node that the walk has reached.
    pub id: Id,
    /// The node, as it is in the graph.
    pub node: Node,
    /// Results of the earlier nodes, by their ids.
    pub earlier: &'a [T],
}

impl<'a, T> Visit<'a, T> {
    /// Returns the results of the node's arguments, in their order; a leaf has none.
    pub fn args(&self) -> impl Iterator<Item = &'a T> {
        let earlier = self.earlier;
        self.node.args().iter().map(move |a| &earlier[a.index()])
    }

    /// Returns the result of an earlier node, or `None` for [`Id::NONE`].
    pub fn get(&self, id: Id) -> Option<&'a T> {
        self.earlier.get(id.index())
    }
}

impl<T> Index<Id> for Visit<'_, T> {
    type Output = T;

    fn index(&self, id: Id) -> &T {
        &self.earlier[id.index()]
    }
}

impl Visit<'_, Id> {
    /// Returns the node with its arguments replaced by their results, which are the ids of a new graph.
    pub fn copy(&self) -> Node {
        self.node.map_args(self.earlier)
    }
}

/// Set of inputs: streams and attributes, one bit each.
///
/// No operator has 64 of either, so that no two share a bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// The streams; stream `k` is bit `k`.
    pub streams: u64,
    /// The attributes; attribute `k` is bit `k`.
    pub scalars: u64,
}

impl Inputs {
    /// Returns the bit of the stream or attribute with this index.
    pub const fn bit(index: usize) -> u64 {
        1 << (index % 64)
    }

    /// Returns whether the set is empty, as it is for a value computed from constants.
    pub fn is_empty(self) -> bool {
        self == Inputs::default()
    }

    /// Returns the stream if it is the only input, otherwise `None`.
    pub fn sole_stream(self) -> Option<u16> {
        let is_sole = self.scalars == 0 && self.streams.is_power_of_two();
        is_sole.then(|| self.streams.trailing_zeros() as u16)
    }

    /// Returns whether there are several streams, or attributes.
    pub fn are_several(self) -> bool {
        !self.is_empty() && self.sole_stream().is_none()
    }

    /// Returns whether this set is a subset of `others`.
    pub fn are_within(self, others: Inputs) -> bool {
        self.streams & !others.streams == 0 && self.scalars & !others.scalars == 0
    }

    fn and(self, other: Inputs) -> Inputs {
        Inputs { streams: self.streams | other.streams, scalars: self.scalars | other.scalars }
    }
}

impl Graph {
    /// Computes a value per node in evaluation order, from the node and the values of earlier nodes.
    pub fn forward<T>(&self, f: impl FnMut(Visit<'_, T>) -> T) -> Vec<T> {
        self.forward_to(self.last(), f)
    }

    /// Computes a value per node as [`Graph::forward`] does, for the nodes up to `last` only.
    #[inline]
    pub fn forward_to<T>(&self, last: Id, mut f: impl FnMut(Visit<'_, T>) -> T) -> Vec<T> {
        let nodes = self.nodes.iter().take(last.index() + 1);
        let mut all = Vec::with_capacity(nodes.len());
        for (id, node) in self.ids().zip(nodes) {
            let value = f(Visit { id, node: *node, earlier: &all });
            all.push(value);
        }
        all
    }

    /// Returns, per node, whether it or any node that it depends on is a source.
    pub fn depends_on(&self, is_source: impl Fn(Id, Node) -> bool) -> Vec<bool> {
        self.forward(|at| is_source(at.id, at.node) || at.args().any(|depends| *depends))
    }

    /// Returns, per node, whether it is uniform: it depends on no stream, so it is the same for all elements.
    pub fn uniform(&self) -> Vec<bool> {
        self.forward(|at| !matches!(at.node, Node::Stream(_)) && at.args().all(|uniform| *uniform))
    }

    /// Returns whether every node that depends on a node is a sum, or a product of one, with it as a factor.
    pub fn is_multiplied(&self, id: Id) -> bool {
        let depends = self.depends_on(|at, _| at == id);
        let nodes = self.ids().zip(self.nodes.iter());
        nodes.filter(|(at, _)| *at != id && depends[at.index()]).all(|(_, node)| {
            let is_in = |arg: &Id| depends[arg.index()];
            match node {
                Node::Call(Prim::Mul | Prim::Mul3 | Prim::Neg | Prim::Add | Prim::Sub, _) => true,
                Node::Call(Prim::Div, [_, divisor, _]) => !is_in(divisor),
                Node::Call(Prim::Select, [condition, ..]) => !is_in(condition),
                _ => false,
            }
        })
    }

    /// Returns, per node, the streams and attributes that it depends on.
    pub fn inputs(&self) -> Vec<Inputs> {
        self.forward(|at| match at.node {
            Node::Stream(k) => Inputs { streams: Inputs::bit(k.into()), scalars: 0 },
            Node::Scalar(k) => Inputs { streams: 0, scalars: Inputs::bit(k.into()) },
            _ => at.args().fold(Inputs::default(), |all, inputs| all.and(*inputs)),
        })
    }

    /// Returns, per node, the number of its uses: by other nodes, each argument counted, and as an output.
    pub fn uses(&self) -> Vec<usize> {
        let mut uses = vec![0; self.nodes.len()];
        let used = self.nodes.iter().flat_map(Node::args).chain(self.outputs.iter());
        used.for_each(|id| uses[id.index()] += 1);
        uses
    }

    /// Returns, per node, whether it is an argument of some node for which `is_reader` is true.
    pub fn read_by(&self, is_reader: impl Fn(Id, Node) -> bool) -> Vec<bool> {
        let mut read = vec![false; self.nodes.len()];
        let nodes = self.ids().zip(self.nodes.iter());
        let readers = nodes.filter(|(id, node)| is_reader(*id, **node));
        readers.flat_map(|(_, node)| node.args()).for_each(|id| read[id.index()] = true);
        read
    }

    /// Returns whether two nodes are differences of the same operands in either order, `x - y` and `y - x`.
    pub fn are_opposite(&self, a: Id, b: Id) -> bool {
        match [a, b].map(|id| self.nodes[id.index()]) {
            [Node::Call(Prim::Sub, [x, y, _]), Node::Call(Prim::Sub, [v, w, _])] => {
                [x, y] == [w, v]
            }
            _ => false,
        }
    }

    /// Returns a graph in which `t - x` is `-(x - t)` if it has `x - t` too, so that both are functions of one sum.
    pub fn oriented(&self) -> Graph {
        self.rewrite_at(|b, at| {
            let mut earlier = self.ids().take(at.id.index());
            match earlier.find(|other| self.are_opposite(*other, at.id)) {
                Some(opposite) => b.negative(at[opposite]),
                None => b.add(at.copy()),
            }
        })
    }

    /// Returns, per node, whether it is live out of a region: an output, or an argument of a node outside.
    pub fn live_out(&self, is_outside: impl Fn(Id, Node) -> bool) -> Vec<bool> {
        let mut live_out = self.read_by(is_outside);
        self.outputs.iter().for_each(|id| live_out[id.index()] = true);
        live_out
    }

    /// Returns, per node, whether any of `results` depends on it; a result depends on itself.
    pub fn needed_for(&self, results: &[Id]) -> Vec<bool> {
        needed(&self.nodes, results, |_, _| true)
    }

    /// Returns the factors of a product in their order, with inner products that `opens` accepts replaced by theirs.
    ///
    /// A node that is no product is its only factor.
    pub fn factors(&self, product: Id, opens: impl Fn(Id) -> bool) -> Vec<Id> {
        let (mut factors, mut rest) = (Vec::new(), vec![product]);
        while let Some(id) = rest.pop() {
            match &self.nodes[id.index()] {
                node if node.is_product() && (id == product || opens(id)) => {
                    rest.extend(node.args().iter().rev());
                }
                _ => factors.push(id),
            }
        }
        factors
    }

    /// Returns the terms of a sum in their order, each with its sign, with inner sums that `opens` accepts replaced by theirs.
    ///
    /// The negative of a term is the term with another sign. A node that is no sum is its only term.
    pub fn addends(&self, sum: Id, opens: impl Fn(Id) -> bool) -> Vec<(Id, f64)> {
        let (mut terms, mut rest) = (Vec::new(), vec![(sum, 1.0)]);
        while let Some((id, sign)) = rest.pop() {
            match self.nodes[id.index()] {
                Node::Call(prim @ (Prim::Add | Prim::Sub), [x, y, _]) if id == sum || opens(id) => {
                    rest.extend([(y, if prim == Prim::Sub { -sign } else { sign }), (x, sign)]);
                }
                Node::Call(Prim::Neg, [x, ..]) if id == sum || opens(id) => rest.push((x, -sign)),
                _ => terms.push((id, sign)),
            }
        }
        terms
    }

    /// Returns, per node, whether it is a sum or a negative that only another sum uses, and so a part of that sum.
    ///
    /// Nodes that are the same for all elements are no parts.
    pub fn parts_of_sums(&self) -> Vec<bool> {
        let (uniform, uses) = (self.uniform(), self.uses());
        let is_sum = |node: Node| matches!(node, Node::Call(Prim::Add | Prim::Sub | Prim::Neg, _));
        let read = self.read_by(|id, node| !uniform[id.index()] && is_sum(node));
        let is_part =
            |(i, read): (usize, bool)| read && uses[i] == 1 && !uniform[i] && is_sum(self.nodes[i]);
        read.into_iter().enumerate().map(is_part).collect()
    }

    /// Returns the number of input streams up to the last one that is read.
    pub fn streams(&self) -> usize {
        self.count(|node| if let Node::Stream(s) = node { Some(*s) } else { None })
    }

    /// Returns the number of attributes up to the last one that is read.
    pub fn scalars(&self) -> usize {
        self.count(|node| if let Node::Scalar(s) = node { Some(*s) } else { None })
    }

    fn count(&self, index: impl Fn(&Node) -> Option<u16>) -> usize {
        self.nodes.iter().filter_map(index).max().map_or(0, |last| usize::from(last) + 1)
    }

    /// Returns whether any node reads this input stream.
    pub fn reads(&self, stream: usize) -> bool {
        self.nodes.iter().any(|n| matches!(n, Node::Stream(s) if *s as usize == stream))
    }

    /// Returns a new graph with every node rewritten by `f`.
    ///
    /// `f` receives a builder and the node, whose arguments are already rewritten, and returns the replacement.
    pub fn rewrite(&self, mut f: impl FnMut(&mut Builder, Node) -> Id) -> Graph {
        self.rewrite_at(|b, at| f(b, at.copy()))
    }

    /// Returns a new graph with every node rewritten by `f`, which also sees the node as it was.
    ///
    /// `f` receives a builder and the node of this graph, with the replacements of all earlier nodes.
    pub fn rewrite_at(&self, mut f: impl FnMut(&mut Builder, Visit<'_, Id>) -> Id) -> Graph {
        let mut b = Builder::new();
        let new = self.forward(|at| f(&mut b, at));
        let outputs: Vec<Id> = self.outputs.iter().map(|o| new[o.index()]).collect();
        b.finish(&outputs)
    }
}

impl Builder {
    /// Adds all nodes of another graph and returns the node of its first output.
    pub fn part(&mut self, graph: &Graph) -> Id {
        let new = graph.forward(|at| self.add(at.copy()));
        new[graph.outputs[0].index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::Prim;

    /// The nodes `x`, `a`, `a + a`, `x * (a + a)`, `exp(x)` and the sum of the last two, of which the last three are outputs.
    fn graph() -> Graph {
        let mut b = Builder::new();
        let (x, a) = (b.stream(1), b.scalar(0));
        let twice = b.sum(a, a);
        let product = b.product(x, twice);
        let e = b.call(Prim::Exp, &[x]);
        let sum = b.sum(product, e);
        b.finish(&[sum, product, e])
    }

    #[test]
    fn values_flow_from_arguments_to_users() {
        let graph = graph();
        let depth = |at: Visit<'_, u32>| at.args().max().map_or(0, |deepest| deepest + 1);
        assert_eq!(graph.forward(depth), [0, 0, 1, 2, 1, 3]);
        assert_eq!(graph.forward_to(Id(3), depth), [0, 0, 1, 2]);
        let is_product = |at: Visit<'_, bool>| match at.node {
            Node::Call(Prim::Mul, [x, y, none]) => !at[x] && !at[y] && at.get(none).is_none(),
            _ => false,
        };
        assert_eq!(graph.forward(is_product), [false, false, false, true, false, false]);
        assert_eq!(Builder::new().finish(&[]).forward(depth), []);
    }

    #[test]
    fn dependence_reaches_all_users() {
        let graph = graph();
        assert_eq!(graph.uniform(), [false, true, true, false, false, false]);
        let on_sum = graph.depends_on(|id, _| id == Id(2));
        assert_eq!(on_sum, [false, false, true, true, false, true]);
        let inputs = graph.inputs();
        assert_eq!(inputs[3], Inputs { streams: 0b10, scalars: 0b1 });
        assert!(inputs[4].are_within(inputs[3]) && !inputs[3].are_within(inputs[4]));
        let soles = inputs.iter().map(|inputs| inputs.sole_stream());
        assert!(soles.eq([Some(1), None, None, None, Some(1), None]));
        let several = inputs.iter().map(|inputs| inputs.are_several());
        assert!(several.eq([false, true, true, true, false, true]));
        assert!(Inputs::default().is_empty() && !Inputs::default().are_several());
    }

    #[test]
    fn uses_count_arguments_and_outputs() {
        let graph = graph();
        assert_eq!(graph.uses(), [2, 2, 1, 2, 2, 1]);
        let by_sums = |_, node| matches!(node, Node::Call(Prim::Add, _));
        assert_eq!(graph.read_by(by_sums), [false, true, false, true, true, false]);
        assert_eq!(graph.live_out(by_sums), [false, true, false, true, true, true]);
    }

    #[test]
    fn factors_of_inner_products() {
        let mut b = Builder::new();
        let (x, y) = (b.stream(0), b.scalar(1));
        let square = b.product(x, x);
        let three = b.call(Prim::Mul3, &[y, square, x]);
        let graph = b.finish(&[three]);
        assert_eq!(graph.factors(three, |_| true), [y, x, x, x]);
        assert_eq!(graph.factors(three, |id| id != square), [y, square, x]);
        assert_eq!(graph.factors(x, |_| true), [x]);
        assert_eq!((graph.streams(), graph.scalars()), (1, 2));
    }

    #[test]
    fn results_need_what_they_are_computed_from() {
        let graph = graph();
        assert_eq!(graph.needed_for(&[Id(3)]), [true, true, true, true, false, false]);
        // The product is not followed.
        let sum = needed(&graph.nodes, &[Id(5)], |k, _| k != 3);
        assert_eq!(sum, [true, false, false, true, true, true]);
    }

    #[test]
    fn rewriting_sees_the_node_as_it_was() {
        let graph = graph();
        assert_eq!(graph.rewrite(Builder::add), graph);
        let rewritten = graph.rewrite_at(|b, at| match at.node {
            Node::Call(Prim::Add, [x, y, _]) if x == y => b.scaled(2.0, at[x]),
            _ => b.add(at.copy()),
        });
        assert_eq!(rewritten.eval(&[0.0, 3.0], &[5.0]), graph.eval(&[0.0, 3.0], &[5.0]));
        assert_eq!(rewritten.nodes[3], Node::Call(Prim::Mul, [Id(2), Id(1), Id::NONE]));
    }
}
