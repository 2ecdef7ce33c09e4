//! Shapes and element types of the outputs: what a call must have, and the check of what it has.

use super::error::{BindError, Checked, Wrong, refuse};
use super::{Bound, Meta, Shape, bind, check_count, check_shape};
use crate::DType;
use crate::op::{OpDef, Tensor, Value};

/// Shape and element type that an output must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputMeta {
    /// Sizes of the dimensions, outermost first.
    pub shape: Shape,
    /// Element type that the output must have.
    pub dtype: DType,
}

/// Returns the shapes and element types of the outputs, for callers that allocate them.
///
/// # Errors
/// An attribute or input is not allowed, as for [`bind`].
pub fn infer(
    def: &OpDef,
    attrs: &[Value],
    inputs: &[impl Meta],
) -> Result<Vec<OutputMeta>, BindError> {
    let bound = bind(def, attrs, inputs)?;
    let meta = |(output, tensor): (usize, &Tensor)| {
        let sum = def.sum(output).and_then(|input| Shape::new(inputs[input].meta().shape));
        OutputMeta { shape: sum.unwrap_or(bound.shape(tensor.kind)), dtype: bound.dtype }
    };
    Ok(def.outputs.iter().enumerate().map(meta).collect())
}

/// Checks the output tensors of a call, whose inputs [`bind`] has accepted, against its result.
///
/// If `cast` is true, the caller converts the results, so that outputs of any element type are accepted.
///
/// # Errors
/// The number of outputs, a shape or an element type differs.
pub fn check_outputs(
    def: &OpDef,
    bound: &Bound,
    inputs: &[impl Meta],
    outputs: &[impl Meta],
    cast: bool,
) -> Result<(), BindError> {
    let check = || -> Checked<()> {
        check_count("output", &def.outputs, outputs.len())?;
        for (k, (t, got)) in def.outputs.iter().zip(outputs).enumerate() {
            let got = got.meta();
            match def.sum(k) {
                Some(input) => check_sum(def, t, got.shape, input, inputs[input].meta().shape)?,
                None => check_shape(bound, t, got.shape, || "the inputs".into())?,
            }
            if got.dtype != bound.dtype && !cast {
                let allowed = bound.dtype.to_string();
                return refuse(Wrong::DType { tensor: t.name.clone(), got: got.dtype, allowed });
            }
        }
        Ok(())
    };
    check().map_err(|what| BindError { op: def.name.clone(), what })
}

/// Returns an error if an output that is a sum lacks the shape of the input that was broadcast.
fn check_sum(
    def: &OpDef,
    output: &Tensor,
    got: &[usize],
    input: usize,
    want: &[usize],
) -> Checked<()> {
    if got == want {
        return Ok(());
    }
    let from = format!("`{}`", def.inputs[input].name);
    refuse(Wrong::Shape {
        tensor: output.name.clone(),
        got: got.to_vec(),
        want: want.to_vec(),
        from,
    })
}
