//! NEON, for 64-bit ARM.

use super::{Isa, token};
use core::arch::aarch64::*;
use fearless_simd::{Neon, f32x4, kernel, prelude::*, u32x4};

/// Byte indices of entry `ix & mask` of a table of floats, as the `tbl` instruction takes them.
#[inline(always)]
fn bytes(s: Neon, ix: u32x4<Neon>, mask: u32) -> u32x4<Neon> {
    (ix & mask) * u32x4::splat(s, 0x0404_0404) + u32x4::splat(s, 0x0302_0100)
}

kernel!(
    #[inline]
    fn neon_lut8(s: Neon, t: &[f32; 8], bytes: uint32x4_t) -> float32x4_t {
        // SAFETY: two registers hold the eight floats that a reference to them is valid for.
        let t = unsafe { vld1q_u8_x2(t.as_ptr().cast()) };
        vreinterpretq_f32_u8(vqtbl2q_u8(t, vreinterpretq_u8_u32(bytes)))
    }
);
kernel!(
    #[inline]
    fn neon_lut16(s: Neon, t: &[f32; 16], bytes: uint32x4_t) -> float32x4_t {
        // SAFETY: four registers hold the sixteen floats that a reference to them is valid for.
        let t = unsafe { vld1q_u8_x4(t.as_ptr().cast()) };
        vreinterpretq_f32_u8(vqtbl4q_u8(t, vreinterpretq_u8_u32(bytes)))
    }
);

impl Isa for Neon {
    const FMA: bool = true;
    const WIDE_LUT: bool = false;
    const INLINE_LUT: bool = true;
    token!(as_neon);
    #[inline(always)]
    fn lut8(self, t: &[f32; 8], ix: u32x4<Self>) -> f32x4<Self> {
        neon_lut8(self, t, bytes(self, ix, 7).into()).simd_into(self)
    }
    #[inline(always)]
    fn lut16(self, t: &[f32; 16], ix: u32x4<Self>) -> f32x4<Self> {
        neon_lut16(self, t, bytes(self, ix, 15).into()).simd_into(self)
    }
}
