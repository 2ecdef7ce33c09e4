//! Columns of a segment table, with their permute look-up.

use crate::rt::simd::Isa;
use crate::rt::step::{Bits, Floats, each};
pub(super) use op_dsl_fit::exponential::MAGIC;

/// A column of a segment table: one number per segment.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Column<const N: usize>(pub [f32; N]);

/// Look-up by the low bits of an index.
pub trait Lut {
    /// Returns, for every lane, the entry that the low bits of the lane's index select.
    fn lut<S: Isa, const W: usize>(&self, s: S, ix: Bits<S, W>) -> Floats<S, W>;
}

impl Lut for [f32; 8] {
    #[inline(always)]
    fn lut<S: Isa, const W: usize>(&self, s: S, ix: Bits<S, W>) -> Floats<S, W> {
        Floats(each!(s, k => s.lut8(self, ix.0[k])))
    }
}

impl Lut for [f32; 16] {
    #[inline(always)]
    fn lut<S: Isa, const W: usize>(&self, s: S, ix: Bits<S, W>) -> Floats<S, W> {
        Floats(each!(s, k => s.lut16(self, ix.0[k])))
    }
}

impl Lut for [f32; 32] {
    #[inline(always)]
    fn lut<S: Isa, const W: usize>(&self, s: S, ix: Bits<S, W>) -> Floats<S, W> {
        Floats(each!(s, k => s.lut32(self, ix.0[k])))
    }
}
