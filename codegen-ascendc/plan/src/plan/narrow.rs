//! Moves calls to `half` where the result is the same, since they take half a pass there.
//!
//! Casts that are no longer needed disappear.

use super::flow::Flow;
use crate::arch::Round;
use crate::sequence::{Api, F32, Scalar, Source, Step, Type, Val};
use half::f16;
use op_dsl_ir::DType;

const F16: Type = Type::Data(DType::F16);

/// Moves vector calls on f16 tensors from `float` to `half` where the result is the same.
pub(super) fn run(flow: &mut Flow) {
    while exact(flow) {}
    products(flow);
}

/// Returns the `half` value that step `v` casts to `float`; `None` if step `v` is no cast to `float`.
fn widened(flow: &Flow, v: Val) -> Option<Val> {
    let step = &flow.seq.steps[v.0];
    let is_cast = matches!(step.source, Source::Call(Api::Cast(_))) && step.ty == F32;
    is_cast.then(|| step.args[0])
}

/// Moves vector calls that are exact in `half` in front of the cast to `float`.
///
/// `max(float(x), c) = float(max(x, c))` where `half` can represent `c`, and `|float(x)| = float(|x|)`. Comparisons of `float(x)`
/// with such a `c` move to `half` as well. Returns true if anything changed.
fn exact(flow: &mut Flow) -> bool {
    let uses = flow.uses();
    let has = |c: f32| f16::from_f32(c).to_f32() == c;
    let is_exact = |step: &Step| match (step.source, step.scalar) {
        (Source::Call(Api::Abs), _) => true,
        (Source::Call(Api::Maxs | Api::Mins | Api::Compares(_)), Some(Scalar::Const(c))) => has(c),
        _ => false,
    };
    for cast in 0..flow.seq.steps.len() {
        let Some(raw) = widened(flow, Val(cast)).filter(|_| uses[cast] > 0) else { continue };
        let reads = |i: &usize| uses[*i] > 0 && flow.seq.steps[*i].args.contains(&Val(cast));
        let readers: Vec<usize> = (0..flow.seq.steps.len()).filter(reads).collect();
        let (numbers, masks): (Vec<usize>, Vec<usize>) =
            readers.iter().partition(|i| flow.seq.steps[**i].ty == F32);
        let all = readers.iter().all(|i| is_exact(&flow.seq.steps[*i]));
        if !all || numbers.len() > 1 || uses[cast] != readers.len() {
            continue;
        }
        for mask in masks {
            flow.seq.steps[mask].args = vec![raw];
        }
        if let [number] = numbers[..] {
            let step = Step { args: vec![raw], ty: F16, ..flow.seq.steps[number].clone() };
            flow.seq.steps[cast] = step;
            let source = Source::Call(Api::Cast(Round::None));
            let args = vec![Val(cast)];
            flow.seq.steps[number] = Step { source, args, scalar: None, ty: F32, what: "" };
        }
        return true;
    }
    false
}

/// Replaces `half(float(x) * float(y))` by `x * y`, and likewise `+`, `-`, `max` and `min`.
///
/// This is exact because `float` holds the product of two halves exactly, and because it is wide enough (24 >= 2 * 11 + 2 bits) for
/// a sum to be rounded twice without harm.
fn products(flow: &mut Flow) {
    let uses = flow.uses();
    for k in 0..flow.outputs.len() {
        let out = flow.outputs[k];
        let inner = flow.seq.steps[out.0]
            .args
            .first()
            .copied()
            .filter(|_| matches!(flow.seq.steps[out.0].source, Source::Call(Api::Cast(_))));
        let Some(inner) = inner.filter(|v| uses[v.0] == 1) else { continue };
        let step = &flow.seq.steps[inner.0];
        let exact = matches!(
            step.source,
            Source::Call(Api::Mul | Api::Add | Api::Sub | Api::Max | Api::Min)
        );
        let halves: Option<Vec<Val>> = step.args.iter().map(|a| widened(flow, *a)).collect();
        if let (true, Some(args)) = (exact, halves) {
            let (source, what) = (step.source, step.what);
            flow.seq.steps[out.0] = Step { source, args, scalar: None, ty: F16, what };
        }
    }
}
