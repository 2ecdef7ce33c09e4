//! Parameters that every lowering of an operator shares.

use super::limits::Hold;
use crate::arch::Soc;
use crate::sequence::form::{Digits, Limits};
use op_dsl_ir::op::OpDef;
use op_dsl_ir::{DType, Stored};

/// An operator, and the target and options that it is lowered for.
#[derive(Clone, Copy)]
pub(super) struct Target<'d> {
    pub def: &'d OpDef,
    pub soc: &'static Soc,
    pub dtype: DType,
    pub limits: Limits,
    pub digits: Digits,
    /// Clamps of inputs to finite numbers, at the ends where the plan would give NaN for infinity.
    pub holds: &'d [Hold],
    /// Attribute values at which functions beyond `float` have to have asymptotes; none if such functions are left alone.
    pub continued: &'d [Vec<f64>],
    /// True to use sigmoids in f32 whose tails are not cut off where `e^x` overflows.
    pub is_far: bool,
    /// True if compound calls round once, as on registers.
    pub fuses: bool,
}

impl<'d> Target<'d> {
    /// Returns the default target: the cheapest sequences of vector calls, and no input clamped.
    pub fn new(def: &'d OpDef, soc: &'static Soc, dtype: DType, limits: Limits) -> Target<'d> {
        let digits = Digits::Absolute;
        let (holds, continued) = (&[][..], &[][..]);
        Target { def, soc, dtype, limits, digits, holds, continued, is_far: false, fuses: false }
    }

    /// Returns how a mask stream is stored (as bits or bytes); `None` for a stream of numbers.
    pub fn truths(&self, stream: usize) -> Option<Stored> {
        self.def.is_mask(stream).then(|| self.def.masks())
    }
}
