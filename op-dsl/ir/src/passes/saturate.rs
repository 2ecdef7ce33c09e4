//! Holds a huge argument still where the formula has reached its limit.
//!
//! `x^2 * sigmoid'(x)` goes to zero at both ends, but in f32 the ends read `inf * 0`: NaN. Beyond
//! [`REACH`] nothing changes any more, so the growing factor may as well see `clamp(x, -REACH,
//! REACH)`, whose powers stay finite. The same holds for the argument of a function that has
//! saturated: `sigmoid(x^3 - x^5)` must not meet `inf - inf`.
//!
//! Whether a part has reached its limit is found by evaluating it in f64 at and beyond `±REACH`;
//! each side is clamped on its own. Rows of the table take care of themselves: graphs made of them
//! pass unchanged.

use super::products::{bounds, flatten, inner_products};
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;
use std::collections::HashMap;

/// Cubes of it are finite in f32.
const REACH: f64 = (1u64 << 40) as f64;

/// Clamps what grows beside a factor that vanishes, and what a saturated function is applied to.
pub fn run(graph: &Graph) -> Graph {
    let streams = sole_streams(graph);
    let bounds = bounds(graph);
    let inner = inner_products(graph);
    let mut pass = Pass { graph, b: Builder::new(), clamped: HashMap::new() };
    let mut new: Vec<Id> = Vec::with_capacity(graph.nodes.len());
    for (i, node) in graph.nodes.iter().enumerate() {
        let id = Id(i as u32);
        let replaced = match *node {
            Node::Call(Prim::Mul, _) if !inner[i] => {
                pass.product(id, &inner, &bounds, &streams, &new)
            }
            Node::Call(prim, [arg, ..]) if is_saturating(prim) => {
                pass.argument(prim, arg, &streams)
            }
            _ => None,
        };
        new.push(replaced.unwrap_or_else(|| pass.copy(node, &new)));
    }
    let outputs: Vec<Id> = graph.outputs.iter().map(|o| new[o.index()]).collect();
    pass.b.finish(&outputs)
}

fn is_saturating(prim: Prim) -> bool {
    matches!(prim, Prim::Sigmoid | Prim::Tanh | Prim::Erf | Prim::Erfc | Prim::NormalCdf)
}

/// For every node, the one input stream that it depends on, if it is one.
fn sole_streams(graph: &Graph) -> Vec<Option<u16>> {
    let mut all: Vec<Vec<u16>> = Vec::with_capacity(graph.nodes.len());
    for node in graph.nodes.iter() {
        let mut on: Vec<u16> = match *node {
            Node::Stream(s) => vec![s],
            Node::Scalar(_) => vec![u16::MAX, u16::MAX - 1], // never only one
            _ => node.args().iter().flat_map(|a| all[a.index()].clone()).collect(),
        };
        on.sort_unstable();
        on.dedup();
        all.push(on);
    }
    all.into_iter().map(|on| if let [one] = on[..] { Some(one) } else { None }).collect()
}

/// Which ends to clamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Ends {
    low: bool,
    high: bool,
}

struct Pass<'g> {
    graph: &'g Graph,
    b: Builder,
    /// Copies of nodes with their stream clamped.
    clamped: HashMap<(Id, Ends), Id>,
}

