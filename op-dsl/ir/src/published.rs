//! Published interfaces of operators, as data.
//!
//! `#[operators(published = TABLE)]` passes a table of rows to the operators of a module. A caller links against a
//! name, so names, the order of arguments and their C types are a contract. Operators without a row get theirs from
//! their own signature (`interface.rs`).

use crate::Stored;
use crate::registered::{Definition, Prototype};
use crate::value::Value;
use std::borrow::Cow;

/// All that is published of one operator: its functions, graph prototype and definition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// Name of the operator.
    pub operator: &'static str,
    /// The operator's aclnn functions in CANN, if there are any.
    pub aclnn: Option<Aclnn>,
    /// The operator's functions in InfiniCore, if any. Such an operator has no functions in CANN's style.
    pub infiniop: Option<Infiniop>,
    /// Variants of the operator that its document excludes on an architecture.
    pub left_out: &'static [LeftOut],
    /// Storage type of the operator's masks: bytes or bits.
    pub masks: Stored,
    /// The operator's graph prototype in a repository, if there is one.
    pub prototype: Option<Prototype>,
    /// The operator's definition in a repository, if there is one.
    pub definition: Option<Definition>,
}

/// The names of an operator in InfiniCore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infiniop {
    /// Operator name that the names of its functions contain, for example `GeLUBackward`.
    pub name: &'static str,
    /// The header that callers include, without `.h`.
    pub header: &'static str,
}

/// A variant of an operator that its document excludes on an architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Architecture, as the number in `__NPU_ARCH__`.
    pub arch: u16,
    /// Attribute that selects the variant.
    pub attr: &'static str,
    /// Value of the attribute `attr` in the excluded variant.
    pub value: i64,
    /// Replacement for the variant that the document names, for messages.
    pub instead: &'static str,
}

/// The aclnn functions of one operator, and which calls they accept beyond those of its kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aclnn {
    /// The header that callers include, without `.h`.
    pub header: &'static str,
    /// The functions of the operator; the last one has the most complete signature.
    pub names: &'static [Name],
    /// `(input, other)`: no function passes input `input`, so the kernel receives input `other` instead.
    pub stand_ins: &'static [(usize, usize)],
    /// Whether inputs are broadcast against each other.
    pub broadcast: bool,
    /// Rule for the element types of one call.
    pub dtypes: DTypes,
    /// Whether calls with empty tensors succeed and do nothing; otherwise they are an invalid parameter.
    pub empty: bool,
    /// `(attribute index, rule)` for each numeric attribute that may not be negative.
    pub negative: &'static [(usize, Negative)],
}

/// Rule for the element types of the tensors in one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DTypes {
    /// Element types that inputs may have together.
    pub inputs: Inputs,
    /// Whether results are cast to the type of their output.
    ///
    /// Otherwise outputs have the type of the computation.
    pub cast: bool,
}

/// Element types that inputs may have together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// All inputs have the same type.
    Same,
    /// Inputs have any floating-point types, and are promoted to one that holds them all.
    Floats,
    /// Inputs have any floating-point types, promoted to one; integer tensors beside a float one are cast to its type.
    Numbers,
}

impl DTypes {
    /// One type for all tensors.
    pub const SAME: DTypes = DTypes { inputs: Inputs::Same, cast: false };
    /// One type for all inputs; results are cast to the types of the outputs.
    pub const SAME_CAST: DTypes = DTypes { inputs: Inputs::Same, cast: true };
    /// Inputs of any float types; results are cast to the types of the outputs.
    pub const FLOATS_CAST: DTypes = DTypes { inputs: Inputs::Floats, cast: true };
    /// Inputs of any number types; outputs have the promoted type.
    pub const PROMOTED: DTypes = DTypes { inputs: Inputs::Numbers, cast: false };
    /// Inputs of any number types; results are cast to the types of the outputs.
    pub const CAST: DTypes = DTypes { inputs: Inputs::Numbers, cast: true };

    /// Returns whether inputs may differ in type and are promoted to a common one.
    pub const fn promotes(self) -> bool {
        !matches!(self.inputs, Inputs::Same)
    }
}

/// Treatment of a negative attribute by an aclnn function whose operator takes any number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Negative {
    /// A negative number is an invalid parameter.
    Refused,
    /// A negative number is an invalid parameter if the boolean argument with this name is true.
    RefusedIf(&'static str),
    /// A negative number counts as 0.
    Zero,
}

