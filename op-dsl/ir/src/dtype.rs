//! Element types, what each target calls them, and PyTorch's promotion among them.

use std::fmt;

/// The element type of a tensor. What is known of it is in its `Row`.
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

/// What every target shares of an element type.
#[derive(Debug)]
pub struct Row {
    /// The name in tables, on the command line and in messages.
    pub name: &'static str,
    /// Bits of an element.
    pub bits: usize,
    /// Bits of the significand, the hidden one included.
    pub precision: i32,
    /// Exponents of the least and of the greatest normal number.
    pub exponents: (i32, i32),
    /// The type in AscendC: `bfloat16_t`.
    pub c: &'static str,
    /// The name in GE and acl, which put `DT_` and `ACL_` before it.
    pub ge: &'static str,
    /// The name in CANN's documents.
    pub long: &'static str,
    /// The number in GE and acl.
    pub ge_code: i32,
    /// The number in InfiniCore.
    pub infini_code: i32,
    /// What NumPy calls the elements of a file; it has no bfloat16, whose bits are saved.
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
    /// How many element types there are.
    pub const COUNT: usize = 3;
    /// Every element type, in the order of the tag.
    pub const ALL: [DType; Self::COUNT] = [DType::F16, DType::BF16, DType::F32];

    /// What is known of it.
    pub const fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// Size of one element, in bytes.
    pub const fn size(self) -> usize {
        self.row().bits / 8
    }

    /// The name used in tables, on the command line and in error messages.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The element type for which a property of its row is this one.
    pub fn with<T: PartialEq>(property: fn(&Row) -> T, value: T) -> Option<DType> {
        DType::ALL.into_iter().find(|d| property(d.row()) == value)
    }

    /// The type that holds both, by PyTorch's table: equal types stay, any mix is `f32`.
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
