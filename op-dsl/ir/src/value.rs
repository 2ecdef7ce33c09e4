//! Attribute values.

/// The value of an attribute. Enums have their number, dimensions their integer.
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
    /// Returns the value as an integer; booleans are 0 and 1, floats have none.
    pub const fn as_int(self) -> Option<i64> {
        match self {
            Value::Int(v) => Some(v),
            Value::Bool(b) => Some(b as i64),
            Value::Float(_) => None,
        }
    }
}
