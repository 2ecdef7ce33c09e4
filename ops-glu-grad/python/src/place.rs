//! A tensor's memory, as Python describes it.

use crate::element::stored;
use op_dsl::ir::Stored;
use op_dsl::ir::op::Tensor;
use op_dsl::{Error, Operator, View, ViewMut};
use pyo3::prelude::*;
use std::ptr::with_exposed_provenance_mut;

/// Description of a tensor's memory, a tuple of Python.
///
/// It has the address of the element at index 0, the shape, the strides in elements, and the element type.
#[derive(FromPyObject)]
pub struct Place(pub usize, pub Vec<usize>, Vec<isize>, String);

impl Place {
    /// Returns this description, and how the elements of `tensor` are stored by its element type.
    pub fn of(&self, op: &Operator, tensor: &Tensor) -> PyResult<(&Place, Stored)> {
        Ok((self, stored(op, tensor, &self.3)?))
    }

    pub fn view(&self, stored: Stored) -> Result<View<'_>, Error> {
        let Place(address, shape, strides, _) = self;
        let first = with_exposed_provenance_mut::<u8>(*address);
        // SAFETY: the package keeps the described arrays alive until this call returns, so that their memory is
        // valid. As for any function on arrays, Python's threads must not write them meanwhile.
        Ok(unsafe { View::from_raw_parts(first, stored, shape, strides) }?)
    }

    pub fn view_mut(&self, stored: Stored) -> Result<ViewMut<'_>, Error> {
        let Place(address, shape, strides, _) = self;
        let first = with_exposed_provenance_mut::<u8>(*address);
        // SAFETY: as in `view`; the package checks that the array is writable.
        Ok(unsafe { ViewMut::from_raw_parts(first, stored, shape, strides) }?)
    }
}
