//! Portable code: the default of nearly every [`Isa`] method, over arrays of four numbers.

use super::Isa;
use fearless_simd::Fallback;

impl Isa for Fallback {
    const FMA: bool = false;
    const WIDE_LUT: bool = true;
    const INLINE_LUT: bool = false;
    fn detect() -> Option<Self> {
        Some(Fallback::new())
    }
    #[inline(always)]
    unsafe fn assume() -> Self {
        Fallback::new()
    }
}
