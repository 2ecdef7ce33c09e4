//! Finds univariate functions in a graph and calls each by its cheapest accurate sequence.
//!
//! A product is split into the factors that depend on one value and the others, whatever their order. A function that is a fraction
//! of exponentials is then called as one, and one with a Gaussian tail by that tail. The values of these functions are streams of a
//! new graph, numbered after those of the operator.

use super::accept::{Judge, exact};
use super::limits::held;
use super::redundant_bounds::unbound;
use super::target::Target;
use crate::column::form_of;
use crate::sequence::form::{Digits, Limits, built, cycles};
use crate::sequence::forms::near::{ENDS, MOST, Near};
use crate::sequence::forms::tail::Tail;
use crate::sequence::{Seq, Source, Step, Val};
use crate::sequence::{fit, fraction};
use op_dsl_ir::format::pow2;
use op_dsl_ir::passes::rational::fraction::{self as algebra, Fraction};
use op_dsl_ir::passes::simplify;
use op_dsl_ir::univariate::{by_stream, function, part, product_of};
use op_dsl_ir::{Builder, DType, Graph, Id, Node, Prim};
use rustc_hash::FxHashMap;
use std::cell::LazyCell;
use std::sync::{LazyLock, Mutex, PoisonError};

/// The sequence of vector calls that computes a univariate function.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Way {
    /// A fraction of polynomials in one exponential.
    Fraction(fraction::Way),
    /// A Gaussian tail on one side of 0, and a constant or a line on the other.
    Tail(Tail),
    /// A polynomial near 0, and another sequence of vector calls elsewhere.
    Near(Near, Box<Way>),
}

impl Way {
    /// Emits the vector calls for argument `x` and returns the value of the function.
    pub fn build(&self, s: &mut Seq, x: Val) -> Val {
        match self {
            Way::Fraction(way) => way.build(s, x, &[]),
            Way::Tail(tail) => tail.build(s, x, &[]),
            Way::Near(near, far) => {
                let far = far.build(s, x);
                near.build(s, x, far)
            }
        }
    }
}

/// A graph whose univariate functions are split off, each computed by a sequence of vector calls.
///
/// Its streams from `inputs` on are the values of these functions.
#[derive(Clone, Debug)]
pub(super) struct Regions {
    /// The graph without the functions that are split off; its outputs are those of the operator.
    pub graph: Graph,
    /// Number of input streams of the operator; later streams of `graph` are values of functions.
    pub inputs: usize,
    /// For each function that is split off, the sequence of vector calls that computes it.
    pub ways: Vec<Way>,
    /// For each function that is split off, the node of `graph` that is its argument.
    pub of: Vec<Id>,
}

impl Regions {
    /// Wraps a graph without splitting off any function.
    pub fn none(graph: &Graph, inputs: usize, target: Target<'_>) -> Regions {
        let graph = held(target.holds, graph);
        Regions { graph, inputs, ways: Vec::new(), of: Vec::new() }
    }

    /// Returns the graph with its univariate functions split off; `None` if there are none.
    ///
    /// Each is computed by a sequence of vector calls, and its value is an additional stream of the graph.
    pub fn find(graph: &Graph, inputs: usize, target: Target<'_>) -> Option<Regions> {
        let mut pass = Pass {
            graph,
            uses: graph.uses(),
            inputs,
            target,
            b: Builder::new(),
            new: vec![None; graph.nodes.len()],
            ways: Vec::new(),
            of: Vec::new(),
        };
        let mut outputs: Vec<Id> = graph.outputs.iter().map(|o| pass.value(*o)).collect();
        if pass.ways.is_empty() {
            return None;
        }
        let results = outputs.len();
        outputs.extend(&pass.of);
        let graph = held(target.holds, &pass.b.finish(&outputs));
        let of = graph.outputs[results..].to_vec();
        let outputs = graph.outputs[..results].to_vec();
        Some(Regions { graph: graph.with_outputs(&outputs), inputs, ways: pass.ways, of })
    }
}

