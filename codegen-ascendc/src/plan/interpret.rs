//! Interprets the calls of a plan element by element, without hardware.
//!
//! Values live in the plan's buffers, so that a buffer which is reused too early shows as a wrong result.

use super::arithmetic::{Noise, call_all};
use super::instr::{Buffer, Operand};
use super::planned::Plan;
use crate::sequence::Scalar;
use op_dsl_ir::Id;

/// Returns the outputs of a plan for one element.
///
/// `streams` are values of the tensors' type; `uniform` returns the values of nodes that depend on attributes only.
pub fn interpret(plan: &Plan, streams: &[f32], uniform: impl Fn(Id) -> f32) -> Vec<f32> {
    let streams: Vec<&[f32]> = streams.iter().map(std::slice::from_ref).collect();
    interpret_all(plan, &streams, uniform, Noise::None).into_iter().map(|out| out[0]).collect()
}

/// Returns the outputs of a plan for many elements: for each output, one value per element.
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
    let splats: Vec<Vec<f32>> = plan.splats.iter().map(|s| vec![scalar(*s); n]).collect();
    let (mut old, mut scalars) = (vec![f32::NAN; n], vec![f32::NAN; n]);
    for instr in &plan.instrs {
        let c = instr.scalar.map_or(f32::NAN, scalar);
        let mut out = std::mem::take(state.place(instr.dst));
        if instr.srcs.contains(&Operand::Buffer(instr.dst)) {
            old.clone_from(&out);
        }
        // The scalar fills the places without a vector, because an overload has its scalar last.
        scalars.fill(c);
        let mut args = [&scalars[..]; 3];
        for (to, src) in args.iter_mut().zip(&instr.srcs) {
            *to = match *src {
                Operand::Buffer(b) if b == instr.dst => &old,
                Operand::Buffer(b) => state.get(b),
                Operand::Splat(k) => &splats[k],
            };
        }
        call_all(instr.api, instr.to, args, c, &mut out, &mut noise);
        *state.place(instr.dst) = out;
    }
    state.outs
}

/// Contents of all buffers while the calls of a plan are computed; NaN where nothing was written.
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

    fn get(&self, buffer: Buffer) -> &[f32] {
        match buffer {
            Buffer::In(k) => &self.ins[k],
            Buffer::Out(k) => &self.outs[k],
            Buffer::Temp(k) => &self.temps[k],
            Buffer::Half(k) => &self.halves[k],
            Buffer::Mask(k) => &self.masks[k],
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
