//! Cost of a step of 64 elements on registers.

use super::pairs::{Turn, firsts, turns};
use super::step::{Call, Op, Register, Registers};
use crate::arch::Arch;
use crate::sequence::Api;
use op_dsl_ir::op::OpDef;

/// The calls of a step of 64 elements in registers, counted by class, and its cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Loads of streams.
    pub loads: usize,
    /// Stores of streams.
    pub stores: usize,
    /// Type conversions.
    pub casts: usize,
    /// All other calls.
    pub compute: usize,
    /// Cycles of the vector unit.
    pub cycles: f64,
}

/// Ratio of the cycles of a step to the sum of the cycles that its calls take one by one.
///
/// Two calls start in a cycle if neither waits for the other. The vendor's samples of one function with a loop took 0.45 to 0.57 of
/// the sum; this is the upper end.
const OVERLAP: f64 = 0.57;
/// Ratio of measured cycles to the sum of the calls' cycles, for calls on tensors.
///
/// It is for architectures that compute in registers, where each call on tensors is a function of its own. The measurements are
/// those of the vendor's samples.
pub const APART: f64 = 1.06;

impl Registers {
    /// Returns the cost of a step of 64 elements at default attribute values.
    pub fn work(&self, arch: &Arch) -> Work {
        work(self.usual(), arch)
    }

    /// Returns the cost of a step that loads and stores interleaved pairs of gate and value.
    ///
    /// Returns `None` if the operator has no such step.
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

/// Returns the cost of a step that loads and stores interleaved pairs of gate and value.
///
/// In 16 bits, one more call joins gate and value before each store.
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

/// Returns the cycles of a step whose calls, without loads and stores, take `sum` cycles one by one.
///
/// `loads` and `stores` are their numbers. UB serves two loads, or one load and one store, in a cycle.
pub fn together(sum: f64, loads: f64, stores: f64) -> f64 {
    (OVERLAP * sum).max((loads + stores) / 2.0).max(stores)
}

/// Returns the cycles of one call on registers.
///
/// 16-bit numbers occupy lanes of 32 bits, so they take as long as `float`.
fn cycles(op: &Op, arch: &Arch) -> f64 {
    match op.call {
        Call::Load(_) | Call::Store(_) => 0.0,
        Call::Plain(api) => arch.cycles(api.name(), 4),
        Call::MulDstAdd | Call::MulAddDst => 1.0,
    }
}
