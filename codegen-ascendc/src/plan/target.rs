//! What every lowering of an operator shares.

use super::kept::Source;
use super::limits::Hold;
use crate::arch::Soc;
use crate::sequence::form::{Digits, Limits};
use op_dsl_ir::op::OpDef;
use op_dsl_ir::{DType, Stored};

/// An operator, and what it is lowered for.
#[derive(Clone, Copy)]
pub(super) struct Target<'d> {
    pub def: &'d OpDef,
    pub soc: &'static Soc,
    pub dtype: DType,
    pub limits: Limits,
    pub digits: Digits,
    /// Inputs that are held short of infinity.
    pub holds: &'d [Hold],
    /// Where the choice between plans comes from.
    pub source: Source<'d>,
    /// Sigmoids of a value and of its opposite keep all of their tails in f32.
    pub is_far: bool,
}

impl<'d> Target<'d> {
    /// An operator, its forms the cheapest, with no input held.
    pub fn new(def: &'d OpDef, soc: &'static Soc, dtype: DType, limits: Limits) -> Target<'d> {
        let (digits, source) = (Digits::Absolute, Source::File);
        Target { def, soc, dtype, limits, digits, holds: &[], source, is_far: false }
    }

    /// What a stream of truth values is stored as; `None` of those of numbers.
    pub fn truths(&self, stream: usize) -> Option<Stored> {
        self.def.is_mask(stream).then(|| self.def.masks())
    }
}
