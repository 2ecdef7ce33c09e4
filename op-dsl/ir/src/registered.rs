//! Registrations of operators in a repository: graph prototypes (`REG_OP`) and definitions (`OpDef`).
//!
//! Names, types and optionality of the two differ. Both are contracts, because graphs, fusion passes and the plugins
//! of frameworks depend on the prototype, and the build on the definition.

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
    /// Tensors with element types of their own, for example masks, as `(name, types in C++)`.
    pub types_of: &'static [(&'static str, &'static str)],
    /// Attributes; there may be more than the operator has.
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

/// The parts of a definition, `op_host/<op>_def.cpp`, that do not follow from the operator's formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Definition {
    /// Directory of the operator, and stem of its files; empty if it is the name in snake case.
    pub directory: &'static str,
    /// Names of the inputs; empty if they are the formula's.
    pub inputs: &'static [&'static str],
    /// Names of the outputs; empty if they are the formula's.
    pub outputs: &'static [&'static str],
    /// Whether graphs must give every attribute.
    pub required: bool,
    /// Attributes that the formula does not have; kernels support only their default.
    pub more_attrs: &'static [Attribute],
    /// Element types that the repository lists and kernels of this project do not have.
    pub more_types: &'static [&'static str],
    /// Whether tensors of one call may differ in element type.
    pub mixed: bool,
    /// Products (SoCs) of the repository that the build of this project does not know.
    pub more_socs: &'static [&'static str],
    /// Paths in the directory other than the implementation, the interface and their tests.
    pub beside: &'static [&'static str],
    /// Functions of the directory that do not belong to the operator here.
    pub functions: &'static [&'static str],
}

/// A registered attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attribute {
    /// Its name.
    pub name: &'static str,
    /// Its type and its default.
    pub default: AttrDefault,
    /// Version of the interface that introduced it; 0 if that is not stated.
    pub version: u8,
}

/// The type of an attribute and its default value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AttrDefault {
    /// No default, so calls must pass a value of this type.
    Required(&'static str),
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// A string.
    Text(&'static str),
}

impl AttrDefault {
    /// Returns the type as CANN names it.
    pub const fn ty(self) -> &'static str {
        match self {
            AttrDefault::Required(ty) => ty,
            AttrDefault::Int(_) => "Int",
            AttrDefault::Float(_) => "Float",
            AttrDefault::Bool(_) => "Bool",
            AttrDefault::Text(_) => "String",
        }
    }

    /// Returns the value as written in C++; `None` if there is none.
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
    /// Returns a tensor's own element types, as C++ has them; `None` if it has the common ones.
    pub fn types_of(&self, name: &str) -> Option<&'static str> {
        self.types_of.iter().find(|t| t.0 == name).map(|t| t.1)
    }
}

impl Definition {
    /// A definition that adds nothing to the formula.
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

    /// Returns the operator with its tensors renamed as in this definition.
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

/// Returns an attribute with a default.
pub const fn attribute(name: &'static str, default: AttrDefault) -> Attribute {
    Attribute { name, default, version: 0 }
}
