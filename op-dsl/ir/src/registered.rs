//! How a repository of operators registers one: the graph prototype (`REG_OP`) and the definition (`OpDef`).
//!
//! Names, types and optionality of the two differ, and both are contracts: graphs, fusion passes and the plugins of
//! frameworks depend on the prototype, the build on the definition.

use crate::op::{OpDef, Text};
use std::borrow::Cow;

/// A graph prototype, `op_graph/<op>_proto.h`. Inputs and outputs are those of the operator, in its order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prototype {
    /// Names of the inputs.
    pub inputs: &'static [&'static str],
    /// Names of the outputs.
    pub outputs: &'static [&'static str],
    /// Element types of the tensors that [`Prototype::types_of`] does not name.
    pub types: Types,
    /// Tensors with element types of their own, as masks are: their names, and the types as C++ has them.
    pub types_of: &'static [(&'static str, &'static str)],
    /// Attributes, which may be more than the operator's.
    pub attrs: &'static [Attribute],
}

/// Element types in a prototype, as C++ has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Types {
    /// Each tensor has one of these.
    Each(&'static str),
    /// All tensors have the same one of these.
    Common(&'static str),
}

/// What a definition, `op_host/<op>_def.cpp`, has that the operator's formula does not tell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Definition {
    /// The operator's directory, which is also the stem of its files; empty if that is its name in snake case.
    pub directory: &'static str,
    /// Names of the inputs; empty if they are the formula's.
    pub inputs: &'static [&'static str],
    /// Names of the outputs; empty if they are the formula's.
    pub outputs: &'static [&'static str],
    /// Whether graphs must give every attribute.
    pub required: bool,
    /// Attributes that the formula does not have. Kernels have them at their default alone.
    pub more_attrs: &'static [Attribute],
    /// Element types that kernels of this project do not have.
    pub more_types: &'static [&'static str],
    /// Whether tensors of one call may differ in element type.
    pub mixed: bool,
    /// Products that the repository's build of this project does not know.
    pub more_socs: &'static [&'static str],
    /// What the directory has beside implementation, interface and their tests, by its paths there.
    pub beside: &'static [&'static str],
    /// Functions of the directory that are no functions of the operator here.
    pub functions: &'static [&'static str],
}

/// An attribute that is registered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: &'static str,
    /// Its type and default.
    pub default: AttrDefault,
    /// The version of the interface that it came with; 0 if it is not stated.
    pub version: u8,
}

/// The type of an attribute, and its value where a call gives none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AttrDefault {
    /// None: calls give it. With its type.
    Required(&'static str),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// A text.
    Text(&'static str),
}

impl AttrDefault {
    /// The type as CANN names it.
    pub const fn ty(self) -> &'static str {
        match self {
            AttrDefault::Required(ty) => ty,
            AttrDefault::Int(_) => "Int",
            AttrDefault::Float(_) => "Float",
            AttrDefault::Bool(_) => "Bool",
            AttrDefault::Text(_) => "String",
        }
    }

    /// The value as C++ has it; `None` if there is none.
    pub fn value(self) -> Option<String> {
        match self {
            AttrDefault::Required(_) => None,
            AttrDefault::Int(value) => Some(value.to_string()),
            AttrDefault::Float(value) => Some(format!("{value:?}")),
            AttrDefault::Bool(value) => Some(value.to_string()),
            AttrDefault::Text(value) => Some(format!("\"{value}\"")),
        }
    }
}

impl Prototype {
    /// The element types of a tensor of its own, as C++ has them; `None` of the others.
    pub fn types_of(&self, name: &str) -> Option<&'static str> {
        self.types_of.iter().find(|t| t.0 == name).map(|t| t.1)
    }
}

impl Definition {
    /// One that says no more than the formula.
    pub const PLAIN: Definition = Definition {
        directory: "",
        inputs: &[],
        outputs: &[],
        required: false,
        more_attrs: &[],
        more_types: &[],
        mixed: false,
        more_socs: &[],
        beside: &[],
        functions: &[],
    };

    /// The operator with these names of tensors.
    pub fn rename<'d>(&self, def: Cow<'d, OpDef>) -> Cow<'d, OpDef> {
        if self.inputs.is_empty() && self.outputs.is_empty() {
            return def;
        }
        let mut renamed = def.into_owned();
        let inputs = renamed.inputs.to_mut().iter_mut().zip(self.inputs);
        for (tensor, name) in inputs.chain(renamed.outputs.to_mut().iter_mut().zip(self.outputs)) {
            tensor.name = Text::Borrowed(name);
        }
        Cow::Owned(renamed)
    }
}

/// An attribute with a default.
pub const fn attribute(name: &'static str, default: AttrDefault) -> Attribute {
    Attribute { name, default, version: 0 }
}
