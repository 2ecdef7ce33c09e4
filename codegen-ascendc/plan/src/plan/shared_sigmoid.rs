//! Merges sigmoids of a value and of its negation, so that one exponential serves all of them.
//!
//! A second derivative has `sigmoid(v)` and `sigmoid(-v)`, each of `x` and of `x` between bounds, and beside them a gelu' that is
//! composed of the same two. They are found by their values at some points, however they are spelt, and rewritten to one argument:
//! `sigmoid(v)`, `sigmoid(-v)`. A primitive that equals `y s` or `s + y w s (1 - s)`, where `y` and `w` are values of the graph, is
//! written so.

use op_dsl_ir::{Builder, Graph, Id, Node, Prim};

/// Returns the graph with `sigmoid(v)` and `sigmoid(-v)` rewritten to share one exponential.
///
/// Returns `None` if no two sigmoids have arguments that are equal or opposite.
pub(super) fn run(graph: &Graph) -> Option<Graph> {
    if !are_in(graph) {
        return None;
    }
    let values = Values::new(graph);
    let kin = kin(graph, &values);
    if kin.iter().all(|k| k.members.len() < 2) {
        return None;
    }
    let mut pass =
        Pass { graph, values, kin, b: Builder::new(), new: vec![None; graph.nodes.len()] };
    let outputs: Vec<Id> = graph.outputs.iter().map(|o| pass.value(*o)).collect();
    Some(pass.b.finish(&outputs))
}

/// Returns true if a graph has two sigmoids or more, since only then can any be merged.
pub(super) fn are_in(graph: &Graph) -> bool {
    graph.nodes.iter().filter(|n| matches!(n, Node::Call(Prim::Sigmoid, _))).count() > 1
}

/// Number of random points at which nodes are compared to see whether they are the same function.
///
/// It is as many as `recognise` compares, since two analytic functions that agree there are equal.
const NEAR: usize = 24;
/// Sizes of inputs at which a function with a limit at infinity has reached it.
///
/// There are several, because a function that still changes has different values at them.
const FAR: [f64; 4] = [1_048_576.0, 1e8, 1e20, 1e38];

/// The value of every node at [`NEAR`] random points, then at both signs of each size in [`FAR`].
pub(super) struct Values {
    /// `of[p][k]` is the value of node `k` at point `p`.
    of: Vec<Vec<f64>>,
}

impl Values {
    pub fn new(graph: &Graph) -> Values {
        let (streams, scalars) = (graph.streams(), graph.scalars());
        let mut seed = 1u64;
        // Returns a number between -1 and 1.
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let mut near = || -> Vec<f64> {
            let streams: Vec<f64> = (0..streams).map(|_| 4.0 * next()).collect();
            let scalars: Vec<f64> = (0..scalars).map(|_| 2.0 * next()).collect();
            graph.eval_all(&streams, &scalars)
        };
        let mut of: Vec<Vec<f64>> = (0..NEAR).map(|_| near()).collect();
        let far = FAR.iter().flat_map(|size| [*size, -size]);
        of.extend(far.map(|x| graph.eval_all(&vec![x; streams], &vec![1.0; scalars])));
        Values { of }
    }

    /// Returns true if node `a` equals `sign` times node `b` at all random points.
    fn agree(&self, a: Id, sign: f64, b: Id) -> bool {
        self.of[..NEAR].iter().all(|v| same(v[a.index()], sign * v[b.index()]))
    }

    /// Returns true if node `id` equals `f` at every sample point.
    ///
    /// `f` computes a value from those of all nodes at a point.
    pub fn is(&self, id: Id, f: impl Fn(&[f64]) -> f64) -> bool {
        self.of.iter().all(|v| same(v[id.index()], f(v)))
    }
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-11 * a.abs().max(b.abs()) + 1e-14
}

/// Sigmoids of a graph whose arguments are one value or its negation.
pub(super) struct Relation {
    pub argument: Id,
    /// Each sigmoid node, with 1.0 if its argument is `argument`, or -1.0 if it is the negation.
    pub members: Vec<(Id, f64)>,
}

impl Relation {
    fn member(&self, sign: f64) -> Option<Id> {
        self.members.iter().find(|(_, s)| *s == sign).map(|(id, _)| *id)
    }
}

/// Returns the sigmoids of a graph in groups, each of one value and of its negation.
///
/// `values` are the nodes' values at sample points, by which arguments are compared.
pub(super) fn kin(graph: &Graph, values: &Values) -> Vec<Relation> {
    let mut all: Vec<Relation> = Vec::new();
    for id in graph.ids() {
        let Node::Call(Prim::Sigmoid, [argument, ..]) = graph.nodes[id.index()] else { continue };
        let sign = |kin: &Relation| {
            let first = kin.members[0].0;
            let is_told = chosen(graph, argument) == chosen(graph, kin.argument);
            [1.0, -1.0].into_iter().find(|sign| {
                // The arguments are compared near 0 only. Far out, or with bounds, they may differ where the sigmoids have
                // saturated alike.
                let settled = |v: &[f64]| match *sign < 0.0 {
                    true => 1.0 - v[first.index()],
                    false => v[first.index()],
                };
                is_told && values.agree(argument, *sign, kin.argument) && values.is(id, settled)
            })
        };
        match all.iter_mut().find_map(|kin| sign(kin).map(|sign| (kin, sign))) {
            Some((kin, sign)) => {
                // An argument with more bounds serves the members that have fewer, but not the other way round.
                if sign == 1.0 && bounds(graph, argument) > bounds(graph, kin.argument) {
                    kin.argument = argument;
                }
                kin.members.push((id, sign));
            }
            None => all.push(Relation { argument, members: vec![(id, 1.0)] }),
        }
    }
    all
}

