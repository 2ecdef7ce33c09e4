//! Accuracy that an author asks for, and for `fast` the ways to compute f32 results without f64.

use crate::graph::{Graph, Node};
use crate::prim::Prim;
use crate::rounding::{self, Ranges};
use crate::univariate::{self, Split};

/// Accuracy of an operator's results in f32, as its author chose it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Accuracy {
    /// At most two units in the last place of error in every result; kernels compute in f64 where f32 does not reach that.
    #[default]
    Exact,
    /// At most [`FAST_BUDGET`] units in the last place of the largest addend; kernels compute in f32 wherever that reaches it.
    Fast,
    /// The rounding errors of f32 arithmetic on the formula as it is written.
    AsWritten,
}

/// Error budget of [`Accuracy::Fast`], in units in the last place of the largest addend (`rounding::largest_addends`).
pub const FAST_BUDGET: f64 = 4.0;

/// Largest bound of the errors that the estimate may find for a result within [`FAST_BUDGET`].
///
/// The bound is twice the budget because it adds the worst errors of all steps, which hardly occur at the same element. For
/// example, formulas with bounds of 4 to 7 units had measured errors of 1.2 to 2.3 units.
const BOUND: f64 = 2.0 * FAST_BUDGET;

/// Ways to compute f32 results within [`FAST_BUDGET`] without f64. Elements that leave the range of f32 take f64 in all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fast {
    /// The graph whose functions of one value have tables, if f32 arithmetic may combine their values.
    pub tables: Option<Tables>,
    /// Whether f32 arithmetic serves for the whole f32 graph.
    pub arithmetic: bool,
}

/// One of the two graphs of a specialisation, which is split into functions of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tables {
    /// The graph for f64, whose functions have all digits.
    OfWide,
    /// The graph for f32, without the terms that make limits of f64 results.
    OfNarrow,
}

impl Fast {
    /// F32 results need f64, or the author does not ask for anything else.
    pub const NONE: Fast = Fast { tables: None, arithmetic: false };

    /// Returns the ways that serve a formula.
    ///
    /// `graphs` are its finished graphs for f32 and f64, and `inputs` is the number of its input streams.
    pub fn of(traced: &Graph, graphs: [&Graph; 2], ranges: &Ranges, inputs: usize) -> Fast {
        // The error of a power grows with its exponent, of which the estimate has few samples.
        if has_open_exponent(traced) {
            return Fast::NONE;
        }
        let serves = |error: f64| error <= BOUND;
        let by_tables = |tables: &Tables| {
            let split = tables.split(graphs, inputs);
            split.is_some_and(|s| serves(rounding::worst_by_tables(traced, &s, ranges, inputs)))
        };
        Fast {
            tables: [Tables::OfWide, Tables::OfNarrow].into_iter().find(by_tables),
            arithmetic: serves(rounding::worst_of_addends(traced, graphs[0], ranges)),
        }
    }

    /// Returns whether results in f32 can be computed without f64.
    pub fn serves(self) -> bool {
        self.tables.is_some() || self.arithmetic
    }
}

impl Tables {
    /// Splits the graph into functions of one value and f32 arithmetic on their values.
    pub fn split(self, [narrow, wide]: [&Graph; 2], inputs: usize) -> Option<Split> {
        univariate::split_in_f32(if self == Tables::OfWide { wide } else { narrow }, inputs)
    }
}

/// Returns whether an attribute decides the exponent of a power, as in `powf(x, p)`.
fn has_open_exponent(graph: &Graph) -> bool {
    let by_scalars = graph.depends_on(|_, node| matches!(node, Node::Scalar(_)));
    let is_open =
        |node: &Node| matches!(node, Node::Call(Prim::Pow, [_, y, _]) if by_scalars[y.index()]);
    graph.nodes.iter().any(is_open)
}
