//! Attributes of an operator: parameters that are the same for every element.

use crate::list::{List, Text};
use crate::value::Value;

/// An attribute: a parameter that is the same for every element.
#[derive(Clone, Debug, PartialEq)]
pub struct Attr {
    /// Name in CANN, for example `approximate`.
    pub name: Text,
    /// Type and allowed values of the attribute.
    pub kind: AttrKind,
    /// The value when the caller gives none.
    pub default: Value,
    /// Whether calls may pass NaN or infinity for a float attribute.
    pub any: bool,
}

/// The type of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttrKind {
    /// A dimension in `[-rank, rank - 1]`.
    Dim,
    /// True or false.
    Bool,
    /// An integer, which formulas read as a run-time scalar, rounded to the nearest f32.
    Int,
    /// A floating-point number, which formulas read as a run-time scalar.
    Float,
    /// Whether a call supplies the optional input with this index.
    ///
    /// Callers do not pass this attribute, because it follows from the inputs.
    Given(usize),
    /// One of a few named values.
    Enum {
        /// Name of the Rust type, for example `Approximate`.
        ty: Text,
        /// Whether CANN passes the name (a string) instead of the number.
        wire_str: bool,
        /// The allowed values.
        variants: List<Variant>,
    },
}

impl AttrKind {
    /// Returns whether graphs read the attribute as a run-time scalar.
    pub fn is_scalar(&self) -> bool {
        matches!(self, AttrKind::Int | AttrKind::Float)
    }

    /// Returns the variant with this value, or `None` if there is none or the attribute is no enum.
    pub fn variant(&self, value: i64) -> Option<&Variant> {
        let AttrKind::Enum { variants, .. } = self else { return None };
        variants.iter().find(|variant| variant.value == value)
    }

    /// Returns the name of the variant with this value; empty if there is none or the attribute is no enum.
    pub fn variant_name(&self, value: i64) -> &str {
        self.variant(value).map_or("", |variant| &variant.name)
    }

    /// Returns the value that a specialisation's condition states as a number.
    pub fn value(&self, number: i64) -> Value {
        match self {
            AttrKind::Bool | AttrKind::Given(_) => Value::Bool(number != 0),
            _ => Value::Int(number),
        }
    }

    /// Returns a value as users write it: a variant by its name, a float without a needless `.0`.
    pub fn text(&self, value: Value) -> String {
        match (value.as_int().and_then(|v| self.variant(v)), value) {
            (Some(variant), _) => variant.name.to_string(),
            (None, Value::Float(x)) => x.to_string(),
            (None, value) => value.literal(),
        }
    }
}

impl Attr {
    /// Rounds a value of this attribute to the f32 that formulas read.
    ///
    /// Returns `None` for attributes that are no numbers. Integers beyond 2^24 are not exact: for example, 16777217
    /// becomes 16777216.
    pub fn scalar(&self, value: Value) -> Option<f32> {
        match (&self.kind, value) {
            (AttrKind::Float, Value::Float(v)) => Some(v as f32),
            (AttrKind::Int, Value::Int(n)) => Some(n as f32),
            _ => None,
        }
    }

    /// Returns a value of this attribute as formulas in f64 read it; `None` for attributes that are no numbers.
    pub fn number(&self, value: Value) -> Option<f64> {
        match (&self.kind, value) {
            (AttrKind::Float, Value::Float(v)) => Some(v),
            (AttrKind::Int, Value::Int(n)) => Some(n as f64),
            _ => None,
        }
    }
}

/// One value of an enum attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Name in Rust, for example `Tanh`.
    pub ident: Text,
    /// Name in calls from C and on the command line, for example `tanh`.
    pub name: Text,
    /// Number that calls from C pass for the value.
    pub value: i64,
}
