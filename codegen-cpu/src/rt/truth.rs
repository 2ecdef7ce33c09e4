//! Truth values of a mask, on their way to scratch memory: bits -> bytes -> 1 and 0 of the kernel's type.

use super::elem::El;
use super::scratch::{Strided, copy_line};
use super::simd::{Isa, Level, levels};
use half::{bf16, f16};
use op_dsl_ir::DType;

/// Writes 1 for each byte that is not 0, else 0.
///
/// # Safety
/// `from` must be valid for reads of `n` bytes, `to` for writes of `n` elements rounded up to whole blocks of
/// [`BLOCK`]. The bytes may lie in the end of what the `n` elements take; otherwise the two must not overlap. The CPU must
/// have the level that the pointer stands for.
pub(super) type Widen = unsafe fn(from: *const u8, to: *mut u8, n: usize);

/// The functions that make numbers of each element type, in the order of [`DType`]; none if this build lacks the level.
pub(super) const fn widen(level: Level) -> Option<[Widen; DType::COUNT]> {
    macro_rules! of {
        ($($(#[$when:meta])* $level:ident($token:ident);)*) => {
            match level {
                $($(#[$when])* Level::$level => Some([
                    blocks::<fearless_simd::$token, f16>,
                    blocks::<fearless_simd::$token, bf16>,
                    blocks::<fearless_simd::$token, f32>,
                ]),)*
                #[allow(unreachable_patterns)] // where the build has all levels
                _ => None,
            }
        };
    }
    levels!(of)
}

/// Elements that are written at once: those of two cache lines at least, and never more than scratch memory is
/// rounded to.
const BLOCK: usize = 64;

/// # Safety
/// As [`Widen`].
unsafe fn blocks<S: Isa, E: El>(from: *const u8, to: *mut u8, n: usize) {
    // SAFETY: the caller picked this level's function only after asking the CPU.
    let s = unsafe { S::assume() };
    let (yes, no) = (E::from_f32(1.0), E::from_f32(0.0));
    s.vectorize(
        #[inline(always)]
        move || {
            let numbers = |block: [u8; BLOCK]| block.map(|byte| if byte != 0 { yes } else { no });
            let whole = n - n % BLOCK;
            for start in (0..whole).step_by(BLOCK) {
                // SAFETY: a whole block of either; those behind it are read before they are written over.
                unsafe {
                    let block = from.add(start).cast::<[u8; BLOCK]>().read_unaligned();
                    to.cast::<E>().add(start).cast::<[E; BLOCK]>().write_unaligned(numbers(block));
                }
            }
            if whole < n {
                let mut block = [0; BLOCK];
                // SAFETY: what is left to read; there is room for a whole block.
                unsafe {
                    copy_line(from.add(whole), block.as_mut_ptr(), n - whole);
                    to.cast::<E>().add(whole).cast::<[E; BLOCK]>().write_unaligned(numbers(block));
                }
            }
        },
    )
}

/// Spreads a box of bits to bytes, side by side, each of them 0 where the bit is.
///
/// # Safety
/// The box must be valid for reads, and `to` for writes, of its elements; the two must not overlap.
pub(super) unsafe fn spread(b: Strided, to: *mut u8) {
    let b = b.joined();
    // SAFETY: passed on from the caller.
    unsafe { spread_from_dim(&b, 0, b.ptr, to) };
}

/// Spreads the dimensions from `d` on; returns the end of what it wrote.
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

/// # Safety
/// `origin` must be valid for a read of the byte that has the bit.
#[inline(always)]
unsafe fn bit(origin: *const u8, at: usize) -> u8 {
    // SAFETY: as asked of the caller.
    unsafe { origin.add(at / 8).read() >> (at % 8) & 1 }
}

/// Spreads `n` bits that lie side by side, eight at a time from the first whole byte on.
///
/// # Safety
/// As [`spread`].
unsafe fn spread_line(origin: *const u8, first: usize, to: *mut u8, n: usize) {
    const EACH_BYTE: u64 = 0x0101_0101_0101_0101;
    /// Bit `k` in byte `k`.
    const DIAGONAL: u64 = 0x8040_2010_0804_0201;
    let head = (first.wrapping_neg() % 8).min(n);
    let bytes = (n - head) / 8;
    let single = |i: usize| {
        // SAFETY: bit `i` of those that the caller vouches for.
        unsafe { to.add(i).write(bit(origin, first + i)) }
    };
    (0..head).for_each(single);
    for k in 0..bytes {
        // SAFETY: a byte all of whose bits the caller vouches for, and room for eight.
        unsafe {
            let byte = origin.add((first + head) / 8 + k).read();
            let spread = (u64::from(byte) * EACH_BYTE) & DIAGONAL;
            to.add(head + 8 * k).cast::<[u8; 8]>().write(spread.to_le_bytes());
        }
    }
    (head + 8 * bytes..n).for_each(single);
}
