//! Memory of tensors: address, element type, shape and strides, checked against the caller's buffer.

use super::elem::Element;
use super::error::ViewError;
use super::overlap::is_injective;
use super::stream::Extent;
use op_dsl_ir::Stored;
use op_dsl_ir::bind::{MAX_RANK, Shape, elements};

/// Origin of a view's memory, which determines who else may write to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    /// A borrow of plain elements: no other writer while the view lives.
    Borrowed,
    /// A borrow of cells: code of this thread may write between two calls, or while the thread waits.
    Cells,
    /// Raw pointer: anybody whom the view's creator permits may write, but not during a call.
    Raw,
}

/// Fields that `View` and `ViewMut` share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raw {
    /// Address of the element at index 0 of every dimension.
    pub ptr: *mut u8,
    /// For packed bits, the byte that bit indices count from; otherwise equal to `ptr`.
    ///
    /// With packed bits `ptr` is `origin` plus the index of the first bit. It is then a number, not an address in memory.
    pub origin: *mut u8,
    pub dtype: Stored,
    pub shape: Shape,
    /// Stride of each dimension, in elements; entries beyond the rank are 0.
    pub strides: [isize; MAX_RANK],
    pub count: usize,
    /// Whether the elements are contiguous in row-major order.
    pub dense: bool,
    /// Least and greatest offset that shape and strides reach, in elements from `ptr`.
    pub span: (isize, isize),
    pub memory: Memory,
}

/// Returns the row-major strides of a contiguous tensor, in elements.
///
/// For example, shape `(2, 3, 4)` has strides `(12, 4, 1)`.
pub fn contiguous_strides(shape: &[usize]) -> [isize; MAX_RANK] {
    let mut strides = [0; MAX_RANK];
    let mut next = 1isize;
    for i in (0..shape.len().min(MAX_RANK)).rev() {
        strides[i] = next;
        // This wraps only for shapes whose elements cannot be counted, and those make no view.
        next = next.wrapping_mul(shape[i].max(1) as isize);
    }
    strides
}

/// Returns the row-major strides and the number of elements of a contiguous tensor.
///
/// Returns `None` if the tensor is empty, has more than `len` elements, or has more than eight dimensions.
#[inline]
fn dense(shape: &[usize], len: usize) -> Option<([isize; MAX_RANK], usize)> {
    if shape.len() > MAX_RANK {
        return None;
    }
    let (mut strides, mut next) = ([0; MAX_RANK], 1usize);
    for (stride, &n) in strides[..shape.len()].iter_mut().zip(shape).rev() {
        *stride = next as isize;
        next = next.checked_mul(n)?;
    }
    (next <= len && next > 0).then_some((strides, next))
}

/// Returns the least and greatest offset that shape and strides reach, in elements.
///
/// An offset counts from the element at index 0 of every dimension, the only one that an empty tensor reaches. Returns `None` if
/// the distance of the two in bytes overflows the address space.
fn span(shape: &[usize], strides: &[isize], dtype: Stored) -> Option<(isize, isize)> {
    if elements(shape)? == 0 {
        return Some((0, 0));
    }
    let (mut lo, mut hi) = (0isize, 0isize);
    for (&n, &s) in shape.iter().zip(strides).filter(|(n, _)| **n > 1) {
        let reach = isize::try_from(n - 1).ok()?.checked_mul(s)?;
        if reach < 0 {
            lo = lo.checked_add(reach)?;
        } else {
            hi = hi.checked_add(reach)?;
        }
    }
    // In bytes including the last element, for the kernel's element type as well.
    let size = dtype.size().max(size_of::<f32>()) as isize;
    hi.checked_sub(lo)?.checked_add(1)?.checked_mul(size)?;
    Some((lo, hi))
}

impl Raw {
    /// Describes a contiguous tensor that starts at `ptr`, in a buffer of `len` elements.
    ///
    /// Returns `None` if the buffer is too small, the tensor is empty, or it has more than eight dimensions.
    #[inline]
    pub(super) fn dense(
        memory: Memory,
        ptr: *mut u8,
        dtype: Stored,
        shape: &[usize],
        len: usize,
    ) -> Option<Raw> {
        let ((strides, count), shape) = (dense(shape, len)?, Shape::new(shape)?);
        let span = (0, count as isize - 1);
        Some(Raw { ptr, origin: ptr, dtype, shape, strides, count, dense: true, span, memory })
    }

