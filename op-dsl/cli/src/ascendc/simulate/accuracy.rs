//! Comparison of a call's results with the formula in f64.

use super::position;
use crate::array::{Array, Data};
use codegen_ascendc::plan::accuracy::{Accuracy, Reference, Worst};
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::bind::Bound;
use op_dsl_ir::op::{OpDef, Stream, Value};

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
    let computed = computed(def, bound, inputs);
    let mut found = Accuracy::new(bound.dtype);
    for i in 0..bound.domain.elements().unwrap_or(0) {
        let at = |s: &Stream, a: &[Array]| a[s.tensor].get(position(bound, s, i));
        let streams: Vec<f64> = reads.iter().map(|s| at(s, inputs)).collect();
        let got: Vec<f64> = writes.iter().map(|s| at(s, outputs)).collect();
        if i < computed {
            found.add(&reference, i, &streams, &got);
        } else if let Some(k) = got.iter().position(|y| *y != 0.0) {
            found.error = f64::INFINITY;
            found.worst = Some(Worst { output: k, element: i, streams, got: got[k], want: 0.0 });
        }
    }
    found
}
