//! NEON: 64-bit ARM.

use super::{Isa, token};
use fearless_simd::Neon;

impl Isa for Neon {
    const FMA: bool = true;
    const WIDE_LUT: bool = true;
    const INLINE_LUT: bool = false;
    token!(as_neon);
}
