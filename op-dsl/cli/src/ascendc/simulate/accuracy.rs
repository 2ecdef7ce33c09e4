//! Comparison of a call's results with the formula in f64.

use crate::array::{Array, Data};
use crate::bench::{laid_shapes, position};
use crate::verify::rows::Reference as RowReference;
use codegen_ascendc::plan::accuracy::{Accuracy, Reference, Worst};
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::DType;
use op_dsl_ir::bind::{Bound, Shape};
use op_dsl_ir::format::Format;
use op_dsl_ir::op::{OpDef, Stream, Value};

/// Number of elements that are evaluated together.
const CHUNK: usize = 4096;

/// Returns how many elements of the domain the kernel computes.
///
/// If the operator takes row counts, the kernel writes zeros to the rows beyond their sum.
fn computed(def: &OpDef, bound: &Bound, inputs: &[Array]) -> usize {
    let (Some(rows), Some(split)) = (def.rows(), bound.split) else { return usize::MAX };
    let Data::Int64(counts) = &inputs[rows].data else { return usize::MAX };
    let sum = counts.iter().fold(0, |sum: usize, &count| {
        sum.saturating_add(usize::try_from(count.max(0)).unwrap_or(usize::MAX))
    });
    sum.saturating_mul(bound.domain[split.dim..].iter().product())
}

/// Totals per element of each output that is a sum, from which the error of the sum follows.
struct Sums {
    /// For each output stream and each of its elements, four totals.
    ///
    /// They are the sum of the references, the sum of their magnitudes, the sum of their units in the last place, and the computed
    /// result. An output that is no sum has no elements here.
    all: Vec<Vec<[f64; 4]>>,
}

impl Sums {
    fn new(def: &OpDef, bound: &Bound, outputs: &[Array]) -> Sums {
        let of = |stream: &Stream| {
            let array = &outputs[stream.tensor];
            let kind = def.outputs[stream.tensor].kind;
            let is_sum = def.sum(stream.tensor).is_some() && array.shape != *bound.shape(kind);
            vec![[0.0; 4]; if is_sum { array.shape.iter().product() } else { 0 }]
        };
        Sums { all: def.output_streams().iter().map(of).collect() }
    }

    fn has(&self, output: usize) -> bool {
        !self.all[output].is_empty()
    }

    /// Adds the errors of all sums to `found`.
    ///
    /// Terms may cancel, so that the sum itself is no measure of its error. The unit of the error is one unit in the last place of
    /// the sum of magnitudes, or the sum of the terms' units if that is larger.
    fn finish(self, found: &mut Accuracy, dtype: DType) {
        let format = Format::of(dtype);
        for (output, sums) in self.all.iter().enumerate() {
            for (element, [want, magnitude, units, got]) in
                sums.iter().enumerate().filter(|(_, s)| s[1] > 0.0)
            {
                // A sum may be beyond the range of 16 bits.
                let error = format.error(*got, *want, format.ulp(*magnitude).max(*units));
                if error > found.error || found.worst.is_none() {
                    found.error = error;
                    let streams = Vec::new();
                    found.worst = Some(Worst { output, element, streams, got: *got, want: *want });
                }
            }
        }
    }
}

