//! A step: calls on registers, and the registers that they need.

use crate::sequence::{Api, Scalar, Type};

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

impl Registers {
    /// Whether there are as many. A step on pairs has one more of either kind, at most.
    pub(super) fn fits(&self) -> bool {
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
}
