//! The expression graph: one formula as a flat list of nodes in evaluation order.

use crate::list::List;
use crate::prim::Prim;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// Identifier of a node: its position in the evaluation order of its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub u32);

impl Id {
    /// Placeholder for the arguments that a primitive does not have.
    pub const NONE: Id = Id(u32::MAX);

    /// Returns the position of the node in its graph.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One value of a formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Node {
    /// The current element of the input stream with this index.
    Stream(u16),
    /// The numeric attribute with this index among the run-time scalars, the same for every element.
    Scalar(u16),
    /// A number that is known when the graph is built.
    Const(f64),
    /// A call of a primitive with earlier nodes as arguments.
    Call(Prim, [Id; 3]),
}

impl Node {
    /// Returns the arguments of the node; a leaf has none.
    pub fn args(&self) -> &[Id] {
        match self {
            Node::Call(prim, args) => &args[..prim.row().arity],
            _ => &[],
        }
    }

    /// Returns whether the node is a product of two or three nodes.
    pub fn is_product(&self) -> bool {
        matches!(self, Node::Call(Prim::Mul | Prim::Mul3, _))
    }

    /// Returns the node with its arguments replaced from `new`, which has an id for every earlier node.
    pub fn map_args(&self, new: &[Id]) -> Node {
        self.with_args(|a| new.get(a.index()).copied().unwrap_or(Id::NONE))
    }

    /// Returns the node with each argument replaced by its image under `f`, which is called in the order of the arguments.
    pub fn with_args(&self, mut f: impl FnMut(Id) -> Id) -> Node {
        let mut node = *self;
        if let Node::Call(prim, args) = &mut node {
            args[..prim.row().arity].iter_mut().for_each(|arg| *arg = f(*arg));
        }
        node
    }
}

/// A formula. Nodes refer to earlier nodes only, equal nodes are shared, and none is unused.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// Nodes in evaluation order: arguments come before their users.
    pub nodes: List<Node>,
    /// The nodes with the results, one per output stream.
    pub outputs: List<Id>,
}

impl Graph {
    /// Returns whether two graphs have the same nodes and outputs. Unlike for `==`, a NaN is the same as a NaN.
    pub fn is_same(&self, other: &Graph) -> bool {
        let is_nan = |node: &Node| matches!(node, Node::Const(c) if c.is_nan());
        let mut nodes = self.nodes.iter().zip(&*other.nodes);
        self.nodes.len() == other.nodes.len()
            && self.outputs == other.outputs
            && nodes.all(|(a, b)| a == b || is_nan(a) && is_nan(b))
    }

    /// Returns the ids of all nodes, in evaluation order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = Id> + Clone + use<> {
        (0..self.nodes.len() as u32).map(Id)
    }

    /// Returns the id of the last node; 0 if there is none.
    pub fn last(&self) -> Id {
        Id(self.nodes.len().saturating_sub(1) as u32)
    }

    /// Returns the number if the node is a constant, else `None`.
    pub fn as_const(&self, id: Id) -> Option<f64> {
        if let Node::Const(c) = self.nodes[id.index()] { Some(c) } else { None }
    }

    /// Returns a graph of the same nodes with other outputs; nodes that the outputs do not need are kept.
    pub fn with_outputs(&self, outputs: &[Id]) -> Graph {
        Graph { nodes: self.nodes.clone(), outputs: outputs.to_vec().into() }
    }
}

/// Builder of graphs with CSE: asking twice for the same node gives the same [`Id`].
#[derive(Clone, Debug, Default)]
pub struct Builder {
    nodes: Vec<Node>,
    known: FxHashMap<Key, Id>, // looked up, never iterated, so that its order reaches no output
}

/// Key of a node in a hash map: its kind; its index, primitive or constant; its arguments.
///
/// A constant is given by its bits, because f64 has no hash.
type Key = (u8, u64, [Id; 3]);

fn key(node: &Node) -> Key {
    match *node {
        Node::Stream(i) => (0, i.into(), [Id::NONE; 3]),
        Node::Scalar(i) => (1, i.into(), [Id::NONE; 3]),
        Node::Const(c) => (2, c.to_bits(), [Id::NONE; 3]),
        Node::Call(prim, args) => (3, prim as u64, args),
    }
}

impl Builder {
    /// Returns a builder of an empty graph.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Adds a node unless an equal one exists, and returns the id of the node.
    pub fn add(&mut self, node: Node) -> Id {
        let next = Id(self.nodes.len() as u32);
        let id = *self.known.entry(key(&node)).or_insert(next);
        if id == next {
            self.nodes.push(node);
        }
        id
    }

    /// Returns the node with this id.
    pub fn node(&self, id: Id) -> Node {
        self.nodes[id.index()]
    }

    /// Returns the number if the node is a constant, else `None`.
    pub fn as_const(&self, id: Id) -> Option<f64> {
        match self.node(id) {
            Node::Const(c) => Some(c),
            _ => None,
        }
    }

