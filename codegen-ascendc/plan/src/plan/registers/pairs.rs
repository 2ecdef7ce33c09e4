//! The same step where gate and value are interleaved in memory: one load and one store for both.
//!
//! In `float` the load deinterleaves the two, and the store interleaves them. In 16 bits a pair fills a lane: one cast reads its
//! lower half and another its upper half; results are cast into either half and joined.

use super::step::{Call, Op, Register, Registers};
use crate::sequence::F32;
use op_dsl_ir::op::{Gate, OpDef, Part, Pattern, Stream};

/// Pairs of streams (gate and value of a tensor) that may be interleaved in memory, gate first.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    pub inputs: Vec<[usize; 2]>,
    pub outputs: Vec<[usize; 2]>,
}

impl Pairs {
    /// Returns the pairs of streams of an operator; none if gate and value are never interleaved.
    pub fn of(def: &OpDef) -> Pairs {
        if def.split.as_ref().is_none_or(|split| split.pattern == Pattern::Halves) {
            return Pairs::default();
        }
        let pairs = |streams: Vec<Stream>| {
            let find =
                |tensor, part| streams.iter().position(|s| (s.tensor, s.part) == (tensor, part));
            let gated = streams.iter().filter(|s| s.part == Part::Gate).map(|s| s.tensor);
            gated.filter_map(|t| Some([find(t, Part::Gate)?, find(t, Part::Value)?])).collect()
        };
        Pairs { inputs: pairs(def.input_streams()), outputs: pairs(def.output_streams()) }
    }

    /// Returns true if the operator has any pair of streams that may be interleaved.
    pub fn any(&self) -> bool {
        !self.inputs.is_empty() || !self.outputs.is_empty()
    }
}

/// One call of a step of 64 elements that loads and stores interleaved pairs of gate and value.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// A call that is the same as in a step on streams that are not interleaved.
    Op(Op),
    /// A cast from or to the upper halves of 32-bit lanes.
    Upper(Op),
    /// Loads the next pairs of gate and value of an input tensor; the stream is one of its two parts.
    ///
    /// In `float` gate and value go into different registers, in the order in which they are in memory. In 16 bits both registers
    /// are the same, and each lane holds a pair.
    Load(usize, [Register; 2]),
    /// Stores the next pairs of gate and value of an output tensor; the stream is one of its two parts.
    Store(usize, [Register; 2]),
}

/// Returns which of gate and value may come first in memory; both where an attribute decides.
pub fn firsts(def: &OpDef) -> &'static [Part] {
    match def.split.as_ref().map(|s| s.gate) {
        Some(Gate::Right) => &[Part::Value],
        Some(Gate::LeftIf(_)) => &[Part::Gate, Part::Value],
        _ => &[Part::Gate],
    }
}

/// Returns true if a step on interleaved pairs reads only gate or only value of some tensor.
///
/// The load puts the other one into [`Registers::unread`].
pub fn leaves_parts(registers: &Registers, def: &OpDef) -> bool {
    let unread = registers.unread();
    let leaves = |turn: &Turn| matches!(turn, Turn::Load(_, pair) if pair.contains(&unread));
    turns(registers, def, firsts(def)[0]).iter().any(leaves)
}

/// Returns the calls of a step that loads and stores interleaved pairs of gate and value.
///
/// The step must allow it (`registers.pairs`). Which of the two comes first in memory changes only the order of two registers, or
/// the halves of lanes that casts use.
pub fn turns(registers: &Registers, def: &OpDef, first: Part) -> Vec<Turn> {
    let (ins, outs) = (def.input_streams(), def.output_streams());
    let stream = |op: &Op| match op.call {
        Call::Load(k) => Some(ins[k]).filter(|s| s.part != Part::Whole),
        Call::Store(k) => Some(outs[k]).filter(|s| s.part != Part::Whole),
        _ => None,
    };
    let ordered = |[gate, value]: [Register; 2]| {
        if first == Part::Gate { [gate, value] } else { [value, gate] }
    };
    let ops = &registers.ops;
    // In 16 bits, the cast whose result is stored as the second part writes the upper halves.
    let is_upper = |i: usize| {
        let reads = |o: &&Op| matches!(o.call, Call::Store(_)) && o.dst == ops[i].dst;
        let stored = || stream(ops[i + 1..].iter().find(reads)?);
        matches!(ops[i].dst, Register::Half(_))
            && !matches!(ops[i].call, Call::Load(_) | Call::Store(_))
            && stored().is_some_and(|s| s.part != first)
    };
    let mut all = Vec::new();
    let mut rest = ops.iter().enumerate().peekable();
    while let Some((i, op)) = rest.next() {
        let Some(Stream { tensor, part }) = stream(op) else {
            all.push(if is_upper(i) { Turn::Upper(op.clone()) } else { Turn::Op(op.clone()) });
            continue;
        };
        let is_other = |next: &(usize, &Op)| {
            std::mem::discriminant(&next.1.call) == std::mem::discriminant(&op.call)
                && stream(next.1).is_some_and(|s| s.tensor == tensor)
        };
        let other = rest.next_if(is_other).map(|(_, next)| next.dst);
        let float = op.to == F32;
        let pair = [op.dst, other.unwrap_or(registers.unread())];
        let pair = if part == Part::Gate { pair } else { [pair[1], pair[0]] };
        match op.call {
            Call::Load(k) if float => all.push(Turn::Load(k, ordered(pair))),
            Call::Load(k) => {
                all.push(Turn::Load(k, [op.dst; 2]));
                let parts = 1 + usize::from(other.is_some());
                for (_, cast) in rest.by_ref().take(parts) {
                    let half = Op { srcs: vec![op.dst], ..cast.clone() };
                    let is_first = cast.srcs == [ordered(pair)[0]];
                    all.push(if is_first { Turn::Op(half) } else { Turn::Upper(half) });
                }
            }
            Call::Store(k) => all.push(Turn::Store(k, if float { ordered(pair) } else { pair })),
            _ => {}
        }
    }
    all
}
