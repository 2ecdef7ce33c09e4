//! Views of the caller's tensors: element type, pointer, shape and strides, checked once.
//!
//! Views are small and live on the stack. A view that exists is in bounds, so that the driver need not check again.

use super::elem::Element;
use super::error::ViewError;
pub use super::memory::contiguous_strides;
pub(super) use super::memory::{Memory, Raw};
use core::cell::Cell;
use core::marker::PhantomData;
use op_dsl_ir::Stored;
use op_dsl_ir::bind::{MAX_RANK, Meta, Shape, TensorMeta};

/// A read-only tensor view.
///
/// Strides count elements and may be negative, or zero if one element is repeated, as in a broadcast.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    raw: Raw,
    // Cells are the weakest case: others may write between calls, though never during one.
    _memory: PhantomData<&'a [Cell<u8>]>,
}

/// A mutable tensor view.
///
/// Strides count elements and may be negative. No two indices may share an element.
#[derive(Debug)]
pub struct ViewMut<'a> {
    raw: Raw,
    _memory: PhantomData<&'a [Cell<u8>]>,
}

macro_rules! accessors {
    () => {
        /// Returns the storage type of the elements.
        pub fn dtype(&self) -> Stored {
            self.raw.dtype
        }
        /// Returns the sizes of the dimensions, outermost first.
        pub fn shape(&self) -> &[usize] {
            &self.raw.shape
        }
        /// Returns the stride of each dimension, in elements.
        pub fn strides(&self) -> &[isize] {
            self.raw.strides()
        }
        /// Address of the element at index 0 of every dimension, which may be unaligned.
        ///
        /// For packed bits it is the byte that the bits are counted from.
        pub fn as_ptr(&self) -> *const u8 {
            self.raw.origin
        }
        pub(super) fn raw(&self) -> &Raw {
            &self.raw
        }
    };
}

macro_rules! meta {
    ($($Any:ident)*) => {$(
        impl Meta for $Any<'_> {
            #[inline]
            fn meta(&self) -> TensorMeta<'_> {
                TensorMeta { shape: &self.raw.shape, dtype: self.raw.dtype }
            }
            #[inline]
            fn count(&self) -> Option<usize> {
                Some(self.raw.count)
            }
        }
    )*};
}
meta!(View ViewMut);

impl<'a> View<'a> {
    accessors!();

