//! The values of a kernel, before buffers are assigned.

use crate::sequence::{Seq, Val};
use op_dsl_ir::Prim;

/// All values that the vector calls of a kernel compute, before buffers are assigned.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub seq: Seq,
    /// The value that is stored in each output stream.
    pub outputs: Vec<Val>,
    /// Smooth primitives, each with the name of the sequence of vector calls that computes it.
    pub forms: Vec<(Prim, &'static str)>,
}

impl Flow {
    /// Counts the reads of each value: by values that an output depends on, and as an output.
    pub fn uses(&self) -> Vec<usize> {
        self.seq.uses(&self.outputs)
    }
}
