//! What the elements of a tensor may be.

use op_dsl_ir::{DType, Stored};

/// The element type of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Kernels read and write it.
    Float(DType),
    /// It is cast to a float type before a kernel reads it.
    Whole(Whole),
    /// No number: a truth value of a mask, a count of rows, or nothing, of an optional tensor.
    Other(Stored),
}

/// A whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// A byte: 0 is 0, all else is 1.
    Bool,
    /// 8 bits with a sign.
    I8,
    /// 8 bits.
    U8,
    /// 16 bits with a sign.
    I16,
    /// 32 bits with a sign.
    I32,
    /// 64 bits with a sign.
    I64,
}

impl Whole {
    /// Bytes of one.
    pub const fn size(self) -> usize {
        match self {
            Whole::Bool | Whole::I8 | Whole::U8 => 1,
            Whole::I16 => 2,
            Whole::I32 => 4,
            Whole::I64 => 8,
        }
    }
}

impl Element {
    /// Bytes of the longest.
    pub const MAX_SIZE: usize = 8;

    /// The first bytes of memory that have elements from `first` to `last`, and the first byte behind them.
    pub const fn bytes(self, first: usize, last: usize) -> (usize, usize) {
        let size = match self {
            Element::Other(Stored::Bit) => return (first / 8, last / 8 + 1),
            Element::Other(stored) => stored.size(),
            Element::Float(dtype) => dtype.size(),
            Element::Whole(whole) => whole.size(),
        };
        (first * size, (last + 1) * size)
    }

    /// Bytes of one; 0 for bits.
    pub const fn size(self) -> usize {
        match self {
            Element::Other(Stored::Bit) => 0,
            _ => self.bytes(0, 0).1,
        }
    }
}