    /// Makes a view from a tensor's description. The caller vouches for the lifetime `'a` of the memory.
    #[inline]
    pub(super) fn of(raw: Raw) -> View<'a> {
        View { raw, _memory: PhantomData }
    }

    /// Placeholder for an optional input that a call omits.
    pub const ABSENT: View<'static> = {
        static NOWHERE: [u8; 1] = [0]; // never read, because operators that need the input refuse the call
        let ptr = NOWHERE.as_ptr().cast_mut();
        View {
            raw: Raw {
                ptr,
                origin: ptr,
                dtype: Stored::Nothing,
                shape: Shape::SCALAR,
                strides: [0; MAX_RANK],
                count: 1,
                dense: true,
                span: (0, 0),
                memory: Memory::Borrowed,
            },
            _memory: PhantomData,
        }
    };

    /// A contiguous tensor in row-major order: `data` holds its elements, innermost dimension last.
    ///
    /// A mask is a tensor of `bool`, or of `u8` where 0 is false and all else is true. Row counts are `i64`.
    ///
    /// # Errors
    /// More than 8 dimensions; more elements than `data` has.
    pub fn new<T: Element>(data: &'a [T], shape: &[usize]) -> Result<View<'a>, ViewError> {
        let base = data.as_ptr().cast_mut(); // only ever read through a `View`
        let dense = Raw::dense(Memory::Borrowed, base.cast(), T::STORED, shape, data.len());
        if let Some(raw) = dense {
            return Ok(View::of(raw));
        }
        let strides = contiguous_strides(shape);
        View::strided(data, shape, &strides[..shape.len().min(MAX_RANK)], 0)
    }

    /// A view with any strides, in elements; the first element is `data[offset]`.
    ///
    /// # Errors
    /// More than 8 dimensions; not one stride per dimension; an element outside `data`; overflow.
    pub fn strided<T: Element>(
        data: &'a [T],
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<View<'a>, ViewError> {
        let base = data.as_ptr().cast_mut(); // only ever read through a `View`
        Raw::within(Memory::Borrowed, base, data.len(), shape, strides, offset).map(View::of)
    }

    /// A view of elements of any type in a slice of bytes, with strides in elements; the first is element `offset`.
    ///
    /// # Errors
    /// As [`View::strided`]; packed bits, which [`View::strided_bits`] takes.
    pub fn in_bytes(
        data: &'a [u8],
        stored: Stored,
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<View<'a>, ViewError> {
        let base = data.as_ptr().cast_mut(); // only ever read through a `View`
        Raw::in_bytes(base, data.len(), stored, shape, strides, offset).map(View::of)
    }

    /// A contiguous mask of packed bits: element `i` is bit `i % 8` of byte `i / 8`.
    ///
    /// Bit 0 of a byte is the least significant.
    ///
    /// # Errors
    /// More than 8 dimensions; more elements than `data` has bits.
    pub fn bits(data: &'a [u8], shape: &[usize]) -> Result<View<'a>, ViewError> {
        let strides = contiguous_strides(shape);
        View::strided_bits(data, shape, &strides[..shape.len().min(MAX_RANK)], 0)
    }

    /// As [`View::bits`], with any strides, in bits; the first element is bit `offset`.
    ///
    /// # Errors
    /// As [`View::strided`].
    pub fn strided_bits(
        data: &'a [u8],
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<View<'a>, ViewError> {
        let raw = Raw::bits(Memory::Borrowed, data.as_ptr(), shape, strides, offset)?;
        raw.check_bounds(data.len().saturating_mul(8), strides, offset)?;
        Ok(View::of(raw))
    }

    /// As [`View::strided`], over memory that an output of the same call may share.
    ///
    /// An operator can then work in place. Calls on cells run on the calling thread alone, because cells are not shared
    /// between threads.
    ///
    /// # Errors
    /// As [`View::strided`].
    pub fn from_cells<T: Element>(
        data: &'a [Cell<T>],
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<View<'a>, ViewError> {
        let base = data.as_ptr().cast::<T>().cast_mut();
        Raw::within(Memory::Cells, base, data.len(), shape, strides, offset).map(View::of)
    }

    /// A view of any memory; `ptr` is the element at index 0 of every dimension.
    ///
    /// `ptr` needs no alignment. For packed bits it is the byte with that element in its lowest bit, and strides count bits.
    ///
    /// # Errors
    /// More than 8 dimensions; not one stride per dimension; overflow.
    ///
    /// # Safety
    /// Every element that shape and strides reach must be valid for reads during `'a`. Nobody else may write it during a call
    /// that is given the view: no other thread, and no task that this thread runs while it waits for the thread pool.
    pub unsafe fn from_raw_parts(
        ptr: *const u8,
        dtype: impl Into<Stored>,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<View<'a>, ViewError> {
        Raw::unbounded(Memory::Raw, ptr.cast_mut(), dtype.into(), shape, strides).map(View::of)
    }

    /// Packed bits in any memory: the element at index 0 of every dimension is bit `first` after `origin`.
    ///
    /// # Errors
    /// As [`View::from_raw_parts`].
    ///
    /// # Safety
    /// As [`View::from_raw_parts`], for every byte that contains one of the bits.
    pub unsafe fn from_raw_bits(
        origin: *const u8,
        shape: &[usize],
        strides: &[isize],
        first: usize,
    ) -> Result<View<'a>, ViewError> {
        Raw::bits(Memory::Raw, origin, shape, strides, first).map(View::of)
    }
}

