//! How accurate results are: errors against the formula in f64, in units in the last place, relative near zeros.
//!
//! The budget of a result is that of its element type ([`BUDGET`]). What adds to it is rounding that no sequence avoids:
//!
//! - In `float`, what as many half units in the inputs would change: nothing near a zero at 0, and little near one
//!   elsewhere. Of it no more than 2^-22 of what functions are multiplied by, which is less in tails.
//! - The least normal number of `float`, times that: a function that has become smaller has no digits for what multiplies it.
//! - In 16 bits, half a unit of each input that only multiplies: terms of a sum may cancel, and each is right to 16 bits.

pub use super::reference::Reference;

use super::planned::Plan;
use crate::arch::Inaccurate;
use op_dsl_ir::DType;

/// Units in the last place, in the order of [`DType`]: of 16 bits half of one for the result, and half for all before it.
pub const BUDGET: [f64; DType::COUNT] = [1.02, 1.02, 8.0];

/// The largest error found of some results.
#[derive(Clone, Debug, PartialEq)]
pub struct Accuracy {
    /// In units in the last place of the true value, or of what may add to its budget.
    pub error: f64,
    /// The largest error that is right.
    pub budget: f64,
    /// Where it is.
    pub worst: Option<Worst>,
}

/// A result that is off, and what it was computed of.
#[derive(Clone, Debug, PartialEq)]
pub struct Worst {
    /// Index of the output stream.
    pub output: usize,
    /// Index of the element among those that were looked at.
    pub element: usize,
    /// The inputs, in the order of streams.
    pub streams: Vec<f64>,
    /// What came out.
    pub got: f64,
    /// What is right.
    pub want: f64,
}

impl Accuracy {
    /// Of no results.
    pub fn new(dtype: DType) -> Accuracy {
        Accuracy { error: 0.0, budget: BUDGET[dtype as usize], worst: None }
    }

    /// Whether every result is within its budget.
    pub fn is_good(&self) -> bool {
        self.error <= self.budget
    }

    /// Takes in the results of one element.
    pub fn add(&mut self, reference: &Reference<'_>, element: usize, streams: &[f64], got: &[f64]) {
        let want = reference.results(streams);
        let column = |value: &f64| vec![*value];
        let streams_of_one: Vec<Vec<f64>> = streams.iter().map(column).collect();
        for (output, (got, want)) in got.iter().zip(want).enumerate() {
            let errors = reference.errors(&streams_of_one, output, &[want], &[*got], self.error);
            for error in errors.into_iter().flatten() {
                if error > self.error || self.worst.is_none() {
                    self.set(output, element, error, streams, *got, want);
                }
            }
        }
    }

    /// The largest error so far.
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

/// What is wrong with a plan, if results are further off than their budget.
pub fn inaccurate(plan: &Plan) -> Option<Inaccurate> {
    let Accuracy { error, budget, worst: Some(worst) } = &plan.accuracy else { return None };
    if plan.accuracy.is_good() {
        return None;
    }
    let by = match plan.functions.join(", ") {
        functions if functions.is_empty() => functions,
        functions => format!(" by {functions}"),
    };
    let read = plan.inputs.iter().zip(&worst.streams);
    let at: Vec<String> =
        read.filter_map(|(name, v)| Some(format!("{} = {v:e}", name.as_ref()?))).collect();
    Some(Inaccurate {
        function: format!("`{}`{by}", plan.outputs[worst.output]),
        at: at.join(", "),
        values: [worst.got, worst.want],
        ulp: [*error, *budget],
    })
}
