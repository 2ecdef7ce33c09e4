//! The same step where gate and value take turns in memory: one load for both, and one store.
//!
//! In `float` the load takes the two apart, and the store puts them together. Of 16 bits a pair fills a lane: one cast
//! reads its lower half and another its upper half; results are made in either half, and joined.

use super::{Call, Op, Register, Registers};
use crate::sequence::F32;
use op_dsl_ir::op::{Gate, OpDef, Part, Pattern, Stream};

/// Streams that may take turns, gate first.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    pub inputs: Vec<[usize; 2]>,
    pub outputs: Vec<[usize; 2]>,
}

impl Pairs {
    /// Those of an operator. Where an attribute says which part comes first, both are gathered.
    pub fn of(def: &OpDef) -> Pairs {
        let take_turns = def.split.as_ref().is_some_and(|split| {
            split.pattern != Pattern::Halves && !matches!(split.gate, Gate::LeftIf(_))
        });
        if !take_turns {
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

    /// Whether there are any.
    pub fn any(&self) -> bool {
        !self.inputs.is_empty() || !self.outputs.is_empty()
    }
}

/// A call of a step on pairs.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// As in any step.
    Op(Op),
    /// A cast from or to the upper halves of lanes.
    Upper(Op),
    /// The next pairs of an input stream and the one behind it: into the first of two registers and the second, or
    /// all into the first.
    Load(usize, [Register; 2]),
    /// The next pairs of an output stream and the one behind it.
    Store(usize, [Register; 2]),
}

/// The step on pairs of an operator whose registers have one.
pub fn turns(registers: &Registers, def: &OpDef) -> Vec<Turn> {
    let (ins, outs) = (def.input_streams(), def.output_streams());
    let part = |op: &Op| match op.call {
        Call::Load(k) => ins[k].part,
        Call::Store(k) => outs[k].part,
        _ => Part::Whole,
    };
    // Which part is the second.
    let second = match def.split.as_ref().map(|s| s.gate) {
        Some(Gate::Right) => Part::Gate,
        _ => Part::Value,
    };
    let ordered = |gate: Register, value| match second {
        Part::Gate => [value, gate],
        _ => [gate, value],
    };
    let ops = &registers.ops;
    // The cast that makes what is stored second, in 16 bits.
    let is_upper = |i: usize| {
        let reads = |o: &&Op| matches!(o.call, Call::Store(_)) && o.dst == ops[i].dst;
        ops[i].to != F32
            && matches!(ops[i].dst, Register::Half(_))
            && !matches!(ops[i].call, Call::Load(_) | Call::Store(_))
            && ops[i + 1..].iter().find(reads).is_some_and(|store| part(store) == second)
    };
    let mut all = Vec::new();
    let mut rest = ops.iter().enumerate();
    while let Some((i, op)) = rest.next() {
        match (op.call, part(op)) {
            (Call::Load(k), Part::Gate) => {
                let pair = ordered(op.dst, ops[i + 1].dst);
                all.push(Turn::Load(k, pair));
                rest.next();
                if op.to == F32 {
                    continue;
                }
                for (_, cast) in rest.by_ref().take(2) {
                    let half = Op { srcs: vec![pair[0]], ..cast.clone() };
                    let is_second = cast.srcs.contains(&pair[1]);
                    all.push(if is_second { Turn::Upper(half) } else { Turn::Op(half) });
                }
            }
            (Call::Store(k), Part::Gate) => {
                all.push(Turn::Store(k, ordered(op.dst, ops[i + 1].dst)));
                rest.next();
            }
            _ if is_upper(i) => all.push(Turn::Upper(op.clone())),
            _ => all.push(Turn::Op(op.clone())),
        }
    }
    all
}
