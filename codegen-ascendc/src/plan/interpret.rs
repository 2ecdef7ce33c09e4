//! What the calls of a plan compute, element by element, without hardware.
//!
//! Every call is rounded to the type it works in, compound calls twice: once after the product.
//! `Exp`, `Sqrt` and `Div` are taken to be correctly rounded. Values live in the plan's buffers, so
//! a buffer that is reused too early shows.

use super::{Buffer, Instr, Operand, Plan};
use crate::sequence::{Api, Compare, Scalar, Type};
use half::{bf16, f16};
use op_dsl_ir::{DType, Id};

/// The outputs for one element. `streams` are values of the tensors' type; `uniform` tells the
/// values of nodes that depend on attributes only.
pub fn interpret(plan: &Plan, streams: &[f32], uniform: impl Fn(Id) -> f32) -> Vec<f32> {
    let mut state = State::new(plan, streams);
    let scalar = |s: Scalar| match s {
        Scalar::Const(c) => c,
        Scalar::Uniform(id) => uniform(id),
    };
    let splats: Vec<f32> = plan.splats.iter().map(|s| scalar(*s)).collect();
    for instr in &plan.instrs {
        let mut args = [f32::NAN; 3];
        for (to, src) in args.iter_mut().zip(&instr.srcs) {
            *to = match *src {
                Operand::Buffer(b) => state.get(b),
                Operand::Splat(k) => splats[k],
            };
        }
        let old = if instr.api.accumulates() { state.get(instr.dst) } else { f32::NAN };
        let value = call(instr, args, instr.scalar.map_or(f32::NAN, scalar), old);
        *state.place(instr.dst) = value;
    }
    state.outs
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

fn call(instr: &Instr, [a, b, c]: [f32; 3], s: f32, old: f32) -> f32 {
    let value = match instr.api {
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
        Api::Axpy => round(a * s, instr.to) + old,
        Api::FusedMulAdd => round(old * a, instr.to) + b,
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
    };
    round(value, instr.to)
}

/// All buffers; NaN where nothing was written.
struct State {
    ins: Vec<f32>,
    outs: Vec<f32>,
    temps: Vec<f32>,
    halves: Vec<f32>,
    masks: Vec<f32>,
}

impl State {
    fn new(plan: &Plan, streams: &[f32]) -> State {
        let empty = |n| vec![f32::NAN; n];
        State {
            ins: streams.to_vec(),
            outs: empty(plan.outputs.len()),
            temps: empty(plan.temps),
            halves: empty(plan.halves),
            masks: empty(plan.masks),
        }
    }

    fn place(&mut self, buffer: Buffer) -> &mut f32 {
        match buffer {
            Buffer::In(k) => &mut self.ins[k],
            Buffer::Out(k) => &mut self.outs[k],
            Buffer::Temp(k) => &mut self.temps[k],
            Buffer::Half(k) => &mut self.halves[k],
            Buffer::Mask(k) => &mut self.masks[k],
        }
    }

    fn get(&mut self, buffer: Buffer) -> f32 {
        *self.place(buffer)
    }
}
