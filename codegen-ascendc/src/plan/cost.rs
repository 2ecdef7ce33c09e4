//! What a tile costs the vector unit and the memory.

use super::instr::{Instr, Operand};
use super::registers::Work;
use crate::arch::{Arch, Soc};
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
    /// Vector calls per tile.
    pub calls: usize,
    /// Products whose unbounded factors another product has too. Formed once they would save a call
    /// each, and overflow where a bounded factor makes the product small; so they are not.
    pub apart: usize,
    /// Cycles of the vector unit for 64 elements, by the rates of [`Arch`](crate::arch::Arch).
    pub cycles: f64,
    /// 256-byte repeats per tile.
    pub repeats: u64,
    /// Bytes of GM per element of the formula.
    pub gm_bytes: u64,
    /// Cycles of GM for 64 elements.
    pub gm_cycles: f64,
}

impl Cost {
    /// The slower of the two, if they overlap.
    pub fn bound(&self) -> Bound {
        if self.cycles > self.gm_cycles { Bound::Vector } else { Bound::Memory }
    }
}

/// Bytes of an element of the wider type.
fn bytes(lanes: Type) -> usize {
    if let Type::Data(dtype) = lanes { dtype.size() } else { DType::F32.size() }
}

impl Instr {
    /// Cycles for 64 elements.
    pub fn cycles(&self, arch: &Arch) -> f64 {
        // Three addresses, of which one is written as well.
        let is_third = |src: &Operand| *src != Operand::Buffer(self.dst);
        let slow = self.api == Api::FusedMulAdd
            && self.srcs[0] != self.srcs[1]
            && self.srcs.iter().all(is_third);
        let addresses = if slow { arch.three_addresses } else { 1.0 };
        arch.cycles(self.api.name(), bytes(self.lanes)) * addresses
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
    let repeats = |i: &Instr| tile.div_ceil(256 / bytes(i.lanes) as u64);
    Cost {
        calls: calls.len(),
        apart: apart(graph),
        cycles: calls.iter().map(|i| i.cycles(soc.arch)).sum(),
        repeats: calls.iter().map(repeats).sum(),
        gm_bytes,
        gm_cycles: 64.0 * gm_bytes as f64 / soc.gm_bytes_per_cycle,
    }
}

/// What calls on registers cost.
pub(super) fn of_registers(work: Work, graph: &Graph, tile: u64, gm_bytes: u64, soc: &Soc) -> Cost {
    let calls = work.compute + work.casts;
    Cost {
        calls,
        apart: apart(graph),
        cycles: work.cycles,
        repeats: calls as u64 * tile.div_ceil(64),
        gm_bytes,
        gm_cycles: 64.0 * gm_bytes as f64 / soc.gm_bytes_per_cycle,
    }
}
