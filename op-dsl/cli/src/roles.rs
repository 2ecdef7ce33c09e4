//! Role of an operator's inputs: which one is the activation, and the shapes that follow from it.

use super::error::Error;
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::Stored;
use op_dsl_ir::bind::TensorMeta;
use op_dsl_ir::op::{Kind, OpDef, Value};
pub use op_dsl_ir::roles::activation;

/// Returns the index of the input tensor that has the activation, the main operand.
pub fn lead(def: &OpDef) -> usize {
    def.input_streams().get(activation(def)).map_or(0, |s| s.tensor)
}

/// Returns the dimension that gated tensors are cut in two along, counted from the outermost.
///
/// `None` means that the operator has no gated tensor or the attribute is out of range.
fn split_dim(op: &Operator, attrs: &[Value], rank: usize) -> Option<usize> {
    let split = op.def().split.as_ref()?;
    let dim = attrs.get(split.dim).and_then(|v| v.as_int())?;
    let dim = if dim < 0 { dim + rank as i64 } else { dim };
    usize::try_from(dim).ok().filter(|d| *d < rank)
}

/// Returns the shape of every input tensor for an activation of the shape `shape`.
pub fn input_shapes(
    op: &Operator,
    attrs: &[Value],
    shape: &[usize],
) -> Result<Vec<Vec<usize>>, Error> {
    let dim = split_dim(op, attrs, shape.len());
    let lead = op.def().inputs[lead(op.def())].kind;
    // An odd length is halved downwards here, since the operator itself refuses it.
    let of = |kind| {
        let mut shape = shape.to_vec();
        match (dim, lead, kind) {
            (_, _, Kind::Rows) => return vec![1],
            (.., Kind::PerRow) => {
                if let Some(last) = shape.last_mut() {
                    *last = 1;
                }
            }
            (Some(d), Kind::Gated, Kind::Whole | Kind::Mask) => shape[d] /= 2,
            (Some(d), Kind::Whole | Kind::Mask, Kind::Gated) => {
                shape[d] = shape[d].saturating_mul(2);
            }
            _ => {}
        }
        shape
    };
    let mut shapes: Vec<_> = op.def().inputs.iter().map(|t| of(t.kind)).collect();
    // An input that lies along a dimension that no tensor has has one element.
    for along in op.def().along.iter().filter(|along| along.dim >= shape.len()) {
        shapes[along.input].fill(1);
    }
    op.infer(attrs, &metas(op.def(), &shapes))?;
    Ok(shapes)
}

/// Describes inputs of these shapes and of the operator's first element type.
///
/// Optional inputs are described as left out.
pub fn metas<'s>(def: &OpDef, shapes: &'s [Vec<usize>]) -> Vec<TensorMeta<'s>> {
    let meta = |(i, shape): (usize, &'s Vec<usize>)| TensorMeta {
        shape,
        dtype: match def.presence(i) {
            Some(_) => Stored::Nothing,
            None => def.inputs[i].stored(def.dtypes[0]),
        },
    };
    shapes.iter().enumerate().map(meta).collect()
}
