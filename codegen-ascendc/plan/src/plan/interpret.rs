//! Interprets the calls of a plan element by element, without hardware.
//!
//! Values live in the plan's buffers, so that a buffer which is reused too early shows as a wrong result.

use super::arithmetic::{Noise, call_all};
use super::contents::Contents;
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
    let scalar = |s: Scalar| match s {
        Scalar::Const(c) => c,
        Scalar::Uniform(id) => uniform(id),
    };
    let mut state = Contents::new(n);
    for (k, stream) in streams.iter().enumerate() {
        state.set(Operand::Buffer(Buffer::In(k)), stream.to_vec());
    }
    for (k, splat) in plan.splats.iter().enumerate() {
        state.set(Operand::Splat(k), vec![scalar(*splat); n]);
    }
    for instr in &plan.instrs {
        let c = instr.scalar.map_or(f32::NAN, scalar);
        state.call(Operand::Buffer(instr.dst), &instr.srcs, c, |args, out| {
            call_all(instr.api, instr.to, args, c, out, &mut noise);
        });
    }
    let out = |k| state.get(Operand::Buffer(Buffer::Out(k))).to_vec();
    (0..plan.outputs.len()).map(out).collect()
}
