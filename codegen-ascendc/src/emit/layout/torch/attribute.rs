//! Types and defaults of attributes in PyTorch's schema language.

use crate::emit::api::cpp::literal;
use op_dsl_ir::op::{Attr, AttrKind, Value};

/// Returns type and default of an attribute in PyTorch's schema language; enums become strings.
pub fn declared(attr: &Attr) -> (&'static str, String) {
    match (&attr.kind, attr.default) {
        (AttrKind::Enum { .. }, Value::Int(v)) => ("str", literal(attr.kind.variant_name(v))),
        (_, Value::Int(v)) => ("int", v.to_string()),
        (_, Value::Bool(v)) => ("bool", if v { "True" } else { "False" }.into()),
        (_, Value::Float(v)) => ("float", format!("{v:?}")),
    }
}
