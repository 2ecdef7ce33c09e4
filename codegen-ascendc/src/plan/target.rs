//! Parameters that every lowering of an operator shares.

use super::kept::Source;
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
    /// Inputs that are clamped short of infinity.
    pub holds: &'d [Hold],
    /// Source of the choice between candidate plans.
    pub source: Source<'d>,
    /// True if sigmoids of a value and of its negation keep all of their tails in f32.
    pub is_far: bool,
}

impl<'d> Target<'d> {
    /// Returns the default target: the cheapest sequences, and no input clamped.
    pub fn new(def: &'d OpDef, soc: &'static Soc, dtype: DType, limits: Limits) -> Target<'d> {
        let (digits, source) = (Digits::Absolute, Source::File);
        Target { def, soc, dtype, limits, digits, holds: &[], source, is_far: false }
    }

    /// Returns how a mask stream is stored; `None` for a stream of numbers.
    pub fn truths(&self, stream: usize) -> Option<Stored> {
        self.def.is_mask(stream).then(|| self.def.masks())
    }
}
