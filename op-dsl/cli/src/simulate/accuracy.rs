//! Results of a call against the formula in f64.

use super::position;
use crate::array::Array;
use codegen_ascendc::plan::accuracy::{Accuracy, Reference};
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::bind::Bound;
use op_dsl_ir::op::{Stream, Value};

/// The largest error of a call's results.
pub fn accuracy(
    op: &Operator,
    attrs: &[Value],
    bound: &Bound,
    inputs: &[Array],
    outputs: &[Array],
) -> Accuracy {
    let def = op.def();
    let float = |v: &Value| if let Value::Float(f) = v { Some(*f) } else { None };
    let scalars: Vec<f64> = attrs.iter().filter_map(float).collect();
    let reference = Reference::new(def, bound.spec, bound.dtype, scalars);
    let (reads, writes) = (def.input_streams(), def.output_streams());
    let mut found = Accuracy::new(bound.dtype);
    for i in 0..bound.domain.elements().unwrap_or(0) {
        let at = |s: &Stream, a: &[Array]| f64::from(a[s.tensor].get(position(bound, s, i)));
        let streams: Vec<f64> = reads.iter().map(|s| at(s, inputs)).collect();
        let got: Vec<f64> = writes.iter().map(|s| at(s, outputs)).collect();
        found.add(&reference, i, &streams, &got);
    }
    found
}
