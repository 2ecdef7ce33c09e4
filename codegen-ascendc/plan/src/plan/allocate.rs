//! Buffer allocation: assigns a UB buffer to each value (linear scan).
//!
//! A call may overwrite an argument that nothing reads afterwards. Values that a compound call accumulates share one buffer. Loads
//! live in the buffers of their queues and results in those of theirs. Before a result is written, and after a load is last read,
//! such a buffer may serve as a temporary one.

use super::flow::Flow;
use super::instr::{Buffer, Instr, Operand};
use crate::arch::Why;
use crate::sequence::{Api, F32, Overload, Source, Type, Val};
use op_dsl_ir::DType;

/// Preference between several free buffers for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefer {
    /// A buffer of one of the call's arguments, so that the call works in place.
    InPlace,
    /// The buffer that an output needs soonest.
    Tightest,
}

impl Prefer {
    pub const ALL: [Prefer; 2] = [Prefer::InPlace, Prefer::Tightest];
}

/// Vector calls on UB buffers, and the number of temporary buffers of each kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Allocated {
    pub instrs: Vec<Instr>,
    pub splats: Vec<crate::sequence::Scalar>,
    pub temps: usize,
    pub halves: usize,
    pub masks: usize,
}

/// A live range: values that share a buffer, from the first definition to the last use.
///
/// `start` and `end` are positions in the order of calls; position 0 is before the first call.
#[derive(Clone, Debug)]
struct Web {
    start: usize,
    end: usize,
    ty: Type,
    fixed: Option<Buffer>,
}

/// A buffer that is free between positions `free` and `until` in the order of vector calls.
///
/// For a buffer of an output, `until` is where that output is computed.
#[derive(Clone, Copy, Debug)]
struct Slot {
    buffer: Buffer,
    ty: Type,
    free: usize,
    until: usize,
}

const FOREVER: usize = usize::MAX;

/// Assigns a UB buffer to every value and returns the vector calls on these buffers.
///
/// `order` lists the calls by their indices in `flow`. Position 0 is before the first call.
///
/// # Errors
/// A call reads a value that no call before it computes, or takes numbers that it has no overload for.
pub(super) fn allocate(
    flow: &Flow,
    order: &[usize],
    dtype: DType,
    prefer: Prefer,
) -> Result<Allocated, Why> {
    let (web_of, mut webs) = webs(flow, order, dtype);
    let mut slots: Vec<Slot> = Vec::new();
    for w in &webs {
        if let Some(buffer @ Buffer::Out(_)) = w.fixed {
            slots.push(Slot { buffer, ty: w.ty, free: 0, until: w.start });
        }
        if let Some(buffer @ Buffer::In(_)) = w.fixed {
            slots.push(Slot { buffer, ty: w.ty, free: w.end, until: FOREVER });
        }
    }
    let mut counts = Counts::default();
    let buffer = |webs: &[Web], v: &Val| webs.get(web_of[v.0]).and_then(|w| w.fixed);
    for (p, &i) in order.iter().enumerate() {
        let (k, position) = (web_of[i], p + 1);
        if webs[k].start != position || webs[k].fixed.is_some() {
            continue;
        }
        let (end, ty) = (webs[k].end, webs[k].ty);
        let args: Vec<Buffer> =
            flow.seq.steps[i].args.iter().filter_map(|a| buffer(&webs, a)).collect();
        // A cast to a wider type must not run in place, because it would overwrite elements that it has yet to read.
        let is_cast = matches!(flow.seq.steps[i].source, Source::Call(Api::Cast(_)));
        let fits = |s: &&mut Slot| {
            let over = is_cast && args.contains(&s.buffer);
            s.ty == ty && s.free <= position && end <= s.until && !over
        };
        let rank = |s: &Slot| match prefer {
            Prefer::InPlace => (!args.contains(&s.buffer) as usize, s.until, s.buffer),
            Prefer::Tightest => (0, s.until, s.buffer),
        };
        let taken = match slots.iter_mut().filter(fits).min_by_key(|s| rank(s)) {
            Some(slot) => {
                slot.free = end;
                slot.buffer
            }
            None => {
                let buffer = counts.new_buffer(ty);
                slots.push(Slot { buffer, ty, free: end, until: FOREVER });
                buffer
            }
        };
        webs[k].fixed = Some(taken);
    }
    let mut splats = Vec::new();
    let mut instrs = Vec::new();
    for &i in order {
        instrs.push(instr(flow, i, |v| buffer(&webs, &v), &mut splats)?);
    }
    let Counts { temps, halves, masks } = counts;
    Ok(Allocated { instrs, splats, temps, halves, masks })
}

