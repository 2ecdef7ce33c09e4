//! What a step computes, element by element, without hardware.

use super::super::arithmetic::{Noise, call, round};
use super::step::{Call, Register, Registers};
use crate::sequence::{Api, Scalar};
use op_dsl_ir::Id;

impl Registers {
    /// The outputs for many elements, as [`interpret_all`](crate::plan::interpret_all) has it.
    pub(in crate::plan) fn interpret(
        &self,
        streams: &[&[f32]],
        outputs: usize,
        uniform: impl Fn(Id) -> f32,
        mut noise: Noise,
    ) -> Vec<Vec<f32>> {
        let scalar = |s: Scalar| match s {
            Scalar::Const(c) => c,
            Scalar::Uniform(id) => uniform(id),
        };
        let n = streams.first().map_or(1, |s| s.len());
        let mut outs = vec![vec![f32::NAN; n]; outputs];
        let mut state = State {
            data: vec![f32::NAN; self.data],
            halves: vec![f32::NAN; self.halves],
            bytes: vec![f32::NAN; self.bytes],
            masks: vec![f32::NAN; self.masks],
            constants: self.constants.iter().map(|c| scalar(*c)).collect(),
        };
        for i in 0..n {
            for op in &self.ops {
                let old = *state.place(op.dst);
                if let Call::Store(k) = op.call {
                    outs[k][i] = old;
                    continue;
                }
                let mut args = [f32::NAN; 3];
                for (to, src) in args.iter_mut().zip(&op.srcs) {
                    *to = *state.place(*src);
                }
                let s = op.scalar.map_or(f32::NAN, scalar);
                let [a, b, _] = args;
                let value = match op.call {
                    Call::Load(k) => streams[k][i],
                    Call::Store(_) => old,
                    Call::Plain(Api::Axpy) => a.mul_add(s, old),
                    Call::MulDstAdd => old.mul_add(a, b),
                    Call::MulAddDst => a.mul_add(b, old),
                    Call::Plain(api) => noise.on(api, call(api, op.to, args, s, old)),
                };
                *state.place(op.dst) = round(value, op.to);
            }
        }
        outs
    }
}

/// What the registers hold.
struct State {
    data: Vec<f32>,
    halves: Vec<f32>,
    bytes: Vec<f32>,
    masks: Vec<f32>,
    constants: Vec<f32>,
}

impl State {
    fn place(&mut self, register: Register) -> &mut f32 {
        match register {
            Register::Data(k) => &mut self.data[k],
            Register::Half(k) => &mut self.halves[k],
            Register::Byte(k) => &mut self.bytes[k],
            Register::Mask(k) => &mut self.masks[k],
            Register::Constant(k) => &mut self.constants[k],
        }
    }
}
