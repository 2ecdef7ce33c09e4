//! Clamps streams to a range beyond which the formula has reached its limit.
//!
//! For example, `x^2 * sigmoid'(x)` goes to zero at both ends, but in f32 the ends are `inf * 0`, which is NaN. Beyond `REACH` the
//! product no longer changes, so that its growing factors may use `clamp(x, -REACH, REACH)`, whose cube is finite. The argument of
//! a function is clamped likewise where it is NaN in f32 and the function has settled: `sigmoid(x^3 - x^2)` is 1 where its
//! argument is `inf - inf`.
//!
//! The pass evaluates a part in f64 at and beyond `REACH` to find whether it has reached its limit, for each end separately.
//!
//! Primitives have their own limits, so that graphs of primitives alone pass unchanged.

use super::products::{Dependency, bounds, flatten, inner_products, sole_streams};
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;
use rustc_hash::FxHashMap;

/// Bounds to try for the clamp of a stream, largest first.
///
/// The cube of the first (2^120), the fifth power of the second (2^100) and the twelfth power of the last (2^120) are finite in
/// f32. Smaller bounds are for factors that grow faster, since the first bound at which a factor is finite is taken.
const REACHES: [f64; 3] = [REACH, (1u64 << 20) as f64, (1u64 << 10) as f64];
const REACH: f64 = (1u64 << 40) as f64;

/// Returns magnitudes of a stream from the clamp bound `reach` on, at which a limit is evaluated.
fn beyond(reach: f64) -> [f64; 4] {
    [reach, 7.3 * reach, 1e20, 1e38]
}

/// Clamps streams at ends where a product vanishes or a function no longer changes.
///
/// In a product that goes to 0, the stream is clamped in the factors without a known bound. In a call of a function that no longer
/// changes, it is clamped in the argument.
pub fn run(graph: &Graph) -> Graph {
    let (streams, bounds, inner) = (sole_streams(graph), bounds(graph), inner_products(graph));
    let (b, clamped) = (Builder::new(), FxHashMap::default());
    let mut pass = Pass { graph, streams, bounds, inner, b, clamped };
    let mut new: Vec<Id> = Vec::with_capacity(graph.nodes.len());
    for (i, node) in graph.nodes.iter().enumerate() {
        let replaced = match *node {
            Node::Call(Prim::Mul, _) => pass.product(Id(i as u32), &new),
            Node::Call(prim, [arg, ..]) if prim.row().arity == 1 => pass.argument(prim, arg),
            _ => None,
        };
        new.push(replaced.unwrap_or_else(|| pass.b.add(node.map_args(&new))));
    }
    let outputs: Vec<Id> = graph.outputs.iter().map(|o| new[o.index()]).collect();
    pass.b.finish(&outputs)
}

/// Ends of a stream's range at which the stream is clamped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Ends {
    low: bool,
    high: bool,
    /// Index in [`REACHES`] of the bound to clamp to.
    reach: usize,
}

struct Pass<'g> {
    graph: &'g Graph,
    /// Per node, the inputs that it depends on, from [`sole_streams`].
    streams: Vec<Dependency>,
    /// Per node, an upper bound of its magnitude, from [`bounds`].
    bounds: Vec<f64>,
    /// Per node, whether it is a product that exactly one other node uses, from [`inner_products`].
    inner: Vec<bool>,
    b: Builder,
    /// Copies of all nodes with their streams clamped at the given ends, from [`clamped`].
    ///
    /// They are kept so that one clamp is emitted once.
    clamped: FxHashMap<Ends, Vec<Id>>,
}

