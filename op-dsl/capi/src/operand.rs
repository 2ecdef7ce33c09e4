//! A tensor as C describes it, and the view of its elements.

use super::element::Element;
use super::refusal::{Checked, refuse};
use codegen_cpu::rt::error::ViewError;
use codegen_cpu::rt::view::{View, ViewMut, contiguous_strides};
use op_dsl_ir::bind::{MAX_RANK, Shape};
use op_dsl_ir::{DType, Stored};
use std::ptr::{NonNull, with_exposed_provenance_mut};

/// A checked tensor that an operator reads or writes, without the address of its memory.
#[derive(Clone, Copy, Debug)]
pub struct Operand<E> {
    /// Element type of the tensor.
    pub element: E,
    /// Number of elements between the start of the storage and the first element of the view.
    pub offset: usize,
    shape: Shape,
    strides: [isize; MAX_RANK],
}

impl<E> Operand<E> {
    /// Returns an operand; `None` if `strides` does not have one entry for each dimension of `shape`.
    pub fn new(element: E, shape: Shape, strides: &[isize], offset: usize) -> Option<Operand<E>> {
        if strides.len() != shape.len() {
            return None;
        }
        let mut operand = Operand { element, offset, shape, strides: [0; _] };
        operand.strides[..strides.len()].copy_from_slice(strides);
        Some(operand)
    }

    /// Returns an operand with the layout of this one and elements of another type.
    pub fn of<T>(&self, element: T) -> Operand<T> {
        Operand { element, offset: self.offset, shape: self.shape, strides: self.strides }
    }

    /// Returns a contiguous operand of the shape of this one, at offset 0.
    pub fn dense<T>(&self, element: T) -> Operand<T> {
        let strides = contiguous_strides(&self.shape);
        Operand { element, offset: 0, shape: self.shape, strides }
    }

    /// Returns the dimensions, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the stride in elements, per dimension.
    pub fn strides(&self) -> &[isize] {
        &self.strides[..self.shape.len()]
    }

    /// Returns whether the operand has no elements.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// Returns the least and the greatest element offset that the operand reaches in its storage.
    ///
    /// The result is `None` for an operand without elements, and an error if an offset is beyond the address space.
    pub fn span(&self) -> Result<Option<(i64, i64)>, Overflow> {
        if self.is_empty() {
            return Ok(None);
        }
        let start = i64::try_from(self.offset).map_err(|_| Overflow)?;
        let (mut first, mut last) = (start, start);
        for (&n, &stride) in self.shape.iter().zip(&self.strides) {
            let steps = i64::try_from(n - 1).map_err(|_| Overflow)?;
            let reach = steps.checked_mul(stride as i64).ok_or(Overflow)?;
            let end = if reach < 0 { &mut first } else { &mut last };
            *end = end.checked_add(reach).ok_or(Overflow)?;
        }
        // In bytes, including the last element.
        let bytes = |e: i64| e.checked_add(1)?.checked_mul(Element::MAX_SIZE as i64);
        bytes(first).and(bytes(last)).ok_or(Overflow)?;
        Ok(Some((first, last)))
    }

    /// Checks that the operand can be written: no two elements have the same address.
    pub fn writable(&self) -> Result<(), ViewError> {
        let nowhere = NonNull::<u64>::dangling().as_ptr().cast();
        // SAFETY: the view is dropped here, and making one accesses no element.
        unsafe { ViewMut::from_raw_parts(nowhere, DType::F32, self.shape(), self.strides()) }
            .map(|_| ())
    }

    /// Returns the address of the operand's first element.
    ///
    /// The storage is at `base`, and its elements have `size` bytes.
    pub fn first(&self, base: usize, size: usize) -> *mut u8 {
        // The arithmetic wraps only for operands without elements, whose offset is unbounded.
        with_exposed_provenance_mut::<u8>(base).wrapping_add(self.offset.wrapping_mul(size))
    }
}

impl Operand<DType> {
    /// Returns the size in bytes of a contiguous copy of the operand.
    pub fn dense_bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.element.size()
    }
}

impl Operand<Stored> {
    /// Returns a view of the operand's elements to read, for a storage at `base`.
    ///
    /// # Safety
    /// The memory from `base` on covers all elements that the operand reaches and may be read during `'a`, and no other
    /// thread writes there during a call that is given the view.
    pub unsafe fn view<'a>(&self, base: usize) -> Result<View<'a>, ViewError> {
        let (shape, strides) = (self.shape(), self.strides());
        if self.element == Stored::Nothing {
            return Ok(View::ABSENT);
        }
        if self.element == Stored::Bit {
            let origin = with_exposed_provenance_mut::<u8>(base);
            // SAFETY: the caller upholds the `# Safety` contract.
            return unsafe { View::from_raw_bits(origin, shape, strides, self.offset) };
        }
        let first = self.first(base, self.element.size());
        // SAFETY: the caller upholds the `# Safety` contract.
        unsafe { View::from_raw_parts(first, self.element, shape, strides) }
    }

    /// Returns a view of the operand's elements to write, for a storage at `base`.
    ///
    /// # Safety
    /// As [`Operand::view`], and no other thread reads there either.
    pub unsafe fn view_mut<'a>(&self, base: usize) -> Result<ViewMut<'a>, ViewError> {
        let first = self.first(base, self.element.size());
        // SAFETY: the caller upholds the `# Safety` contract.
        unsafe { ViewMut::from_raw_parts(first, self.element, self.shape(), self.strides()) }
    }
}

/// Error: an operand reaches elements beyond the address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

/// Returns an array that C passed as a slice; `None` if it is null and `len` is not 0.
///
/// # Safety
/// `array` is null, or has `len` elements that are not written during `'a`.
pub unsafe fn array<'a, T>(array: *const T, len: usize) -> Option<&'a [T]> {
    match len {
        0 => Some(&[]),
        _ if array.is_null() => None,
        // SAFETY: not null, and the caller guarantees its length.
        _ => Some(unsafe { std::slice::from_raw_parts(array, len) }),
    }
}

/// Writes `value` to the pointer that C passed for a result.
///
/// A null pointer is the error `code`, with a message that begins with `name`.
///
/// # Safety
/// `place` is null or may be written.
pub unsafe fn reply<T>(code: i32, name: &str, place: *mut T, value: T) -> Checked<()> {
    if place.is_null() {
        return refuse(code, format!("{name} is null"));
    }
    // SAFETY: not null, and the caller's to write.
    unsafe { place.write(value) };
    Ok(())
}
