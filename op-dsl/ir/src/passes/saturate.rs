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

use super::products::{bounds, inner_products};
use crate::analysis::Inputs;
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
    let (inputs, bounds, inner) = (graph.inputs(), bounds(graph), inner_products(graph));
    let mut pass = Pass { graph, inputs, bounds, inner, clamped: FxHashMap::default() };
    graph.rewrite_at(|b, at| {
        let replaced = match at.node {
            Node::Call(Prim::Mul, _) => pass.product(b, at.id, at.earlier),
            Node::Call(prim, [arg, ..]) if prim.row().arity == 1 => pass.argument(b, prim, arg),
            _ => None,
        };
        replaced.unwrap_or_else(|| b.add(at.copy()))
    })
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
    /// Per node, the inputs that it depends on.
    inputs: Vec<Inputs>,
    /// Per node, an upper bound of its magnitude, from [`bounds`].
    bounds: Vec<f64>,
    /// Per node, whether it is a product that exactly one other node uses, from [`inner_products`].
    inner: Vec<bool>,
    /// Copies of all nodes with their streams clamped at the given ends, from [`clamped`].
    ///
    /// They are kept so that one clamp is emitted once.
    clamped: FxHashMap<Ends, Vec<Id>>,
}

impl Pass<'_> {
    /// Emits a product with the streams clamped in factors that have no known bound.
    ///
    /// Only the ends of a stream at which the product is 0 are clamped. Returns `None` if there is nothing to clamp.
    fn product(&mut self, b: &mut Builder, id: Id, new: &[Id]) -> Option<Id> {
        let factors = self.graph.factors(id, |factor| self.inner[factor.index()]);
        let held: Vec<Option<Ends>> = factors.iter().map(|f| self.held(*f, &factors)).collect();
        if held.iter().all(Option::is_none) {
            return None;
        }
        let clamped = factors.iter().zip(held).map(|(f, ends)| match ends {
            Some(ends) => self.clamp(b, *f, ends),
            None => new[f.index()],
        });
        let clamped: Vec<Id> = clamped.collect();
        clamped.into_iter().reduce(|product, f| b.product(product, f))
    }

    /// Returns the ends at which to clamp the stream of `factor`; `None` if it needs no clamp.
    ///
    /// `factors` are all factors of the product. A factor without a known bound needs a clamp at the ends where the product of all
    /// factors of the same stream is 0.
    fn held(&self, factor: Id, factors: &[Id]) -> Option<Ends> {
        let own = self.inputs[factor.index()];
        own.sole_stream()?;
        if self.bounds[factor.index()].is_finite() {
            return None;
        }
        let same = |f: &&Id| self.inputs[f.index()] == own;
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
        let needed = self.graph.needed_for(&[factor]);
        let fits = |x: f64| {
            let given = |_, node: &Node| matches!(node, Node::Stream(_)).then_some(x);
            let values = self.graph.values(factor, given);
            let is_finite = |v: &f64| v.abs() <= f64::from(f32::MAX);
            needed.iter().zip(&values).all(|(needed, v)| !needed || is_finite(v))
        };
        let reach = REACHES[ends.reach];
        (!ends.low || fits(-reach)) && (!ends.high || fits(reach))
    }

    /// Emits a call with the stream of its argument clamped; `None` if that is not needed.
    ///
    /// An end is clamped if the call's value no longer changes there and the argument is NaN at infinity.
    fn argument(&mut self, b: &mut Builder, prim: Prim, arg: Id) -> Option<Id> {
        self.inputs[arg.index()].sole_stream()?;
        let result = |x: f64| (prim.row().oracle)([self.value(arg, x), f64::NAN, f64::NAN]);
        let settled =
            |sign: f64| beyond(REACH).iter().all(|x| result(sign * x) == result(sign * REACH));
        let meet = |sign: f64| self.value(arg, sign * f64::INFINITY).is_nan();
        let ends = ends(0, |sign| settled(sign) && meet(sign))?;
        let arg = self.clamp(b, arg, ends);
        Some(b.call(prim, &[arg]))
    }

    /// Evaluates a node of one stream in f64, with `x` as the value of that stream.
    fn value(&self, id: Id, x: f64) -> f64 {
        let given = |_, node: &Node| matches!(node, Node::Stream(_)).then_some(x);
        self.graph.values(id, given)[id.index()]
    }

    /// Returns a copy of node `id` with its stream clamped at these ends.
    fn clamp(&mut self, b: &mut Builder, id: Id, ends: Ends) -> Id {
        self.clamped.entry(ends).or_insert_with(|| clamped(self.graph, b, ends))[id.index()]
    }
}

/// Copies all nodes, with every stream clamped at these ends, and returns the copies.
fn clamped(graph: &Graph, b: &mut Builder, ends: Ends) -> Vec<Id> {
    graph.forward(|at| {
        let mut copy = b.add(at.copy());
        if let Node::Stream(_) = at.node {
            let reach = REACHES[ends.reach];
            for (on, prim, bound) in [(ends.low, Prim::Max, -reach), (ends.high, Prim::Min, reach)]
            {
                if on {
                    let bound = b.num(bound);
                    copy = b.call(prim, &[copy, bound]);
                }
            }
        }
        copy
    })
}

/// Returns the ends at which `holds` is true, or `None` if there is none.
///
/// The argument of `holds` is the sign of the end, `reach` the index of the bound in [`REACHES`].
fn ends(reach: usize, holds: impl Fn(f64) -> bool) -> Option<Ends> {
    let ends = Ends { low: holds(-1.0), high: holds(1.0), reach };
    (ends.low || ends.high).then_some(ends)
}
