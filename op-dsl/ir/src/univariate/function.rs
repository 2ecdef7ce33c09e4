//! Reduces a graph to a univariate function without attributes, by scaling its variable and its value.
//!
//! For example, `x * sigmoid(beta * x)` is `f(t) / beta` with `f(t) = t * sigmoid(t)` and `t = beta * x`. If multiplying an
//! attribute by `k` and dividing `x` by `k^q` multiplies the result by `k^p` ([`degree`]), then the attribute may be replaced by 1,
//! where `x` is multiplied by its `q`th power and the result by its `p`th; here `q` is 1 and `p` is -1. With all attributes
//! replaced by 1, the graph is `f`.

use super::exact::exact;
use crate::clamp_bounds::{FAR, held, unbound, without_bounds};
use crate::graph::{Builder, Graph, Id, Node};
use crate::homogeneity::{By, Degree, degree};
use crate::passes::simplify;
use crate::prim::Prim;

/// A function of one variable, and the variable that it is applied to.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The variable that the function is applied to, in terms of the split graph's inputs.
    pub variable: Variable,
    /// Domain of the variable, lower and upper end: all numbers, or those from 0 on.
    ///
    /// The function's value is never used outside this domain.
    pub domain: [f64; 2],
    /// Graph of one output, with the variable as stream 0.
    pub graph: Graph,
}

/// Variable of a function: `y * a^p * b^q ..`, with attributes `a`, `b`, .. and one stream in `y`, or a sum or product of two.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Graph of `y`, a value that f32 computes from one stream without rounding, or a sum or product of two such values.
    ///
    /// It is the stream itself, or for example `min(x, limit)` with a stream `x` and an attribute `limit`.
    pub of: Graph,
    /// Powers of attributes that multiply `y`.
    ///
    /// The function is valid only for positive values of these attributes.
    pub times: Powers,
}

/// A product of powers of attributes: pairs of an attribute's index and its power.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Powers(pub Vec<(usize, i32)>);

impl Powers {
    /// Emits the product, or returns `None` if it has no factors.
    pub fn product(&self, b: &mut Builder) -> Option<Id> {
        let mut product = None;
        for (k, power) in &self.0 {
            let scalar = b.scalar(*k);
            let factor = b.power(scalar, *power);
            product = Some(product.map_or(factor, |others| b.product(others, factor)));
        }
        product
    }
}

impl Variable {
    /// Iterates over the indices of the streams that the variable depends on.
    pub fn streams(&self) -> impl Iterator<Item = usize> {
        self.of.nodes.iter().filter_map(|node| match *node {
            Node::Stream(s) => Some(usize::from(s)),
            _ => None,
        })
    }

    /// Returns the sum, difference or product of two values that the variable is; `None` if it is another value.
    pub fn pair(&self) -> Option<(Prim, Id, Id)> {
        match self.of.nodes[self.of.outputs[0].index()] {
            Node::Call(prim @ (Prim::Add | Prim::Sub | Prim::Mul), [x, y, _]) => Some((prim, x, y)),
            _ => None,
        }
    }

    /// Returns whether f32 rounds the variable.
    pub fn is_rounded(&self) -> bool {
        !self.times.0.is_empty() || self.pair().is_some()
    }
}

/// Range of the values of each input stream: lower and upper end.
pub(super) type Domains = [[f64; 2]];
/// Range of a stream without known bounds.
pub(super) const EVERYWHERE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// Powers of an attribute to try as a factor of a function's variable, so that the function is free of it.
const POWERS: [i32; 5] = [0, 1, -1, 2, -2];

/// A function, and the powers of attributes that multiply its value.
pub(super) struct Found {
    pub function: Function,
    pub times: Powers,
}

/// Returns a graph of one output as a univariate function, for streams within `domains`.
///
/// `None` if the graph does not depend on exactly one stream, or if some attribute cannot be factored out.
pub(super) fn find(graph: &Graph, domains: &Domains) -> Option<Found> {
    let (stream, number) = only_stream(graph)?;
    [Some(stream), between(graph)].into_iter().flatten().find_map(|y| {
        let of = in_terms_of(graph, y)?;
        let (function, variable, times) = without_scalars(&of)?;
        let of = without_bounds(&part(graph, y));
        let [low, high] = if y == stream { domains[number] } else { EVERYWHERE };
        // A domain `[-inf, 0]` is mirrored, because the range of a table includes its lower end, but not its upper.
        let (of, function) =
            if high == 0.0 { (negated(&of), of_negative(&function)) } else { (of, function) };
        let domain = if low == 0.0 || high == 0.0 { [0.0, f64::INFINITY] } else { EVERYWHERE };
        let variable = Variable { of, times: variable };
        Some(Found { function: Function { variable, domain, graph: function }, times })
    })
}

