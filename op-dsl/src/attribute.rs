//! Enums as attributes.

use std::fmt::Debug;

/// An enum of unit variants that is an attribute of operators; `#[derive(OpAttr)]` implements it.
pub trait OpAttr: Copy + Debug + PartialEq + 'static {
    /// Every value with its name and its number on the wire.
    const VARIANTS: &'static [(Self, &'static str, i64)];

    /// Returns the value with this number.
    fn from_i64(number: i64) -> Option<Self> {
        Self::VARIANTS.iter().find(|v| v.2 == number).map(|v| v.0)
    }

    /// Returns its number on the wire.
    fn to_i64(self) -> i64 {
        Self::VARIANTS.iter().find(|v| v.0 == self).map_or(0, |v| v.2)
    }

    /// Returns its name on the wire.
    fn name(self) -> &'static str {
        Self::VARIANTS.iter().find(|v| v.0 == self).map_or("", |v| v.1)
    }
}
