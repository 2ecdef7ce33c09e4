//! Attribute values.

/// The value of an attribute. An enum value is stored as its number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Value of a `Dim`, `Int` or `Enum` attribute.
    Int(i64),
    /// Value of a `Bool` attribute.
    Bool(bool),
    /// Value of a `Float` attribute.
    Float(f64),
}

impl Value {
    /// Returns the value as an integer; booleans are 0 and 1, and floats give `None`.
    pub const fn as_int(self) -> Option<i64> {
        match self {
            Value::Int(v) => Some(v),
            Value::Bool(b) => Some(b as i64),
            Value::Float(_) => None,
        }
    }

    /// Returns the value as a literal of C or Rust: `-1`, `true`, `1.0`.
    pub fn literal(self) -> String {
        match self {
            Value::Int(v) => v.to_string(),
            Value::Bool(b) => b.to_string(),
            Value::Float(x) => format!("{x:?}"),
        }
    }
}
