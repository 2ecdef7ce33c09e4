//! Inputs that lie along another dimension than the last: [`OpDef::along`].
//!
//! For example, weights of shape `[c]` lie along dimension 1 of an input of shape `[n, c, h, w]`. Dimensions of 1 are appended to
//! their shape, here to `[c, 1, 1]`, and the usual broadcasting does the rest.

use super::error::{Checked, Wrong, refuse};
use super::shape::{MAX_RANK, Shape};
use crate::op::OpDef;

/// Returns whether an input of this shape lies along the dimension that the definition names: only inputs of one dimension do.
#[inline]
pub(super) fn is_along(def: &OpDef, input: usize, shape: &[usize]) -> bool {
    shape.len() == 1 && def.along(input).is_some()
}

/// Checks an input that lies along a dimension of the domain: it has one element, or as many as the dimension.
pub(super) fn check(domain: &Shape, def: &OpDef, input: usize, shape: &[usize]) -> Checked<()> {
    let (n, dim) = (shape[0], def.along(input).unwrap_or(0));
    let length = domain.get(dim);
    if n == 1 || length == Some(&n) {
        return Ok(());
    }
    let (tensor, got, with) = (def.inputs[input].name.clone(), n, domain.to_vec());
    refuse(Wrong::Along { tensor, got, dim, with })
}

/// Returns the shape by which an input is broadcast to tensors of rank `rank`.
///
/// An input of one dimension that lies along another than the last has dimensions of 1 appended. If it has one element, its shape
/// has at most `rank` dimensions. All other inputs are broadcast by their own shape.
#[inline]
pub fn laid(def: &OpDef, input: usize, rank: usize, shape: &[usize]) -> Shape {
    let mut laid = Shape::new(shape).unwrap_or_default();
    if let ([n], Some(dim)) = (shape, def.along(input)) {
        laid = Shape {
            dims: [1; MAX_RANK],
            rank: if *n == 1 { rank.min(1) } else { rank - dim.min(rank) },
        };
        laid.dims[0] = *n;
    }
    laid
}

/// Returns the shape by which elements of an output are matched with those of the domain.
///
/// It is that of [`laid`] for a sum with the shape of an input, else the output's own shape.
#[inline]
pub fn laid_output(def: &OpDef, output: usize, rank: usize, shape: &[usize]) -> Shape {
    match def.sum(output) {
        Some(input) => laid(def, input, rank, shape),
        None => Shape::new(shape).unwrap_or_default(),
    }
}
