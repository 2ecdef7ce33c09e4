//! What a tensor's elements are in memory: numbers that kernels compute with, the truth values of a mask, or
//! counts of rows.

use crate::DType;
use std::fmt;

/// What one element of a tensor is in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stored {
    /// A number.
    Number(DType),
    /// A truth value, one to a byte: 0 is false, every other byte is true. So a tensor of `bool` is one
    /// of these, and so is one of `uint8`.
    Byte,
    /// A truth value, eight to a byte, the first in the lowest bit. Elements are counted through the
    /// whole tensor: no row is padded.
    ///
    /// Source: `uint1` of CANN, as ops-nn's activation/relu_grad_v2 reads it (its golden function).
    Bit,
    /// An integer of 64 bits with a sign, which counts rows.
    Int64,
    /// Nothing: a call left the tensor out, as it may with an optional one.
    Nothing,
}

impl Stored {
    /// What a mask is stored as, for messages.
    pub const OF_MASKS: &str = "bool, uint8, uint1";

    /// The element type of numbers.
    pub const fn number(self) -> Option<DType> {
        match self {
            Stored::Number(dtype) => Some(dtype),
            Stored::Byte | Stored::Bit | Stored::Int64 | Stored::Nothing => None,
        }
    }

    /// Bytes of an element on its own: bits have to leave their byte to be one.
    pub const fn size(self) -> usize {
        match self {
            Stored::Number(dtype) => dtype.size(),
            Stored::Byte | Stored::Bit | Stored::Nothing => 1,
            Stored::Int64 => 8,
        }
    }

    /// Truth values that are [bytes](Stored::Byte) as [bits](Stored::Bit).
    pub fn packed(bytes: &[u8]) -> Vec<u8> {
        let bits = |eight: &[u8]| eight.iter().rev().fold(0, |all, b| all << 1 | u8::from(*b != 0));
        bytes.chunks(8).map(bits).collect()
    }

    /// The name in messages and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Stored::Number(dtype) => dtype.name(),
            Stored::Byte => "bool",
            Stored::Bit => "uint1",
            Stored::Int64 => "int64",
            Stored::Nothing => "nothing",
        }
    }
}

impl From<DType> for Stored {
    fn from(dtype: DType) -> Stored {
        Stored::Number(dtype)
    }
}

impl PartialEq<DType> for Stored {
    fn eq(&self, dtype: &DType) -> bool {
        self.number() == Some(*dtype)
    }
}

impl fmt::Display for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
