//! What a tile costs the vector unit and the memory.

use super::Instr;
use crate::arch::Soc;
use crate::sequence::{Api, Type};
use op_dsl_ir::{DType, Graph, Id, Node, Prim};

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
    /// Products whose unbounded factors another product has too. Formed once they would save a call
    /// each, and overflow where a bounded factor makes the product small; so they are not.
    pub apart: usize,
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

fn apart(graph: &Graph) -> usize {
    let unbounded = |node: &Node| match *node {
        Node::Call(Prim::Mul3, [_, y, z]) => Some((y.min(z), y.max(z))),
        _ => None,
    };
    let pairs: Vec<(Id, Id)> = graph.nodes.iter().filter_map(unbounded).collect();
    pairs.iter().enumerate().filter(|(i, pair)| pairs[..*i].contains(pair)).count()
}

/// What the calls of a plan over this graph cost.
pub(super) fn cost(calls: &[Instr], graph: &Graph, tile: u64, gm_bytes: u64, soc: &Soc) -> Cost {
    let passes = |i: &Instr| i.calls() as f64 * 64.0 / lanes(i) as f64;
    let passes: f64 = calls.iter().map(passes).sum();
    let repeats = |i: &Instr| i.calls() as u64 * tile.div_ceil(lanes(i));
    Cost {
        calls: calls.iter().map(Instr::calls).sum(),
        apart: apart(graph),
        passes,
        repeats: calls.iter().map(repeats).sum(),
        gm_bytes,
        vector_cycles: passes / 64.0,
        gm_cycles: gm_bytes as f64 / soc.gm_bytes_per_cycle,
    }
}
