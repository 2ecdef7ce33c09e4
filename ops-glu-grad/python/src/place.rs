//! A tensor's memory, as Python describes it.

use crate::element::stored;
use op_dsl::ir::Stored;
use op_dsl::ir::op::Tensor;
use op_dsl::{Error, Operator, View, ViewMut};
use pyo3::prelude::*;
use std::ptr::with_exposed_provenance_mut;

/// Where a tensor is: address of the element at index 0 of every dimension, shape, strides in elements, element type.
#[derive(FromPyObject)]
pub struct Place(pub usize, pub Vec<usize>, Vec<isize>, String);

impl Place {
    /// With the element type.
    pub fn of(&self, op: &Operator, tensor: &Tensor) -> PyResult<(&Place, Stored)> {
        Ok((self, stored(op, tensor, &self.3)?))
    }

    pub fn view(&self, stored: Stored) -> Result<View<'_>, Error> {
        let Place(address, shape, strides, _) = self;
        let first = with_exposed_provenance_mut::<u8>(*address);
        // SAFETY: the package describes arrays that it holds on to while it waits for this call, so that their
        // memory is there. As of any function on arrays, it is for Python's threads not to write them meanwhile.
        Ok(unsafe { View::from_raw_parts(first, stored, shape, strides) }?)
    }

    pub fn view_mut(&self, stored: Stored) -> Result<ViewMut<'_>, Error> {
        let Place(address, shape, strides, _) = self;
        let first = with_exposed_provenance_mut::<u8>(*address);
        // SAFETY: as of `view`; the package asks whether the array can be written.
        Ok(unsafe { ViewMut::from_raw_parts(first, stored, shape, strides) }?)
    }
}
