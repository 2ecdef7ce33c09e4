//! Estimates the cost of a plan without the search for one that is accurate, so it may be too low.
//!
//! Advice uses it to compare an operator with variants of it that nobody has written.

use super::candidates::plans;
use super::storage::Storage;
use super::target::Target;
use super::{Cost, Plan, bounded, limits};
use crate::sequence::form::Limits;
use op_dsl_ir::op::OpDef;
use op_dsl_ir::roles;

/// Returns the cost of an operator's cheapest plan, for the target and accuracy class of plan `like`.
///
/// Returns `None` if the target refuses the operator.
pub fn estimate(def: &OpDef, spec: usize, like: &Plan) -> Option<Cost> {
    let Plan { soc, dtype, limits, digits, .. } = *like;
    let target = Target { digits, ..Target::new(def, soc, dtype, limits) };
    let graph = bounded::run(&def.specs[spec].graph, roles::activation(def));
    let storage = if like.registers.is_some() { Storage::Registers } else { Storage::Memory };
    let cheapest = |target| plans(&graph, spec, target, storage).ok()?.into_iter().next();
    let plan = cheapest(target)?;
    let holds = limits::holds(def, &graph, &plan);
    let is_held = limits == Limits::Exact && !holds.is_empty();
    let held = || cheapest(Target { holds: &holds, ..target });
    Some(if is_held { held()?.cost } else { plan.cost })
}
