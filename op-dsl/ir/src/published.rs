//! Published interfaces of operators, as data.
//!
//! `#[operators(published = TABLE)]` passes a table of rows to the operators of a module. A caller links against a
//! name, so names, the order of arguments and their C types are a contract. Operators without a row get theirs from
//! their own signature (`interface.rs`).

use crate::Stored;
use crate::registered::{Definition, Prototype};
use crate::value::Value;
use std::borrow::Cow;

/// Everything that is published of one operator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// Name of the operator.
    pub operator: &'static str,
    /// Its aclnn functions in CANN, if there are any.
    pub aclnn: Option<Aclnn>,
    /// Its functions in InfiniCore. An operator that has them has no functions in CANN's style.
    pub infiniop: Option<Infiniop>,
    /// Variants that its document leaves out on an architecture.
    pub left_out: &'static [LeftOut],
    /// Storage type of its masks: bytes or bits.
    pub masks: Stored,
    /// Its prototype in a repository, if that has one.
    pub prototype: Option<Prototype>,
    /// Its definition in a repository, if that has one.
    pub definition: Option<Definition>,
}

/// The names of an operator in InfiniCore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infiniop {
    /// Name inside the functions' names, for example `GeLUBackward`.
    pub name: &'static str,
    /// The header that callers include, without `.h`.
    pub header: &'static str,
}

/// A variant of an operator that its document leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Architecture, as the number in `__NPU_ARCH__`.
    pub arch: u16,
    /// Attribute that selects the variant.
    pub attr: &'static str,
    /// Value of that attribute.
    pub value: i64,
    /// Replacement that the document names, for messages.
    pub instead: &'static str,
}

/// The aclnn names of one operator, and what they accept beyond its kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aclnn {
    /// The header that callers include, without `.h`.
    pub header: &'static str,
    /// Every name, the fullest signature last.
    pub names: &'static [Name],
    /// `(input, other)`: no name has an argument for the input, so the kernel receives the other one.
    pub stand_ins: &'static [(usize, usize)],
    /// Whether inputs are broadcast against each other.
    pub broadcast: bool,
    /// Rule for the element types of one call.
    pub dtypes: DTypes,
    /// Whether tensors without elements succeed and do nothing; otherwise they are an invalid parameter.
    pub empty: bool,
    /// `(attribute, rule)` for each number that may not be negative.
    pub negative: &'static [(usize, Negative)],
}

/// Rule for the element types of the tensors in one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DTypes {
    /// Element types that inputs may have together.
    pub inputs: Inputs,
    /// Whether results are cast to the type of their output; otherwise outputs have the type of the computation.
    pub cast: bool,
}

/// Element types that inputs may have together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// The same type for all.
    Same,
    /// Any floats, promoted to one that holds them all.
    Floats,
    /// As `Floats`, and integers beside a float are cast to it.
    Numbers,
}

impl DTypes {
    /// One type for all tensors.
    pub const SAME: DTypes = DTypes { inputs: Inputs::Same, cast: false };
    /// One type for all inputs, any for outputs.
    pub const SAME_CAST: DTypes = DTypes { inputs: Inputs::Same, cast: true };
    /// Floats of any type; results are cast to the types of the outputs.
    pub const FLOATS_CAST: DTypes = DTypes { inputs: Inputs::Floats, cast: true };
    /// Numbers of any type; outputs have the promoted one.
    pub const PROMOTED: DTypes = DTypes { inputs: Inputs::Numbers, cast: false };
    /// Numbers of any type; results are cast to the types of the outputs.
    pub const CAST: DTypes = DTypes { inputs: Inputs::Numbers, cast: true };

    /// Returns whether inputs are promoted.
    pub const fn promotes(self) -> bool {
        !matches!(self.inputs, Inputs::Same)
    }
}

/// Treatment of a negative number by a function whose operator takes any number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Negative {
    /// A negative number is an invalid parameter.
    Refused,
    /// A negative number is an invalid parameter if the boolean argument of this name is true.
    RefusedIf(&'static str),
    /// A negative number counts as 0.
    Zero,
}

/// One aclnn function, without `GetWorkspaceSize`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Name {
    /// Name of the function.
    pub name: &'static str,
    /// Its arguments up to `workspaceSize`, in order.
    pub args: &'static [Param],
    /// `(attribute, value)` for each attribute that it has no argument for.
    pub fixed: &'static [(usize, Value)],
    /// The document that publishes it, by its path in ops-nn or ops-math.
    pub source: &'static str,
}

/// One argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Part of the operator that it passes.
    pub of: SignaturePart,
    /// Name of the argument.
    pub name: Cow<'static, str>,
    /// C type of the argument.
    pub ty: Type,
    /// Whether it may be a null pointer, which for an attribute means its default.
    pub optional: bool,
}

impl Param {
    /// Returns whether it is a tensor of the operator.
    pub fn is_tensor(&self) -> bool {
        matches!(self.of, SignaturePart::Input(_) | SignaturePart::Output(_))
    }

    /// Returns whether it is among what the function writes.
    pub fn is_output(&self) -> bool {
        matches!(self.of, SignaturePart::Output(_)) || self.ty == Type::Tensor
    }

