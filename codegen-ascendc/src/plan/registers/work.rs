//! What a step of 64 elements costs.

use super::pairs::{Turn, firsts, turns};
use super::step::{Call, Op, Register, Registers};
use crate::arch::Arch;
use crate::sequence::Api;
use op_dsl_ir::op::OpDef;

/// Calls of a step by class, and its cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Streams that are loaded.
    pub loads: usize,
    /// Streams that are stored.
    pub stores: usize,
    /// Changes of type.
    pub casts: usize,
    /// All else.
    pub compute: usize,
    /// Cycles of the vector unit.
    pub cycles: f64,
}

/// Cycles of a step over the sum of its calls' cycles. Two calls start in a cycle if none waits for
/// another; the vendor's samples of one function with a loop took 0.45 to 0.57 of the sum.
const OVERLAP: f64 = 0.57;
/// The same of calls on tensors there, each of which is a function of its own, in the same samples.
pub const APART: f64 = 1.06;

impl Registers {
    /// What a step of 64 elements costs, attributes being what they are by default.
    pub fn work(&self, arch: &Arch) -> Work {
        work(self.usual(), arch)
    }

    /// What a step on pairs costs, if there is one.
    pub fn work_on_pairs(&self, def: &OpDef, arch: &Arch) -> Option<Work> {
        let first = firsts(def)[0];
        self.pairs.then(|| on_pairs(&turns(self, def, first), arch))
    }
}

fn work<'o>(ops: impl IntoIterator<Item = &'o Op>, arch: &Arch) -> Work {
    let mut work = Work::default();
    let mut sum = 0.0;
    for op in ops {
        let count = match op.call {
            Call::Load(_) => &mut work.loads,
            Call::Store(_) => &mut work.stores,
            Call::Plain(Api::Cast(_)) => &mut work.casts,
            _ => &mut work.compute,
        };
        *count += 1;
        sum += cycles(op, arch);
    }
    work.cycles = together(sum, work.loads as f64, work.stores as f64);
    work
}

/// The same of a step on pairs. Of 16 bits a call joins what is stored.
fn on_pairs(turns: &[Turn], arch: &Arch) -> Work {
    let ops: Vec<Op> = turns
        .iter()
        .filter_map(|turn| match turn {
            Turn::Op(op) | Turn::Upper(op) => Some(op.clone()),
            _ => None,
        })
        .collect();
    let mut found = work(&ops, arch);
    let halves = |pair: &[Register; 2]| matches!(pair[0], Register::Half(_));
    let mut joined = 0;
    for turn in turns {
        match turn {
            Turn::Load(..) => found.loads += 1,
            Turn::Store(_, pair) => {
                found.stores += 1;
                joined += usize::from(halves(pair));
            }
            _ => {}
        }
    }
    found.compute += joined;
    let sum: f64 = ops.iter().map(|op| cycles(op, arch)).sum();
    found.cycles = together(sum + joined as f64, found.loads as f64, found.stores as f64);
    found
}

/// Cycles of calls that take `sum` one after the other, loads and stores left out. UB serves two loads, or
/// one and a store, in a cycle.
pub fn together(sum: f64, loads: f64, stores: f64) -> f64 {
    (OVERLAP * sum).max((loads + stores) / 2.0).max(stores)
}

/// Cycles of a call by itself: 16-bit numbers lie in lanes of 32 bits and take as long.
fn cycles(op: &Op, arch: &Arch) -> f64 {
    match op.call {
        Call::Load(_) | Call::Store(_) => 0.0,
        Call::Plain(api) => arch.cycles(api.name(), 4),
        Call::MulDstAdd | Call::MulAddDst => 1.0,
    }
}
