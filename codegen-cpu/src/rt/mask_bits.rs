//! Unpacks the bits of a mask to bytes in scratch memory, the form in which kernels read masks.

use super::scratch::Strided;

/// Unpacks a box of mask bits to contiguous bytes, 0 or 1 each.
///
/// # Safety
/// The box must be valid for reads, and `to` for writes, of its elements; the two must not overlap.
pub(super) unsafe fn spread(b: Strided, to: *mut u8) {
    let b = b.joined();
    // SAFETY: passed on from the caller.
    unsafe { spread_from_dim(&b, 0, b.ptr, to) };
}

/// Unpacks the part of a box at `ptr`, which has the dimensions from `d` on.
///
/// Returns the end of the written bytes.
///
/// # Safety
/// As [`spread`], for the part of the box at `ptr`.
unsafe fn spread_from_dim(b: &Strided, d: usize, ptr: *mut u8, mut to: *mut u8) -> *mut u8 {
    let (n, stride) = (b.sizes[d], b.strides[d]);
    if d + 1 < b.rank {
        for i in 0..n {
            let at = ptr.wrapping_offset(stride * i as isize);
            // SAFETY: part `i` of the box.
            to = unsafe { spread_from_dim(b, d + 1, at, to) };
        }
        return to;
    }
    let first = ptr.addr().wrapping_sub(b.origin.addr());
    // SAFETY: every index is within the box, and its place within `to`.
    unsafe {
        if stride == 1 {
            spread_line(b.origin, first, to, n);
        } else {
            for i in 0..n {
                let at = first.wrapping_add_signed(stride * i as isize);
                to.add(i).write(bit(b.origin, at));
            }
        }
        to.add(n)
    }
}

/// Returns bit `at`, counted from byte `origin`, as 0 or 1.
///
/// # Safety
/// `origin` must be valid for a read of the byte that contains bit `at`.
#[inline(always)]
unsafe fn bit(origin: *const u8, at: usize) -> u8 {
    // SAFETY: as required of the caller.
    unsafe { origin.add(at / 8).read() >> (at % 8) & 1 }
}

/// Unpacks `n` contiguous bits, eight at a time from the first whole byte on.
///
/// # Safety
/// As [`spread`].
unsafe fn spread_line(origin: *const u8, first: usize, to: *mut u8, n: usize) {
    const EACH_BYTE: u64 = 0x0101_0101_0101_0101;
    /// Selects bit `k` of byte `k`, for each of the eight bytes of a word.
    const DIAGONAL: u64 = 0x8040_2010_0804_0201;
    let head = (first.wrapping_neg() % 8).min(n);
    let bytes = (n - head) / 8;
    let single = |i: usize| {
        // SAFETY: bit `i` is one of those that the caller vouches for.
        unsafe { to.add(i).write(bit(origin, first + i)) }
    };
    (0..head).for_each(single);
    for k in 0..bytes {
        // SAFETY: the caller vouches for every bit of the byte, and for room for eight bytes.
        unsafe {
            let byte = origin.add((first + head) / 8 + k).read();
            let spread = (u64::from(byte) * EACH_BYTE) & DIAGONAL;
            to.add(head + 8 * k).cast::<[u8; 8]>().write(spread.to_le_bytes());
        }
    }
    (head + 8 * bytes..n).for_each(single);
}
