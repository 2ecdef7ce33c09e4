//! Orders calls. A value that is read late is computed late, where that saves a buffer.

use super::flow::Flow;
use crate::sequence::{Api, Scalar, Source, Step, Val};

/// The vector calls that are delayed until just before their first reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sink {
    /// No calls: the order is as written.
    Nothing,
    /// Casts of loads, and products of such casts.
    Loads,
    /// All calls whose results are not outputs.
    All,
}

impl Sink {
    pub const ALL: [Sink; 3] = [Sink::Nothing, Sink::Loads, Sink::All];
}

/// Returns the indices of the vector calls that outputs depend on, in the order in which they run.
pub(super) fn order(flow: &Flow, sink: Sink) -> Vec<usize> {
    let uses = flow.uses();
    let is_call = |i: &usize| matches!(flow.seq.steps[*i].source, Source::Call(_));
    let mut order: Vec<usize> = (0..uses.len()).filter(|&i| uses[i] > 0).filter(is_call).collect();
    let moves = |i: usize| match sink {
        Sink::Nothing => false,
        Sink::Loads => near_load(flow, i, 2),
        Sink::All => true,
    };
    for p in (0..order.len()).rev() {
        let step = order[p];
        if flow.outputs.contains(&Val(step)) || !moves(step) {
            continue;
        }
        let args = &flow.seq.steps[step].args;
        let stops = |later: &usize| {
            let s = &flow.seq.steps[*later];
            let overwrites = match s.source {
                Source::Call(api) if api.accumulates() => args.contains(&s.args[0]),
                _ => false,
            };
            overwrites || s.args.contains(&Val(step))
        };
        let to = order[p + 1..].iter().position(stops).unwrap_or(0);
        order[p..=p + to].rotate_left(1);
    }
    order
}

/// Returns true if at most `depth` calls, all casts or products, lead from loads to value `i`.
fn near_load(flow: &Flow, i: usize, depth: usize) -> bool {
    let step = &flow.seq.steps[i];
    match step.source {
        Source::Load(_) => true,
        Source::Splat => false,
        Source::Call(api) => {
            let kind = matches!(api, Api::Cast(_) | Api::Mul | Api::Muls);
            depth > 0 && kind && step.args.iter().all(|a| near_load(flow, a.0, depth - 1))
        }
    }
}

/// Copies each accumulator (the argument that a compound call overwrites) that must be kept.
///
/// An accumulator is copied if its value is still needed, or if it would tie a load's buffer to an output's.
pub(super) fn legalise(flow: &mut Flow, order: &mut Vec<usize>) {
    let mut p = 0;
    while p < order.len() {
        let i = order[p];
        if let Source::Call(api) = flow.seq.steps[i].source
            && api.accumulates()
        {
            let acc = flow.seq.steps[i].args[0];
            let again = |j: &usize| flow.seq.steps[*j].args.contains(&acc);
            // A square reads the accumulator alone, which is safe because each element is read before it is written.
            let rest = &flow.seq.steps[i].args[1..];
            let twice = rest.contains(&acc)
                && !(api == Api::FusedMulAdd && rest[0] == acc && rest[1] != acc);
            let needed = order[p + 1..].iter().any(again) || flow.outputs.contains(&acc) || twice;
            let foreign = !matches!(flow.seq.steps[acc.0].source, Source::Call(_));
            if needed || foreign {
                let copy = Val(flow.seq.steps.len());
                let ty = flow.seq.steps[acc.0].ty;
                flow.seq.steps.push(Step {
                    source: Source::Call(Api::Muls),
                    args: vec![acc],
                    scalar: Some(Scalar::Const(1.0)),
                    ty,
                    what: "a copy",
                });
                flow.seq.steps[i].args[0] = copy;
                order.insert(p, copy.0);
                p += 1;
            }
        }
        p += 1;
    }
}
