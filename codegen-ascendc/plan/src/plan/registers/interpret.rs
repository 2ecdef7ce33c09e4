//! Interprets a step on registers element by element, without hardware.

use super::super::arithmetic::{Noise, call_all, round};
use super::super::contents::Contents;
use super::step::{Call, Register, Registers};
use crate::sequence::{Api, Scalar};
use op_dsl_ir::Id;

impl Registers {
    /// Computes the calls for many elements: returns, for each output, one value per element.
    ///
    /// `streams` has, for each input, one value per element. `outputs` is the number of outputs, and `uniform` returns the values
    /// of nodes that depend on attributes only.
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
        let mut state = Contents::new(n);
        for (k, constant) in self.constants.iter().enumerate() {
            state.set(Register::Constant(k), vec![scalar(*constant); n]);
        }
        for op in &self.ops {
            let s = op.scalar.map_or(f32::NAN, scalar);
            let mut fused = |f: fn(f32, f32, f32, f32) -> f32| {
                state.call(op.dst, &op.srcs, s, |[a, b, _], out| {
                    for ((old, a), b) in out.iter_mut().zip(a).zip(b) {
                        *old = round(f(*old, *a, *b, s), op.to);
                    }
                });
            };
            match op.call {
                Call::Store(k) => outs[k] = state.get(op.dst).to_vec(),
                Call::Load(k) => {
                    state.set(op.dst, streams[k].iter().map(|x| round(*x, op.to)).collect());
                }
                Call::Plain(Api::Axpy) => fused(|old, a, _, s| a.mul_add(s, old)),
                Call::MulDstAdd => fused(|old, a, b, _| old.mul_add(a, b)),
                Call::MulAddDst => fused(|old, a, b, _| a.mul_add(b, old)),
                Call::Plain(api) => state.call(op.dst, &op.srcs, s, |args, out| {
                    call_all(api, op.to, args, s, out, &mut noise);
                }),
            }
        }
        outs
    }
}
