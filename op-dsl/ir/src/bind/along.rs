//! Inputs that lie along another dimension than the last: [`OpDef::along`].
//!
//! An input of one dimension is then read as one with more dimensions, of 1 each, so that all else is the usual broadcasting.

use super::error::{Checked, Wrong, refuse};
use super::shape::{MAX_RANK, Shape};
use crate::op::OpDef;

/// Returns whether an input of this shape lies along a dimension of its own.
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

/// Returns the shape that an input is broadcast by, beside others of rank `rank`.
///
/// It is the input's own, except where that has one dimension which lies along another than the last. It then ends with dimensions
/// of 1. A shape of one element has at most `rank` dimensions.
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

/// Returns the shape that an output lies in the domain with: its own, or that of the input whose shape it has, as [`laid`].
#[inline]
pub fn laid_output(def: &OpDef, output: usize, rank: usize, shape: &[usize]) -> Shape {
    match def.sum(output) {
        Some(input) => laid(def, input, rank, shape),
        None => Shape::new(shape).unwrap_or_default(),
    }
}
