//! A step: calls on registers, and the registers they need.

use crate::sequence::{Api, Scalar, Type};

/// Number of data registers of a vector function.
pub const DATA: usize = 32;
/// Number of mask registers; one of them masks the elements of the step.
pub const MASKS: usize = 8;

/// A register, numbered within its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Register {
    /// Holds `float`.
    Data(usize),
    /// Holds the tensors' 16-bit type.
    Half(usize),
    /// Holds bytes, one in the first quarter of each lane.
    Byte(usize),
    /// Holds mask bits.
    Mask(usize),
    /// Holds one number in every lane, set before the first step: index into [`Registers::constants`].
    Constant(usize),
}

/// The operation of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Loads the next elements of an input stream.
    Load(usize),
    /// Stores the next elements of an output stream.
    Store(usize),
    /// A call that also exists on tensors; one that accumulates rounds once here.
    Plain(Api),
    /// `dst = dst a + b`, rounded once.
    MulDstAdd,
    /// `dst = dst + a b`, rounded once.
    MulAddDst,
}

/// One call of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// The operation.
    pub call: Call,
    /// Destination; for a store, the register it reads.
    pub dst: Register,
    /// Registers it reads besides its destination.
    pub srcs: Vec<Register>,
    /// Scalar operand.
    pub scalar: Option<Scalar>,
    /// Element type of the result.
    pub to: Type,
    /// Element type of the first argument.
    pub from: Type,
    /// The result as a formula for a comment; empty where the call is clear by itself.
    pub what: &'static str,
}

/// The calls of a step, in order, and the registers they need.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Registers {
    /// The calls, in order.
    pub ops: Vec<Op>,
    /// Numbers that must be in registers.
    pub constants: Vec<Scalar>,
    /// Number of registers of `float`.
    pub data: usize,
    /// Number of registers of the tensors' 16-bit type.
    pub halves: usize,
    /// Number of registers of bytes.
    pub bytes: usize,
    /// Number of mask registers, without the one that masks the elements of the step.
    pub masks: usize,
    /// True if interleaved parts may be loaded and stored together.
    ///
    /// Their loads, with the casts of these, and their stores are then adjacent, gate first.
    pub pairs: bool,
    /// Bounds that are infinite at default attribute values, by their indices in `ops`.
    ///
    /// A separate variant of the step omits them.
    pub seldom: Vec<usize>,
}

impl Registers {
    /// Returns true if the architecture has enough registers.
    ///
    /// A step on pairs needs at most one more of either kind.
    pub(super) fn fits(&self) -> bool {
        let more = usize::from(self.pairs);
        self.data + self.halves + self.bytes + self.constants.len() + more <= DATA
            && self.masks + more < MASKS
    }

    /// Returns the register into which a step on pairs loads parts that it does not read.
    pub fn unread(&self) -> Register {
        Register::Data(self.data)
    }

    /// Returns the calls that run at default attribute values.
    pub fn usual(&self) -> impl Iterator<Item = &Op> {
        let is_usual = |k: &usize| !self.seldom.contains(k);
        (0..self.ops.len()).filter(is_usual).map(|k| &self.ops[k])
    }
}