/// Removes bounds at huge numbers from the graph of a function, and rewrites `tanh` of softplus.
///
/// The bounds are redundant, because every sequence for the function clamps by itself. A `tanh` of softplus becomes a fraction.
fn bare(graph: &Graph) -> Graph {
    simplify::run(&graph.rewrite_at(|b, at| match (unbound(graph, at.id), at.node) {
        (Some(x), _) => at[x],
        (None, Node::Call(Prim::Tanh, [x, ..])) => tanh(b, at[x]),
        _ => b.add(at.copy()),
    }))
}

/// Emits `tanh(x)`; for `x = ln(1 + e)` with `e = e^u`, as `(e^2 + 2 e) / (e^2 + 2 e + 2)`.
fn tanh(b: &mut Builder, x: Id) -> Id {
    let Some([u, ..]) = b.as_call(Prim::Softplus, x) else { return b.call(Prim::Tanh, &[x]) };
    let e = b.call(Prim::Exp, &[u]);
    let two = b.num(2.0);
    let more = b.sum(e, two);
    let above = b.product(e, more);
    let below = b.sum(above, two);
    b.quotient(above, below)
}

struct Pass<'g> {
    graph: &'g Graph,
    uses: Vec<usize>,
    inputs: usize,
    target: Target<'g>,
    b: Builder,
    new: Vec<Option<Id>>,
    ways: Vec<Way>,
    of: Vec<Id>,
}

impl Pass<'_> {
    fn value(&mut self, id: Id) -> Id {
        if let Some(known) = self.new[id.index()] {
            return known;
        }
        let value = match self.function(&part(self.graph, id)) {
            Some(value) => value,
            None if self.graph.nodes[id.index()].is_product() => self.product(id),
            None => self.copied(id),
        };
        self.new[id.index()] = Some(value);
        value
    }

    /// Copies node `id` to the new graph, with the new values of its arguments.
    fn copied(&mut self, id: Id) -> Id {
        let copy = self.graph.nodes[id.index()].with_args(|arg| self.value(arg));
        self.b.add(copy)
    }

    /// Rewrites product `id` so that univariate functions come first, because they are bounded.
    fn product(&mut self, id: Id) -> Id {
        let factors = self.graph.factors(id, |inner| self.uses[inner.index()] == 1);
        let (mut first, mut rest) = (Vec::new(), Vec::new());
        for group in by_stream(self.graph, &factors) {
            let graph = (group.len() > 1).then(|| product_of(self.graph, &group));
            match graph.and_then(|graph| self.function(&graph)) {
                Some(value) => first.push(value),
                None => rest.extend(group),
            }
        }
        if first.is_empty() {
            return self.copied(id);
        }
        // The other factors keep the order in which they were written.
        rest.sort_by_key(|f| factors.iter().position(|g| g == f));
        let rest: Vec<Id> = rest.into_iter().map(|f| self.value(f)).collect();
        let all: Vec<Id> = first.into_iter().chain(rest).collect();
        match all[..] {
            [x, y, z] => self.b.call(Prim::Mul3, &[x, y, z]),
            _ => all.into_iter().reduce(|x, y| self.b.product(x, y)).unwrap_or(Id::NONE),
        }
    }

    /// Splits a univariate function off, and returns the stream that stands for its value.
    ///
    /// Returns `None` if `graph` is no such function, is one primitive with sequences of vector calls of its own, or if no
    /// sequence for it is accurate.
    fn function(&mut self, graph: &Graph) -> Option<Id> {
        let graph = &bare(graph);
        let is_smooth = |n: &&Node| matches!(n, Node::Call(p, _) if p.row().arity == 1);
        if graph.nodes.iter().filter(is_smooth).count() == 0 {
            return None;
        }
        let (function, times) = function(graph, self.inputs)?;
        // An attribute that divides may be 0.
        let divides = times.0.iter().any(|(_, power)| *power < 0);
        if divides || function.domain[0] == 0.0 {
            return None;
        }
        let way = best(&function.graph, self.target)?;
        let mut variable = self.b.part(&function.variable.of);
        if let Some(scale) = function.variable.times.product(&mut self.b) {
            variable = self.b.product(variable, scale);
        }
        let known = |k: &usize| self.of[*k] == variable && self.ways[*k] == way;
        let at = (0..self.ways.len()).find(known).unwrap_or_else(|| {
            self.ways.push(way);
            self.of.push(variable);
            self.ways.len() - 1
        });
        let value = self.b.stream(self.inputs + at);
        let scale = times.product(&mut self.b);
        Some(scale.map_or(value, |scale| self.b.product(value, scale)))
    }
}

