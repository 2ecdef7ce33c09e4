//! What the calls of a plan compute, element by element, without hardware.
//!
//! Every call is rounded to the type it works in, compound calls twice: once after the product.
//! `Exp`, `Ln`, `Sqrt` and `Div` are taken to be correctly rounded, or with noise to be a unit off now
//! and then. Values live in the plan's buffers, so a buffer that is reused too early shows.

use super::{Buffer, Operand, Plan};
use crate::sequence::{Api, Compare, Scalar, Seq, Source, Type, Val};
use half::{bf16, f16};
use op_dsl_ir::{DType, Id};

/// How `Exp`, `Ln`, `Sqrt` and `Div` round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// To nearest.
    None,
    /// Then one unit down, up or not at all, by chance from this seed.
    Unit(u64),
}

impl Noise {
    pub(super) fn on(&mut self, api: Api, v: f32) -> f32 {
        let Noise::Unit(seed) = self else { return v };
        if !matches!(api, Api::Exp | Api::Ln | Api::Sqrt | Api::Div) || v == 0.0 || !v.is_finite() {
            return v;
        }
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        match (*seed >> 33) % 3 {
            0 => v.next_down(),
            1 => v.next_up(),
            _ => v,
        }
    }
}

/// The outputs for one element. `streams` are values of the tensors' type; `uniform` tells the
/// values of nodes that depend on attributes only.
pub fn interpret(plan: &Plan, streams: &[f32], uniform: impl Fn(Id) -> f32) -> Vec<f32> {
    let streams: Vec<&[f32]> = streams.iter().map(std::slice::from_ref).collect();
    interpret_all(plan, &streams, uniform, Noise::None).into_iter().map(|out| out[0]).collect()
}

/// The outputs for many elements.
///
/// # Panics
/// If the streams differ in length.
pub fn interpret_all(
    plan: &Plan,
    streams: &[&[f32]],
    uniform: impl Fn(Id) -> f32,
    mut noise: Noise,
) -> Vec<Vec<f32>> {
    if let Some(registers) = &plan.registers {
        return registers.interpret(streams, plan.outputs.len(), uniform, noise);
    }
    let n = streams.first().map_or(1, |s| s.len());
    let mut state = State::new(plan, streams, n);
    let scalar = |s: Scalar| match s {
        Scalar::Const(c) => c,
        Scalar::Uniform(id) => uniform(id),
    };
    let splats: Vec<f32> = plan.splats.iter().map(|s| scalar(*s)).collect();
    for instr in &plan.instrs {
        let c = instr.scalar.map_or(f32::NAN, scalar);
        let mut out = std::mem::take(state.place(instr.dst));
        for (i, old) in out.iter_mut().enumerate() {
            let mut args = [f32::NAN; 3];
            for (to, src) in args.iter_mut().zip(&instr.srcs) {
                *to = match *src {
                    Operand::Buffer(b) if b == instr.dst => *old,
                    Operand::Buffer(b) => state.place(b)[i],
                    Operand::Splat(k) => splats[k],
                };
            }
            let value = call(instr.api, instr.to, args, c, *old);
            *old = round(noise.on(instr.api, value), instr.to);
        }
        *state.place(instr.dst) = out;
    }
    state.outs
}

