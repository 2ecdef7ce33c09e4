//! Connections between the streams of a gradient and those of its forward formula.

use crate::list::List;

/// Connections between the streams of a gradient and those of its forward formula, by index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wiring {
    /// For each forward input stream, the gradient's input stream with the same values, if it has one.
    pub inputs: List<Option<usize>>,
    /// For each forward output stream, the gradient's input stream with the output's upstream gradient.
    ///
    /// `None` for outputs that are not differentiated, for example saved ones.
    pub upstream: List<Option<usize>>,
    /// For each forward output stream, the gradient's input stream that holds the output's value, if any.
    pub saved: List<Option<usize>>,
    /// The forward input streams to differentiate by; the gradient has one output for each, in this order.
    pub wrt: List<usize>,
}
