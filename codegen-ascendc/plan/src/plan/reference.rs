//! The formula in f64 that results are compared with, evaluated for many elements at a time.
//!
//! A column holds one value for each element.

use super::output::{Columns, Output, Sizes};
use crate::sequence::forms::circle;
use op_dsl_ir::format::{Format, pow2};
use op_dsl_ir::op::OpDef;
use op_dsl_ir::roles;
use op_dsl_ir::{DType, Graph, Id};

/// Error budgets in units in the last place, in the order of [`DType`].
///
/// In 16 bits half a unit is for rounding the result, and half for everything before it.
pub const BUDGET: [f64; DType::COUNT] = [1.02, 1.02, 8.0];

/// Change of the inputs whose effect on a result is allowed, in half units in the last place.
///
/// The units are those of `float`.
const HALF_UNITS: f64 = 8.0;

/// The least normal number of `float`.
///
/// Intermediate results below it have fewer digits, or none where hardware flushes them to 0.
const LEAST: f64 = f32::MIN_POSITIVE as f64;

/// Size of the argument of a sine or cosine from which on errors are absolute.
///
/// Up to it, a sine is as accurate as its argument, whose only zero there is 0. Beyond, formulas cross or touch zero where no input is
/// 0, as `1 + sin(2 x)` does: its terms are rounded before they cancel.
const TURNED: f64 = 0.5;

/// A formula at given attribute values, evaluated in f64, which results are compared with.
pub struct Reference<'g> {
    graph: &'g Graph,
    /// The graph of the formula as written.
    ///
    /// `graph` may be a rewritten one that does not cancel in f64. The formula as written keeps digits far from zeros where the
    /// rewritten one has none left.
    plain: &'g Graph,
    scalars: Vec<f64>,
    dtype: DType,
    outputs: Vec<Output>,
}

impl<'g> Reference<'g> {
    /// Returns the f64 reference of a specialisation of an operator at attribute values `scalars`.
    ///
    /// It uses a graph that does not cancel in f64, if the specialisation has one.
    pub fn new(def: &'g OpDef, spec: usize, dtype: DType, scalars: Vec<f64>) -> Reference<'g> {
        Reference::counting(Sizes::Counted, def, spec, dtype, scalars)
    }

    /// Returns a reference whose errors count as `sizes` says.
    pub(super) fn counting(
        sizes: Sizes,
        def: &'g OpDef,
        spec: usize,
        dtype: DType,
        scalars: Vec<f64>,
    ) -> Reference<'g> {
        let spec = &def.specs[spec];
        let graph = spec.precise();
        let streams = def.input_streams().len();
        let (outputs, stream) = (graph.outputs.iter(), roles::activation(def));
        let output = |id: &Id| Output::new(graph, *id, streams, stream, sizes);
        let outputs = outputs.map(output).collect();
        Reference { graph, plain: &spec.graph, scalars, dtype, outputs }
    }

    /// Returns true if errors count otherwise than by [`Sizes::Ignored`].
    pub(super) fn counts_sizes(&self) -> bool {
        self.outputs.iter().any(Output::counts_sizes)
    }

    /// Returns, for each element, the unit in which the error of an output is measured; `want` are the reference results.
    ///
    /// It is the unit in the last place, or the larger unit that unavoidable rounding allows.
    pub fn measured_in(&self, streams: &[Vec<f64>], output: usize, want: &[f64]) -> Vec<f64> {
        let format = Format::of(self.dtype);
        let units = self.units(streams, output, want).into_iter().zip(want);
        units.map(|(unit, want)| unit.max(format.ulp(*want))).collect()
    }

    /// Returns reference results: for each output, one value per element.
    ///
    /// `streams` holds, for each input stream, one value per element.
    pub fn columns(&self, streams: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let count = streams.first().map_or(0, Vec::len);
        self.graph.eval_columns(streams, &self.scalars, count)
    }

