//! Comparison of a call's results with the formula in f64.

use super::position;
use crate::array::{Array, Data};
use codegen_ascendc::plan::accuracy::{Accuracy, Reference, Worst};
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::bind::Bound;
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

/// Returns the largest error of a call's results, compared with the formula in f64.
pub fn accuracy(
    op: &Operator,
    attrs: &[Value],
    bound: &Bound,
    inputs: &[Array],
    outputs: &[Array],
) -> Accuracy {
    let def = op.def();
    let reference = Reference::new(def, bound.spec, bound.dtype, def.scalars(attrs));
    let (reads, writes) = (def.input_streams(), def.output_streams());
    let (count, computed) = (bound.domain.elements().unwrap_or(0), computed(def, bound, inputs));
    let mut found = Accuracy::new(bound.dtype);
    let value = |s: &Stream, a: &[Array], i: usize| a[s.tensor].get(position(bound, s, i));
    let judged: Vec<usize> = (0..count.min(computed)).collect();
    for elements in judged.chunks(CHUNK) {
        let columns = |streams: &[Stream], arrays: &[Array]| -> Vec<Vec<f64>> {
            let column = |s| elements.iter().map(|i| value(s, arrays, *i)).collect();
            streams.iter().map(column).collect()
        };
        found.add(&reference, elements, &columns(&reads, inputs), &columns(&writes, outputs));
    }
    for element in computed..count {
        let of = |streams: &[Stream], arrays: &[Array]| -> Vec<f64> {
            streams.iter().map(|s| value(s, arrays, element)).collect()
        };
        let got = of(&writes, outputs);
        if let Some(output) = got.iter().position(|y| *y != 0.0) {
            found.error = f64::INFINITY;
            let (streams, got) = (of(&reads, inputs), got[output]);
            found.worst = Some(Worst { output, element, streams, got, want: 0.0 });
        }
    }
    found
}