/// Returns the nodes for which `is_wanted` is true, among `id` and those that it depends on.
fn parts(graph: &Graph, id: Id, is_wanted: impl Fn(Node) -> bool) -> Vec<Id> {
    let needed = graph.needed_for(&[id]);
    graph.ids().filter(|k| needed[k.index()] && is_wanted(graph.nodes[k.index()])).collect()
}

/// Returns the nodes that `id` depends on whose equality a few sample points cannot establish.
///
/// These are all calls but sums, products, quotients and bounds; for example, a `select` whose branch is rarely taken.
fn chosen(graph: &Graph, id: Id) -> Vec<Id> {
    use Prim::{Add, Div, Max, Min, Mul, Mul3, Neg, Sub};
    let told = [Add, Sub, Mul, Mul3, Div, Neg, Min, Max];
    parts(graph, id, |node| matches!(node, Node::Call(prim, _) if !told.contains(&prim)))
}

fn bounds(graph: &Graph, id: Id) -> usize {
    parts(graph, id, |node| matches!(node, Node::Call(Prim::Min | Prim::Max, _))).len()
}

struct Pass<'g> {
    graph: &'g Graph,
    values: Values,
    kin: Vec<Relation>,
    b: Builder,
    new: Vec<Option<Id>>,
}

impl Pass<'_> {
    fn value(&mut self, id: Id) -> Id {
        if let Some(known) = self.new[id.index()] {
            return known;
        }
        let node = self.graph.nodes[id.index()];
        let value = match node {
            Node::Call(Prim::Sigmoid, _) => self.sigmoid(id),
            Node::Call(_, [x, Id::NONE, _]) => self.composed(id, x),
            _ => None,
        };
        let value = value.unwrap_or_else(|| {
            let copy = node.with_args(|arg| self.value(arg));
            self.b.add(copy)
        });
        self.new[id.index()] = Some(value);
        value
    }

    /// Rewrites sigmoid `id` to use the common argument of its group, or the negation of that argument.
    ///
    /// A group has the sigmoids of a value and of its negation. Returns `None` if the sigmoid is alone in its group.
    fn sigmoid(&mut self, id: Id) -> Option<Id> {
        let own = |kin: &Relation| {
            let (_, sign) = kin.members.iter().find(|(member, _)| *member == id)?;
            (kin.members.len() > 1).then_some((kin.argument, *sign))
        };
        let (argument, sign) = self.kin.iter().find_map(own)?;
        let mut argument = self.value(argument);
        if sign < 0.0 {
            argument = self.b.negative(argument);
        }
        Some(self.b.call(Prim::Sigmoid, &[argument]))
    }

    /// Rewrites a primitive of `x` that equals `y s` or `s + y w s (1 - s)`; `None` for any other.
    ///
    /// `s` is a sigmoid in the graph whose complement `1 - s` is in the graph too. `y` is `x`, or `x` clamped. `w` is a node of
    /// the graph or 1.
    fn composed(&mut self, id: Id, x: Id) -> Option<Id> {
        let nodes = || self.graph.ids();
        // `y` is `x` as it is, or between bounds; the one with the most bounds is tried first.
        let mut ys: Vec<Id> = nodes().filter(|y| self.values.agree(*y, 1.0, x)).collect();
        ys.sort_by_key(|y| std::cmp::Reverse(bounds(self.graph, *y)));
        let both = self.kin.iter().filter_map(|kin| Some((kin.member(1.0)?, kin.member(-1.0)?)));
        let pairs: Vec<[Id; 2]> = both.flat_map(|(s, r)| [[s, r], [r, s]]).collect();
        let is = |f: &dyn Fn(&[f64]) -> f64| self.values.is(id, f);
        let found = pairs.iter().flat_map(|pair| ys.iter().map(move |y| (*pair, *y))).find_map(
            |([s, r], y)| {
                let at = |v: &[f64], id: Id| v[id.index()];
                if is(&|v| at(v, y) * at(v, s)) {
                    return Some((s, y, None));
                }
                let factor = |v: &[f64], w: Option<Id>| w.map_or(1.0, |w| at(v, w));
                let slope =
                    |w: Option<Id>| is(&|v| at(v, s) * (1.0 + at(v, y) * factor(v, w) * at(v, r)));
                let mut ws = [None].into_iter().chain(nodes().map(Some));
                ws.find(|w| slope(*w)).map(|w| (s, y, Some((w, r))))
            },
        );
        let (s, y, slope) = found?;
        let (s, y) = (self.value(s), self.value(y));
        let Some((w, r)) = slope else { return Some(self.b.product(y, s)) };
        let mut bend = y;
        for factor in w.into_iter().chain([r]) {
            let factor = self.value(factor);
            bend = self.b.product(bend, factor);
        }
        let bend = self.b.product(bend, s);
        Some(self.b.sum(bend, s))
    }
}
