//! A tensor as C describes it, and the view of its elements.

use super::refusal::{Checked, refuse};
use codegen_cpu::rt::error::ViewError;
use codegen_cpu::rt::view::{View, ViewMut};
use op_dsl_ir::DType;
use op_dsl_ir::bind::{MAX_RANK, TensorMeta};
use std::ptr::{NonNull, with_exposed_provenance_mut};

/// A tensor that an operator reads or writes: checked, but for where its memory is.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// Element type.
    pub dtype: DType,
    /// Where the storage starts; null until the caller says.
    pub base: usize,
    /// Elements from there to the first of the view.
    pub offset: usize,
    rank: usize,
    shape: [usize; MAX_RANK],
    strides: [isize; MAX_RANK],
}

impl Operand {
    /// An operand at no place yet; `None` beyond [`MAX_RANK`] dimensions.
    pub fn new(dtype: DType, shape: &[usize], strides: &[isize], offset: usize) -> Option<Operand> {
        let rank = shape.len();
        if rank > MAX_RANK || strides.len() != rank {
            return None;
        }
        let mut operand = Operand { dtype, base: 0, offset, rank, shape: [0; _], strides: [0; _] };
        operand.shape[..rank].copy_from_slice(shape);
        operand.strides[..rank].copy_from_slice(strides);
        Some(operand)
    }

    /// Dimensions, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape[..self.rank]
    }

    /// Elements between neighbours of each dimension.
    pub fn strides(&self) -> &[isize] {
        &self.strides[..self.rank]
    }

    /// Shape and element type.
    pub fn meta(&self) -> TensorMeta<'_> {
        TensorMeta { shape: self.shape(), dtype: self.dtype }
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.shape().contains(&0)
    }

    /// First and last element that it reaches, counted from the start of the storage; `None`
    /// when there is none, an error when addresses do not reach so far.
    pub fn span(&self) -> Result<Option<(i64, i64)>, Overflow> {
        if self.is_empty() {
            return Ok(None);
        }
        let start = i64::try_from(self.offset).map_err(|_| Overflow)?;
        let (mut first, mut last) = (start, start);
        for (&n, &stride) in self.shape().iter().zip(&self.strides) {
            let steps = i64::try_from(n - 1).map_err(|_| Overflow)?;
            let reach = steps.checked_mul(stride as i64).ok_or(Overflow)?;
            let end = if reach < 0 { &mut first } else { &mut last };
            *end = end.checked_add(reach).ok_or(Overflow)?;
        }
        // In bytes, with one element on top.
        let bytes = |e: i64| e.checked_add(1)?.checked_mul(4);
        bytes(first).and(bytes(last)).ok_or(Overflow)?;
        Ok(Some((first, last)))
    }

    /// Bytes of its elements when they lie side by side.
    pub fn dense_bytes(&self) -> usize {
        self.shape().iter().product::<usize>() * self.dtype.size()
    }

    /// Whether it can be written: no element has two places.
    pub fn writable(&self) -> Result<(), ViewError> {
        let nowhere = NonNull::<u64>::dangling().as_ptr().cast();
        // SAFETY: the view ends here, and making one touches no element.
        unsafe { ViewMut::from_raw_parts(nowhere, self.dtype, self.shape(), self.strides()) }
            .map(|_| ())
    }

    /// Its elements, to read.
    ///
    /// # Safety
    /// From [`Operand::base`] on there is memory for all it reaches, to read during `'a`, and no
    /// other thread writes there during a call that is given the view.
    pub unsafe fn view<'a>(&self) -> Result<View<'a>, ViewError> {
        // SAFETY: as asked of the caller.
        unsafe { View::from_raw_parts(self.first(), self.dtype, self.shape(), self.strides()) }
    }

    /// Its elements, to write.
    ///
    /// # Safety
    /// As [`Operand::view`], and no other thread reads there either.
    pub unsafe fn view_mut<'a>(&self) -> Result<ViewMut<'a>, ViewError> {
        // SAFETY: as asked of the caller.
        unsafe { ViewMut::from_raw_parts(self.first(), self.dtype, self.shape(), self.strides()) }
    }

    /// Where its first element is.
    pub fn first(&self) -> *mut u8 {
        // Wraps only for operands without elements, whose offset nothing bounds.
        let base = with_exposed_provenance_mut::<u8>(self.base);
        base.wrapping_add(self.offset.wrapping_mul(self.dtype.size()))
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
