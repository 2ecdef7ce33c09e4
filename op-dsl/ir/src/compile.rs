//! The middle of the pipeline on one screen.
//!
//! ```text
//! trace (op-dsl-syntax)
//!   -> recognise        an analytic one-variable part that *is* a row of the table becomes it
//!   -> differentiate    gradients only
//!   -> finish:
//!        recognise      the same for what differentiation or the author wrote out
//!        compose        rows without an algorithm are written out
//!        saturate       a huge x stands still where the formula has reached its limit
//!        stabilise      no cancellation in the tails, no false infinity, no NaN from finite input
//!        simplify       constants folded, 1 * x, 0 + x, ...
//!   -> wide, where an estimate finds f32 not accurate enough; for back ends that have f64:
//!        recognise, compose, fraction, group, series, limits, simplify
//! -> select, schedule, emit (codegen-cpu, codegen-ascendc)
//! ```

use crate::graph::Graph;
use crate::op::Wide;
use crate::passes::differentiate::{self, Unconnected, Wiring};
use crate::passes::rational::Style;
use crate::passes::{
    compose, group, limits, rational, recognise, saturate, series, simplify, stabilise,
};
use crate::rounding::{self, Arithmetic};

/// A forward formula (or a gradient written by hand), ready for every back end.
pub fn forward(traced: &Graph) -> Graph {
    finish(traced)
}

/// The gradient of a forward formula as differentiated; [`forward`] finishes it.
///
/// # Errors
/// When the gradient needs a forward input that `wiring` does not connect.
pub fn gradient(traced: &Graph, wiring: &Wiring) -> Result<Graph, Unconnected> {
    let known = recognise::run(traced);
    Ok(simplify::run(&differentiate::run(&known, wiring)?))
}

/// Largest estimated error that is left to f32, in units in the last place.
const BUDGET: f64 = 2.0;
/// The same of the 16-bit types, whose units are 2^13 and 2^16 of those.
const BUDGET_OF_HALVES: f64 = 256.0;

/// What a back end that has f64 computes instead of `narrow`, the finished graph, where f32 is not
/// accurate enough.
pub fn wide(traced: &Graph, narrow: &Graph) -> Option<Wide> {
    let graph = widen(traced);
    let error = rounding::worst(narrow, Arithmetic::F32).ulps;
    let error = if rounding::agree_at_infinity(narrow, &graph) { error } else { f64::INFINITY };
    (error > BUDGET).then_some(Wide { graph, halves: error > BUDGET_OF_HALVES })
}

/// An estimate that needs no better form.
const GOOD: f64 = 0.05;

/// The most accurate of the forms of a graph that are to be evaluated in f64: as written where that
/// is good, else brought to one fraction.
fn widen(traced: &Graph) -> Graph {
    let written = compose::run(&recognise::run(&simplify::run(traced)));
    let styles = [(false, false), (true, false), (false, true), (true, true)];
    let fractions = styles.into_iter().map(|(two_sided, other_forms)| {
        simplify::run(&rational::run(&written, Style { two_sided, other_forms }))
    });
    let mut best: Option<(f64, Graph)> = None;
    for form in core::iter::once(written.clone()).chain(fractions) {
        let graph = simplify::run(&limits::run(&series::run(&group::run(&form))));
        let error = rounding::worst(&graph, Arithmetic::F64).ulps;
        if best.as_ref().is_none_or(|(least, _)| error < *least) {
            best = Some((error, graph));
        }
        if error <= GOOD {
            break;
        }
    }
    best.map_or(written, |(_, graph)| graph)
}

fn finish(graph: &Graph) -> Graph {
    let graph = simplify::run(graph);
    let graph = recognise::run(&graph);
    let graph = compose::run(&graph);
    let graph = saturate::run(&graph);
    let graph = stabilise::run(&graph);
    simplify::run(&graph)
}
