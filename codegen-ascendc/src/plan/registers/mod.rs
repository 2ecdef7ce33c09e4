//! The same calls on registers, where an architecture computes in them: one function that loads every
//! stream once, stores every result once, and keeps all else in registers.
//!
//! ```text
//! step       calls on registers, and the registers that they need
//! values     calls -> values, equal ones once; quotients of one divisor by its reciprocal; fused sums
//! pairs      the same step where gate and value take turns in memory
//! assign     the order of values, and the register of each
//! work       what a step costs: calls by class, cycles
//! interpret  what it computes, without hardware
//! ```
//!
//! A step computes 64 elements in `float`. 16-bit numbers stand in the lower half of each lane, so that
//! one mask is right for both.

mod assign;
mod interpret;
pub mod pairs;
mod step;
mod values;
mod work;

pub use step::{Call, DATA, MASKS, Op, Register, Registers};
pub use work::{APART, Work, together};

use super::flow::Flow;
use super::lower::lower;
use super::narrow;
use super::regions::Regions;
use super::target::Target;
use crate::arch::Why;
use crate::sequence::form::Digits;
use assign::assign;
use op_dsl_ir::DType;
use pairs::Pairs;
use values::Values;

/// The way with the least cycles; `None` if every way needs more registers than there are.
///
/// # Errors
/// A primitive has no sequence.
pub(super) fn registers(
    regions: &Regions,
    target: Target<'_>,
    orders: &[Vec<usize>],
) -> Result<Option<(Flow, Registers)>, Why> {
    let mut best: Option<(f64, Flow, Registers)> = None;
    let pairs = Pairs::of(target.def);
    for order in orders {
        let mut flow = lower(regions, target, order)?;
        // The second of a pair stands in the upper half of its lane, where only casts reach it.
        if target.dtype == DType::F16 && !pairs.any() {
            narrow::run(&mut flow);
        }
        let mut divided = Values::new(&flow);
        // A reciprocal has two roundings that all of its products share.
        if target.digits != Digits::Fine {
            divided.divide_once(target.dtype);
        }
        for fused in [true, false] {
            let mut values = divided.clone();
            if fused {
                values.fuse();
            }
            let found = assign(&values, order, &pairs);
            if !found.fits() {
                continue;
            }
            let cycles = found.work(target.soc.arch).cycles;
            if best.as_ref().is_none_or(|(least, ..)| cycles < *least) {
                best = Some((cycles, flow.clone(), found));
            }
        }
    }
    Ok(best.map(|(_, flow, found)| (flow, found)))
}
