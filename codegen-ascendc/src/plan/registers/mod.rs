//! The same calls on registers, where an architecture computes in them: one function that loads every
//! stream once, stores every result once, and keeps all else in registers.
//!
//! ```text
//! values    calls -> values, equal ones once; quotients of one divisor by its reciprocal; fused sums
//! assign    the order of values, and the register of each
//! pairs     the same step where gate and value take turns in memory
//! work      what a step costs: calls by class, cycles
//! ```
//!
//! A step computes 64 elements in `float`. 16-bit numbers stand in the lower half of each lane, so that
//! one mask is right for both.

mod assign;
pub mod pairs;
mod values;
mod work;

pub use work::{APART, Work, together};

use super::interpret::{Noise, call, round};
use super::lower::{Flow, Target, lower};
use super::narrow;
use super::regions::Regions;
use crate::arch::{Arch, Why};
use crate::sequence::{Api, Scalar, Type};
use assign::assign;
use op_dsl_ir::op::OpDef;
use op_dsl_ir::{DType, Id};
use pairs::Pairs;
use values::Values;

/// Registers for data, and for masks, that a function has.
pub const DATA: usize = 32;
/// Registers for masks, one of which tells the elements that there are.
pub const MASKS: usize = 8;

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Register {
    /// Of `float`.
    Data(usize),
    /// Of the tensors' 16-bit type.
    Half(usize),
    /// Of bytes, one in the first quarter of each lane.
    Byte(usize),
    /// Of bits.
    Mask(usize),
    /// Of one number in every lane, set before the first step: index into [`Registers::constants`].
    Constant(usize),
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// The next elements of an input stream.
    Load(usize),
    /// The next elements of an output stream.
    Store(usize),
    /// A call that tensors have too; one that accumulates rounds once here.
    Plain(Api),
    /// `dst = dst a + b`, rounded once.
    MulDstAdd,
    /// `dst = dst + a b`, rounded once.
    MulAddDst,
}

/// One call of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// Which.
    pub call: Call,
    /// Where the result goes; what a store reads.
    pub dst: Register,
    /// What it reads beside its destination.
    pub srcs: Vec<Register>,
    /// Its scalar.
    pub scalar: Option<Scalar>,
    /// Type of the result.
    pub to: Type,
    /// Type of the first argument.
    pub from: Type,
    /// The result as maths; empty where the call says it.
    pub what: &'static str,
}

/// The calls of a step, in order, and the registers that they need.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Registers {
    /// The calls.
    pub ops: Vec<Op>,
    /// Numbers that are needed in registers.
    pub constants: Vec<Scalar>,
    /// Registers of `float`.
    pub data: usize,
    /// Registers of the tensors' 16-bit type.
    pub halves: usize,
    /// Registers of bytes.
    pub bytes: usize,
    /// Registers of bits, without that of the elements that there are.
    pub masks: usize,
    /// Whether parts that alternate in memory may be loaded and stored together: their loads, with the casts
    /// behind them, and their stores follow each other, gate first.
    pub pairs: bool,
    /// Bounds that are infinite where attributes are what they are by default, by their places in `ops`: a step of its own
    /// leaves them out.
    pub seldom: Vec<usize>,
}

/// The way with the least cycles; `None` if every way needs more registers than there are.
///
/// # Errors
/// A primitive has no sequence.
pub(super) fn registers(
    regions: &Regions,
    target: Target<'_>,
    orders: &[Vec<usize>],
) -> Result<Option<(Flow, Registers)>, Why> {
    let mut best: Option<(f64, Flow, Registers)> = None;
    let pairs = Pairs::of(target.def);
    for order in orders {
        let mut flow = lower(regions, target, order)?;
        // The second of a pair stands in the upper half of its lane, where only casts reach it.
        if target.dtype == DType::F16 && !pairs.any() {
            narrow::run(&mut flow);
        }
        let mut divided = Values::new(&flow);
        divided.divide_once(target.dtype);
        for fused in [true, false] {
            let mut values = divided.clone();
            if fused {
                values.fuse();
            }
            let found = assign(&values, order, &pairs);
            if !found.fits() {
                continue;
            }
            let cycles = found.work(target.soc.arch).cycles;
            if best.as_ref().is_none_or(|(least, ..)| cycles < *least) {
                best = Some((cycles, flow.clone(), found));
            }
        }
    }
    Ok(best.map(|(_, flow, found)| (flow, found)))
}

impl Registers {
    /// Whether there are as many. A step on pairs has one more of either kind, at most.
    fn fits(&self) -> bool {
        let more = usize::from(self.pairs);
        self.data + self.halves + self.bytes + self.constants.len() + more <= DATA
            && self.masks + more < MASKS
    }

    /// Where a step on pairs leaves parts that it does not read.
    pub fn unread(&self) -> Register {
        Register::Data(self.data)
    }

    /// The calls that are made where attributes are what they are by default.
    pub fn usual(&self) -> impl Iterator<Item = &Op> {
        let is_usual = |k: &usize| !self.seldom.contains(k);
        (0..self.ops.len()).filter(is_usual).map(|k| &self.ops[k])
    }

    /// What a step of 64 elements costs, attributes being what they are by default.
    pub fn work(&self, arch: &Arch) -> Work {
        work::work(self.usual(), arch)
    }

    /// What a step on pairs costs, if there is one.
    pub fn work_on_pairs(&self, def: &OpDef, arch: &Arch) -> Option<Work> {
        let first = pairs::firsts(def)[0];
        self.pairs.then(|| work::on_pairs(&pairs::turns(self, def, first), arch))
    }

    /// The outputs for many elements, as [`interpret_all`](super::interpret_all) has it.
    pub(super) fn interpret(
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
