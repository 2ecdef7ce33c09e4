//! Registrations of operators in a repository: graph prototypes (`REG_OP`) and definitions (`OpDef`).
//!
//! Names, types and optionality of the two differ. Both are contracts, because graphs, fusion passes and the plugins
//! of frameworks depend on the prototype, and the build on the definition.

/// A graph prototype, `op_graph/<op>_proto.h`. Inputs and outputs are those of the operator, in its order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prototype {
    /// Names of the inputs in the prototype.
    pub inputs: &'static [&'static str],
    /// Names of the outputs in the prototype.
    pub outputs: &'static [&'static str],
    /// Element types of the tensors that [`Prototype::types_of`] does not name.
    pub types: Types,
    /// Tensors with element types of their own, for example masks, as `(name, types in C++)`.
    pub types_of: &'static [(&'static str, &'static str)],
    /// Attributes of the prototype, which may be more than the operator has.
    pub attrs: &'static [Attribute],
}

/// Element types of the tensors in a prototype, written as in C++.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Types {
    /// Each tensor has any one of these types, given as a C++ list.
    Each(&'static str),
    /// All tensors have the same type, one of these, given as a C++ list.
    Common(&'static str),
}

/// The parts of a definition, `op_host/<op>_def.cpp`, that do not follow from the operator's formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Definition {
    /// Directory of the operator and stem of its files; empty if it is the operator's name in snake case.
    pub directory: &'static str,
    /// Names of the inputs in the definition; empty if they are the same as in the formula.
    pub inputs: &'static [&'static str],
    /// Names of the outputs in the definition; empty if they are the same as in the formula.
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
    /// Paths in the repository's directory of this operator that an emitted tree leaves there, as its README says.
    ///
    /// They are neither the implementation nor the interface, nor tests of these.
    pub beside: &'static [&'static str],
    /// Functions in the operator's directory that this project does not count to the operator.
    pub functions: &'static [&'static str],
}

/// An attribute of a graph prototype or of an operator definition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attribute {
    /// Name of the attribute.
    pub name: &'static str,
    /// Type of the attribute and its default value.
    pub default: AttrDefault,
    /// Version of the interface that introduced the attribute; 0 if that is not stated.
    pub version: u8,
}

/// The type of an attribute and its default value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AttrDefault {
    /// No default, so calls must pass a value of this type.
    Required(&'static str),
    /// The attribute is an integer with this default.
    Int(i64),
    /// The attribute is a floating-point number with this default.
    Float(f64),
    /// The attribute is a boolean with this default.
    Bool(bool),
    /// The attribute is a string with this default.
    Text(&'static str),
}

impl AttrDefault {
    /// Returns the name of the attribute's type in CANN.
    pub const fn ty(self) -> &'static str {
        match self {
            AttrDefault::Required(ty) => ty,
            AttrDefault::Int(_) => "Int",
            AttrDefault::Float(_) => "Float",
            AttrDefault::Bool(_) => "Bool",
            AttrDefault::Text(_) => "String",
        }
    }

    /// Returns the default value as written in C++; `None` if the attribute has no default.
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
    /// Returns the C++ list of a tensor's own element types; `None` if [`Prototype::types`] has them.
    pub fn types_of(&self, name: &str) -> Option<&'static str> {
        self.types_of.iter().find(|t| t.0 == name).map(|t| t.1)
    }
}

impl Definition {
    /// A definition in which everything follows from the operator's formula.
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
}

/// Describes an attribute with a default and without a stated version.
pub const fn attribute(name: &'static str, default: AttrDefault) -> Attribute {
    Attribute { name, default, version: 0 }
}
