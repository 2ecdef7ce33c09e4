//! The middle of the pipeline on one screen.
//!
//! ```text
//! trace (op-dsl-syntax)
//!   -> recognise        an analytic one-variable part that *is* a row of the table becomes it
//!   -> differentiate    gradients only
//!   -> finish:
//!        recognise      the same for what differentiation or the author wrote out
//!        saturate       a huge x stands still where the formula has reached its limit
//!        stabilise      no cancellation in the tails, no false infinity, no NaN from finite input
//!        simplify       constants folded, 1 * x, 0 + x, ...
//! -> select, schedule, emit (codegen-cpu, codegen-ascendc)
//! ```

use crate::graph::Graph;
use crate::passes::differentiate::{self, Unconnected, Wiring};
use crate::passes::{recognise, saturate, simplify, stabilise};

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

fn finish(graph: &Graph) -> Graph {
    let graph = simplify::run(graph);
    let graph = recognise::run(&graph);
    let graph = saturate::run(&graph);
    let graph = stabilise::run(&graph);
    simplify::run(&graph)
}
