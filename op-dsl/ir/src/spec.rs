//! Specialisations of a formula: its graphs for fixed values of the attributes that it branches on.

use crate::accuracy::Fast;
use crate::list::List;
use crate::row::RowFunction;
use crate::wiring::Wiring;
use crate::{Graph, univariate};

/// The formula's graphs for one combination of values of the attributes that it branches on.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// `(attribute index, value)` for each attribute whose value is fixed in these graphs.
    pub when: List<(usize, i64)>,
    /// Graph as written (or as differentiated), before any other pass.
    pub traced: Graph,
    /// Graph after all target-independent passes, which every back end lowers.
    pub graph: Graph,
    /// Graph for evaluation in f64, on back ends that have it.
    ///
    /// `None` if f32 is accurate enough, and a back end's estimate has found it not slower than table look-ups.
    pub wide: Option<Wide>,
    /// Derivation of a gradient from its forward formula; `None` for a formula that the author wrote.
    pub derived: Option<Derived>,
    /// Stages that compute the values of row functions, before the graphs above; none if the formula has no row functions.
    pub stages: List<Stage>,
}

/// A stage of a formula with row functions, which computes one value per row for the stages after it.
///
/// Streams of a graph after the operator's own are those of earlier stages.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Method by which the value is computed.
    pub rule: Rule,
    /// Stream that holds the value, the same for all elements of a row.
    pub value: usize,
    /// Stream of the value's remainder, the part that is lost when the value is rounded to f32, if a later stage reads it.
    pub rest: Option<usize>,
    /// Stream that holds the terms, if a later stage reads them.
    pub terms: Option<usize>,
    /// Graphs of the terms or, for [`Rule::Uniform`], of the value. They have one output.
    pub spec: Spec,
}

/// Method by which a stage computes its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// This row function (sum, mean or maximum) reduces the terms of all elements of the row.
    Reduce(RowFunction),
    /// The graph computes the value from the values of earlier stages and attributes alone, once per row in f64.
    Uniform,
}

/// A formula to be evaluated in f64 and rounded once.
#[derive(Clone, Debug, PartialEq)]
pub struct Wide {
    /// Graph of the formula. Its factors are not ordered for f32, because nothing overflows in f64.
    pub graph: Graph,
    /// Whether f32 results need evaluation in f64 for accuracy.
    ///
    /// If false, f32 code is accurate enough, and the graph is only used to look functions up in tables, which is faster.
    pub single: bool,
    /// Whether 16-bit results need evaluation in f64 as well; f32 mostly has digits to spare for them.
    pub halves: bool,
    /// Ways to compute f32 results without f64, if the author asks for them.
    pub fast: Fast,
}

/// The forward formula that a gradient was derived from, which is the reference for its results.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// Graph of the forward formula as the author wrote it, before any pass.
    pub forward: Graph,
    /// Differentiation steps from `forward` to the gradient: one, or two for the gradient of a gradient.
    pub steps: List<Wiring>,
    /// Row functions of the forward formula. Their terms are the last outputs of `forward`.
    pub rows: List<RowFunction>,
}

impl Spec {
    /// Makes the specialisation of a graph that branches on no attribute and is lowered without passes.
    pub fn of(graph: Graph) -> Spec {
        let when = List::Borrowed(&[][..]);
        let stages = List::Borrowed(&[][..]);
        Spec { when, traced: graph.clone(), graph, wide: None, derived: None, stages }
    }

    /// Returns the graph with the most digits: that for f64, if there is one.
    pub fn precise(&self) -> &Graph {
        self.wide.as_ref().map_or(&self.graph, |wide| &wide.graph)
    }

    /// Returns whether any graph reads this input stream.
    pub fn reads(&self, stream: usize) -> bool {
        self.graph.reads(stream) || self.stages.iter().any(|s| s.spec.graph.reads(stream))
    }

    /// Splits the f64 graph into univariate functions and the expression that combines their values.
    ///
    /// `None` if there is no such graph, or no such split. `inputs` is the number of input streams. Only where the author asks for
    /// it, the expression may round.
    pub fn split(&self, inputs: usize) -> Option<univariate::Split> {
        let wide = self.wide.as_ref()?;
        let in_f32 = || wide.fast.tables?.split([&self.graph, &wide.graph], inputs);
        univariate::split(&wide.graph, inputs).or_else(in_f32)
    }

    /// Recomputes the saved values among a gradient's input streams from its other streams.
    ///
    /// The forward formula computes the saved values. A saved value is left unchanged if the formula needs an input
    /// that the gradient does not have, since the result is NaN then. No stream changes unless the gradient was derived
    /// in one step.
    pub fn restore(&self, streams: &mut [f64], scalars: &[f64]) {
        let Some(Derived { forward, steps, .. }) = &self.derived else { return };
        let [wiring] = &**steps else { return };
        let held = |at: &Option<usize>| at.map_or(f64::NAN, |at| streams[at]);
        let inputs: Vec<f64> = wiring.inputs.iter().map(held).collect();
        for (value, at) in forward.eval(&inputs, scalars).into_iter().zip(wiring.saved.iter()) {
            if let (Some(at), false) = (*at, value.is_nan()) {
                streams[at] = value;
            }
        }
    }
}
