//! Packages of the family for one product.

use codegen_ascendc::arch::Soc;
use codegen_ascendc::emit::{Options, Package};
use op_dsl::Operator;
use ops_glu_grad::OPERATORS;

/// Returns the operators of the family that `wanted` returns true for, each with its package if the product supports it.
pub fn family(
    soc: &'static Soc,
    wanted: fn(&Operator) -> bool,
) -> impl Iterator<Item = (&'static Operator, Package<'static>)> {
    let able = move |op: &'static Operator| {
        Some((op, Package::able(op.def(), &[soc], Options::default()).ok()?.0))
    };
    OPERATORS.iter().copied().filter(move |op| wanted(op)).filter_map(able)
}
