//! An attribute, as PyTorch has it.

use crate::emit::api::cpp::literal;
use op_dsl_ir::op::{Attr, AttrKind, Value};

/// Type and default, as PyTorch has them: choices go by their names.
pub fn declared(attr: &Attr) -> (&'static str, String) {
    match (&attr.kind, attr.default) {
        (AttrKind::Enum { variants, .. }, Value::Int(v)) => {
            let name = variants.iter().find(|variant| variant.value == v).map_or("", |v| &v.name);
            ("str", literal(name))
        }
        (_, Value::Int(v)) => ("int", v.to_string()),
        (_, Value::Bool(v)) => ("bool", if v { "True" } else { "False" }.into()),
        (_, Value::Float(v)) => ("float", format!("{v:?}")),
    }
}
