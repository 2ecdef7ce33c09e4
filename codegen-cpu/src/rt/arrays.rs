//! Views from and to `ndarray` views: no element is copied.

use super::elem::{El, Element};
use super::error::ViewError;
use super::view::{Memory, Raw, View, ViewMut};
use ndarray::{ArrayView, ArrayViewD, ArrayViewMut, Axis, Dimension, IxDyn, ShapeBuilder};

impl<'a, T: Element, D: Dimension> TryFrom<ArrayView<'a, T, D>> for View<'a> {
    type Error = ViewError;

    /// The same elements.
    ///
    /// # Errors
    /// Rank beyond 8.
    fn try_from(array: ArrayView<'a, T, D>) -> Result<View<'a>, ViewError> {
        let (shape, strides) = (array.shape(), array.strides());
        // What shape and strides of an array view reach is borrowed, as long as the array's lifetime.
        let start = array.as_ptr().cast_mut().cast(); // only ever read through a `View`
        Raw::unbounded(Memory::Borrowed, start, T::STORED, shape, strides).map(View::of)
    }
}

impl<'a, T: El, D: Dimension> TryFrom<ArrayViewMut<'a, T, D>> for ViewMut<'a> {
    type Error = ViewError;

    /// The same elements.
    ///
    /// # Errors
    /// Rank beyond 8.
    fn try_from(mut array: ArrayViewMut<'a, T, D>) -> Result<ViewMut<'a>, ViewError> {
        let start = array.as_mut_ptr().cast();
        let (shape, strides) = (array.shape(), array.strides());
        let raw = Raw::unbounded(Memory::Borrowed, start, T::STORED, shape, strides)?;
        raw.check_injective().map(ViewMut::of)
    }
}

impl<'a> View<'a> {
    /// The same elements as an array view.
    ///
    /// # Errors
    /// The element type is not `T`; the view is made of cells or raw parts, which others may write while an
    /// array view says that nobody does.
    pub fn to_ndarray<T: El>(&self) -> Result<ArrayViewD<'a, T>, ViewError> {
        if self.dtype() != T::DTYPE {
            return Err(ViewError::DType { wanted: T::STORED, got: self.dtype() });
        }
        if self.raw().memory != Memory::Borrowed {
            return Err(ViewError::NotBorrowed);
        }
        let mut start = self.as_ptr().cast::<T>(); // aligned, as what it was borrowed from
        // ndarray takes lengths of strides; a negative one is an axis seen from its other end.
        let dims = || self.shape().iter().zip(self.strides());
        if !self.shape().contains(&0) {
            for (&n, &s) in dims().filter(|(_, s)| **s < 0) {
                start = start.wrapping_offset((n as isize - 1) * s);
            }
        }
        let lengths: Vec<usize> = self.strides().iter().map(|s| s.unsigned_abs()).collect();
        let shape = IxDyn(self.shape()).strides(IxDyn(&lengths));
        // SAFETY: what shape and strides reach is borrowed from elements of `T` for `'a`;
        // from the least address of each axis on, their lengths reach the same elements.
        let mut array = unsafe { ArrayView::from_shape_ptr(shape, start) };
        for (axis, _) in dims().enumerate().filter(|(_, (_, s))| **s < 0) {
            array.invert_axis(Axis(axis));
        }
        Ok(array)
    }
}
