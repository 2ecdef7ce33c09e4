//! Calls on registers, for architectures that compute in them.
//!
//! One function loads every stream once, stores every result once, and keeps all other values in registers.
//!
//! ```text
//! step       calls on registers, and the registers they need
//! values     calls -> values: CSE, quotients of one divisor by its reciprocal, fused sums
//! pairs      the same step where gate and value are interleaved in memory
//! assign     the order of values, and the register of each
//! work       the cost of a step: calls by class, cycles
//! interpret  computes a step without hardware
//! ```
//!
//! A step computes 64 elements in `float`. 16-bit numbers are in the lower half of each lane, so that one mask fits both.

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
use assign::assign;
use op_dsl_ir::DType;
use pairs::Pairs;
use values::Values;

/// Returns the lowering of a graph to calls on registers that takes the fewest cycles.
///
/// `orders` are the orders in which outputs may be computed. Returns `None` if every lowering needs more registers than there are.
///
/// # Errors
/// A primitive has no sequence.
pub(super) fn registers(
    regions: &Regions,
    target: Target<'_>,
    orders: &[Vec<usize>],
) -> Result<Option<(Flow, Registers)>, Why> {
    let target = Target { fuses: true, ..target };
    let mut best: Option<(f64, Flow, Registers)> = None;
    let pairs = Pairs::of(target.def);
    for order in orders {
        let mut flow = lower(regions, target, order)?;
        // Not for pairs, because the second part is in the upper half of its lane, which only casts can access.
        if target.dtype == DType::F16 && !pairs.any() {
            narrow::run(&mut flow);
        }
        let mut divided = Values::new(&flow);
        // Not with `Digits::Fine`, because the rounding of a shared reciprocal is one more in each of its products.
        if !target.digits.is_fine() {
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
