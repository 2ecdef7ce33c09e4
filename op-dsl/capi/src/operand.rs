//! A tensor as C describes it, and the view of its elements.

use super::element::Element;
use super::refusal::{Checked, refuse};
use codegen_cpu::rt::error::ViewError;
use codegen_cpu::rt::view::{View, ViewMut, contiguous_strides};
use op_dsl_ir::bind::{MAX_RANK, Shape};
use op_dsl_ir::{DType, Stored};
use std::ptr::{NonNull, with_exposed_provenance_mut};

/// A tensor that an operator reads or writes: checked, but for where its memory is.
#[derive(Clone, Copy, Debug)]
pub struct Operand<E> {
    /// What its elements are.
    pub element: E,
    /// Elements from the start of the storage to the first of the view.
    pub offset: usize,
    shape: Shape,
    strides: [isize; MAX_RANK],
}

impl<E> Operand<E> {
    /// An operand with one stride for each dimension, else `None`.
    pub fn new(element: E, shape: Shape, strides: &[isize], offset: usize) -> Option<Operand<E>> {
        if strides.len() != shape.len() {
            return None;
        }
        let mut operand = Operand { element, offset, shape, strides: [0; _] };
        operand.strides[..strides.len()].copy_from_slice(strides);
        Some(operand)
    }

    /// The same places, as elements of another type.
    pub fn of<T>(&self, element: T) -> Operand<T> {
        Operand { element, offset: self.offset, shape: self.shape, strides: self.strides }
    }

    /// As many elements side by side, from the start of a storage.
    pub fn dense<T>(&self, element: T) -> Operand<T> {
        let strides = contiguous_strides(&self.shape);
        Operand { element, offset: 0, shape: self.shape, strides }
    }

    /// Dimensions, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Elements between neighbours of each dimension.
    pub fn strides(&self) -> &[isize] {
        &self.strides[..self.shape.len()]
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// First and last element that it reaches, counted from the start of the storage; `None`
    /// when there is none, an error when addresses do not reach so far.
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
        // In bytes, with one element on top.
        let bytes = |e: i64| e.checked_add(1)?.checked_mul(Element::MAX_SIZE as i64);
        bytes(first).and(bytes(last)).ok_or(Overflow)?;
        Ok(Some((first, last)))
    }

    /// Whether it can be written: no element has two places.
    pub fn writable(&self) -> Result<(), ViewError> {
        let nowhere = NonNull::<u64>::dangling().as_ptr().cast();
        // SAFETY: the view ends here, and making one touches no element.
        unsafe { ViewMut::from_raw_parts(nowhere, DType::F32, self.shape(), self.strides()) }
            .map(|_| ())
    }

    /// Where its first element is when its storage is at `base` and an element has so many bytes.
    pub fn first(&self, base: usize, size: usize) -> *mut u8 {
        // Wraps only for operands without elements, whose offset nothing bounds.
        with_exposed_provenance_mut::<u8>(base).wrapping_add(self.offset.wrapping_mul(size))
    }
}

impl Operand<DType> {
    /// Bytes of its elements when they lie side by side.
    pub fn dense_bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.element.size()
    }
}

impl Operand<Stored> {
    /// Its elements, to read.
    ///
    /// # Safety
    /// From `base` on there is memory for all it reaches, to read during `'a`, and no other
    /// thread writes there during a call that is given the view.
    pub unsafe fn view<'a>(&self, base: usize) -> Result<View<'a>, ViewError> {
        let (shape, strides) = (self.shape(), self.strides());
        if self.element == Stored::Nothing {
            return Ok(View::ABSENT);
        }
        if self.element == Stored::Bit {
            let origin = with_exposed_provenance_mut::<u8>(base);
            // SAFETY: as asked of the caller.
            return unsafe { View::from_raw_bits(origin, shape, strides, self.offset) };
        }
        let first = self.first(base, self.element.size());
        // SAFETY: as asked of the caller.
        unsafe { View::from_raw_parts(first, self.element, shape, strides) }
    }

    /// Its elements, to write.
    ///
    /// # Safety
    /// As [`Operand::view`], and no other thread reads there either.
    pub unsafe fn view_mut<'a>(&self, base: usize) -> Result<ViewMut<'a>, ViewError> {
        let first = self.first(base, self.element.size());
        // SAFETY: as asked of the caller.
        unsafe { ViewMut::from_raw_parts(first, self.element, self.shape(), self.strides()) }
    }
}

/// A view that reaches further than addresses do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

/// The elements of an array that C gave; nothing when it has none.
///
/// # Safety
/// `array` is null, or has `len` elements that are not written during `'a`.
pub unsafe fn array<'a, T>(array: *const T, len: usize) -> Option<&'a [T]> {
    match len {
        0 => Some(&[]),
        _ if array.is_null() => None,
        // SAFETY: not null, and as long as the caller promises.
        _ => Some(unsafe { std::slice::from_raw_parts(array, len) }),
    }
}

/// Writes an answer to where C wants it.
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
