//! Cost of a tile for the vector unit and the memory.

use super::instr::{Instr, Operand};
use super::registers::Work;
use crate::arch::{Arch, Soc};
use crate::sequence::{Api, Type};
use op_dsl_ir::{DType, Graph, Id, Node, Prim};

/// The resource that limits a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The vector unit.
    Vector,
    /// Global memory.
    Memory,
}

impl Bound {
    /// Returns the name as it is printed.
    pub const fn name(self) -> &'static str {
        match self {
            Bound::Vector => "the vector unit",
            Bound::Memory => "GM",
        }
    }
}

/// The estimated cost of the largest tile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Number of vector calls per tile.
    pub calls: usize,
    /// Number of products whose unbounded factors another product has too.
    ///
    /// Multiplying these factors once for both products would save a call each, but would overflow where a bounded factor makes the
    /// product small. So the products are computed separately.
    pub apart: usize,
    /// Cycles of the vector unit for 64 elements, by the rates of [`Arch`].
    pub cycles: f64,
    /// Number of repeats (256 bytes of a vector each) of all vector calls of a tile.
    pub repeats: u64,
    /// Bytes of global-memory (GM) traffic per element of the formula.
    pub gm_bytes: u64,
    /// Cycles of GM traffic for 64 elements.
    pub gm_cycles: f64,
}

impl Cost {
    /// Returns which of the vector unit and global memory takes longer, since the two overlap.
    pub fn bound(&self) -> Bound {
        if self.cycles > self.gm_cycles { Bound::Vector } else { Bound::Memory }
    }
}

/// Returns the size in bytes of one lane of type `lanes`; for masks and bytes, that of `float`.
fn bytes(lanes: Type) -> usize {
    if let Type::Data(dtype) = lanes { dtype.size() } else { DType::F32.size() }
}

impl Instr {
    /// Returns the cycles that the vector unit takes for the call on 64 elements.
    pub fn cycles(&self, arch: &Arch) -> f64 {
        // Slow only with three different addresses, of which one is also written.
        let is_third = |src: &Operand| *src != Operand::Buffer(self.dst);
        let slow = self.api == Api::FusedMulAdd
            && self.srcs[0] != self.srcs[1]
            && self.srcs.iter().all(is_third);
        let addresses = if slow { arch.three_addresses } else { 1.0 };
        arch.cycles(self.api.name(), bytes(self.lanes)) * addresses
    }
}

/// Returns the number of products whose unbounded factors another product has too.
fn apart(graph: &Graph) -> usize {
    let unbounded = |node: &Node| match *node {
        Node::Call(Prim::Mul3, [_, y, z]) => Some((y.min(z), y.max(z))),
        _ => None,
    };
    let pairs: Vec<(Id, Id)> = graph.nodes.iter().filter_map(unbounded).collect();
    pairs.iter().enumerate().filter(|(i, pair)| pairs[..*i].contains(pair)).count()
}

/// Returns the cost of a plan that calls on whole tensors in UB.
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

/// Returns the cost of a plan that calls on registers, given the `work` of a step of 64 elements.
pub(super) fn of_registers(work: Work, graph: &Graph, tile: u64, gm_bytes: u64, soc: &Soc) -> Cost {
    let (calls, repeats) = (work.compute + work.casts, tile.div_ceil(64));
    let repeats = calls as u64 * repeats;
    Cost { calls, cycles: work.cycles, repeats, ..cost(&[], graph, tile, gm_bytes, soc) }
}
