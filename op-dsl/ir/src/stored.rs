//! Storage types of tensor elements: numbers that kernels compute with, mask bits, or row counts.

use crate::DType;
use std::fmt;

/// The storage type of one element of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stored {
    /// A number that kernels compute with, of this element type.
    Number(DType),
    /// A mask bit stored as a byte, as in tensors of `bool` and `uint8`.
    ///
    /// 0 is false, and every other byte is true.
    Byte,
    /// A mask bit, packed eight to a byte, the first in the lowest bit.
    ///
    /// Bits are packed through the whole tensor, so no row is padded.
    ///
    /// Source: `uint1` of CANN, as ops-nn's activation/relu_grad_v2 reads it (its golden function).
    Bit,
    /// A signed integer of 64 bits, which counts rows.
    Int64,
    /// No data: the call left an optional tensor out.
    Nothing,
}

impl Stored {
    /// Storage types of masks, for messages.
    pub const OF_MASKS: &str = "bool, uint8, uint1";

    /// Returns the element type if the elements are numbers, else `None`.
    pub const fn number(self) -> Option<DType> {
        match self {
            Stored::Number(dtype) => Some(dtype),
            Stored::Byte | Stored::Bit | Stored::Int64 | Stored::Nothing => None,
        }
    }

    /// Returns the size in bytes of a single element; a single bit needs a whole byte.
    pub const fn size(self) -> usize {
        match self {
            Stored::Number(dtype) => dtype.size(),
            Stored::Byte | Stored::Bit | Stored::Nothing => 1,
            Stored::Int64 => 8,
        }
    }

    /// Packs mask [bytes](Stored::Byte) into [bits](Stored::Bit). For example, `[1, 0, 1]` becomes `[5]`.
    pub fn packed(bytes: &[u8]) -> Vec<u8> {
        let bits = |eight: &[u8]| eight.iter().rev().fold(0, |all, b| all << 1 | u8::from(*b != 0));
        bytes.chunks(8).map(bits).collect()
    }

    /// Returns the name of the storage type in messages and on the command line.
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
