//! One input or output of a call, as start and strides in memory.

use op_dsl_ir::Stored;
use op_dsl_ir::bind::MAX_RANK;

/// One input or output in memory: its address, element type, and strides over the domain (index space).
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    /// Address of the element at index 0 of every dimension.
    pub ptr: *mut u8,
    /// Byte that the indices of packed bits count from, see [`Raw::origin`](super::view::Raw::origin).
    pub origin: *mut u8,
    pub dtype: Stored,
    /// Stride of each dimension, in bytes; 0 along dimensions of one element.
    pub strides: [isize; MAX_RANK],
}

/// Error: a stream reaches elements outside of its view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutOfView;

/// Address range of elements: the first byte and one past the last. Each packed bit counts as a byte.
pub(super) type Extent = (usize, usize);

/// Converts an extent, where each packed bit counts as a byte, to the range of bytes in memory.
#[inline]
pub(super) fn memory(s: &Stream, (lo, hi): Extent) -> Extent {
    let origin = s.origin.addr();
    let bits = |at: usize| at.wrapping_sub(origin);
    match s.dtype {
        Stored::Bit => {
            let (first, end) = (bits(lo) / 8, bits(hi).div_ceil(8));
            (origin.wrapping_add(first), origin.wrapping_add(end))
        }
        _ => (lo, hi),
    }
}

/// Returns the first byte and one past the last of a stream over a domain of these sizes.
#[inline]
pub(super) fn extent(s: &Stream, sizes: &[usize]) -> Extent {
    let (mut lo, mut hi) = (s.ptr.addr(), s.ptr.addr().saturating_add(s.dtype.size()));
    for (&n, &stride) in sizes.iter().zip(&s.strides) {
        let reach = (n - 1).saturating_mul(stride.unsigned_abs());
        if stride < 0 {
            lo = lo.saturating_sub(reach);
        } else {
            hi = hi.saturating_add(reach);
        }
    }
    (lo, hi)
}