    /// Describes a tensor in memory of unknown bounds.
    pub(super) fn unbounded(
        memory: Memory,
        ptr: *mut u8,
        dtype: Stored,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<Raw, ViewError> {
        if shape.len() > MAX_RANK {
            return Err(ViewError::Rank { got: shape.len() });
        }
        if shape.len() != strides.len() {
            return Err(ViewError::Strides { strides: strides.len(), rank: shape.len() });
        }
        let overflow = || ViewError::Overflow { shape: shape.to_vec(), strides: strides.to_vec() };
        let span = span(shape, strides, dtype).ok_or_else(overflow)?;
        let mut all = [0; MAX_RANK];
        all[..strides.len()].copy_from_slice(strides);
        let count = elements(shape).ok_or_else(overflow)?;
        let own = contiguous_strides(shape);
        let mut dims = shape.iter().zip(strides).zip(&own);
        let dense = dims.all(|((&n, s), own)| n <= 1 || s == own);
        let shape = Shape::new(shape).ok_or_else(overflow)?;
        Ok(Raw { ptr, origin: ptr, dtype, shape, strides: all, count, dense, span, memory })
    }

    /// Describes a tensor in a buffer of `len` elements at `base`; its first element is number `offset`.
    pub(super) fn within<T: Element>(
        memory: Memory,
        base: *mut T,
        len: usize,
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<Raw, ViewError> {
        let raw = Raw::unbounded(memory, base.cast(), T::STORED, shape, strides)?;
        raw.at_element(len, strides, offset)
    }

    /// Describes a tensor in a buffer of bytes, whose first element begins at byte `offset` times the size of an element.
    pub(super) fn in_bytes(
        data: *mut u8,
        len: usize,
        stored: Stored,
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<Raw, ViewError> {
        if matches!(stored, Stored::Bit | Stored::Nothing) {
            return Err(ViewError::NotBytes { got: stored });
        }
        let raw = Raw::unbounded(Memory::Borrowed, data, stored, shape, strides)?;
        raw.at_element(len / stored.size(), strides, offset)
    }

    /// Moves the start from the first element of a buffer of `len` elements to element `offset`.
    pub(super) fn at_element(
        mut self,
        len: usize,
        strides: &[isize],
        offset: usize,
    ) -> Result<Raw, ViewError> {
        self.check_bounds(len, strides, offset)?;
        // SAFETY: `offset` is within the buffer or one past its end, as just checked.
        self.ptr = unsafe { self.ptr.add(offset * self.dtype.size()) };
        self.origin = self.ptr;
        Ok(self)
    }

    /// Describes a tensor of packed bits, whose first element is bit `first` after `origin`.
    pub(super) fn bits(
        memory: Memory,
        origin: *const u8,
        shape: &[usize],
        strides: &[isize],
        first: usize,
    ) -> Result<Raw, ViewError> {
        let origin = origin.cast_mut(); // only ever read, because outputs are never packed bits
        let mut raw = Raw::unbounded(memory, origin, Stored::Bit, shape, strides)?;
        raw.ptr = origin.wrapping_add(first);
        Ok(raw)
    }

    /// Checks that all elements lie in a buffer of `len` elements, if the first is element `offset`.
    pub(super) fn check_bounds(
        &self,
        len: usize,
        strides: &[isize],
        offset: usize,
    ) -> Result<(), ViewError> {
        let (shape, (lo, hi)) = (&*self.shape, self.span);
        let empty = shape.contains(&0);
        let start = isize::try_from(offset).unwrap_or(isize::MAX);
        let (first, last) = (start.saturating_add(lo), start.saturating_add(hi));
        // An empty tensor may start one past the end.
        let end = isize::try_from(len).unwrap_or(isize::MAX);
        if first < 0 || (last >= end && !(empty && last == end)) {
            let (shape, strides) = (shape.to_vec(), strides.to_vec());
            return Err(ViewError::OutOfBounds { shape, strides, first, last, len });
        }
        Ok(())
    }

    /// Checks that no two indices of the tensor share an element.
    pub(super) fn check_injective(self) -> Result<Raw, ViewError> {
        if is_injective(&self.shape, self.strides()) {
            return Ok(self);
        }
        let (shape, strides) = (self.shape.to_vec(), self.strides().to_vec());
        Err(ViewError::SelfOverlap { shape, strides })
    }

    /// Returns the address of the tensor's first byte, and the address one past its last byte.
    #[inline]
    pub(super) fn extent(&self) -> Extent {
        let at = |element: isize| {
            self.ptr.addr().wrapping_add_signed(element * self.dtype.size() as isize)
        };
        (at(self.span.0), at(self.span.1 + 1))
    }

    /// Returns whether both views have the same elements at the same indices.
    pub(super) fn is(&self, other: &Raw) -> bool {
        let (a, b) = (self, other);
        let memory = a.ptr == b.ptr && a.dtype == b.dtype;
        memory && a.shape == b.shape && a.strides == b.strides
    }

    pub(super) fn strides(&self) -> &[isize] {
        &self.strides[..self.shape.len()]
    }
}
