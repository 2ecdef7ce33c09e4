//! What an attribute is set to.

/// The value of an attribute. Enums are their number, dimensions their integer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Of `Dim`, `Int` and `Enum`.
    Int(i64),
    /// Of `Bool`.
    Bool(bool),
    /// Of `Float`.
    Float(f64),
}

impl Value {
    /// The value as an integer; booleans are 0 and 1, floats have none.
    pub const fn as_int(self) -> Option<i64> {
        match self {
            Value::Int(v) => Some(v),
            Value::Bool(b) => Some(b as i64),
            Value::Float(_) => None,
        }
    }
}
