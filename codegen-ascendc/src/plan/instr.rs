//! A vector call on buffers in UB.

use crate::sequence::{Api, Overload, Scalar, Type};

/// A buffer in UB, of one value per element of the tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Buffer {
    /// Of the queue of an input stream, in the tensors' type.
    In(usize),
    /// Of the queue of an output stream, in the tensors' type.
    Out(usize),
    /// A temporary one, in `float`.
    Temp(usize),
    /// A temporary one, in the tensors' 16-bit type.
    Half(usize),
    /// A temporary one of bits.
    Mask(usize),
}

/// What a call reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A buffer.
    Buffer(Buffer),
    /// A hoisted vector of equal numbers: index into [`Plan::splats`](crate::plan::Plan::splats).
    Splat(usize),
}

/// One vector call. An accumulating call reads its destination too.
#[derive(Clone, Debug, PartialEq)]
pub struct Instr {
    /// Which.
    pub api: Api,
    /// How it is written.
    pub overload: Overload,
    /// Where the result goes.
    pub dst: Buffer,
    /// What it reads, the accumulator and the scalar left out.
    pub srcs: Vec<Operand>,
    /// Its scalar.
    pub scalar: Option<Scalar>,
    /// Type of the result.
    pub to: Type,
    /// Type of the first argument.
    pub from: Type,
    /// What a lane of the vector unit holds.
    pub lanes: Type,
    /// The result as maths; empty where the call says it.
    pub what: &'static str,
}
