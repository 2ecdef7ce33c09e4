//! Element types and PyTorch's promotion among them.

use std::fmt;

/// The element type of a tensor.
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

impl DType {
    /// How many element types there are.
    pub const COUNT: usize = 3;
    /// Every element type, in the order of the tag.
    pub const ALL: [DType; Self::COUNT] = [DType::F16, DType::BF16, DType::F32];

    /// Size of one element, in bytes.
    pub const fn size(self) -> usize {
        match self {
            DType::F16 | DType::BF16 => 2,
            DType::F32 => 4,
        }
    }

    /// The name used in tables, on the command line and in error messages.
    pub const fn name(self) -> &'static str {
        match self {
            DType::F16 => "f16",
            DType::BF16 => "bf16",
            DType::F32 => "f32",
        }
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
        let found = DType::ALL.into_iter().find(|d| d.name() == s);
        found.ok_or_else(|| format!("unknown dtype `{s}`; allowed: f16, bf16, f32"))
    }
}
