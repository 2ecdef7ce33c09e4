//! Interprets a step on registers element by element, without hardware.

use super::super::arithmetic::{Noise, call_all, round};
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
        let (nothing, mut old) = (vec![f32::NAN; n], vec![f32::NAN; n]);
        let empty = |registers| vec![vec![f32::NAN; n]; registers];
        let mut state = State {
            data: empty(self.data),
            halves: empty(self.halves),
            bytes: empty(self.bytes),
            masks: empty(self.masks),
            constants: self.constants.iter().map(|c| vec![scalar(*c); n]).collect(),
        };
        for op in &self.ops {
            match op.call {
                Call::Store(k) => outs[k].clone_from(state.place(op.dst)),
                Call::Load(k) => {
                    let loaded = streams[k].iter().map(|x| round(*x, op.to));
                    state.place(op.dst).iter_mut().zip(loaded).for_each(|(to, x)| *to = x);
                }
                _ => {
                    let s = op.scalar.map_or(f32::NAN, scalar);
                    let mut out = std::mem::take(state.place(op.dst));
                    if op.srcs.contains(&op.dst) {
                        old.clone_from(&out);
                    }
                    let mut args = [&nothing[..]; 3];
                    for (to, src) in args.iter_mut().zip(&op.srcs) {
                        *to = if *src == op.dst { &old } else { state.get(*src) };
                    }
                    let [a, b, _] = args;
                    let fused = |out: &mut [f32], f: fn(f32, f32, f32, f32) -> f32| {
                        for ((old, a), b) in out.iter_mut().zip(a).zip(b) {
                            *old = round(f(*old, *a, *b, s), op.to);
                        }
                    };
                    match op.call {
                        Call::Load(_) | Call::Store(_) => {}
                        Call::Plain(Api::Axpy) => fused(&mut out, |old, a, _, s| a.mul_add(s, old)),
                        Call::MulDstAdd => fused(&mut out, |old, a, b, _| old.mul_add(a, b)),
                        Call::MulAddDst => fused(&mut out, |old, a, b, _| a.mul_add(b, old)),
                        Call::Plain(api) => call_all(api, op.to, args, s, &mut out, &mut noise),
                    }
                    *state.place(op.dst) = out;
                }
            }
        }
        outs
    }
}

/// Contents of the registers: for each register of a kind, one value per element.
struct State {
    data: Vec<Vec<f32>>,
    halves: Vec<Vec<f32>>,
    bytes: Vec<Vec<f32>>,
    masks: Vec<Vec<f32>>,
    constants: Vec<Vec<f32>>,
}

impl State {
    fn get(&self, register: Register) -> &[f32] {
        match register {
            Register::Data(k) => &self.data[k],
            Register::Half(k) => &self.halves[k],
            Register::Byte(k) => &self.bytes[k],
            Register::Mask(k) => &self.masks[k],
            Register::Constant(k) => &self.constants[k],
        }
    }

    fn place(&mut self, register: Register) -> &mut Vec<f32> {
        match register {
            Register::Data(k) => &mut self.data[k],
            Register::Half(k) => &mut self.halves[k],
            Register::Byte(k) => &mut self.bytes[k],
            Register::Mask(k) => &mut self.masks[k],
            Register::Constant(k) => &mut self.constants[k],
        }
    }
}
