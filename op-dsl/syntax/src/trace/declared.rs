//! Checks values against the declared types of parameters, `let`s and results.

use super::body::Tracer;
use super::value::Value;
use crate::{model, number};
use op_dsl_ir::graph::{Id, Node};
use op_dsl_ir::op::AttrKind;
use quote::ToTokens;
use syn::Type;

/// The meaning of a Rust type in a formula.
pub enum Declared {
    /// `Elem`: one element of a tensor.
    Elem,
    /// `Gated`: one element of each part of a gated (two-part) tensor.
    Gated,
    /// `f64` or `f32`: a number or an `f32` attribute.
    Number,
    /// `i32`: an exponent.
    Exponent,
    /// `Dim`: an attribute that only describes the layout of tensors.
    Layout,
    /// `i64`: an integer attribute.
    Integer,
    /// `bool` or `Mask`, because an element of a mask is a boolean.
    Bool,
    /// The type of an enum attribute, by the enum's index in the scope.
    Enum(usize),
}

impl Tracer<'_> {
    /// Classifies the type of a parameter, `let` or result; `None` for types that formulas do not have.
    pub fn declared(&self, ty: &Type) -> Option<Declared> {
        Declared::of(ty, self.scope)
    }

    /// Returns the value if it has the declared type `ty`.
    ///
    /// Otherwise reports an error at `node` and returns `Value::Poison`.
    pub fn checked(&mut self, node: &impl ToTokens, ty: &Type, value: Value) -> Value {
        if let (Type::Tuple(t), Value::Tuple(values)) = (ty, &value)
            && t.elems.len() == values.len()
        {
            let each = t.elems.iter().zip(values.clone());
            return Value::Tuple(each.map(|(ty, v)| self.checked(node, ty, v)).collect());
        }
        let Some(declared) = self.declared(ty) else { return value };
        if let (Declared::Integer, Value::Int(n)) = (&declared, &value) {
            return Value::Num(*n as f64);
        }
        if value == Value::Poison || self.is(&value, &declared) {
            return value;
        }
        let (what, is) = (value.what(), ty.to_token_stream());
        let help = match (&declared, &value) {
            (Declared::Number, Value::Elem(_)) => "write `Elem` for the type".to_owned(),
            (Declared::Gated, Value::Tuple(_)) => {
                "write `Gated { gate: .., value: .. }`".to_owned()
            }
            _ => value.instead(),
        };
        let help = if help.is_empty() { String::new() } else { format!("; {help}") };
        self.error(node, format!("a value of type `{is}` is needed here and this is {what}{help}"));
        Value::Poison
    }

    fn is(&self, value: &Value, declared: &Declared) -> bool {
        match (declared, value) {
            (Declared::Elem, Value::Elem(_) | Value::Num(_)) => true,
            (Declared::Gated, Value::Gated(..)) => true,
            (Declared::Number, Value::Num(_)) => true,
            (Declared::Number | Declared::Integer, Value::Elem(id)) => !self.varies(*id),
            (Declared::Exponent | Declared::Layout, Value::Int(_)) => true,
            (Declared::Layout, Value::Layout) => true,
            (Declared::Bool, Value::Truth(_)) => true,
            (Declared::Bool, Value::Attr(i)) => matches!(self.kind(*i), Some(AttrKind::Bool)),
            (Declared::Enum(e), Value::Variant(ty, _)) => self.scope.enums[*e].ident == *ty,
            (Declared::Enum(e), Value::Attr(i)) => match self.kind(*i) {
                Some(AttrKind::Enum { ty, .. }) => self.scope.enums[*e].ident == **ty,
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns whether a node depends on an input stream, so that its value differs between elements.
    fn varies(&self, id: Id) -> bool {
        let mut needed = vec![false; id.index() + 1];
        needed[id.index()] = true;
        (0..=id.0).rev().map(Id).any(|id| {
            let node = self.graph.node(id);
            if needed[id.index()] {
                node.args().iter().for_each(|a| needed[a.index()] = true);
            }
            needed[id.index()] && matches!(node, Node::Stream(_))
        })
    }
}

impl Declared {
    /// Classifies the type of a parameter, `let` or result; `None` for types that formulas do not have.
    pub fn of(ty: &Type, scope: &crate::scope::Scope) -> Option<Declared> {
        let name = model::type_name(ty)?;
        if number::is_float(ty) {
            return Some(Declared::Number);
        }
        Some(match name.to_string().as_str() {
            "Elem" | "PerRow" => Declared::Elem,
            "Gated" => Declared::Gated,
            "i32" => Declared::Exponent,
            "Dim" => Declared::Layout,
            "i64" => Declared::Integer,
            "bool" | "Mask" => Declared::Bool,
            _ => Declared::Enum(scope.enums.iter().position(|e| e.ident == *name)?),
        })
    }
}
