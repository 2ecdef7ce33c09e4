//! Element types of the inputs of a call.

use super::error::{Checked, Wrong, refuse};
use crate::op::{Kind, OpDef, Tensor, Text};
use crate::{DType, Stored};

/// Checks the inputs' element types, and returns the element type of the call.
///
/// That is the type of all numeric inputs, or the promoted type if the operator allows them to differ. Inputs with a type of their
/// own do not count. It is f32 if no input counts, unless [`decide`] finds another.
pub(super) fn check(def: &OpDef, inputs: impl Iterator<Item = Stored>) -> Checked<Stored> {
    let mut common: Option<(Stored, &Text)> = None;
    for (k, (tensor, got)) in def.inputs.iter().zip(inputs).enumerate() {
        if got == Stored::Nothing {
            match def.presence(k) {
                Some(_) => continue,
                None => return refuse(Wrong::Missing { tensor: tensor.name.clone() }),
            }
        }
        let Some(got) = allowed_number(def, tensor, got)? else { continue };
        common = Some(match common {
            None => (got, &tensor.name),
            Some((c, first)) if c == got || def.promote => (promoted(c, got), first),
            Some((c, first)) => {
                let allowed = format!("{c}, as `{first}` has");
                return refuse(Wrong::DType { tensor: tensor.name.clone(), got, allowed });
            }
        });
    }
    Ok(common.map_or(DType::F32.into(), |(element, _)| element))
}

/// Promotes two element types to a common one, as PyTorch does.
fn promoted(a: Stored, b: Stored) -> Stored {
    match (a.number(), b.number()) {
        (Some(a), Some(b)) => a.promote(b).into(),
        _ => Stored::Float64,
    }
}

/// Checks an input's storage type, and returns the element type if the call computes in it.
///
/// Returns `None` for masks, row counts and tensors with a type of their own, which do not decide what a call computes in.
#[inline]
fn allowed_number(def: &OpDef, tensor: &Tensor, got: Stored) -> Checked<Option<Stored>> {
    match (tensor.kind, tensor.own, got) {
        (kind, None, Stored::Number(dtype)) if kind.is_numbers() && def.dtypes.contains(&dtype) => {
            return Ok(Some(got));
        }
        (kind, None, Stored::Float64) if kind.is_numbers() && def.takes_f64() => {
            return Ok(Some(got));
        }
        (kind, None, _) if kind.is_numbers() => {}
        _ if tensor.takes(got, DType::F32) => return Ok(None),
        _ => {}
    }
    let allowed = match (tensor.kind, tensor.own) {
        (Kind::Mask, _) => Stored::OF_MASKS.to_owned(),
        (Kind::Rows, _) => Stored::Int64.to_string(),
        (_, Some(_)) => tensor.stored_names(DType::F32),
        (_, None) => def.element_names(),
    };
    refuse(Wrong::DType { tensor: tensor.name.clone(), got, allowed })
}