/// Returns the graph of `-f`, if `graph` is `f`.
fn negated(graph: &Graph) -> Graph {
    let mut b = Builder::new();
    let value = b.part(graph);
    let minus = b.negative(value);
    b.finish(&[minus])
}

/// Returns the graph of `f(-x)`, if `graph` is `f(x)` of one stream `x`.
fn of_negative(graph: &Graph) -> Graph {
    simplify::run(&graph.rewrite(|b, node| match node {
        Node::Stream(_) => {
            let x = b.add(node);
            b.negative(x)
        }
        node => b.add(node),
    }))
}

/// Returns the node and the index of the only stream; `None` if the graph reads no or several streams.
fn only_stream(graph: &Graph) -> Option<(Id, usize)> {
    let mut streams = graph.nodes.iter().enumerate().filter_map(|(id, node)| match *node {
        Node::Stream(s) => Some((Id(id as u32), usize::from(s))),
        _ => None,
    });
    streams.next().filter(|_| streams.next().is_none())
}

/// Returns the one exact node through which a graph's result depends on its stream.
///
/// An exact node is one that f32 computes without rounding. `None` if there are several, or if the node is the result.
fn between(graph: &Graph) -> Option<Id> {
    let (exact, uniform) = (exact(graph), graph.uniform());
    let mut met = Vec::new();
    let mut rest = vec![graph.outputs[0]];
    while let Some(id) = rest.pop() {
        if uniform[id.index()] {
            continue;
        }
        if !exact[id.index()] {
            rest.extend(graph.nodes[id.index()].args());
        } else if !met.contains(&id) {
            met.push(id);
        }
    }
    if let [y] = met[..] { Some(y).filter(|y| *y != graph.outputs[0]) } else { None }
}

/// Returns the subgraph that computes a node, with that node as its only output.
pub fn part(graph: &Graph, id: Id) -> Graph {
    graph.with_outputs(&[id]).rewrite(Builder::add)
}

/// Returns the graph as a function of node `y`, which becomes stream 0.
///
/// `None` if the graph does not depend on `y`, or depends on a stream other than through `y`.
fn in_terms_of(graph: &Graph, y: Id) -> Option<Graph> {
    let is_held = graph.nodes.iter().any(|node| unbound(graph, node).is_some());
    let is_stream = matches!(graph.nodes[y.index()], Node::Stream(_));
    let graph = graph.rewrite_at(|b, at| match at.node {
        // The clamp keeps infinities from functions that would be NaN there.
        _ if at.id == y && is_held && !is_stream => {
            let x = b.stream(0);
            held(b, x, FAR)
        }
        _ if at.id == y => b.stream(0),
        Node::Stream(_) => b.stream(1),
        _ => b.add(at.copy()),
    });
    (graph.reads(0) && !graph.reads(1)).then_some(graph)
}

/// Replaces all attributes by 1, and returns the powers of attributes that make up for this.
///
/// The first powers multiply the variable, the second ones the function's value. `None` if some attribute cannot be factored out.
fn without_scalars(graph: &Graph) -> Option<(Graph, Powers, Powers)> {
    let (mut variable, mut value) = (Powers::default(), Powers::default());
    for k in scalars(graph) {
        let powers = POWERS.iter().find_map(|&q| {
            let by = if q == 0 { By::Nonzero } else { By::Positive };
            let given = |node: &Node| match *node {
                Node::Stream(_) => -q,
                Node::Scalar(s) => i32::from(usize::from(s) == k),
                _ => 0,
            };
            match degree(graph, 0, by, given)? {
                Degree::Power(p) => Some((q, p)),
                Degree::Any => Some((q, 0)),
            }
        });
        let (q, p) = powers?;
        variable.0.extend((q != 0).then_some((k, q)));
        value.0.extend((p != 0).then_some((k, p)));
    }
    let ones = graph.rewrite(|b, node| match node {
        Node::Scalar(_) => b.num(1.0),
        node => b.add(node),
    });
    Some((simplify::run(&ones), variable, value))
}

fn scalars(graph: &Graph) -> Vec<usize> {
    let mut all: Vec<usize> = (graph.nodes.iter())
        .filter_map(|node| match *node {
            Node::Scalar(k) => Some(usize::from(k)),
            _ => None,
        })
        .collect();
    all.sort_unstable();
    all
}
