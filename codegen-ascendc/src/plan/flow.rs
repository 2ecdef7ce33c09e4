//! Values of a kernel with nothing decided about buffers.

use crate::sequence::{Seq, Val};
use op_dsl_ir::Prim;

/// All of them.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub seq: Seq,
    /// What is stored in each output stream.
    pub outputs: Vec<Val>,
    /// Which form each smooth primitive took.
    pub forms: Vec<(Prim, &'static str)>,
}

impl Flow {
    /// How often each value is read, by what is needed itself; outputs are read once more.
    pub fn uses(&self) -> Vec<usize> {
        let mut uses = vec![0; self.seq.steps.len()];
        self.outputs.iter().for_each(|o| uses[o.0] += 1);
        for i in (0..self.seq.steps.len()).rev() {
            if uses[i] > 0 {
                self.seq.steps[i].args.iter().for_each(|a| uses[a.0] += 1);
            }
        }
        uses
    }
}
