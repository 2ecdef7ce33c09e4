//! Rust enums as attributes of operators.

use std::fmt::Debug;

/// An enum of unit variants that is an attribute of operators; `#[derive(OpAttr)]` implements it.
pub trait OpAttr: Copy + Debug + PartialEq + 'static {
    /// Every enum value with the name and the number that callers outside Rust pass for it.
    const VARIANTS: &'static [(Self, &'static str, i64)];

    /// Returns the enum value with this number; `None` if there is none.
    fn from_i64(number: i64) -> Option<Self> {
        Self::VARIANTS.iter().find(|v| v.2 == number).map(|v| v.0)
    }

    /// Returns the number that callers outside Rust pass for the value.
    fn to_i64(self) -> i64 {
        Self::VARIANTS.iter().find(|v| v.0 == self).map_or(0, |v| v.2)
    }

    /// Returns the name that callers outside Rust pass for the value.
    fn name(self) -> &'static str {
        Self::VARIANTS.iter().find(|v| v.0 == self).map_or("", |v| v.1)
    }
}