/// Cache of the vector calls found for each function; `None` for functions without any.
///
/// The key is the function, the element type, the architecture, the promise at infinity and the accuracy class.
type Known = FxHashMap<(Vec<u8>, DType, u16, Limits, Digits), Option<Way>>;
static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default); // only ever looked up

/// Returns the cheapest accurate sequence of vector calls for a function, from a cache if known.
///
/// Returns `None` if no sequence is accurate, or if the function is one primitive with sequences of its own.
fn best(graph: &Graph, target: Target<'_>) -> Option<Way> {
    let key = (graph.encode(), target.dtype, target.soc.arch.number, target.limits, target.digits);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    // The lock is not held during the search, so that other threads can look theirs up.
    let found = known().get(&key).cloned();
    found.unwrap_or_else(|| {
        let way = search(graph, target);
        known().insert(key, way.clone());
        way
    })
}

/// Stride between the 16-bit inputs at which the accuracy of a sequence of calls is tested.
///
/// It is not 1, because a search tests dozens of sequences; tests of the chosen ones take all inputs.
const STEP: usize = 8;

fn search(graph: &Graph, target: Target<'_>) -> Option<Way> {
    // A single primitive has its own sequences, so there is nothing to search.
    let calls: Vec<Prim> = graph
        .nodes
        .iter()
        .filter_map(|n| if let Node::Call(prim, _) = n { Some(*prim) } else { None })
        .collect();
    let has_form = |p: &Prim| {
        form_of(*p, target.dtype, target.limits, target.digits, target.soc.arch).is_some()
    };
    if calls.len() == 1 && has_form(&calls[0]) {
        return None;
    }
    let judge = LazyCell::new(|| Judge::new(graph, target.digits, target.dtype, STEP));
    let arch = target.soc.arch;
    let right = |way: &Way| {
        let (s, x, y) = built(arch, |s, x| way.build(s, x));
        judge.accepts(s, x, y)
    };
    let found = match fraction_of(graph) {
        Some(fraction) => fractions(graph, &fraction, target).into_iter().find(right),
        None => tails(graph, target).find(right),
    };
    found.or_else(|| near(graph, target).into_iter().find(right))
}

/// Returns a function as a fraction of polynomials in one exponential; `None` if it is none.
///
/// In the graph that CPUs compute in f64, a constant replaces a fraction far out, where arithmetic would leave f64. Calls for the fraction
/// clamp its argument by themselves.
fn fraction_of(graph: &Graph) -> Option<Fraction> {
    let is_far = |id: &Id| graph.as_const(*id).is_some_and(|c| c.abs() > FAR);
    let fraction = |node: &Node| {
        let Node::Call(Prim::Select, [holds, value, fraction]) = *node else { return None };
        let Node::Call(Prim::Lt, [x, y, _]) = graph.nodes[holds.index()] else { return None };
        let is_limit = graph.as_const(value).is_some() && [x, y].iter().any(is_far);
        is_limit.then_some(fraction)
    };
    algebra::of(graph).or_else(|| {
        let without = graph.rewrite_at(|b, at| match fraction(&at.node) {
            Some(fraction) => at[fraction],
            None => b.add(at.copy()),
        });
        algebra::of(&simplify::run(&without))
    })
}