impl Pass<'_> {
    /// Emits a product with the streams clamped in factors that have no known bound.
    ///
    /// Only the ends of a stream at which the product is 0 are clamped. Returns `None` if there is nothing to clamp.
    fn product(&mut self, id: Id, new: &[Id]) -> Option<Id> {
        let mut factors = Vec::new();
        flatten(self.graph, &self.inner, id, &mut factors);
        let held: Vec<Option<Ends>> = factors.iter().map(|f| self.held(*f, &factors)).collect();
        if held.iter().all(Option::is_none) {
            return None;
        }
        let clamped = factors.iter().zip(held).map(|(f, ends)| match ends {
            Some(ends) => self.clamp(*f, ends),
            None => new[f.index()],
        });
        let clamped: Vec<Id> = clamped.collect();
        clamped.into_iter().reduce(|product, f| self.b.product(product, f))
    }

    /// Returns the ends at which to clamp the stream of `factor`; `None` if it needs no clamp.
    ///
    /// `factors` are all factors of the product. A factor without a known bound needs a clamp at the ends where the product of all
    /// factors of the same stream is 0.
    fn held(&self, factor: Id, factors: &[Id]) -> Option<Ends> {
        let stream = self.streams[factor.index()].one()?;
        if self.bounds[factor.index()].is_finite() {
            return None;
        }
        let same = |f: &&Id| self.streams[f.index()] == Dependency::One(stream);
        let product = |x| factors.iter().filter(same).map(|f| self.value(*f, x)).product::<f64>();
        let at = |reach: usize| {
            let vanishes = |x: &f64, sign: f64| product(sign * x) == 0.0;
            ends(reach, |sign| beyond(REACHES[reach]).iter().all(|x| vanishes(x, sign)))
        };
        // Takes the first bound at which the factor is finite in f32 too.
        let finite = |ends: &Ends| self.is_finite(factor, *ends);
        (0..REACHES.len()).filter_map(at).find(finite).or_else(|| at(0))
    }

    /// Returns whether a factor and all nodes that it depends on are finite in f32 at the clamp bounds.
    fn is_finite(&self, factor: Id, ends: Ends) -> bool {
        let fits = |x: f64| {
            let given = |_, node: &Node| matches!(node, Node::Stream(_)).then_some(x);
            let values = self.graph.values(factor, given);
            let mut parts = vec![false; values.len()];
            parts[factor.index()] = true;
            for i in (0..=factor.index()).rev() {
                if !parts[i] {
                    continue;
                }
                if values[i].is_nan() || values[i].abs() > f64::from(f32::MAX) {
                    return false;
                }
                self.graph.nodes[i].args().iter().for_each(|a| parts[a.index()] = true);
            }
            true
        };
        let reach = REACHES[ends.reach];
        (!ends.low || fits(-reach)) && (!ends.high || fits(reach))
    }

    /// Emits a call with the stream of its argument clamped; `None` if that is not needed.
    ///
    /// An end is clamped if the call's value no longer changes there and the argument is NaN at infinity.
    fn argument(&mut self, prim: Prim, arg: Id) -> Option<Id> {
        self.streams[arg.index()].one()?;
        let result = |x: f64| (prim.row().oracle)([self.value(arg, x), f64::NAN, f64::NAN]);
        let settled =
            |sign: f64| beyond(REACH).iter().all(|x| result(sign * x) == result(sign * REACH));
        let meet = |sign: f64| self.value(arg, sign * f64::INFINITY).is_nan();
        let ends = ends(0, |sign| settled(sign) && meet(sign))?;
        let arg = self.clamp(arg, ends);
        Some(self.b.call(prim, &[arg]))
    }

    /// Evaluates a node of one stream in f64, with `x` as the value of that stream.
    fn value(&self, id: Id, x: f64) -> f64 {
        let given = |_, node: &Node| matches!(node, Node::Stream(_)).then_some(x);
        self.graph.values(id, given)[id.index()]
    }

    /// Returns a copy of node `id` with its stream clamped at these ends.
    fn clamp(&mut self, id: Id, ends: Ends) -> Id {
        let (graph, b) = (self.graph, &mut self.b);
        self.clamped.entry(ends).or_insert_with(|| clamped(graph, b, ends))[id.index()]
    }
}

/// Copies all nodes, with every stream clamped at these ends, and returns the copies.
fn clamped(graph: &Graph, b: &mut Builder, ends: Ends) -> Vec<Id> {
    let mut copies: Vec<Id> = Vec::with_capacity(graph.nodes.len());
    for node in graph.nodes.iter() {
        let mut copy = b.add(node.map_args(&copies));
        if let Node::Stream(_) = node {
            let reach = REACHES[ends.reach];
            for (on, prim, bound) in [(ends.low, Prim::Max, -reach), (ends.high, Prim::Min, reach)]
            {
                if on {
                    let bound = b.num(bound);
                    copy = b.call(prim, &[copy, bound]);
                }
            }
        }
        copies.push(copy);
    }
    copies
}

/// Returns the ends at which `holds` is true, or `None` if there is none.
///
/// The argument of `holds` is the sign of the end, `reach` the index of the bound in [`REACHES`].
fn ends(reach: usize, holds: impl Fn(f64) -> bool) -> Option<Ends> {
    let ends = Ends { low: holds(-1.0), high: holds(1.0), reach };
    (ends.low || ends.high).then_some(ends)
}
