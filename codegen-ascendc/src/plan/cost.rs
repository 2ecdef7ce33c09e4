//! What a tile costs the vector unit and the memory.

use super::{Instr, Plan};
use crate::sequence::{Api, Type};
use op_dsl_ir::DType;

/// Which of the two a kernel waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The vector unit.
    Vector,
    /// GM.
    Memory,
}

impl Bound {
    /// As it is printed.
    pub const fn name(self) -> &'static str {
        match self {
            Bound::Vector => "the vector unit",
            Bound::Memory => "GM",
        }
    }
}

/// The estimate for the largest tile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Vector calls per tile, a call at half rate counted twice.
    pub calls: usize,
    /// Passes over a tile of `float`: a call on `half` is half of one.
    pub passes: f64,
    /// 256-byte repeats per tile.
    pub repeats: u64,
    /// Bytes of GM per element of the formula.
    pub gm_bytes: u64,
    /// Cycles of the vector unit per element.
    pub vector_cycles: f64,
    /// Cycles of GM per element.
    pub gm_cycles: f64,
}

impl Cost {
    /// The slower of the two, if they overlap.
    pub fn bound(&self) -> Bound {
        if self.vector_cycles > self.gm_cycles { Bound::Vector } else { Bound::Memory }
    }
}

/// Lanes of one repeat.
fn lanes(instr: &Instr) -> u64 {
    match instr.lanes {
        Type::Data(DType::F16 | DType::BF16) => 128,
        _ => 64,
    }
}

impl Instr {
    /// Three different addresses in a call that reads its destination: half rate.
    pub fn calls(&self) -> usize {
        let slow = self.api == Api::FusedMulAdd && self.srcs[0] != self.srcs[1];
        1 + slow as usize
    }
}

pub(super) fn cost(plan: &Plan, streams: u64) -> Cost {
    let passes = |i: &Instr| i.calls() as f64 * 64.0 / lanes(i) as f64;
    let passes: f64 = plan.instrs.iter().map(passes).sum();
    let repeats = |i: &Instr| i.calls() as u64 * plan.tile.div_ceil(lanes(i));
    let gm_bytes = streams * plan.dtype.size() as u64;
    Cost {
        calls: plan.instrs.iter().map(Instr::calls).sum(),
        passes,
        repeats: plan.instrs.iter().map(repeats).sum(),
        gm_bytes,
        vector_cycles: passes / 64.0,
        gm_cycles: gm_bytes as f64 / plan.soc.gm_bytes_per_cycle,
    }
}
