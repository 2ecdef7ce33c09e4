//! Conversions between views and `ndarray` views, without copies.

use super::elem::{El, Element};
use super::error::ViewError;
use super::view::{Memory, Raw, View, ViewMut};
use ndarray::{ArrayView, ArrayViewD, ArrayViewMut, Axis, Dimension, IxDyn, ShapeBuilder};

impl<'a, T: Element, D: Dimension> TryFrom<ArrayView<'a, T, D>> for View<'a> {
    type Error = ViewError;

    /// Creates a view of the array's elements.
    ///
    /// # Errors
    /// More than 8 dimensions.
    fn try_from(array: ArrayView<'a, T, D>) -> Result<View<'a>, ViewError> {
        let (shape, strides) = (array.shape(), array.strides());
        // All that shape and strides of an array view reach is borrowed for the array's lifetime.
        let start = array.as_ptr().cast_mut().cast(); // only ever read through a `View`
        Raw::unbounded(Memory::Borrowed, start, T::STORED, shape, strides).map(View::of)
    }
}

impl<'a, T: Element, D: Dimension> TryFrom<ArrayViewMut<'a, T, D>> for ViewMut<'a> {
    type Error = ViewError;

    /// Creates a view of the array's elements.
    ///
    /// # Errors
    /// More than 8 dimensions.
    fn try_from(mut array: ArrayViewMut<'a, T, D>) -> Result<ViewMut<'a>, ViewError> {
        let start = array.as_mut_ptr().cast();
        let (shape, strides) = (array.shape(), array.strides());
        let raw = Raw::unbounded(Memory::Borrowed, start, T::STORED, shape, strides)?;
        raw.check_injective().map(ViewMut::of)
    }
}

impl<'a> View<'a> {
    /// Returns the same elements as an array view.
    ///
    /// # Errors
    /// The element type is not `T`. Views of cells or raw parts are refused as well, because others may write these while an
    /// array view promises that nobody does.
    pub fn to_ndarray<T: El>(&self) -> Result<ArrayViewD<'a, T>, ViewError> {
        if self.dtype() != T::DTYPE {
            return Err(ViewError::DType { wanted: T::STORED, got: self.dtype() });
        }
        if self.raw().memory != Memory::Borrowed {
            return Err(ViewError::NotBorrowed);
        }
        let mut start = self.as_ptr().cast::<T>(); // aligned, because it was borrowed from elements of `T`
        // ndarray takes absolute strides, so an axis with a negative stride starts at its other end and is inverted below.
        let dims = || self.shape().iter().zip(self.strides());
        if !self.shape().contains(&0) {
            for (&n, &s) in dims().filter(|(_, s)| **s < 0) {
                start = start.wrapping_offset((n as isize - 1) * s);
            }
        }
        let lengths: Vec<usize> = self.strides().iter().map(|s| s.unsigned_abs()).collect();
        let shape = IxDyn(self.shape()).strides(IxDyn(&lengths));
        // SAFETY: all that shape and strides reach is borrowed from elements of `T` for `'a`. From the least address of each axis
        // on, the absolute strides reach the same elements.
        let mut array = unsafe { ArrayView::from_shape_ptr(shape, start) };
        for (axis, _) in dims().enumerate().filter(|(_, (_, s))| **s < 0) {
            array.invert_axis(Axis(axis));
        }
        Ok(array)
    }
}