    /// Returns whether a null pointer is an error.
    pub fn is_needed(&self) -> bool {
        self.ty.is_pointer() && !self.optional
    }

    /// Returns the C declaration, for example `const aclTensor* self`.
    pub fn declaration(&self) -> String {
        format!("{} {}", self.ty.c(), self.name)
    }
}

/// A part of an operator's signature, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignaturePart {
    /// An input tensor.
    Input(usize),
    /// An attribute.
    Attr(usize),
    /// An output tensor.
    Output(usize),
    /// No part: no result depends on it.
    Unused,
}

/// A C type of the aclnn interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// `const aclTensor*`
    ConstTensor,
    /// `aclTensor*`
    Tensor,
    /// `int64_t`
    Int,
    /// `bool`
    Bool,
    /// `double`
    Double,
    /// `char*`
    Chars,
    /// `const aclScalar*`, a number of any type.
    Scalar,
}

impl Type {
    /// Returns the type as written in C.
    pub const fn c(self) -> &'static str {
        match self {
            Type::ConstTensor => "const aclTensor*",
            Type::Tensor => "aclTensor*",
            Type::Int => "int64_t",
            Type::Bool => "bool",
            Type::Double => "double",
            Type::Chars => "char*",
            Type::Scalar => "const aclScalar*",
        }
    }

    /// Returns whether it is a pointer, which may be null in C.
    pub const fn is_pointer(self) -> bool {
        !matches!(self, Type::Int | Type::Bool | Type::Double)
    }
}

/// Returns the argument of an input: `const aclTensor*`.
pub const fn input(index: usize, name: &'static str) -> Param {
    param(SignaturePart::Input(index), name, Type::ConstTensor, false)
}

/// Returns the argument of an attribute.
pub const fn attr(index: usize, name: &'static str, ty: Type) -> Param {
    param(SignaturePart::Attr(index), name, ty, false)
}

/// Returns the argument of an attribute for which a null pointer means the default.
pub const fn optional(index: usize, name: &'static str, ty: Type) -> Param {
    param(SignaturePart::Attr(index), name, ty, true)
}

/// Returns the argument of an input that may be left out, by a null pointer.
pub const fn optional_input(index: usize, name: &'static str) -> Param {
    param(SignaturePart::Input(index), name, Type::ConstTensor, true)
}

/// Returns the argument of an output, whose type is given because documents differ in its `const`.
pub const fn output(index: usize, name: &'static str, ty: Type) -> Param {
    param(SignaturePart::Output(index), name, ty, false)
}

/// Returns an argument on which no result depends; `optional` says whether it may be a null pointer.
pub const fn unused(name: &'static str, ty: Type, optional: bool) -> Param {
    param(SignaturePart::Unused, name, ty, optional)
}

const fn param(of: SignaturePart, name: &'static str, ty: Type, optional: bool) -> Param {
    Param { of, name: Cow::Borrowed(name), ty, optional }
}

impl Aclnn {
    /// Default values, which most rows have.
    pub const PLAIN: Aclnn = Aclnn {
        header: "",
        names: &[],
        stand_ins: &[],
        broadcast: false,
        dtypes: DTypes::SAME,
        empty: true,
        negative: &[],
    };
}

impl Published {
    /// A row without content.
    pub const NOTHING: Published = Published {
        operator: "",
        aclnn: None,
        infiniop: None,
        left_out: &[],
        masks: Stored::Byte,
        prototype: None,
        definition: None,
    };

    /// Counts the operators that two tables are about, while compiling.
    pub const fn count(table: &'static [Published], registered: &'static [Published]) -> usize {
        let (mut count, mut i) = (table.len(), 0);
        while i < registered.len() {
            count += Published::find(table, registered[i].operator).is_none() as usize;
            i += 1;
        }
        count
    }

    /// Joins a table with the prototypes and definitions of another, while compiling.
    ///
    /// # Panics
    /// `N` is not their [`Published::count`].
    pub const fn join<const N: usize>(
        table: &'static [Published],
        registered: &'static [Published],
    ) -> [Published; N] {
        let (mut rows, mut i) = ([Published::NOTHING; N], 0);
        while i < table.len() {
            rows[i] = table[i];
            if let Some(row) = Published::find(registered, table[i].operator) {
                rows[i].prototype = row.prototype;
                rows[i].definition = row.definition;
            }
            i += 1;
        }
        let mut k = 0;
        while k < registered.len() {
            if Published::find(table, registered[k].operator).is_none() {
                rows[i] = registered[k];
                i += 1;
            }
            k += 1;
        }
        assert!(i == N, "the number of rows is not Published::count");
        rows
    }

    /// Returns whether the repository has the operator but no function for it, so that only graphs call it.
    pub fn is_for_graphs_alone(&self) -> bool {
        self.definition.is_some() && self.aclnn.is_none()
    }

    /// Returns the row of an operator, while compiling.
    pub const fn find(table: &'static [Published], operator: &str) -> Option<&'static Published> {
        let mut i = 0;
        while i < table.len() {
            if same(table[i].operator.as_bytes(), operator.as_bytes()) {
                return Some(&table[i]);
            }
            i += 1;
        }
        None
    }
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}
