//! Shapes and element types of the outputs: what a call must have, and the check of what it has.

use super::error::{BindError, Checked, Wrong, refuse};
use super::{Bound, Meta, Shape, bind, check_count, check_shape};
use crate::Stored;
use crate::op::{Kind, OpDef, Tensor, Value};

/// Shape and element type that an output must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputMeta {
    /// Sizes of the dimensions, outermost first.
    pub shape: Shape,
    /// Storage type that the output must have; a mask may also be `uint8`.
    pub dtype: Stored,
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
        let dtype = tensor.stored(bound.element);
        OutputMeta { shape: sum.unwrap_or(bound.shape(tensor.kind)), dtype }
    };
    Ok(def.outputs.iter().enumerate().map(meta).collect())
}

/// Sets the element type of a call, where no input decides it, to that of the first output without a type of its own.
pub fn decide(def: &OpDef, bound: &mut Bound, outputs: &[impl Meta]) {
    let is_plain = |(t, _): &(&Tensor, _)| t.kind != Kind::Mask && t.own.is_none();
    let plain = def.outputs.iter().zip(outputs).find(is_plain).filter(|_| def.outputs_decide());
    let is_allowed = |stored: &Stored| match stored.number() {
        Some(dtype) => def.dtypes.contains(&dtype),
        None => *stored == Stored::Float64 && def.takes_f64(),
    };
    if let Some(element) = plain.map(|(_, output)| output.meta().dtype).filter(is_allowed) {
        bound.set_element(element);
    }
}

/// Checks the output tensors of a call, whose inputs [`bind`] has accepted, against its result.
///
/// If `cast` is true, outputs of any element type are accepted, except those that have a type of their own.
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
            if !is_written(t, got.dtype, bound.element, cast) {
                let (tensor, allowed) = (t.name.clone(), t.stored_names(bound.element));
                return refuse(Wrong::DType { tensor, got: got.dtype, allowed });
            }
        }
        Ok(())
    };
    check().map_err(|what| BindError { op: def.name.clone(), what })
}

/// Returns whether an output may be stored so, in a call on tensors of type `element`.
///
/// Results of a call on f64 are not cast, nor any to f64.
fn is_written(output: &Tensor, stored: Stored, element: Stored, cast: bool) -> bool {
    let is_cast = cast && output.own.is_none() && output.kind != Kind::Mask;
    let is_cast = is_cast && element != Stored::Float64;
    let is_stored = output.takes(stored, element) && stored != Stored::Bit;
    is_stored || is_cast && stored.number().is_some()
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
