//! Which input of an operator is the activation, and shapes that follow from it.

use super::error::Error;
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::op::{Kind, OpDef, Part, Value};

/// Names that operators give to the activation when no tensor is gated.
const NAMES: [&str; 3] = ["x", "input", "self"];

/// Index of the input tensor with the activation: the gated one, else the one so named, else the
/// first.
pub fn lead(def: &OpDef) -> usize {
    let gated = def.inputs.iter().position(|t| t.kind == Kind::Gated);
    let named = || NAMES.iter().find_map(|n| def.inputs.iter().position(|t| t.name == *n));
    gated.or_else(named).unwrap_or(0)
}

/// Index of the input stream with the activation.
pub fn activation(def: &OpDef) -> usize {
    let lead = lead(def);
    let streams = def.input_streams();
    let is_it = |s: &op_dsl_ir::op::Stream| s.tensor == lead && s.part != Part::Value;
    streams.iter().position(is_it).unwrap_or(0)
}

/// The dimension that gated tensors are cut along, counted from the outermost.
fn split_dim(op: &Operator, attrs: &[Value], rank: usize) -> Option<usize> {
    let split = op.def().split.as_ref()?;
    let dim = attrs.get(split.dim).and_then(|v| v.as_int())?;
    let dim = if dim < 0 { dim + rank as i64 } else { dim };
    usize::try_from(dim).ok().filter(|d| *d < rank)
}

/// The shape of every input when the activation has this one.
pub fn input_shapes(
    op: &Operator,
    attrs: &[Value],
    shape: &[usize],
) -> Result<Vec<Vec<usize>>, Error> {
    let dim = split_dim(op, attrs, shape.len());
    let mut part = shape.to_vec();
    if let (Some(d), Kind::Gated) = (dim, op.def().inputs[lead(op.def())].kind) {
        part[d] /= 2; // the operator itself refuses odd sizes
    }
    let of = |kind| match kind {
        Kind::Whole => part.clone(),
        Kind::Gated => shape.to_vec(),
    };
    let shapes: Vec<_> = op.def().inputs.iter().map(|t| of(t.kind)).collect();
    let dtype = op.def().dtypes[0];
    let meta = |s| op_dsl_ir::bind::TensorMeta { shape: s, dtype };
    op.infer(attrs, &shapes.iter().map(|s| meta(&s[..])).collect::<Vec<_>>())?;
    Ok(shapes)
}
