//! Univariate functions in a graph, each of which a back end may evaluate by one table look-up.
//!
//! Most results are a function of one stream times other streams: `dy * f(x)`, `value * f(gate)`. [`split`] finds `f` however the
//! formula is written. Since a factor only multiplies, `f` is the result with all factors set to 1, and the result is the product
//! of `f` and the factors that it depends on:
//!
//! ```text
//! if x > 0 { dy } else { dy * a * exp(x) }   =   dy * f(x)      f(x) = if x > 0 { 1 } else { a * exp(x) }
//! ```
//!
//! Attributes are factored out of it (`function.rs`):
//!
//! ```text
//! x * sigmoid(beta * x)   =   f(beta * x) / beta                f(t) = t * sigmoid(t)
//! ```
//!
//! The variable of a function may be a sum or product of two streams (`pairs.rs`).
//!
//! Any other expression is decomposed: products into their factors, `select`s into both branches. The remaining operations have to
//! be exact in f32 (`exact.rs`), otherwise there is no split.

mod decompose;
mod exact;
mod function;
mod pairs;
#[cfg(test)]
mod tests;

use crate::accuracy::Tables;
use crate::graph::Graph;
pub use decompose::{Split, by_stream, costs, product_of};
use decompose::{Style, split_by};
use function::{EVERYWHERE, find};
pub use function::{Function, Powers, Variable, part};

/// Splits a graph over `inputs` streams into univariate functions and their combining expression.
///
/// `None` if some result needs more than products, `select`s and divisions by attributes to combine the functions' values, or if
/// no function is more than an operation or two.
pub fn split(graph: &Graph, inputs: usize) -> Option<Split> {
    split_by(graph, inputs, Style::Exact).or_else(|| pairs::split(graph, inputs))
}

impl Tables {
    /// Splits the graph into functions of one value and f32 arithmetic on their values.
    pub fn split(self, [narrow, wide]: [&Graph; 2], inputs: usize) -> Option<Split> {
        split_in_f32(if self == Tables::OfWide { wide } else { narrow }, inputs)
    }
}

/// Splits a graph as [`split`] does, but the combining expression may contain any arithmetic, and functions of several streams.
///
/// An expression of this kind has the rounding errors of its terms.
pub fn split_in_f32(graph: &Graph, inputs: usize) -> Option<Split> {
    split_by(graph, inputs, Style::Rounded)
}

/// Returns a graph of one output as a univariate function times powers of attributes.
///
/// `None` if the graph does not depend on exactly one stream, or if some attribute cannot be factored out.
pub fn function(graph: &Graph, inputs: usize) -> Option<(Function, Powers)> {
    find(graph, &vec![EVERYWHERE; inputs]).map(|found| (found.function, found.times))
}
