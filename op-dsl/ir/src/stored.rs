//! Storage types of tensor elements: numbers that kernels compute with, other numbers, mask bits, or row counts.

use crate::DType;
use crate::format::Format;
use std::fmt;

/// The storage type of one element of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stored {
    /// A number that kernels compute with, of this element type.
    Number(DType),
    /// A truth value stored as a byte, as in tensors of `bool`. As a number it is 1 for true, else 0.
    ///
    /// 0 is false, and every other byte is true.
    Byte,
    /// A mask bit, packed eight to a byte, the first in the lowest bit.
    ///
    /// Bits are packed through the whole tensor, so no row is padded.
    ///
    /// Source: `uint1` of CANN, as ops-nn's activation/relu_grad_v2 reads it (its golden function).
    Bit,
    /// A signed integer of 8 bits.
    Int8,
    /// An unsigned integer of 8 bits; in a mask, 0 is false and every other byte is true.
    Uint8,
    /// A signed integer of 16 bits.
    Int16,
    /// A signed integer of 32 bits.
    Int32,
    /// A signed integer of 64 bits, which counts rows.
    Int64,
    /// IEEE binary64: the element type of calls on CPUs that compute in f64.
    Float64,
    /// A float of 8 bits, 3 of them of its fraction; it has NaN, but no infinity.
    E4m3fn,
    /// A float of 8 bits, 2 of them of its fraction, which has NaN and infinities.
    E5m2,
    /// No data: the call left an optional tensor out.
    Nothing,
}

impl Stored {
    /// Storage types of masks, for messages.
    pub const OF_MASKS: &str = "bool, uint8, uint1";

    /// Types of numbers that kernels do not compute with, but convert from and to, each with its name in formulas.
    pub const CONVERTED: [(&str, Stored); 7] = [
        ("bool", Stored::Byte),
        ("i8", Stored::Int8),
        ("u8", Stored::Uint8),
        ("i16", Stored::Int16),
        ("i32", Stored::Int32),
        ("e4m3fn", Stored::E4m3fn),
        ("e5m2", Stored::E5m2),
    ];

    /// Returns all types that a tensor may have on its own, each with its name in formulas: `i8` in `Elem<i8>`.
    pub fn own() -> impl Iterator<Item = (&'static str, Stored)> {
        let computed = DType::ALL.into_iter().map(|dtype| (dtype.name(), dtype.into()));
        computed.chain(Stored::CONVERTED)
    }

    /// Returns the element type if the elements are numbers that kernels compute with, else `None`.
    pub const fn number(self) -> Option<DType> {
        match self {
            Stored::Number(dtype) => Some(dtype),
            _ => None,
        }
    }

    /// Returns whether the elements are numbers that kernels do not compute with, but convert from and to.
    pub fn is_converted(self) -> bool {
        Stored::CONVERTED.iter().any(|(_, stored)| *stored == self)
    }

    /// Returns the least and the greatest number of an integer type; `None` for all other types.
    pub const fn integers(self) -> Option<(f64, f64)> {
        match self {
            Stored::Int8 => Some((i8::MIN as f64, i8::MAX as f64)),
            Stored::Uint8 => Some((0.0, u8::MAX as f64)),
            Stored::Int16 => Some((i16::MIN as f64, i16::MAX as f64)),
            Stored::Int32 => Some((i32::MIN as f64, i32::MAX as f64)),
            _ => None,
        }
    }

    /// Returns the number that a number becomes when it is stored as this type.
    ///
    /// Integers are the nearest, of two the even one, and at most the greatest of the type; NaN is 0. As a truth value every number
    /// but 0 is 1. Floats are the nearest.
    pub fn nearest(self, v: f64) -> f64 {
        match (self, self.integers(), Format::of_stored(self)) {
            (_, Some(_), _) if v.is_nan() => 0.0,
            (_, Some((least, greatest)), _) => v.round_ties_even().clamp(least, greatest),
            (_, None, Some(format)) => format.round(v),
            (Stored::Byte, ..) => f64::from(u8::from(v != 0.0)),
            _ => v,
        }
    }

    /// Returns the size in bytes of a single element; a single bit needs a whole byte.
    pub const fn size(self) -> usize {
        match self {
            Stored::Number(dtype) => dtype.size(),
            Stored::Byte | Stored::Bit | Stored::Nothing => 1,
            Stored::Int8 | Stored::Uint8 | Stored::E4m3fn | Stored::E5m2 => 1,
            Stored::Int16 => 2,
            Stored::Int32 => 4,
            Stored::Int64 | Stored::Float64 => 8,
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
            Stored::Int8 => "int8",
            Stored::Uint8 => "uint8",
            Stored::Int16 => "int16",
            Stored::Int32 => "int32",
            Stored::Int64 => "int64",
            Stored::Float64 => "f64",
            Stored::E4m3fn => "float8_e4m3fn",
            Stored::E5m2 => "float8_e5m2",
            Stored::Nothing => "nothing",
        }
    }
}

impl Format {
    /// Returns the format of floats that are stored so; `None` for all other elements.
    pub const fn of_stored(stored: Stored) -> Option<Format> {
        Some(match stored {
            Stored::Number(dtype) => Format::of(dtype),
            Stored::E4m3fn => Format::of_eight_bits(4, (-6, 8), false),
            Stored::E5m2 => Format::of_eight_bits(3, (-14, 15), true),
            _ => return None,
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_the_nearest_of_the_type() {
        for (stored, v, want) in [
            (Stored::Int8, 2.5, 2.0),
            (Stored::Int8, -3.5, -4.0),
            (Stored::Int8, 1e9, 127.0),
            (Stored::Int8, f64::NEG_INFINITY, -128.0),
            (Stored::Uint8, -0.6, 0.0),
            (Stored::Int32, f64::NAN, 0.0),
            (Stored::Byte, f64::NAN, 1.0),
            (Stored::Byte, -0.0, 0.0),
            (Stored::E5m2, 1.1, 1.0),
        ] {
            assert_eq!(stored.nearest(v), want, "{stored} {v}");
        }
    }
}
