//! Measures errors of results against the formula in f64, in ulp, relative near zeros.
//!
//! The budget of a result is that of its element type ([`BUDGET`]). Rounding that no sequence avoids adds to it:
//!
//! - In `float`, what a change of the inputs by as many half units makes. This is nothing near a zero at 0, and little near one
//!   elsewhere. No more than 2^-22 of the factor in front of functions is added, attributes included, and less in tails.
//! - The least normal number of `float`, times that factor, because a function that has become smaller has no digits left to
//!   multiply.
//! - Where the argument of a sine or cosine is beyond 1/2, 2^-22 of the terms of sums with it, because these cancel at inputs other than 0.
//! - In 16 bits, half a unit of each input that only multiplies, because terms of a sum may cancel, and each is accurate to 16
//!   bits.

pub use super::reference::{BUDGET, Reference};

use op_dsl_ir::DType;

/// The largest error found among some results.
#[derive(Clone, Debug, PartialEq)]
pub struct Accuracy {
    /// The error in units in the last place of the reference, or in the larger unit that is allowed.
    ///
    /// A larger unit accounts for rounding that no sequence of calls avoids.
    pub error: f64,
    /// The largest error that is allowed.
    pub budget: f64,
    /// The result that has this error; `None` before any result was added.
    pub worst: Option<Worst>,
}

/// An inaccurate result and its inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Worst {
    /// Index of the output stream.
    pub output: usize,
    /// Index of the element among those evaluated.
    pub element: usize,
    /// The inputs, in the order of the streams.
    pub streams: Vec<f64>,
    /// The computed result.
    pub got: f64,
    /// The reference result.
    pub want: f64,
}

impl Accuracy {
    /// Returns the accuracy of no results, an error of 0.
    pub fn new(dtype: DType) -> Accuracy {
        Accuracy { error: 0.0, budget: BUDGET[dtype as usize], worst: None }
    }

    /// Returns true if every result added so far is within its error budget.
    pub fn is_good(&self) -> bool {
        self.error <= self.budget
    }

    /// Compares results `got` with the reference, and keeps the largest error.
    ///
    /// `elements` are the indices of the elements. `streams` and `got` hold, for each input and output stream, one value per element.
    pub fn add(
        &mut self,
        reference: &Reference<'_>,
        elements: &[usize],
        streams: &[Vec<f64>],
        got: &[Vec<f64>],
    ) {
        let wants = reference.columns(streams);
        for (output, (got, want)) in got.iter().zip(&wants).enumerate() {
            let judged = (self.error, f64::INFINITY);
            let errors = reference.errors(streams, output, want, got, judged);
            for (i, error) in errors.into_iter().enumerate() {
                let Some(error) = error else { continue };
                if error > self.error || self.worst.is_none() {
                    let at: Vec<f64> = streams.iter().map(|stream| stream[i]).collect();
                    self.set(output, elements[i], error, &at, got[i], want[i]);
                }
            }
        }
    }

    /// Sets the largest error so far, and the result that has it.
    pub(super) fn set(
        &mut self,
        output: usize,
        element: usize,
        error: f64,
        streams: &[f64],
        got: f64,
        want: f64,
    ) {
        self.error = error;
        self.worst = Some(Worst { output, element, streams: streams.to_vec(), got, want });
    }
}