#[derive(Default)]
struct Counts {
    temps: usize,
    halves: usize,
    masks: usize,
}

impl Counts {
    fn new_buffer(&mut self, ty: Type) -> Buffer {
        let (count, make): (_, fn(usize) -> Buffer) = match ty {
            Type::Data(DType::F32) => (&mut self.temps, Buffer::Temp),
            Type::Data(_) => (&mut self.halves, Buffer::Half),
            Type::Byte | Type::Mask => (&mut self.masks, Buffer::Mask),
        };
        *count += 1;
        make(*count - 1)
    }
}

/// Returns the type of the buffer that holds values of type `ty`, for tensors of type `dtype`.
///
/// Where tensors are not of `half`, values of `half` live in buffers of `float`.
fn held(ty: Type, dtype: DType) -> Type {
    match ty {
        Type::Data(DType::F16) if dtype != DType::F16 => F32,
        ty => ty,
    }
}

/// Returns, for each value, the index of its live range; and the list of all live ranges.
///
/// `order` lists the vector calls by their indices in `flow`.
fn webs(flow: &Flow, order: &[usize], dtype: DType) -> (Vec<usize>, Vec<Web>) {
    let steps = &flow.seq.steps;
    let mut webs: Vec<Web> = Vec::new();
    let mut of = vec![FOREVER; steps.len()];
    for (i, step) in steps.iter().enumerate() {
        if let Source::Load(k) = step.source {
            of[i] = webs.len();
            let ty = step.ty;
            webs.push(Web { start: 0, end: 0, ty, fixed: Some(Buffer::In(k)) });
        }
    }
    for (p, &i) in order.iter().enumerate() {
        for a in steps[i].args.iter().filter(|a| of[a.0] != FOREVER) {
            webs[of[a.0]].end = p + 1;
        }
        let joined = match steps[i].source {
            Source::Call(api) if api.accumulates() => Some(of[steps[i].args[0].0]),
            _ => None,
        };
        of[i] = joined.unwrap_or_else(|| {
            let ty = held(steps[i].ty, dtype);
            webs.push(Web { start: p + 1, end: p + 1, ty, fixed: None });
            webs.len() - 1
        });
    }
    for (k, out) in flow.outputs.iter().enumerate() {
        let web = &mut webs[of[out.0]];
        web.fixed = Some(Buffer::Out(k));
        web.end = FOREVER;
    }
    (of, webs)
}

fn instr(
    flow: &Flow,
    i: usize,
    buffer: impl Fn(Val) -> Option<Buffer>,
    splats: &mut Vec<crate::sequence::Scalar>,
) -> Result<Instr, Why> {
    let step = &flow.seq.steps[i];
    let Source::Call(api) = step.source else { unreachable!("only calls are scheduled") };
    let overload = flow.seq.overload(api, &step.args).ok_or(Why::NoOverload(api.name()))?;
    let place = |v: Val| buffer(v).ok_or(Why::Unplanned(api.name()));
    let mut operand = |v: &Val| {
        let of = &flow.seq.steps[v.0];
        match (of.source, of.scalar) {
            (Source::Splat, Some(c)) => {
                let known = splats.iter().position(|s| *s == c);
                Ok(Operand::Splat(known.unwrap_or_else(|| {
                    splats.push(c);
                    splats.len() - 1
                })))
            }
            _ => place(*v).map(Operand::Buffer),
        }
    };
    let mut vectors = &step.args[api.accumulates() as usize..];
    let mut scalar = step.scalar;
    if let ([all @ .., last], Overload::ScalarLast) = (vectors, overload) {
        (vectors, scalar) = (all, flow.seq.steps[last.0].scalar);
    }
    let srcs = vectors.iter().map(&mut operand).collect::<Result<_, _>>()?;
    let first = step.args.first().map(|a| flow.seq.steps[a.0].ty);
    // The type of the vector unit's lanes: the wider type of a cast, and the type that a comparison reads.
    let lanes = match (step.ty, first) {
        (Type::Mask, Some(ty)) => ty,
        (Type::Data(_), Some(Type::Data(DType::F32))) => crate::sequence::F32,
        (ty, _) => ty,
    };
    Ok(Instr {
        api,
        overload,
        dst: place(Val(i))?,
        srcs,
        scalar,
        to: step.ty,
        from: first.unwrap_or(step.ty),
        lanes,
        what: step.what,
    })
}