    /// Returns the error of an output at each element; `None` where the reference is NaN or too large, or a sine has no digits.
    ///
    /// Errors are in units in the last place, or in the larger units that unavoidable rounding allows. `want` are the reference
    /// results and `got` the computed ones. An error that does not exceed `known` is only an upper bound, and so are all errors after
    /// the first that reaches `limit`, so that callers who look for an error in between need not pay for exact ones.
    pub(super) fn errors(
        &self,
        streams: &[Vec<f64>],
        output: usize,
        want: &[f64],
        got: &[f64],
        (known, limit): (f64, f64),
    ) -> Vec<Option<f64>> {
        let budget = BUDGET[self.dtype as usize];
        let has_value = |want: f64| !want.is_nan() && want.abs() <= self.most();
        let is_reduced = self.reduced(streams, output, want.len());
        let is_judged =
            |i: &usize| has_value(want[*i]) && is_reduced.as_ref().is_none_or(|is| is[*i]);
        let judged: Vec<usize> = (0..want.len()).filter(is_judged).collect();
        let mut errors = vec![None; want.len()];
        let of_judged = self.within_units(streams, output, want, got, known, &judged);
        judged.iter().zip(of_judged).for_each(|(i, error)| errors[*i] = Some(error));
        let over: Vec<usize> = judged.into_iter().filter(|i| errors[*i] > Some(budget)).collect();
        if over.is_empty() {
            return errors;
        }
        // A function that f64 evaluates by its asymptote, a straight line, may have digits left in the formula as written.
        let of_over = picked(streams, &over);
        let plain = self.plain.eval_columns(&of_over, &self.scalars, over.len());
        let mut all = vec![0.0; want.len()];
        over.iter().zip(&plain[output]).for_each(|(i, plain)| all[*i] = *plain);
        let of_plain = self.within_units(streams, output, &all, got, known, &over);
        for (i, of_plain) in over.into_iter().zip(of_plain) {
            let Some(error) = &mut errors[i] else { continue };
            *error = error.min(of_plain);
            let element = || streams.iter().map(|stream| stream[i]).collect::<Vec<f64>>();
            if *error > budget.max(known) && self.is_beside_jump(&element(), output, got[i]) {
                *error = 0.0;
            }
            if *error >= limit {
                break;
            }
        }
        errors
    }

    /// Returns the errors at some elements, in the units that unavoidable rounding allows.
    ///
    /// An error that does not exceed `known` is only an upper bound.
    fn within_units(
        &self,
        streams: &[Vec<f64>],
        output: usize,
        want: &[f64],
        got: &[f64],
        known: f64,
        elements: &[usize],
    ) -> Vec<f64> {
        let format = Format::of(self.dtype);
        let error = |i: &usize| format.error(got[*i], want[*i], self.least());
        let mut errors: Vec<f64> = elements.iter().map(error).collect();
        let is_open = |k: &usize| errors[*k] > known && errors[*k].is_finite();
        let open: Vec<usize> = (0..errors.len()).filter(is_open).collect();
        if !open.is_empty() {
            let at: Vec<usize> = open.iter().map(|k| elements[*k]).collect();
            let want_at: Vec<f64> = at.iter().map(|i| want[*i]).collect();
            let units = self.units(&picked(streams, &at), output, &want_at);
            for ((k, i), unit) in open.into_iter().zip(at).zip(units) {
                errors[k] = format.error(got[i], want[i], unit);
            }
        }
        errors
    }

    /// For each element, returns true if the arguments of all sines and cosines are small enough to be reduced.
    ///
    /// Returns `None` if an output has no sine or cosine.
    fn reduced(&self, streams: &[Vec<f64>], output: usize, count: usize) -> Option<Vec<bool>> {
        let of = &self.outputs[output];
        if of.turns.is_empty() {
            return None;
        }
        let values = of.values(streams, &self.scalars, count);
        let is_small =
            |i: usize| of.turns.iter().all(|id| values[id.index()][i].abs() <= circle::LARGEST);
        Some((0..count).map(is_small).collect())
    }

    /// Returns true if result `got` is that of a nearby `float` input on the other side of a jump, or between those of both sides.
    ///
    /// For example, `hard_sigmoid'` compares `alpha x + beta` with 1, where that sum is rounded. The derivative of a minimum is the mean
    /// of both sides where both arguments are rounded to the same number.
    fn is_beside_jump(&self, streams: &[f64], output: usize, got: f64) -> bool {
        const UNITS: i32 = 8;
        let (format, budget) = (Format::of(self.dtype), BUDGET[self.dtype as usize]);
        (0..streams.len()).any(|k| {
            let at = |units: i32| streams[k] * (1.0 + f64::from(units) * pow2(-24));
            let mut beside: Columns =
                streams.iter().map(|x| vec![*x; 2 * UNITS as usize + 1]).collect();
            beside[k] = (-UNITS..=UNITS).map(at).collect();
            let near = self.columns(&beside).swap_remove(output);
            let steps = near.windows(2).map(|pair| (pair[1] - pair[0]).abs());
            let (largest, all) = steps.fold((0.0, 0.0), |(m, sum), d| (d.max(m), sum + d));
            let is_jump = largest > 0.5 * all && all > 1e-3 * near[0].abs();
            let is_between = |pair: &[f64]| {
                let nearest = got.clamp(pair[0].min(pair[1]), pair[0].max(pair[1]));
                format.error(got, nearest, LEAST) <= budget
            };
            is_jump && near.windows(2).any(is_between)
        })
    }

