//! One lowering of a graph: calls on registers or on buffers, with the fewest cycles.

use super::allocate::{Allocated, Prefer, allocate};
use super::flow::Flow;
use super::lower::lower;
use super::narrow;
use super::regions::Regions;
use super::registers::{Registers, registers};
use super::schedule::{self, Sink};
use super::storage::Storage;
use super::target::Target;
use super::ub_budget::temporaries;
use crate::arch::{Soc, Why};
use op_dsl_ir::{DType, Stored};

/// One lowering of a graph to vector calls on registers, or on buffers in UB.
pub(super) struct Lowering {
    pub flow: Flow,
    pub registers: Option<Registers>,
    pub found: Allocated,
}

impl Lowering {
    pub fn new(regions: &Regions, target: Target<'_>, storage: Storage) -> Result<Lowering, Why> {
        // Bit masks need calls on tensors, because the bits of a step of 64 elements may begin inside a block of UB.
        let bits = target.def.masks() == Stored::Bit && reads_masks(regions, target);
        if storage == Storage::Registers && target.soc.arch.registers && !bits {
            let orders = orders(regions.graph.outputs.len());
            if let Some((flow, registers)) = registers(regions, target, &orders)? {
                let found = Allocated::default();
                return Ok(Lowering { flow, registers: Some(registers), found });
            }
        }
        let (flow, found) = best(regions, target)?;
        Ok(Lowering { flow, registers: None, found })
    }

    pub fn cycles(&self, soc: &Soc) -> f64 {
        let of_calls = || cycles(&self.found, soc);
        self.registers.as_ref().map_or_else(of_calls, |on| on.work(soc.arch).cycles)
    }
}

/// Two lowerings are equal if they consist of the same vector calls.
impl PartialEq for Lowering {
    fn eq(&self, other: &Lowering) -> bool {
        self.registers == other.registers && self.found == other.found
    }
}

fn reads_masks(regions: &Regions, target: Target<'_>) -> bool {
    (0..regions.inputs).any(|k| regions.graph.reads(k) && target.truths(k).is_some())
}

fn cycles(found: &Allocated, soc: &Soc) -> f64 {
    found.instrs.iter().map(|i| i.cycles(soc.arch)).sum()
}

/// Returns the lowering to calls on UB buffers with the fewest cycles, then the least UB per element.
fn best(regions: &Regions, target: Target<'_>) -> Result<(Flow, Allocated), Why> {
    let mut best: Option<((f64, u64), Flow, Allocated)> = None;
    for outputs in orders(regions.graph.outputs.len()) {
        let mut flow = lower(regions, target, &outputs)?;
        if target.dtype == DType::F16 {
            narrow::run(&mut flow);
        }
        for sink in Sink::ALL {
            let mut flow = flow.clone();
            let mut order = schedule::order(&flow, sink);
            schedule::legalise(&mut flow, &mut order);
            for prefer in Prefer::ALL {
                let found = allocate(&flow, &order, target.dtype, prefer)?;
                let score = (cycles(&found, target.soc), temporaries(&found, target.soc));
                if best.as_ref().is_none_or(|(least, ..)| score < *least) {
                    best = Some((score, flow.clone(), found));
                }
            }
        }
    }
    best.map(|(_, flow, found)| (flow, found)).ok_or(Why::Unplanned("outputs"))
}

/// Returns the orders in which to lower `n` outputs: all permutations of up to three.
///
/// More outputs have too many permutations, so only the given order is tried.
fn orders(n: usize) -> Vec<Vec<usize>> {
    if n == 0 || n > 3 {
        return vec![(0..n).collect()];
    }
    let with = |last: usize| {
        let others = move |k: usize| if k >= last { k + 1 } else { k };
        let with = move |o: Vec<usize>| o.into_iter().map(others).chain([last]).collect();
        orders(n - 1).into_iter().map(with)
    };
    (0..n).rev().flat_map(with).collect()
}
