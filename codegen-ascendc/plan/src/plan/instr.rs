//! A vector call on buffers in UB.

use crate::sequence::{Api, Overload, Scalar, Type};

/// A buffer in UB that holds one value per element of the tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Buffer {
    /// Buffer of an input queue, in the element type of the tensors.
    In(usize),
    /// Buffer of an output queue, in the element type of the tensors.
    Out(usize),
    /// Temporary buffer of `float`.
    Temp(usize),
    /// Temporary buffer of the tensors' 16-bit type.
    Half(usize),
    /// Temporary buffer of mask bits.
    Mask(usize),
}

/// A vector operand of a vector call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A buffer in UB.
    Buffer(Buffer),
    /// A vector of equal numbers, filled once before all tiles.
    ///
    /// The number is the vector's index in [`Plan::splats`](crate::plan::Plan::splats).
    Splat(usize),
}

/// One vector call.
///
/// A call that accumulates also reads its destination.
#[derive(Clone, Debug, PartialEq)]
pub struct Instr {
    /// The AscendC function.
    pub api: Api,
    /// The overload of the function, which decides how the arguments are written.
    pub overload: Overload,
    /// Destination buffer.
    pub dst: Buffer,
    /// Vector operands, without the accumulator and the scalar.
    pub srcs: Vec<Operand>,
    /// Scalar operand.
    pub scalar: Option<Scalar>,
    /// Element type of the result.
    pub to: Type,
    /// Element type of the first argument.
    pub from: Type,
    /// Element type that determines how many lanes a repeat has: for a cast, the wider of its two types.
    pub lanes: Type,
    /// The result as a formula, for a comment in the generated code; empty if the call is clear.
    pub what: &'static str,
}