impl<'a> ViewMut<'a> {
    accessors!();

    /// Returns the same tensor as an input, for a call that replaces its elements.
    ///
    /// # Safety
    /// The input must not be used after the end of `'a`, nor beside a call that is not given both.
    pub(super) unsafe fn as_input<'b>(&self) -> View<'b> {
        View::of(self.raw)
    }

    /// Makes a view from a tensor's description. The caller vouches for the lifetime `'a` of the memory.
    #[inline]
    pub(super) fn of(raw: Raw) -> ViewMut<'a> {
        ViewMut { raw, _memory: PhantomData }
    }

    /// A contiguous tensor in row-major order: `data` holds its elements, innermost dimension last.
    ///
    /// # Errors
    /// More than 8 dimensions; more elements than `data` has.
    pub fn new<T: Element>(data: &'a mut [T], shape: &[usize]) -> Result<ViewMut<'a>, ViewError> {
        let base = data.as_mut_ptr().cast();
        if let Some(raw) = Raw::dense(Memory::Borrowed, base, T::STORED, shape, data.len()) {
            return Ok(ViewMut::of(raw));
        }
        let strides = contiguous_strides(shape);
        ViewMut::strided(data, shape, &strides[..shape.len().min(MAX_RANK)], 0)
    }

    /// A view with any strides that give each index its own element; the first is `data[offset]`.
    ///
    /// # Errors
    /// As [`View::strided`]; an element that would be written twice, or might be. Some views of more than two dimensions whose
    /// strides do not nest are refused because the exact test would take too long.
    pub fn strided<T: Element>(
        data: &'a mut [T],
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<ViewMut<'a>, ViewError> {
        let (base, len) = (data.as_mut_ptr(), data.len());
        let raw = Raw::within(Memory::Borrowed, base, len, shape, strides, offset)?;
        raw.check_injective().map(ViewMut::of)
    }

    /// A view of elements of any type in a slice of bytes, with strides in elements; the first is element `offset`.
    ///
    /// # Errors
    /// As [`ViewMut::strided`]; packed bits, which no kernel writes.
    pub fn in_bytes(
        data: &'a mut [u8],
        stored: Stored,
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<ViewMut<'a>, ViewError> {
        let raw = Raw::in_bytes(data.as_mut_ptr(), data.len(), stored, shape, strides, offset)?;
        raw.check_injective().map(ViewMut::of)
    }

    /// As [`ViewMut::strided`], over memory that an input of the same call may share.
    ///
    /// Calls on cells run on the calling thread alone.
    ///
    /// # Errors
    /// As [`ViewMut::strided`].
    pub fn from_cells<T: Element>(
        data: &'a [Cell<T>],
        shape: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<ViewMut<'a>, ViewError> {
        let base = data.as_ptr().cast::<T>().cast_mut(); // a cell may be written through a shared reference
        let raw = Raw::within(Memory::Cells, base, data.len(), shape, strides, offset)?;
        raw.check_injective().map(ViewMut::of)
    }

    /// A view of any memory; `ptr` is the element at index 0 of every dimension and needs no alignment.
    ///
    /// # Errors
    /// More than 8 dimensions; not one stride per dimension; overflow; an element that would be written twice; packed bits.
    ///
    /// # Safety
    /// Every element that shape and strides reach must be valid for reads and writes during `'a`. Nobody else may touch it
    /// during a call that is given the view: no other thread, and no task that this thread runs while it waits for the thread
    /// pool.
    pub unsafe fn from_raw_parts(
        ptr: *mut u8,
        dtype: impl Into<Stored>,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<ViewMut<'a>, ViewError> {
        let dtype = dtype.into();
        if matches!(dtype, Stored::Bit | Stored::Nothing) {
            return Err(ViewError::NotBytes { got: dtype });
        }
        let raw = Raw::unbounded(Memory::Raw, ptr, dtype, shape, strides)?;
        raw.check_injective().map(ViewMut::of)
    }
}