    /// Returns the arguments if the node is a call of `prim`, else `None`.
    pub fn as_call(&self, prim: Prim, id: Id) -> Option<[Id; 3]> {
        match self.node(id) {
            Node::Call(p, args) if p == prim => Some(args),
            _ => None,
        }
    }

    /// Adds a node that reads input stream `i`.
    pub fn stream(&mut self, i: usize) -> Id {
        self.add(Node::Stream(i as u16))
    }

    /// Adds a node that reads run-time scalar `i`.
    pub fn scalar(&mut self, i: usize) -> Id {
        self.add(Node::Scalar(i as u16))
    }

    /// Adds a constant.
    pub fn num(&mut self, c: f64) -> Id {
        self.add(Node::Const(c))
    }

    /// Adds a call of a primitive with as many arguments as it takes.
    pub fn call(&mut self, prim: Prim, args: &[Id]) -> Id {
        debug_assert_eq!(args.len(), prim.row().arity, "{}", prim.row().name);
        let mut all = [Id::NONE; 3];
        all[..args.len()].copy_from_slice(args);
        self.add(Node::Call(prim, all))
    }

    /// `a + b`
    pub fn sum(&mut self, a: Id, b: Id) -> Id {
        self.call(Prim::Add, &[a, b])
    }

    /// `sum + term`, or `sum - term` if `sign` is negative; without a sum, the term with its sign.
    pub fn plus(&mut self, sum: Option<Id>, term: Id, sign: f64) -> Id {
        match (sum, sign < 0.0) {
            (None, false) => term,
            (None, true) => self.negative(term),
            (Some(sum), false) => self.sum(sum, term),
            (Some(sum), true) => self.difference(sum, term),
        }
    }

    /// `a - b`
    pub fn difference(&mut self, a: Id, b: Id) -> Id {
        self.call(Prim::Sub, &[a, b])
    }

    /// `a * b`
    pub fn product(&mut self, a: Id, b: Id) -> Id {
        self.call(Prim::Mul, &[a, b])
    }

    /// `a / b`
    pub fn quotient(&mut self, a: Id, b: Id) -> Id {
        self.call(Prim::Div, &[a, b])
    }

    /// `-a`
    pub fn negative(&mut self, a: Id) -> Id {
        self.call(Prim::Neg, &[a])
    }

    /// `c * a`
    pub fn scaled(&mut self, c: f64, a: Id) -> Id {
        let c = self.num(c);
        self.product(c, a)
    }

    /// Adds the sign of `a`: -1, 0 or 1; NaN where `a` is NaN.
    pub fn sign(&mut self, a: Id) -> Id {
        let zero = self.num(0.0);
        let (below, above) = (self.call(Prim::Lt, &[a, zero]), self.call(Prim::Lt, &[zero, a]));
        let (minus, plus) = (self.num(-1.0), self.num(1.0));
        let rest = self.call(Prim::Select, &[below, minus, a]);
        self.call(Prim::Select, &[above, plus, rest])
    }

    /// Adds `a^n` by repeated squaring; the reciprocal of `a^-n` if `n` is negative.
    pub fn power(&mut self, a: Id, n: i32) -> Id {
        let mut result = None;
        let (mut square, mut rest) = (a, n.unsigned_abs());
        while rest > 0 {
            if rest & 1 == 1 {
                result = Some(result.map_or(square, |r| self.product(r, square)));
            }
            rest >>= 1;
            if rest > 0 {
                square = self.product(square, square);
            }
        }
        let one = self.num(1.0);
        match (result, n < 0) {
            (None, _) => one,
            (Some(r), false) => r,
            (Some(r), true) => self.quotient(one, r),
        }
    }

    /// Returns a graph of the nodes that these outputs need.
    ///
    /// Other nodes are dropped, and the remaining ones keep their order.
    pub fn finish(&self, outputs: &[Id]) -> Graph {
        let needed = needed(&self.nodes, outputs, |_, _| true);
        let mut new = vec![Id::NONE; self.nodes.len()];
        let mut nodes = Vec::new();
        for (i, node) in self.nodes.iter().enumerate().filter(|(i, _)| needed[*i]) {
            new[i] = Id(nodes.len() as u32);
            nodes.push(node.map_args(&new));
        }
        let outputs: Vec<Id> = outputs.iter().map(|o| new[o.index()]).collect();
        Graph { nodes: Cow::Owned(nodes), outputs: Cow::Owned(outputs) }
    }
}

/// Returns, per node, whether some of `results` are computed from it along arguments that `follows` accepts.
///
/// `follows` is asked about each argument of each needed node, given by its index, from the last node to the first.
pub fn needed(
    nodes: &[Node],
    results: &[Id],
    mut follows: impl FnMut(usize, Id) -> bool,
) -> Vec<bool> {
    let mut needed = vec![false; nodes.len()];
    results.iter().for_each(|id| needed[id.index()] = true);
    for k in (0..nodes.len()).rev() {
        for id in nodes[k].args() {
            needed[id.index()] |= needed[k] && follows(k, *id);
        }
    }
    needed
}
