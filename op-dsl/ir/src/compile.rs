//! The middle of the pipeline on one screen.
//!
//! ```text
//! trace (op-dsl-syntax)
//!   -> arms             a function of a choice moves into its arms, where one is then a row of the table
//!   -> recognise        an analytic one-variable part that *is* a row of the table becomes it
//!   -> differentiate    gradients only
//!   -> finish:
//!        arms, recognise  the same for what differentiation or the author wrote out
//!        compose        rows without an algorithm are written out
//!        saturate       a huge x stands still where the formula has reached its limit
//!        common_factors `dy * a - dy * b` is `dy * (a - b)`: nothing is rounded before it cancels
//!        stabilise      no cancellation in the tails, no false infinity, no NaN from finite input
//!        simplify       constants folded, 1 * x, 0 + x, ...
//!   -> where the estimate in `rounding` finds f32 not accurate enough, or `regions` finds it slower than look-ups,
//!      for back ends that have f64:
//!        recognise, compose
//!        opposites      `s(v) - s(-v)` is `tanh(v / 2)`, and softplus of `v` and of `-v` have a part in common
//!        rational       everything over one denominator: what would cancel has cancelled
//!        series         its power series where a function loses its digits near zero
//!        limits         what a function has become far out, and at infinity (`held`)
//!        growth         what f64 has no number for stands still beside what may be zero
//!        simplify
//! -> select, schedule, emit (codegen-cpu, codegen-ascendc)
//! ```

use crate::graph::{Builder, Graph, Id, Node};
use crate::lost_digits::BUDGET;
use crate::op::Wide;
use crate::passes::differentiate::{self, Unconnected};
use crate::passes::rational::Style;
use crate::passes::{
    arms, common_factors, compose, growth, limits, opposites, rational, recognise, saturate,
    series, simplify, stabilise,
};
use crate::prim::Prim;
use crate::regions;
use crate::rounding::{self, Arithmetic, Ranges};
use crate::wiring::Wiring;

/// A forward formula (or a gradient written by hand) whose streams lie in these ranges, ready for every back end.
pub fn forward(traced: &Graph, ranges: &Ranges) -> Graph {
    let written = finish(traced);
    let error = rounding::worst(&written, Arithmetic::F32, ranges).ulps;
    if error <= WORTH_ANOTHER {
        return written;
    }
    let functions = functions(&written);
    fractions(&known(traced))
        .map(|form| finish(&form))
        // Nothing becomes a function that a back end may lack and the formula has not.
        .filter(|form| {
            let has = |f: &Prim| EVERYWHERE.contains(f) || functions.contains(f);
            self::functions(form).iter().all(has)
        })
        .map(|form| (rounding::worst(&form, Arithmetic::F32, ranges).ulps, form))
        .filter(|(other, _)| *other < 0.1 * error)
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(written, |(_, form)| form)
}

/// Functions that every back end has.
const EVERYWHERE: [Prim; 6] =
    [Prim::Neg, Prim::Abs, Prim::Exp, Prim::Sigmoid, Prim::Silu, Prim::SiluGrad];

/// An estimate in f32, in units in the last place, that no sum of roundings has: something cancels or overflows.
const WORTH_ANOTHER: f64 = 1000.0;

/// A graph as fractions, in every style.
fn fractions(graph: &Graph) -> impl Iterator<Item = Graph> {
    [(false, false), (true, false), (false, true), (true, true)].into_iter().map(
        |(two_sided, other_forms)| {
            simplify::run(&rational::run(graph, Style { two_sided, other_forms }))
        },
    )
}

/// The functions of one value that a graph calls.
fn functions(graph: &Graph) -> Vec<Prim> {
    let function = |node: &Node| match *node {
        Node::Call(prim, _) if prim.row().arity == 1 => Some(prim),
        _ => None,
    };
    graph.nodes.iter().filter_map(function).collect()
}

/// The gradient of a forward formula as differentiated, once for each of `steps`; [`forward`] finishes it.
///
/// # Errors
/// When the gradient needs an input that `steps` do not connect.
pub fn gradient(traced: &Graph, steps: &[Wiring]) -> Result<Graph, Unconnected> {
    Ok(simplify::run(&differentiate::run(traced, steps, |graph| {
        recognise::run(&arms::run(graph))
    })?))
}

/// The same of the 16-bit types, in their units: one result in thirty at the worst place may be rounded the wrong way.
const BUDGET_OF_HALVES: f64 = 1.0 / 32.0;

/// What a back end that has f64 computes instead of `narrow`, the finished graph, where f32 is not
/// accurate enough, or functions of one value are faster by tables.
pub fn wide(traced: &Graph, narrow: &Graph, ranges: &Ranges) -> Option<Wide> {
    let graph = widen(traced, ranges);
    let worst = rounding::worst_in_f32(narrow, ranges);
    let limits = rounding::agree_at_infinity(narrow, &graph, ranges);
    let halves = worst.halves > BUDGET_OF_HALVES || !limits;
    let single = worst.ulps > BUDGET || halves;
    (single || regions::are_faster(&graph)).then_some(Wide { graph, single, halves })
}

/// What is computed in f64, for a back end that has none: factors in an order that suits f32.
pub fn for_float(wide: &Graph) -> Graph {
    simplify::run(&stabilise::run(&saturate::run(wide)))
}

/// An estimate that needs no better form.
const GOOD: f64 = 0.05;

/// The most accurate of the forms of a graph that are to be evaluated in f64: as written where that
/// is good, else brought to one fraction; output by output if no form is within the budget for all.
fn widen(traced: &Graph, ranges: &Ranges) -> Graph {
    let written = opposites::run(&known(traced));
    let mut best: Option<(f64, Graph)> = None;
    for form in core::iter::once(written.clone()).chain(fractions(&written)) {
        let graph = simplify::run(&growth::run(&limits::run(&series::run(&form))));
        let error = rounding::worst(&graph, Arithmetic::F64, ranges).ulps;
        let error = if rounding::has_no_limit(&graph, ranges) { error.max(1.0) } else { error };
        if best.as_ref().is_none_or(|(least, _)| error < *least) {
            best = Some((error, graph));
        }
        if error <= GOOD {
            break;
        }
    }
    match best {
        Some((error, _)) if error > BUDGET && written.outputs.len() > 1 => {
            one_by_one(traced, ranges)
        }
        Some((_, graph)) => graph,
        None => written,
    }
}

/// Every output in its own best form, where none serves all.
fn one_by_one(traced: &Graph, ranges: &Ranges) -> Graph {
    let mut b = Builder::new();
    let alone = |output: &Id| Graph { outputs: vec![*output].into(), ..traced.clone() };
    let forms = traced.outputs.iter().map(|output| widen(&simplify::run(&alone(output)), ranges));
    let outputs: Vec<Id> = forms.map(|form| b.part(&form)).collect();
    b.finish(&outputs)
}

/// A graph of rows that targets compute.
fn known(graph: &Graph) -> Graph {
    compose::run(&recognise::run(&arms::run(&simplify::run(graph))))
}

fn finish(graph: &Graph) -> Graph {
    let graph = saturate::run(&known(graph));
    let graph = stabilise::run(&common_factors::run(&graph));
    simplify::run(&graph)
}
