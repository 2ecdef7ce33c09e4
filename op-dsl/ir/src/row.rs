//! Row functions: sums, means and maxima of a value over the elements of a row, as formulas call them.
//!
//! A graph stays elementwise. The value of a row function is an input stream of the graph, and the value that the function
//! takes, its *term*, is an output.

use crate::graph::{Builder, Graph, Id};

/// A function of all elements of a row, which are those along the last dimension of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFunction {
    /// Sum of the terms.
    Sum,
    /// Sum of the terms divided by their number.
    Mean,
    /// Largest term; NaN if any term is NaN.
    Max,
}

impl RowFunction {
    /// All row functions.
    pub const ALL: [RowFunction; 3] = [RowFunction::Sum, RowFunction::Mean, RowFunction::Max];

    /// Returns the name by which formulas call the function.
    pub const fn name(self) -> &'static str {
        match self {
            RowFunction::Sum => "row_sum",
            RowFunction::Mean => "row_mean",
            RowFunction::Max => "row_max",
        }
    }

    /// Returns the function's value for a row of terms, in f64.
    pub fn of(self, terms: &[f64]) -> f64 {
        let sum = || terms.iter().sum::<f64>();
        match self {
            RowFunction::Sum => sum(),
            RowFunction::Mean => sum() / terms.len() as f64,
            RowFunction::Max => {
                let larger = |m: f64, x: &f64| if *x > m || x.is_nan() { *x } else { m };
                terms.iter().fold(f64::NEG_INFINITY, larger)
            }
        }
    }
}

/// A formula with row functions.
#[derive(Clone, Debug, PartialEq)]
pub struct RowFormula {
    /// The graph. Its outputs are those of the formula, then the terms of each row function.
    ///
    /// The row functions are in order of dependence: a term reads the values of earlier functions only.
    pub graph: Graph,
    /// The row functions.
    pub functions: Vec<RowFunction>,
    /// Number of input streams of the formula, before those of the row functions.
    pub inputs: usize,
}

impl RowFormula {
    /// Returns the stream that holds the value of row function `k`, the same for all elements of a row.
    pub const fn value(inputs: usize, k: usize) -> usize {
        inputs + 2 * k
    }

    /// Returns the stream that holds the terms of row function `k`, as they were when the function was computed.
    pub const fn terms(inputs: usize, k: usize) -> usize {
        inputs + 2 * k + 1
    }

    /// Returns the number of the formula's own outputs.
    pub fn outputs(&self) -> usize {
        self.graph.outputs.len() - self.functions.len()
    }

    /// Returns a builder with the nodes of the graph, and its outputs.
    fn builder(&self) -> (Builder, Vec<Id>) {
        let mut b = Builder::new();
        let new = self.graph.forward(|at| b.add(at.copy()));
        let outputs = self.graph.outputs.iter().map(|o| new[o.index()]).collect();
        (b, outputs)
    }

    /// Returns the formula with some outputs, of which a row has one number, divided by the number of elements of a row.
    ///
    /// A gradient adds an upstream gradient for each element of an output. Divided, these add up to that of the one number.
    pub fn averaged(&self, of: &[bool]) -> RowFormula {
        if !of.contains(&true) {
            return self.clone();
        }
        let (mut b, mut outputs) = self.builder();
        let count = b.stream(RowFormula::value(self.inputs, self.functions.len()));
        for (output, _) in outputs.iter_mut().zip(of).filter(|(_, is_averaged)| **is_averaged) {
            *output = b.quotient(*output, count);
        }
        outputs.push(b.num(1.0));
        let functions = self.functions.iter().copied().chain([RowFunction::Sum]).collect();
        RowFormula { graph: b.finish(&outputs), functions, inputs: self.inputs }
    }

    /// Returns the formula with some outputs replaced by their sums over the row.
    pub fn summed(&self, of: &[bool]) -> RowFormula {
        let (mut b, mut outputs) = self.builder();
        let mut functions = self.functions.clone();
        for k in (0..of.len()).filter(|k| of[*k]) {
            let value = b.stream(RowFormula::value(self.inputs, functions.len()));
            let terms = core::mem::replace(&mut outputs[k], value);
            outputs.push(terms);
            functions.push(RowFunction::Sum);
        }
        RowFormula { graph: b.finish(&outputs), functions, inputs: self.inputs }
    }

    /// Evaluates the outputs and all terms in f64 for a row of `len` elements.
    ///
    /// `streams` has one vector of values per input stream, and the result one per output and per row function.
    pub fn eval(&self, streams: &[Vec<f64>], scalars: &[f64], len: usize) -> Vec<Vec<f64>> {
        let mut all = streams.to_vec();
        all.resize(RowFormula::value(self.inputs, self.functions.len()), vec![f64::NAN; len]);
        for (k, function) in self.functions.iter().enumerate() {
            let output = self.graph.outputs[self.outputs() + k];
            let terms = self.graph.with_outputs(&[output]).eval_columns(&all, scalars, len);
            let Some(terms) = terms.into_iter().next() else { continue };
            all[RowFormula::value(self.inputs, k)] = vec![function.of(&terms); len];
            all[RowFormula::terms(self.inputs, k)] = terms;
        }
        self.graph.eval_columns(&all, scalars, len)
    }
}