/// Size of an input from which on a constant may be the limit of a fraction: `e^-16` is a unit in the last place of 1.
const FAR: f64 = 16.0;

/// Returns sequences of vector calls with a polynomial near 0 and a fraction elsewhere.
///
/// The cheapest comes first. The function must be 0 at 0. The fraction is the cheapest one that is accurate except for its
/// relative error near 0. Empty unless relative accuracy is asked for.
fn near(graph: &Graph, target: Target<'_>) -> Vec<Way> {
    if target.digits == Digits::Absolute || graph.eval(&[0.0], &[])[0].abs() > 1e-12 {
        return Vec::new();
    }
    let dtype = target.digits.dtype(target.dtype);
    let judge = Judge::new(graph, Digits::Absolute, dtype, STEP);
    let is_right = |way: &Way| {
        let (s, x, y) = built(target.soc.arch, |s, x| way.build(s, x));
        judge.accepts(s, x, y)
    };
    let far = |fraction: Fraction| fractions(graph, &fraction, target).into_iter().find(is_right);
    let Some(far) = fraction_of(graph).and_then(far) else { return Vec::new() };
    let exact = exact(graph);
    let exact = exact.as_ref().unwrap_or(graph);
    let at = |x: f64| exact.eval(&[x], &[])[0];
    let fits = ENDS.into_iter().flat_map(|end| (1..=MOST).map(move |degree| (end, degree)));
    let fits = fits.filter_map(|(end, degree)| Near::fit(&at, end, degree));
    let mut ways: Vec<(f64, Way)> = fits
        .map(|near| {
            let way = Way::Near(near, Box::new(far.clone()));
            let (s, _, y) = built(target.soc.arch, |s, x| way.build(s, x));
            (cycles(&s, y, target.soc.arch), way)
        })
        .collect();
    ways.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    ways.into_iter().map(|(_, way)| way).collect()
}

/// Returns the vector calls for a fraction of polynomials in one exponential, the cheapest first.
///
/// Each element is one sequence of calls.
fn fractions(graph: &Graph, fraction: &Fraction, target: Target<'_>) -> Vec<Way> {
    let at = |x: f64| graph.eval(&[x], &[])[0];
    const NEAR: f64 = 1e-6;
    let zero = (at(0.0).abs() < 1e-12).then(|| (at(NEAR) - at(-NEAR)) / (2.0 * NEAR));
    let dtype = target.digits.dtype(target.dtype);
    let precision = dtype.row().precision;
    // Within half a unit of 1, and within the root of that.
    let lines = [precision, precision / 2].map(|digits| pow2(-digits));
    let lines = if dtype.is_narrow() { &lines[..] } else { &[] };
    let is_even = [0.25, 1.0, 3.0].iter().all(|x| (at(*x) - at(-x)).abs() < 1e-12);
    let cost = |way: &Way| {
        let (s, _, y) = built(target.soc.arch, |s, x| way.build(s, x));
        let is_call = |step: &&Step| matches!(step.source, Source::Call(_));
        (cycles(&s, y, target.soc.arch), s.steps.iter().filter(is_call).count())
    };
    let ways = fraction::ways(fraction, zero, lines, is_even).into_iter().map(Way::Fraction);
    let mut ways: Vec<((f64, usize), Way)> = ways.map(|w| (cost(&w), w)).collect();
    ways.sort_by(|(a, _), (b, _)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    ways.into_iter().map(|(_, way)| way).collect()
}

/// Returns sequences of vector calls for a function with a Gaussian tail, the cheapest first.
///
/// There are none if the function has no such tail.
fn tails(graph: &Graph, target: Target<'_>) -> impl Iterator<Item = Way> {
    let at = |x: f64| graph.eval(&[x], &[])[0];
    fit::tails(&at, target.digits.dtype(target.dtype), target.soc.arch).map(Way::Tail)
}
