//! Element types of tensors.

use op_dsl_ir::{DType, Stored};

/// The element type of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// A float type that kernels read and write.
    Float(DType),
    /// An integer or boolean, which is cast to a float type before a kernel reads it.
    Whole(Whole),
    /// Not a number to compute with: a mask, row counts, or an optional tensor that is left out.
    Other(Stored),
}

/// An integer or boolean type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// A byte: 0 is false, everything else is true and counts as 1.
    Bool,
    /// 8 bits, signed.
    I8,
    /// 8 bits, unsigned.
    U8,
    /// 16 bits, signed.
    I16,
    /// 32 bits, signed.
    I32,
    /// 64 bits, signed.
    I64,
}

impl Whole {
    /// Returns the size in bytes.
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
    /// Size in bytes of the largest element type.
    pub const MAX_SIZE: usize = 8;

    /// Returns the range of bytes (start, end) that elements `first` to `last` of a contiguous array take.
    ///
    /// For example, bits 3 to 9 are in bytes `0..2`.
    pub const fn bytes(self, first: usize, last: usize) -> (usize, usize) {
        let size = match self {
            Element::Other(Stored::Bit) => return (first / 8, last / 8 + 1),
            Element::Other(stored) => stored.size(),
            Element::Float(dtype) => dtype.size(),
            Element::Whole(whole) => whole.size(),
        };
        (first * size, (last + 1) * size)
    }

    /// Returns the size of an element in bytes; 0 for bits, because eight of them share a byte.
    pub const fn size(self) -> usize {
        match self {
            Element::Other(Stored::Bit) => 0,
            _ => self.bytes(0, 0).1,
        }
    }
}