    /// Returns the size of a reference result above which intermediate results may overflow.
    ///
    /// Errors are not measured above it.
    fn most(&self) -> f64 {
        if self.dtype.has_f32_range() { pow2(100) } else { f64::INFINITY }
    }

    /// Returns the size below which the error of a result counts in the unit of this size.
    fn least(&self) -> f64 {
        if self.dtype.has_f32_range() { LEAST } else { 0.0 }
    }

    /// Returns, for each element, the least unit in which the error of an output counts.
    ///
    /// It accounts for rounding that no sequence of vector calls avoids. Where it is less than the unit in the last place of the
    /// result, it is not computed exactly, because the larger of the two counts.
    fn units(&self, streams: &[Vec<f64>], output: usize, want: &[f64]) -> Vec<f64> {
        let (format, of) = (Format::of(self.dtype), &self.outputs[output]);
        let budget = BUDGET[self.dtype as usize];
        let values = of.values(streams, &self.scalars, want.len());
        let weights = of.weights(&values, &of.own, want.len());
        let float = |change: f64, weight: f64| {
            let units =
                (change * pow2(-24)).min(weight * pow2(-25)).max(weight * LEAST / HALF_UNITS);
            HALF_UNITS * units / budget
        };
        let sum = |streams: &[Vec<f64>], values: &Columns, count: usize, inputs: &[usize]| {
            let mut sum = vec![0.0; count];
            for k in inputs {
                let changes = of.changes(values, streams, *k);
                sum.iter_mut().zip(changes).for_each(|(sum, change)| *sum += change);
            }
            sum
        };
        // In 16 bits, each input that only multiplies adds half a unit.
        let is_own = |k: &usize| self.dtype.is_narrow() && of.factors[*k];
        let inputs: Vec<usize> = (0..streams.len()).collect();
        let own: Vec<usize> = inputs.iter().copied().filter(is_own).collect();
        let own = sum(streams, &values, want.len(), &own).into_iter();
        let mut units: Vec<f64> =
            own.map(|own| self.least().max(0.5 * own * format.ulp(1.0))).collect();
        let has_turned =
            |i: &usize| of.turns.iter().any(|id| values[id.index()][*i].abs() > TURNED);
        let turned: Vec<usize> = (0..want.len()).filter(has_turned).collect();
        if !turned.is_empty() {
            let [streams, values] = [streams, &values].map(|of| picked(of, &turned));
            let none = vec![false; of.own.len()];
            let terms = of.weights(&values, &none, turned.len());
            let all = sum(&streams, &values, turned.len(), &inputs);
            for (i, (terms, change)) in turned.into_iter().zip(terms.into_iter().zip(all)) {
                // A product that is the argument is rounded, which changes a sine by as many half units as it has.
                let unit =
                    float(f64::INFINITY, terms).max(HALF_UNITS * change * pow2(-24) / budget);
                units[i] = units[i].max(unit);
            }
        }
        let may_add = |i: &usize| float(f64::INFINITY, weights[*i]) > format.ulp(want[*i]);
        let open: Vec<usize> = (0..want.len()).filter(may_add).collect();
        if !open.is_empty() {
            let [streams, values] = [streams, &values].map(|of| picked(of, &open));
            let all = sum(&streams, &values, open.len(), &inputs);
            for (i, change) in open.into_iter().zip(all) {
                units[i] = units[i].max(float(change, weights[i]));
            }
        }
        units
    }
}

/// Returns the values of `columns` at the given elements only.
fn picked(columns: &[Vec<f64>], elements: &[usize]) -> Columns {
    let of = |column: &Vec<f64>| elements.iter().map(|i| column[*i]).collect();
    columns.iter().map(of).collect()
}

/// Converts the values of a stream from `float` to f64.
pub(super) fn widened(stream: &[f32]) -> Vec<f64> {
    stream.iter().map(|x| f64::from(*x)).collect()
}