/// What a sequence makes of numbers, before anything has a buffer: `y` where `x` is each of them.
pub(super) fn evaluate(seq: &Seq, x: Val, xs: &[f32], y: Val, mut noise: Noise) -> Vec<f32> {
    let mut values: Vec<Vec<f32>> = Vec::with_capacity(y.0 + 1);
    for (i, step) in seq.steps.iter().enumerate().take(y.0 + 1) {
        let c = match step.scalar {
            Some(Scalar::Const(c)) => c,
            _ => f32::NAN,
        };
        values.push(match step.source {
            _ if i == x.0 => xs.to_vec(),
            Source::Load(_) => vec![f32::NAN; xs.len()],
            Source::Splat => vec![c; xs.len()],
            Source::Call(api) => {
                let skip = usize::from(api.accumulates());
                let of = |k: usize| step.args.get(k).map(|a| &values[a.0]);
                let (old, args) = (of(0).filter(|_| skip == 1), [0, 1, 2].map(|k| of(k + skip)));
                let at = |of: Option<&Vec<f32>>, i: usize| of.map_or(f32::NAN, |v| v[i]);
                let one = |i: usize| {
                    let value = call(api, step.ty, args.map(|a| at(a, i)), c, at(old, i));
                    round(noise.on(api, value), step.ty)
                };
                (0..xs.len()).map(one).collect()
            }
        });
    }
    values.swap_remove(y.0)
}

/// `v`, rounded to a type.
pub(crate) fn round(v: f32, ty: Type) -> f32 {
    match ty {
        Type::Data(DType::F16) => f16::from_f32(v).to_f32(),
        Type::Data(DType::BF16) => bf16::from_f32(v).to_f32(),
        _ => v,
    }
}

/// NaN if either is, as `op_dsl_ir::oracle` has it.
fn pick(a: f32, b: f32, first: bool) -> f32 {
    if a.is_nan() || b.is_nan() {
        f32::NAN
    } else if first {
        a
    } else {
        b
    }
}

fn holds(by: Compare, a: f32, b: f32) -> f32 {
    let truth = match by {
        Compare::Lt => a < b,
        Compare::Le => a <= b,
        Compare::Gt => a > b,
        Compare::Ge => a >= b,
        Compare::Eq => a == b,
    };
    truth as u8 as f32
}

/// What a call gives of its arguments, its scalar and what its destination held, before it is rounded.
pub(super) fn call(api: Api, to: Type, [a, b, c]: [f32; 3], s: f32, old: f32) -> f32 {
    match api {
        Api::Abs => a.abs(),
        Api::Exp => libm::exp(a.into()) as f32,
        Api::Ln => libm::log(a.into()) as f32,
        Api::Sqrt => a.sqrt(),
        Api::Add => a + b,
        Api::Sub => a - b,
        Api::Mul => a * b,
        Api::Div => a / b,
        Api::Max => pick(a, b, a > b),
        Api::Min => pick(a, b, a < b),
        Api::Adds => a + s,
        Api::Muls => a * s,
        Api::Maxs => pick(a, s, a > s),
        Api::Mins => pick(a, s, a < s),
        Api::Axpy => round(a * s, to) + old,
        Api::FusedMulAdd => round(old * a, to) + b,
        Api::Compare(by) => holds(by, a, b),
        Api::Compares(by) => holds(by, a, s),
        Api::Select => {
            if a != 0.0 {
                b
            } else {
                c
            }
        }
        Api::Cast(_) => a,
        Api::Duplicate => s,
    }
}

/// All buffers; NaN where nothing was written.
struct State {
    ins: Vec<Vec<f32>>,
    outs: Vec<Vec<f32>>,
    temps: Vec<Vec<f32>>,
    halves: Vec<Vec<f32>>,
    masks: Vec<Vec<f32>>,
}

impl State {
    fn new(plan: &Plan, streams: &[&[f32]], n: usize) -> State {
        let empty = |buffers| vec![vec![f32::NAN; n]; buffers];
        State {
            ins: streams.iter().map(|s| s.to_vec()).collect(),
            outs: empty(plan.outputs.len()),
            temps: empty(plan.temps),
            halves: empty(plan.halves),
            masks: empty(plan.masks),
        }
    }

    fn place(&mut self, buffer: Buffer) -> &mut Vec<f32> {
        match buffer {
            Buffer::In(k) => &mut self.ins[k],
            Buffer::Out(k) => &mut self.outs[k],
            Buffer::Temp(k) => &mut self.temps[k],
            Buffer::Half(k) => &mut self.halves[k],
            Buffer::Mask(k) => &mut self.masks[k],
        }
    }
}