/// Returns the largest error of a call's results, compared with the formula in f64.
///
/// The error of a sum is measured in the unit in the last place of the sum of its terms' magnitudes, or in the sum of the terms'
/// units if that is larger.
pub fn accuracy(
    op: &Operator,
    attrs: &[Value],
    bound: &Bound,
    inputs: &[Array],
    outputs: &[Array],
) -> Accuracy {
    let def = op.def();
    if !def.specs[bound.spec].stages.is_empty() {
        return accuracy_of_rows(def, &def.scalars(attrs), bound, inputs, outputs);
    }
    let reference = Reference::new(def, bound.spec, bound.dtype, def.scalars(attrs));
    let (reads, writes) = (def.input_streams(), def.output_streams());
    let (count, computed) = (bound.domain.elements().unwrap_or(0), computed(def, bound, inputs));
    let mut found = Accuracy::new(bound.dtype);
    let mut sums = Sums::new(def, bound, outputs);
    let (of_inputs, of_outputs) = laid_shapes(def, bound.domain.len(), inputs, outputs);
    let place = |s: &Stream, shapes: &[Shape], i: usize| position(bound, s, &shapes[s.tensor], i);
    let value = |s: &Stream, (a, shapes): (&[Array], &[Shape]), i: usize| {
        a[s.tensor].get(place(s, shapes, i))
    };
    let (inputs, outputs) = ((inputs, &of_inputs[..]), (outputs, &of_outputs[..]));
    let judged: Vec<usize> = (0..count.min(computed)).collect();
    for elements in judged.chunks(CHUNK) {
        let columns = |streams: &[Stream], arrays: (&[Array], &[Shape])| -> Vec<Vec<f64>> {
            let column = |s| elements.iter().map(|i| value(s, arrays, *i)).collect();
            streams.iter().map(column).collect()
        };
        let (streams, mut got) = (columns(&reads, inputs), columns(&writes, outputs));
        if (0..writes.len()).any(|k| sums.has(k)) {
            let want = reference.columns(&streams);
            let of = writes.iter().zip(&mut sums.all).enumerate();
            for (k, (stream, sums)) in of.filter(|(_, (_, sums))| !sums.is_empty()) {
                let units = reference.measured_in(&streams, k, &want[k]);
                for (at, i) in elements.iter().enumerate() {
                    let (sum, want) = (&mut sums[place(stream, outputs.1, *i)], want[k][at]);
                    *sum = [sum[0] + want, sum[1] + want.abs(), sum[2] + units[at], got[k][at]];
                }
                got[k].clone_from(&want[k]); // compared as a sum
            }
        }
        found.add(&reference, elements, &streams, &got);
    }
    for element in computed..count {
        let of = |streams: &[Stream], arrays: (&[Array], &[Shape])| -> Vec<f64> {
            streams.iter().map(|s| value(s, arrays, element)).collect()
        };
        let got = of(&writes, outputs);
        if let Some(output) = got.iter().position(|y| *y != 0.0) {
            found.error = f64::INFINITY;
            let (streams, got) = (of(&reads, inputs), got[output]);
            found.worst = Some(Worst { output, element, streams, got, want: 0.0 });
        }
    }
    sums.finish(&mut found, bound.dtype);
    found
}

/// Returns an integer and the number that it is rounded from, both without the half that rounding may take.
fn beyond_rounding(got: f64, want: f64, (least, greatest): (f64, f64)) -> (f64, f64) {
    let want = if want.is_nan() { 0.0 } else { want.clamp(least, greatest) };
    let off = got - want;
    (want + off.signum() * (off.abs() - 0.5).max(0.0), want)
}

/// Returns the largest error of a call of an operator with row functions, compared with its stages in f64.
///
/// Terms, and values that a row has once, may be off by as many units in the last place as the error budget of f32 allows, and sums
/// by as many units of the sum of magnitudes. The unit of an error includes the change of the result that such errors cause.
fn accuracy_of_rows(
    def: &OpDef,
    scalars: &[f64],
    bound: &Bound,
    inputs: &[Array],
    outputs: &[Array],
) -> Accuracy {
    let (reads, writes) = (def.input_streams(), def.output_streams());
    let count = bound.domain.elements().unwrap_or(0);
    let columns = bound.domain.last().copied().unwrap_or(1);
    let mut found = Accuracy::new(bound.dtype);
    let units = Accuracy::new(DType::F32).budget;
    for first in (0..count).step_by(columns.max(1)) {
        let value = |s: &Stream, arrays: &[Array], i: usize| {
            let array = &arrays[s.tensor];
            array.get(position(bound, s, &array.shape, first + i))
        };
        let column = |s: &Stream| (0..columns).map(|i| value(s, inputs, i)).collect();
        let streams: Vec<Vec<f64>> = reads.iter().map(column).collect();
        let spec = &def.specs[bound.spec];
        let Some(row) = RowReference::of(spec, &streams, scalars, units) else { continue };
        for (output, stream) in writes.iter().enumerate() {
            let stored = def.outputs[stream.tensor].stored(bound.dtype);
            let format = Format::of(stored.number().unwrap_or(bound.dtype));
            for i in 0..columns {
                let (want, off) = (row.results[output][i], row.off[output][i]);
                if off.is_infinite() {
                    continue; // neither number is known to be right
                }
                let got = value(stream, outputs, i);
                let (got, want) = match stored.integers() {
                    Some(range) => beyond_rounding(got, want, range),
                    None => (got, want),
                };
                let unit = format.ulp(want).max(f64::from(f32::MIN_POSITIVE)) + off / found.budget;
                let error = format.error(got, want, unit);
                if error > found.error || error.is_nan() || found.worst.is_none() {
                    found.error = if error.is_nan() { f64::INFINITY } else { error };
                    let streams = streams.iter().map(|stream| stream[i]).collect();
                    found.worst = Some(Worst { output, element: first + i, streams, got, want });
                }
            }
        }
    }
    found
}
