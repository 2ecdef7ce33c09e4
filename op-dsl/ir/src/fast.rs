//! Whether f32 arithmetic and tables are accurate enough for [`Accuracy::Fast`](crate::accuracy::Accuracy::Fast).

use crate::accuracy::{FAST_BUDGET, Fast, Tables};
use crate::graph::{Graph, Node};
use crate::prim::Prim;
use crate::rounding::{self, Ranges};

/// Largest bound of the errors that the estimate may find for a result within [`FAST_BUDGET`].
///
/// The bound is twice the budget because it adds the worst errors of all steps, which hardly occur at the same element. For
/// example, formulas with bounds of 4 to 7 units had measured errors of 1.2 to 2.3 units.
const BOUND: f64 = 2.0 * FAST_BUDGET;

impl Fast {
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
}

/// Returns whether an attribute decides the exponent of a power, as in `powf(x, p)`.
fn has_open_exponent(graph: &Graph) -> bool {
    let by_scalars = graph.depends_on(|_, node| matches!(node, Node::Scalar(_)));
    let is_open =
        |node: &Node| matches!(node, Node::Call(Prim::Pow, [_, y, _]) if by_scalars[y.index()]);
    graph.nodes.iter().any(is_open)
}
