//! Clamps inputs at whose infinities a plan gives NaN although the formula has a limit there.
//!
//! Which end needs it may depend on an attribute's sign: `x * sigmoid(beta x)` has a limit at one end and grows at the other. The
//! bound is then a uniform scalar, infinite at the end that grows. The kernel skips the call where the bound is infinite, so that
//! either sign costs one call. On registers, a separate step omits all bounds that are infinite at default attribute values, so that
//! the usual sign costs one call.
//!
//! Most plans need no clamp, because primitives and fractions keep their limits themselves. An end costs a call, and another result
//! that grows there becomes the largest number too. A formula with a limit at both ends that is no such primitive, as
//! `x / (1 + |x|)`, costs two, because no call clamps from below and from above.

use super::arithmetic::Noise;
use super::instr::Instr;
use super::interpret::interpret_all;
use super::planned::Plan;
use super::redundant_bounds::MOST;
use super::registers::Op;
use super::skipped::{picked, picked_on};
use op_dsl_ir::op::OpDef;
use op_dsl_ir::{Builder, Graph, Id, Node, Prim, roles};

/// Finite stand-in for infinity in f64, since an infinity would be `inf - inf` in some formulas.
///
/// Formulas are assumed to have reached their limit at this size.
pub(super) const FAR: f64 = 1e30;

/// A clamp of an input stream to finite numbers, at its positive or its negative end (`sign`).
pub(super) struct Hold {
    stream: usize,
    sign: f64,
    bound: Bound,
}

impl Hold {
    /// Appends bytes that identify the clamp, as part of the key of a plan.
    pub(super) fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend((self.stream as u64).to_le_bytes());
        bytes.push(u8::from(self.sign < 0.0));
        if let Bound::If(scalar, signs) = self.bound {
            bytes.extend((scalar as u64).to_le_bytes());
            bytes.extend(signs.map(u8::from));
        }
    }
}

/// Returns the clamps that a plan needs to give limits instead of NaN at infinite inputs.
pub(super) fn holds(def: &OpDef, graph: &Graph, plan: &Plan) -> Vec<Hold> {
    let has_ends = |k: usize| !roles::is_factor(graph, k) && !roles::repeats(graph, k);
    let is_held = |k: &usize| plan.inputs[*k].is_some() && !def.is_mask(*k) && has_ends(*k);
    let ends = (0..plan.inputs.len()).filter(is_held).flat_map(|k| [(k, -1.0), (k, 1.0)]);
    let hold = |(stream, sign)| {
        let bound = bound(def, graph, plan, stream, sign)?;
        Some(Hold { stream, sign, bound })
    };
    ends.filter_map(hold).collect()
}

/// Returns a graph with its input streams clamped to finite numbers, as `holds` lists.
///
/// Univariate functions and cancelling sums are searched for before, since clamps would hide them.
pub(super) fn held(holds: &[Hold], graph: &Graph) -> Graph {
    if holds.is_empty() {
        return graph.clone();
    }
    graph.rewrite(|b, node| {
        let mut x = b.add(node);
        let Node::Stream(stream) = node else { return x };
        for hold in holds.iter().filter(|hold| hold.stream == usize::from(stream)) {
            let bound = hold.bound.number(b, hold.sign * MOST);
            x = b.call(if hold.sign < 0.0 { Prim::Max } else { Prim::Min }, &[x, bound]);
        }
        x
    })
}

/// Returns the vector calls that a kernel does not skip at default attribute values.
///
/// It skips clamps whose bound is infinite.
pub(super) fn made(def: &OpDef, graph: &Graph, instrs: &[Instr]) -> Vec<Instr> {
    let values = uniforms(graph, &defaults(def, graph));
    let is_made =
        |instr: &&Instr| picked(graph, instr).is_none_or(|bound| values[bound.index()].is_finite());
    instrs.iter().filter(is_made).cloned().collect()
}

/// Returns the indices of clamps on registers that have no effect at default attribute values, because their bound is infinite.
pub(super) fn seldom(def: &OpDef, graph: &Graph, ops: &[Op]) -> Vec<usize> {
    let values = uniforms(graph, &defaults(def, graph));
    let is_infinite = |bound: Id| values[bound.index()].is_infinite();
    let is_seldom = |k: &usize| picked_on(graph, &ops[*k]).is_some_and(is_infinite);
    (0..ops.len()).filter(is_seldom).collect()
}

