//! Gathers strided memory into scratch memory, and scatters it back.
//!
//! Scratch memory holds a box of a stream's elements contiguously, in the kernel's element type. Packed mask bits are expanded
//! in `mask_bits.rs`.

use op_dsl_ir::Stored;
use op_dsl_ir::bind::MAX_RANK;

/// A box of elements in strided memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strided {
    pub ptr: *mut u8,
    /// Byte that indices of packed bits count from, see [`Stream::origin`](super::stream::Stream::origin).
    pub origin: *mut u8,
    pub dtype: Stored,
    /// Sizes of the dimensions, outermost first; there are at least two dimensions.
    pub sizes: [usize; MAX_RANK],
    /// Stride of each dimension, in bytes.
    pub strides: [isize; MAX_RANK],
    pub rank: usize,
}

impl Strided {
    pub fn elements(&self) -> usize {
        self.sizes[..self.rank].iter().product()
    }

    /// Describes these elements in the same order, in as few dimensions as possible, but at least two.
    ///
    /// For example, sizes `(8, 4)` with strides `(16, 4)` become one row of 32 elements with stride 4.
    pub fn joined(mut self) -> Strided {
        let mut rank = 0;
        for d in 0..self.rank {
            let (n, stride) = (self.sizes[d], self.strides[d]);
            if n == 1 {
                continue;
            }
            if rank > 0 && self.strides[rank - 1] == stride.wrapping_mul(n as isize) {
                self.sizes[rank - 1] *= n;
                self.strides[rank - 1] = stride;
            } else {
                (self.sizes[rank], self.strides[rank]) = (n, stride);
                rank += 1;
            }
        }
        while rank < 2 {
            self.sizes.copy_within(0..rank, 1);
            self.strides.copy_within(0..rank, 1);
            (self.sizes[0], self.strides[0]) = (1, 0);
            rank += 1;
        }
        self.rank = rank;
        self
    }

    /// Copies the box to scratch memory if `GATHER` is true, else from scratch memory to the box.
    ///
    /// # Safety
    /// The box must be valid for reads (writes), and scratch for writes (reads), of its elements without conversion. The two
    /// must not overlap.
    pub unsafe fn copy<const GATHER: bool>(self, scratch: *mut u8) {
        let b = self.joined();
        // SAFETY: passed on from the caller.
        unsafe {
            match b.dtype.size() {
                1 => b.copy_from_dim::<u8, GATHER>(0, b.ptr, scratch),
                2 => b.copy_from_dim::<u16, GATHER>(0, b.ptr, scratch.cast()).cast(),
                8 => b.copy_from_dim::<u64, GATHER>(0, b.ptr, scratch.cast()).cast(),
                _ => b.copy_from_dim::<u32, GATHER>(0, b.ptr, scratch.cast()).cast(),
            };
        }
    }

    /// Copies the part of the box at `ptr`, which has the dimensions from `d` on.
    ///
    /// Returns the end of the used scratch memory.
    ///
    /// # Safety
    /// As [`Strided::copy`], for the part of the box at `ptr`.
    unsafe fn copy_from_dim<T: Copy, const GATHER: bool>(
        &self,
        d: usize,
        ptr: *mut u8,
        mut scratch: *mut T,
    ) -> *mut T {
        let (rows, row_stride) = (self.sizes[d], self.strides[d]);
        if d + 2 == self.rank {
            let (columns, stride) = (self.sizes[d + 1], self.strides[d + 1]);
            // SAFETY: passed on from the caller.
            unsafe {
                copy_rows::<T, GATHER>(ptr, row_stride, rows, stride, columns, scratch);
                return scratch.add(rows * columns);
            }
        }
        for r in 0..rows {
            let at = ptr.wrapping_offset(row_stride * r as isize);
            // SAFETY: row `r` is part of the box.
            scratch = unsafe { self.copy_from_dim::<T, GATHER>(d + 1, at, scratch) };
        }
        scratch
    }
}

/// Copies two dimensions of a box, with fast paths for contiguous and for repeated elements.
///
/// # Safety
/// As [`Strided::copy`].
#[inline]
unsafe fn copy_rows<T: Copy, const GATHER: bool>(
    ptr: *mut u8,
    row_stride: isize,
    rows: usize,
    stride: isize,
    columns: usize,
    scratch: *mut T,
) {
    let at = |r: usize, c: usize| -> *mut T {
        ptr.wrapping_offset(row_stride * r as isize + stride * c as isize).cast()
    };
    // SAFETY: every index is within the box, and its place within scratch.
    unsafe {
        if stride == size_of::<T>() as isize {
            for r in 0..rows {
                let dense = scratch.add(r * columns);
                match GATHER {
                    true => copy_line(at(r, 0), dense, columns),
                    false => copy_line(dense, at(r, 0), columns),
                }
            }
        } else if stride == 0 && GATHER {
            for r in 0..rows {
                let v = at(r, 0).read_unaligned();
                let row = scratch.add(r * columns);
                (0..columns).for_each(|c| row.add(c).write_unaligned(v));
            }
        } else if row_stride.unsigned_abs() < stride.unsigned_abs() && rows > 1 {
            for c in 0..columns {
                for r in 0..rows {
                    copy_one::<T, GATHER>(at(r, c), scratch.add(r * columns + c));
                }
            }
        } else {
            for r in 0..rows {
                for c in 0..columns {
                    copy_one::<T, GATHER>(at(r, c), scratch.add(r * columns + c));
                }
            }
        }
    }
}

/// Copies one element from `place` to `dense` if `GATHER` is true, else from `dense` to `place`.
///
/// # Safety
/// `place` must be valid for a read (`GATHER`) or a write, `dense` for the other.
#[inline(always)]
unsafe fn copy_one<T: Copy, const GATHER: bool>(place: *mut T, dense: *mut T) {
    // SAFETY: the caller vouches for both; neither need be aligned.
    unsafe {
        match GATHER {
            true => dense.write_unaligned(place.read_unaligned()),
            false => place.write_unaligned(dense.read_unaligned()),
        }
    }
}

/// Copies `n` contiguous elements; short rows are copied inline, without a call.
///
/// # Safety
/// `from` must be valid for reads, `to` for writes, of `n` elements; they must not overlap.
#[inline(always)]
pub(super) unsafe fn copy_line<T: Copy>(from: *const T, to: *mut T, n: usize) {
    let (from, to, bytes) = (from.cast::<u8>(), to.cast::<u8>(), n * size_of::<T>());
    type Chunk = [u64; 2];
    const CHUNK: usize = size_of::<Chunk>();
    // SAFETY: every access below lies within `bytes` of either end.
    unsafe {
        let copy = |i: usize| {
            to.add(i).cast::<Chunk>().write_unaligned(from.add(i).cast::<Chunk>().read_unaligned());
        };
        if bytes > 16 * CHUNK {
            core::ptr::copy_nonoverlapping(from, to, bytes);
        } else if bytes >= CHUNK {
            let mut i = 0;
            while i + CHUNK <= bytes {
                copy(i);
                i += CHUNK;
            }
            if i < bytes {
                copy(bytes - CHUNK); // overlaps the chunk before
            }
        } else {
            let mut i = 0;
            while i + 4 <= bytes {
                to.add(i).cast::<u32>().write_unaligned(from.add(i).cast::<u32>().read_unaligned());
                i += 4;
            }
            if i + 2 <= bytes {
                to.add(i).cast::<u16>().write_unaligned(from.add(i).cast::<u16>().read_unaligned());
                i += 2;
            }
            if const { size_of::<T>() == 1 } && i < bytes {
                to.add(i).write(from.add(i).read());
            }
        }
    }
}
