//! Views from and to `ndarray` views: no element is copied.

use super::elem::El;
use super::error::ViewError;
use super::view::{View, ViewMut};
use ndarray::{ArrayView, ArrayViewD, ArrayViewMut, Axis, Dimension, IxDyn, ShapeBuilder};

impl<'a, T: El, D: Dimension> TryFrom<ArrayView<'a, T, D>> for View<'a> {
    type Error = ViewError;

    /// The same elements.
    ///
    /// # Errors
    /// Rank beyond 8.
    fn try_from(array: ArrayView<'a, T, D>) -> Result<View<'a>, ViewError> {
        let (shape, strides) = (array.shape(), array.strides());
        // SAFETY: what shape and strides of an array view reach may be read during its lifetime,
        // and nobody writes it meanwhile.
        unsafe { View::from_raw_parts(array.as_ptr().cast(), T::DTYPE, shape, strides) }
    }
}

impl<'a, T: El, D: Dimension> TryFrom<ArrayViewMut<'a, T, D>> for ViewMut<'a> {
    type Error = ViewError;

    /// The same elements.
    ///
    /// # Errors
    /// Rank beyond 8.
    fn try_from(mut array: ArrayViewMut<'a, T, D>) -> Result<ViewMut<'a>, ViewError> {
        let start = array.as_mut_ptr();
        let (shape, strides) = (array.shape(), array.strides());
        // SAFETY: as above, and a mutable array view is the only way to its elements.
        unsafe { ViewMut::from_raw_parts(start.cast(), T::DTYPE, shape, strides) }
    }
}

impl<'a> View<'a> {
    /// The same elements as an array view.
    ///
    /// # Errors
    /// The element type is not `T`; the memory is not aligned for it, as a view's need not be.
    pub fn to_ndarray<T: El>(&self) -> Result<ArrayViewD<'a, T>, ViewError> {
        if self.dtype() != T::DTYPE {
            return Err(ViewError::DType { wanted: T::DTYPE, got: self.dtype() });
        }
        let mut start = self.as_ptr().cast::<T>();
        if !start.is_aligned() {
            return Err(ViewError::Unaligned { dtype: T::DTYPE });
        }
        // ndarray takes lengths of strides; a negative one is an axis seen from its other end.
        let dims = || self.shape().iter().zip(self.strides());
        if !self.shape().contains(&0) {
            for (&n, &s) in dims().filter(|(_, s)| **s < 0) {
                start = start.wrapping_offset((n as isize - 1) * s);
            }
        }
        let lengths: Vec<usize> = self.strides().iter().map(|s| s.unsigned_abs()).collect();
        let shape = IxDyn(self.shape()).strides(IxDyn(&lengths));
        // SAFETY: a view that exists may be read during `'a` wherever shape and strides reach;
        // from the least address of each axis on, their lengths reach the same elements.
        let mut array = unsafe { ArrayView::from_shape_ptr(shape, start) };
        for (axis, _) in dims().enumerate().filter(|(_, (_, s))| **s < 0) {
            array.invert_axis(Axis(axis));
        }
        Ok(array)
    }
}