/// For each node, returns its value at attribute values `scalars`; NaN if it depends on streams.
pub(super) fn uniforms(graph: &Graph, scalars: &[f64]) -> Vec<f64> {
    graph.values(graph.last(), |_, node| match *node {
        Node::Scalar(k) => Some(scalars[usize::from(k)]),
        _ => None,
    })
}

/// The condition under which a stream is clamped at one end.
enum Bound {
    Always,
    /// By the sign of the scalar attribute of this index.
    ///
    /// The flags are true where the stream is clamped for a value below, at, or above 0.
    If(usize, [bool; 3]),
}

impl Bound {
    fn number(&self, b: &mut Builder, bound: f64) -> Id {
        let (zero, on, off) = (b.num(0.0), b.num(bound), b.num(bound * f64::INFINITY));
        let Bound::If(scalar, [below, at, above]) = *self else { return on };
        let pick = |held: bool| if held { on } else { off };
        let scalar = b.scalar(scalar);
        let (is_below, is_zero) =
            (b.call(Prim::Lt, &[scalar, zero]), b.call(Prim::Eq, &[scalar, zero]));
        let rest = match at == above {
            true => pick(at),
            false => b.call(Prim::Select, &[is_zero, pick(at), pick(above)]),
        };
        if below == at && at == above {
            rest
        } else {
            b.call(Prim::Select, &[is_below, pick(below), rest])
        }
    }
}

/// Returns when an input stream must be clamped at its positive or negative end; `None` if never.
///
/// The end is that of `sign`. If the signs of several scalar attributes matter, the first one decides.
fn bound(def: &OpDef, graph: &Graph, plan: &Plan, stream: usize, sign: f64) -> Option<Bound> {
    let scalars = defaults(def, graph);
    let lost = |scalars: &[f64]| is_lost(graph, plan, stream, sign, scalars);
    for (k, v) in scalars.iter().enumerate() {
        let size = if *v == 0.0 { 1.0 } else { v.abs() };
        let with = |v: f64| lost(&[&scalars[..k], &[v], &scalars[k + 1..]].concat());
        let ends = [-size, 0.0, size].map(with);
        // An attribute whose default is not 0 is rarely 0, so an end that only 0 needs is not clamped.
        if *v != 0.0 && ends == [false, true, false] {
            continue;
        }
        if ends.contains(&true) && ends.contains(&false) {
            return Some(Bound::If(k, ends));
        }
    }
    lost(&scalars).then_some(Bound::Always)
}

/// Returns the default values of the scalar attributes of a graph; 1 for those without a default.
pub(super) fn defaults(def: &OpDef, graph: &Graph) -> Vec<f64> {
    let defaults = def.attrs.iter().filter_map(|a| a.scalar(a.default)).map(f64::from);
    defaults.chain(std::iter::repeat(1.0)).take(graph.scalars()).collect()
}

/// Returns true if the plan gives NaN for an infinite input at which the formula has a limit.
///
/// The input is `stream` with the sign `sign`; every other input is 1. A formula that grows faster than its input has no limit in
/// this sense, because a clamp would not help: squares beyond it are infinite all the same.
fn is_lost(graph: &Graph, plan: &Plan, stream: usize, sign: f64, scalars: &[f64]) -> bool {
    let got = results(plan, stream, sign * f64::INFINITY, scalars);
    let want = graph.eval(&alone(plan, stream, sign * FAR), scalars);
    let has_limit = |want: f64| want.abs() < FAR.powf(1.5);
    got.iter().zip(want).any(|(got, want)| got.is_nan() && has_limit(want))
}

/// Returns the element at which input `stream` is `x` and every other one is 1.
pub(super) fn alone(plan: &Plan, stream: usize, x: f64) -> Vec<f64> {
    (0..plan.inputs.len()).map(|k| if k == stream { x } else { 1.0 }).collect()
}

/// Returns the results of a plan at the element that [`alone`] returns.
pub(super) fn results(plan: &Plan, stream: usize, x: f64, scalars: &[f64]) -> Vec<f64> {
    let given: Vec<[f32; 1]> = alone(plan, stream, x).iter().map(|x| [*x as f32]).collect();
    let given: Vec<&[f32]> = given.iter().map(|x| &x[..]).collect();
    let numbers = uniforms(&plan.graph, scalars);
    let got = interpret_all(plan, &given, |id: Id| numbers[id.index()] as f32, Noise::None);
    got.iter().map(|column| column[0].into()).collect()
}
