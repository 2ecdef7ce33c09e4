//! One input or output of a call: where its elements are.

use op_dsl_ir::DType;
use op_dsl_ir::bind::MAX_RANK;

/// The elements of one input or output, laid over the domain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    /// The element at index 0 of every dimension.
    pub ptr: *mut u8,
    pub dtype: DType,
    /// In bytes; 0 along dimensions of one element.
    pub strides: [isize; MAX_RANK],
}

/// A stream reaches elements that its view does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutOfView;

/// First byte and one past the last.
pub(super) type Extent = (usize, usize);

/// Where a stream over a domain of these sizes starts and ends.
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
