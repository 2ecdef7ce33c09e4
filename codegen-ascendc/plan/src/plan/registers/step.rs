//! A step: calls on registers, and the registers they need.

use crate::sequence::{Api, Scalar, Type};

/// Number of data registers of a vector function.
pub const DATA: usize = 32;
/// Number of mask registers; one of them masks the elements that a step processes.
pub const MASKS: usize = 8;

/// A register, by its number among those of the same kind.
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

/// The operation of one call on registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Loads the next elements of the input stream of this index.
    Load(usize),
    /// Stores the next elements of the output stream of this index.
    Store(usize),
    /// An AscendC call that also exists on whole tensors.
    ///
    /// If it also reads its destination (as `Axpy`), it rounds once on registers.
    Plain(Api),
    /// `dst = dst a + b`, rounded once.
    MulDstAdd,
    /// `dst = dst + a b`, rounded once.
    MulAddDst,
}

/// One call on registers.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// The operation.
    pub call: Call,
    /// Destination; for a store, the register that is stored.
    pub dst: Register,
    /// Registers that the call reads besides its destination.
    pub srcs: Vec<Register>,
    /// Scalar operand.
    pub scalar: Option<Scalar>,
    /// Element type of the result.
    pub to: Type,
    /// Element type of the first argument.
    pub from: Type,
    /// The result as a formula, for a comment in the generated code; empty if the call is clear.
    pub what: &'static str,
}

/// A step: the calls that process 64 elements in registers, and the registers that they need.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Registers {
    /// The calls, in order.
    pub ops: Vec<Op>,
    /// Numbers that calls read from registers, each set in a register of its own before the first step.
    pub constants: Vec<Scalar>,
    /// Number of registers of `float`.
    pub data: usize,
    /// Number of registers of the tensors' 16-bit type.
    pub halves: usize,
    /// Number of registers of bytes.
    pub bytes: usize,
    /// Number of mask registers, without the one that masks the elements of the step.
    pub masks: usize,
    /// True if gate and value that are interleaved in memory may be loaded and stored by one call.
    ///
    /// The two loads, with the casts of their results, and the two stores are then adjacent in `ops`, gate first.
    pub pairs: bool,
    /// Indices in `ops` of clamps whose bound is infinite at default attribute values.
    ///
    /// A separate variant of the step omits these calls.
    pub seldom: Vec<usize>,
}

impl Registers {
    /// Returns true if the architecture has enough registers.
    ///
    /// A step on interleaved pairs of gate and value needs at most one more data register and one more mask register.
    pub(super) fn fits(&self) -> bool {
        let more = usize::from(self.pairs);
        self.data + self.halves + self.bytes + self.constants.len() + more <= DATA
            && self.masks + more < MASKS
    }

    /// Returns the register for the part of an interleaved pair that is loaded but not read.
    pub fn unread(&self) -> Register {
        Register::Data(self.data)
    }

    /// Returns the calls of the step that have an effect at default attribute values.
    ///
    /// Clamps whose bound is infinite there (`seldom`) are left out.
    pub fn usual(&self) -> impl Iterator<Item = &Op> {
        let is_usual = |k: &usize| !self.seldom.contains(k);
        (0..self.ops.len()).filter(is_usual).map(|k| &self.ops[k])
    }
}
