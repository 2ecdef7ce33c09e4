//! Values of attributes as an author's function takes them, for the oracles in macro expansions.

use crate::OpAttr;
use op_dsl_ir::op::Value;

/// Returns the value of an attribute as an integer: a boolean is 0 or 1, and a float is 0.
pub fn int(v: Value) -> i64 {
    v.as_int().unwrap_or_default()
}

/// Returns whether a call passes an optional tensor, which attribute number `at` says.
///
/// Returns false if there is no such attribute.
pub fn is_given(attrs: &[Value], at: usize) -> bool {
    attrs.get(at).is_some_and(|v| int(*v) != 0)
}

/// Returns the value of a float attribute, rounded to f32 as in kernels.
pub fn float(v: Value) -> f32 {
    match v {
        Value::Float(v) => v as f32,
        other => int(other) as f32,
    }
}

/// Returns the value of an enum attribute; the first variant if the number is unknown.
pub fn variant<T: OpAttr>(v: Value) -> T {
    T::from_i64(int(v)).unwrap_or(T::VARIANTS[0].0)
}
