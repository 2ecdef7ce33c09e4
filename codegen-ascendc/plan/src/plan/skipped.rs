//! Clamps that a kernel skips, because attributes make their bound infinite.

use super::instr::{Instr, Operand};
use super::registers::{Call, Op};
use crate::sequence::{Api, Scalar};
use op_dsl_ir::{Graph, Id, Node, Prim};

/// Returns the bound of a call that only clamps, if attributes may make the bound infinite.
///
/// The bound is a node of `graph`. A kernel skips the call where the bound is infinite. The call must work in place, so that the
/// value stays where it is when the call is skipped; otherwise the result is `None`.
pub(super) fn picked(graph: &Graph, instr: &Instr) -> Option<Id> {
    let is_in_place = instr.srcs == [Operand::Buffer(instr.dst)];
    picked_by(graph, instr.api, instr.scalar).filter(|_| is_in_place)
}

/// Returns the bound of a clamp on registers, if attributes may make the bound infinite.
///
/// The bound is a node of `graph`. The result is `None` for any other call.
pub(super) fn picked_on(graph: &Graph, op: &Op) -> Option<Id> {
    let Call::Plain(api) = op.call else { return None };
    picked_by(graph, api, op.scalar).filter(|_| op.srcs == [op.dst])
}

fn picked_by(graph: &Graph, api: Api, scalar: Option<Scalar>) -> Option<Id> {
    let Some(Scalar::Uniform(bound)) = scalar else { return None };
    let is_bound = matches!(api, Api::Maxs | Api::Mins);
    (is_bound && picks_infinity(graph, bound)).then_some(bound)
}

fn picks_infinity(graph: &Graph, id: Id) -> bool {
    match graph.nodes[id.index()] {
        Node::Const(c) => c.is_infinite(),
        Node::Call(Prim::Select, [_, x, y]) => [x, y].iter().any(|id| picks_infinity(graph, *id)),
        _ => false,
    }
}
