//! Element types, their names in each target, and PyTorch's type promotion.

use std::fmt;

/// The element type of a tensor. Its properties are in its `Row`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum DType {
    /// IEEE binary16.
    F16 = 0,
    /// bfloat16: the upper half of an IEEE binary32.
    BF16 = 1,
    /// IEEE binary32.
    F32 = 2,
}

/// Properties of an element type that all targets share.
#[derive(Debug)]
pub struct Row {
    /// Name in printed tables, on the command line and in messages.
    pub name: &'static str,
    /// Size of an element, in bits.
    pub bits: usize,
    /// Bits of the significand, the hidden one included.
    pub precision: i32,
    /// Exponents of two of the smallest and of the largest normal number.
    pub exponents: (i32, i32),
    /// Type in AscendC, for example `bfloat16_t`.
    pub c: &'static str,
    /// Name in GE and acl, which put `DT_` and `ACL_` before it.
    pub ge: &'static str,
    /// Name in CANN's documents.
    pub long: &'static str,
    /// Type code in GE and acl.
    pub ge_code: i32,
    /// Type code in InfiniCore.
    pub infini_code: i32,
    /// Element type of NumPy files; bf16 is saved as the bits, because NumPy has no bfloat16.
    pub numpy: &'static str,
}

/// One row per element type, in the order of the enum.
#[rustfmt::skip]
const ROWS: [Row; DType::COUNT] = [
    Row { name: "f16",  bits: 16, precision: 11, exponents: (-14, 15),   c: "half",       ge: "FLOAT16", long: "FLOAT16",  ge_code: 1,  infini_code: 12, numpy: "float16" },
    Row { name: "bf16", bits: 16, precision: 8,  exponents: (-126, 127), c: "bfloat16_t", ge: "BF16",    long: "BFLOAT16", ge_code: 27, infini_code: 19, numpy: "uint16" },
    Row { name: "f32",  bits: 32, precision: 24, exponents: (-126, 127), c: "float",      ge: "FLOAT",   long: "FLOAT",    ge_code: 0,  infini_code: 13, numpy: "float32" },
];

impl DType {
    /// Number of element types.
    pub const COUNT: usize = 3;
    /// Every element type, in the order of the enum.
    pub const ALL: [DType; Self::COUNT] = [DType::F16, DType::BF16, DType::F32];

    /// Returns the properties of the element type.
    pub const fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// Returns the size of one element in bytes.
    pub const fn size(self) -> usize {
        self.row().bits / 8
    }

    /// Returns the name used in printed tables, on the command line and in error messages.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the element type for which a property, such as its name, has this value; `None` if none has.
    pub fn with<T: PartialEq>(property: fn(&Row) -> T, value: T) -> Option<DType> {
        DType::ALL.into_iter().find(|d| property(d.row()) == value)
    }

    /// Promotes two types to a common one by PyTorch's table: equal types stay, any mix is `f32`.
    ///
    /// For example, `f16` and `bf16` promote to `f32`.
    pub const fn promote(self, other: DType) -> DType {
        if self as u8 == other as u8 { self } else { DType::F32 }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::str::FromStr for DType {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let names = DType::ALL.map(DType::name).join(", ");
        DType::with(|row| row.name, s)
            .ok_or_else(|| format!("unknown dtype `{s}`; allowed: {names}"))
    }
}
