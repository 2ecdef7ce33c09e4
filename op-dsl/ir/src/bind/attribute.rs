//! Checks attribute values, and parses them from text.

use super::error::{BindError, Checked, Wrong, join, refuse};
use crate::op::{Attr, AttrKind, OpDef, Value, Variant};

/// Parses an attribute from text and returns its index and value.
///
/// Enums are given by name or number, booleans by `true`, `false`, `1` or `0`.
///
/// # Errors
/// The operator has no attribute of that name, or the text is no value that the attribute accepts.
pub fn parse_attr(def: &OpDef, name: &str, text: &str) -> Result<(usize, Value), BindError> {
    let err = |what| BindError { op: def.name.clone(), what: Box::new(what) };
    let Some(index) = def.passed().iter().position(|a| a.name == name) else {
        let names = join(def.passed().iter().map(|a| &a.name));
        return Err(err(Wrong::UnknownAttr { name: name.into(), names }));
    };
    let attr = &def.attrs[index];
    let value = match &attr.kind {
        AttrKind::Dim | AttrKind::Int => text.parse().ok().map(Value::Int),
        AttrKind::Given(_) => None,
        AttrKind::Bool => match text {
            "true" | "1" => Some(Value::Bool(true)),
            "false" | "0" => Some(Value::Bool(false)),
            _ => None,
        },
        AttrKind::Float => text.parse().ok().map(Value::Float),
        AttrKind::Enum { variants, .. } => {
            let number = text.parse().ok();
            let found = variants.iter().find(|v| v.name == text || Some(v.value) == number);
            found.map(|v| Value::Int(v.value))
        }
    };
    let wrong = || Wrong::AttrValue {
        attr: attr.name.clone(),
        got: format!("`{text}`"),
        allowed: allowed(attr),
    };
    let value = value.filter(|v| fits(attr, *v));
    value.map(|v| (index, v)).ok_or_else(|| err(wrong()))
}

/// Checks that each attribute has an allowed value.
///
/// Attributes that no caller passes (see `OpDef::passed`) may be left out.
pub(super) fn check(def: &OpDef, attrs: &[Value]) -> Checked<()> {
    let want = def.passed().len();
    if attrs.len() != want && attrs.len() != def.attrs.len() {
        let names = join(def.passed().iter().map(|a| &a.name));
        return refuse(Wrong::AttrCount { got: attrs.len(), want, names });
    }
    for (attr, value) in def.attrs.iter().zip(attrs) {
        if !fits(attr, *value) {
            let got = match value {
                Value::Int(v) => v.to_string(),
                Value::Bool(v) => v.to_string(),
                Value::Float(v) => v.to_string(),
            };
            let allowed = allowed(attr);
            return refuse(Wrong::AttrValue { attr: attr.name.clone(), got, allowed });
        }
    }
    Ok(())
}

/// Returns whether an attribute accepts a value.
///
/// Kernels receive a float attribute as `f32`. A value that is not finite as `f32`, for example 3.5e38, would turn
/// every element into NaN, so only attributes declared with `any` accept it.
fn fits(attr: &Attr, value: Value) -> bool {
    match (&attr.kind, value) {
        (AttrKind::Dim | AttrKind::Int, Value::Int(_)) => true,
        (AttrKind::Bool | AttrKind::Given(_), Value::Bool(_)) => true,
        (AttrKind::Float, Value::Float(v)) => attr.any || (v as f32).is_finite(),
        (AttrKind::Enum { variants, .. }, Value::Int(v)) => variants.iter().any(|k| k.value == v),
        _ => false,
    }
}

fn allowed(attr: &Attr) -> String {
    match &attr.kind {
        AttrKind::Dim | AttrKind::Int => "integers".into(),
        AttrKind::Bool | AttrKind::Given(_) => "true, false".into(),
        AttrKind::Float => "finite numbers of f32".into(),
        AttrKind::Enum { variants, .. } => {
            let one = |v: &Variant| format!("{} ({})", v.name, v.value);
            variants.iter().map(one).collect::<Vec<_>>().join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_float_is_finite_as_f32() {
        let attr = |any| {
            let default = Value::Float(0.0);
            Attr { name: "alpha".into(), kind: AttrKind::Float, default, any }
        };
        for (v, want) in [(0.0, true), (-3.4e38, true), (1e-300, true), (3.5e38, false)] {
            assert_eq!(fits(&attr(false), Value::Float(v)), want, "{v}");
        }
        for v in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(!fits(&attr(false), Value::Float(v)), "{v}");
            assert!(fits(&attr(true), Value::Float(v)), "{v}");
        }
    }
}
