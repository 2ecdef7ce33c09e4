//! Element types: the facts that decisions ask for, their names in interfaces, and PyTorch's type promotion.

use std::cmp::Reverse;
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
    /// Name in GE and acl, which put `DT_` and `ACL_` before it.
    pub ge: &'static str,
    /// Type code in GE and acl.
    pub ge_code: i32,
    /// Type code in InfiniCore.
    pub infini_code: i32,
    /// Name in Python, of arrays and tensors.
    pub python: &'static str,
    /// Element type of NumPy files; bf16 is saved as the bits, because NumPy has no bfloat16.
    pub numpy: &'static str,
}

impl Row {
    const fn has_range_of(&self, other: &Row) -> bool {
        self.exponents.0 <= other.exponents.0 && self.exponents.1 >= other.exponents.1
    }
}

/// One row per element type, in the order of the enum.
#[rustfmt::skip]
const ROWS: [Row; DType::COUNT] = [
    Row { name: "f16",  bits: 16, precision: 11, exponents: (-14, 15),   ge: "FLOAT16", ge_code: 1,  infini_code: 12, python: "float16",  numpy: "float16" },
    Row { name: "bf16", bits: 16, precision: 8,  exponents: (-126, 127), ge: "BF16",    ge_code: 27, infini_code: 19, python: "bfloat16", numpy: "uint16" },
    Row { name: "f32",  bits: 32, precision: 24, exponents: (-126, 127), ge: "FLOAT",   ge_code: 0,  infini_code: 13, python: "float32",  numpy: "float32" },
];

impl DType {
    /// Number of element types.
    pub const COUNT: usize = DType::ALL.len();
    /// Every element type, in the order of the enum.
    pub const ALL: [DType; 3] = [DType::F16, DType::BF16, DType::F32];

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

    /// Returns whether the type has fewer digits than f32.
    ///
    /// Results of such types are computed in f32 and then rounded once more.
    pub const fn is_narrow(self) -> bool {
        self.row().precision < DType::F32.row().precision
    }

    /// Returns whether the type has all exponents of f32, so that nothing in its range overflows or vanishes in f32 alone.
    pub const fn has_f32_range(self) -> bool {
        self.row().has_range_of(DType::F32.row())
    }

    /// Returns whether NumPy has the type; if not, files have its bits.
    pub fn is_in_numpy(self) -> bool {
        self.row().numpy == self.row().python
    }

    /// Returns every element type, those with the most digits first: the order of reports.
    pub fn by_precision() -> [DType; Self::COUNT] {
        let mut all = DType::ALL;
        all.sort_by_key(|dtype| Reverse(dtype.row().precision));
        all
    }

    /// Returns the names of all element types, separated by commas, for messages.
    pub fn names() -> String {
        DType::ALL.map(DType::name).join(", ")
    }

    /// Returns the element type for which a property, such as its name, has this value; `None` if none has.
    pub fn with<T: PartialEq>(property: fn(&Row) -> T, value: T) -> Option<DType> {
        DType::ALL.into_iter().find(|d| property(d.row()) == value)
    }

    /// Promotes two types to a common one, as PyTorch does: the smallest that has all digits and exponents of both.
    ///
    /// For example, `f16` and `bf16` promote to `f32`.
    pub fn promote(self, other: DType) -> DType {
        let holds = |all: &Row, one: &Row| all.precision >= one.precision && all.has_range_of(one);
        let common = |d: &DType| [self, other].iter().all(|one| holds(d.row(), one.row()));
        DType::ALL.into_iter().filter(common).min_by_key(|d| d.size()).unwrap_or(DType::F32)
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
        DType::with(|row| row.name, s).ok_or_else(|| match s {
            "f64" => format!(
                "dtype `f64` is for calls from Rust and Python; allowed: {}",
                DType::names()
            ),
            _ => format!("unknown dtype `{s}`; allowed: {}", DType::names()),
        })
    }
}