/// One aclnn function, without `GetWorkspaceSize`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Name {
    /// Name of the function.
    pub name: &'static str,
    /// Arguments in order; `workspaceSize` and `executor`, which end every such function, are left out.
    pub args: &'static [Param],
    /// `(attribute index, value)` for each attribute that the function has no argument for.
    pub fixed: &'static [(usize, Value)],
    /// The document that publishes the function, as a path in the repository ops-nn or ops-math.
    pub source: &'static str,
}

/// One argument of an aclnn function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Input, attribute or output of the operator that the argument passes.
    pub of: SignaturePart,
    /// Name of the argument.
    pub name: Cow<'static, str>,
    /// C type of the argument.
    pub ty: Type,
    /// Whether the argument may be a null pointer, which for an attribute means its default.
    pub optional: bool,
}

impl Param {
    /// Returns whether the argument passes an input or output tensor of the operator.
    pub fn is_tensor(&self) -> bool {
        matches!(self.of, SignaturePart::Input(_) | SignaturePart::Output(_))
    }

    /// Returns whether the function writes the tensor that the argument passes.
    pub fn is_output(&self) -> bool {
        matches!(self.of, SignaturePart::Output(_)) || self.ty == Type::Tensor
    }

    /// Returns whether a null pointer for this argument is an error.
    pub fn is_needed(&self) -> bool {
        self.ty.is_pointer() && !self.optional
    }

    /// Returns the argument's C declaration, for example `const aclTensor* self`.
    pub fn declaration(&self) -> String {
        format!("{} {}", self.ty.c(), self.name)
    }
}

/// An input, attribute or output of an operator, by its index among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignaturePart {
    /// An input tensor.
    Input(usize),
    /// An attribute.
    Attr(usize),
    /// An output tensor.
    Output(usize),
    /// No part of the signature, for an argument that no result depends on.
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

    /// Returns whether the C type is a pointer, which may be null.
    pub const fn is_pointer(self) -> bool {
        !matches!(self, Type::Int | Type::Bool | Type::Double)
    }
}

/// Describes an argument that passes an input as `const aclTensor*`.
pub const fn input(index: usize, name: &'static str) -> Param {
    param(SignaturePart::Input(index), name, Type::ConstTensor, false)
}

/// Describes an argument that passes an attribute.
pub const fn attr(index: usize, name: &'static str, ty: Type) -> Param {
    param(SignaturePart::Attr(index), name, ty, false)
}

/// Describes an argument that passes an attribute, where a null pointer means its default.
pub const fn optional(index: usize, name: &'static str, ty: Type) -> Param {
    param(SignaturePart::Attr(index), name, ty, true)
}

/// Describes an argument that passes an input and may be a null pointer if the call omits the input.
pub const fn optional_input(index: usize, name: &'static str) -> Param {
    param(SignaturePart::Input(index), name, Type::ConstTensor, true)
}

/// Describes an argument that passes an output.
///
/// Its C type is given because documents differ in whether they declare outputs as `const`.
pub const fn output(index: usize, name: &'static str, ty: Type) -> Param {
    param(SignaturePart::Output(index), name, ty, false)
}

/// Describes an argument on which no result depends; `optional` allows a null pointer.
pub const fn unused(name: &'static str, ty: Type, optional: bool) -> Param {
    param(SignaturePart::Unused, name, ty, optional)
}

const fn param(of: SignaturePart, name: &'static str, ty: Type, optional: bool) -> Param {
    Param { of, name: Cow::Borrowed(name), ty, optional }
}

impl Aclnn {
    /// The interface of most operators, with the header and the functions left empty.
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
    /// A row for an operator of which nothing is published, with the name left empty.
    pub const NOTHING: Published = Published {
        operator: "",
        aclnn: None,
        infiniop: None,
        left_out: &[],
        masks: Stored::Byte,
        prototype: None,
        definition: None,
    };

    /// Counts, at compile time, the operators that have a row in at least one of two tables.
    pub const fn count(table: &'static [Published], registered: &'static [Published]) -> usize {
        let (mut count, mut i) = (table.len(), 0);
        while i < registered.len() {
            count += Published::find(table, registered[i].operator).is_none() as usize;
            i += 1;
        }
        count
    }

    /// Joins a table, at compile time, with the prototypes and definitions in `registered`.
    ///
    /// Rows of `registered` whose operator is not in `table` are appended.
    ///
    /// # Panics
    /// If `N` is not [`Published::count`] of the two tables.
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

    /// Returns whether a repository defines the operator without an aclnn function for it.
    ///
    /// Only graphs call such an operator.
    pub fn is_for_graphs_alone(&self) -> bool {
        self.definition.is_some() && self.aclnn.is_none()
    }

    /// Returns an operator's row in a table, at compile time; `None` if there is none.
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