impl Pass<'_> {
    fn copy(&mut self, node: &Node, new: &[Id]) -> Id {
        match *node {
            Node::Call(prim, args) => self.b.add(Node::Call(
                prim,
                args.map(|a| new.get(a.index()).copied().unwrap_or(Id::NONE)),
            )),
            leaf => self.b.add(leaf),
        }
    }

    fn product(
        &mut self,
        id: Id,
        inner: &[bool],
        bounds: &[f64],
        streams: &[Option<u16>],
        new: &[Id],
    ) -> Option<Id> {
        let mut factors = Vec::new();
        flatten(self.graph, inner, id, &mut factors);
        let grows = |f: &&Id| bounds[f.index()].is_infinite() && streams[f.index()].is_some();
        let growing: Vec<Id> = factors.iter().filter(grows).copied().collect();
        let stream = streams[growing.first()?.index()]?;
        let same: Vec<Id> =
            factors.iter().filter(|f| streams[f.index()] == Some(stream)).copied().collect();
        // A plain `x * f(x)` needs no help at finite x, and tables give f(inf) = 0 times inf.
        let vanishes = |x: f64| same.iter().map(|f| self.value(*f, x)).product::<f64>() == 0.0;
        let ends = self.ends(vanishes)?;
        let mut result = None;
        for f in factors {
            let factor = if growing.contains(&f) && streams[f.index()] == Some(stream) {
                self.clamp(f, ends)
            } else {
                new[f.index()]
            };
            result = Some(result.map_or(factor, |r| self.b.product(r, factor)));
        }
        result
    }

    fn argument(&mut self, prim: Prim, arg: Id, streams: &[Option<u16>]) -> Option<Id> {
        streams[arg.index()]?;
        if !self.multiplies_itself(arg) {
            return None; // affine arguments do not overflow into NaN
        }
        let row = prim.row();
        let settled = |x: f64| {
            let y = (row.oracle)([self.value(arg, x), 0.0, 0.0]);
            [1.0, 0.0, -1.0, 2.0].contains(&y)
        };
        let ends = self.ends(settled)?;
        let arg = self.clamp(arg, ends);
        Some(self.b.call(prim, &[arg]))
    }

    /// The ends at which `holds` at, and from, `REACH` on.
    fn ends(&self, holds: impl Fn(f64) -> bool) -> Option<Ends> {
        let beyond = |sign: f64| [1.0, 7.3, 1e4].iter().all(|k| holds(sign * REACH * k));
        let ends = Ends { low: beyond(-1.0), high: beyond(1.0) };
        (ends.low || ends.high).then_some(ends)
    }

    /// A node that depends on one stream, in f64, with `x` in that stream.
    fn value(&self, id: Id, x: f64) -> f64 {
        let given = |_, node: &Node| matches!(node, Node::Stream(_)).then_some(x);
        self.graph.values(id, given)[id.index()]
    }

    /// Whether a product of two non-constants is in the expression.
    fn multiplies_itself(&self, id: Id) -> bool {
        let node = &self.graph.nodes[id.index()];
        let constant = |a: &Id| matches!(self.graph.nodes[a.index()], Node::Const(_));
        let here = matches!(node, Node::Call(Prim::Mul, _)) && !node.args().iter().any(constant);
        here || node.args().iter().any(|a| self.multiplies_itself(*a))
    }

    /// The node with its stream clamped at these ends.
    fn clamp(&mut self, id: Id, ends: Ends) -> Id {
        if let Some(done) = self.clamped.get(&(id, ends)) {
            return *done;
        }
        let new = match self.graph.nodes[id.index()] {
            stream @ Node::Stream(_) => {
                let mut x = self.b.add(stream);
                for (on, prim, bound) in
                    [(ends.low, Prim::Max, -REACH), (ends.high, Prim::Min, REACH)]
                {
                    if on {
                        let bound = self.b.num(bound);
                        x = self.b.call(prim, &[x, bound]);
                    }
                }
                x
            }
            Node::Call(prim, args) => {
                let mut copy = [Id::NONE; 3];
                for (to, from) in copy.iter_mut().zip(&args[..prim.row().arity]) {
                    *to = self.clamp(*from, ends);
                }
                self.b.add(Node::Call(prim, copy))
            }
            leaf => self.b.add(leaf),
        };
        self.clamped.insert((id, ends), new);
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show;

    fn shown(build: impl Fn(&mut Builder, Id) -> Id) -> String {
        let mut b = Builder::new();
        let x = b.stream(0);
        let out = build(&mut b, x);
        show::expression(&run(&b.finish(&[out])), &["x".to_string()], &[])
    }

    #[test]
    fn growing_factor_beside_a_vanishing_one() {
        let slope = |b: &mut Builder, x| {
            let minus = b.negative(x);
            let (s, rest) = (b.call(Prim::Sigmoid, &[x]), b.call(Prim::Sigmoid, &[minus]));
            let q = b.product(s, rest);
            let square = b.product(x, x);
            b.product(square, q)
        };
        let clamp = "min(max(x, -1099511627776), 1099511627776)";
        assert_eq!(shown(slope), format!("{clamp} * {clamp} * sigmoid(x) * sigmoid(-x)"));
    }

    #[test]
    fn one_side_only_and_never_where_the_limit_is_not_reached() {
        let one_side = |b: &mut Builder, x| {
            let s = b.call(Prim::Sigmoid, &[x]);
            b.product(x, s)
        };
        assert_eq!(shown(one_side), "max(x, -1099511627776) * sigmoid(x)");
        let neither = |b: &mut Builder, x| {
            let t = b.call(Prim::Tanh, &[x]);
            b.product(x, t)
        };
        assert_eq!(shown(neither), "x * tanh(x)");
    }
}
