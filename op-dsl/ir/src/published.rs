//! What documents have published of an operator, as data: `#[operators(published = TABLE)]` hands
//! a table of rows to the operators of a module.
//!
//! A caller links against a name, so names, the order of arguments and their C types are a contract.
//! Operators without a row get theirs from their own signature (`interface.rs`).

use std::borrow::Cow;

/// What is published of one operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// The operator's name.
    pub operator: &'static str,
    /// Its functions in CANN.
    pub aclnn: Option<Aclnn>,
    /// Its functions in InfiniCore. An operator that has them has no functions in CANN's style.
    pub infiniop: Option<Infiniop>,
    /// Forms that its document leaves out on an architecture.
    pub left_out: &'static [LeftOut],
}

/// The names of an operator in InfiniCore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infiniop {
    /// What stands in the functions' names: `GeLUBackward`.
    pub name: &'static str,
    /// The header that callers include, without `.h`.
    pub header: &'static str,
}

/// A form of an operator that its document leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The architecture, as `__NPU_ARCH__` has it.
    pub arch: u16,
    /// The attribute that chooses the form.
    pub attr: &'static str,
    /// Its value.
    pub value: i64,
    /// What the document has instead, for messages.
    pub instead: &'static str,
}

/// The aclnn names of one operator, and what they accept beyond its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aclnn {
    /// The header that callers include, without `.h`.
    pub header: &'static str,
    /// Every name, the fullest signature last.
    pub names: &'static [Name],
    /// `(input, other)`: no name has an argument for the input, the kernel is handed the other one.
    pub stand_ins: &'static [(usize, usize)],
    /// Inputs are broadcast against each other.
    pub broadcast: bool,
    /// Element types.
    pub dtypes: DTypes,
    /// Tensors without elements succeed and do nothing; else they are an invalid parameter.
    pub empty: bool,
}

/// How element types of the tensors go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DTypes {
    /// One for all.
    Same,
    /// Inputs are promoted; outputs have the promoted one.
    Promoted,
    /// Inputs are promoted; the result is cast to what an output has.
    Cast,
}

/// One aclnn function, without `GetWorkspaceSize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// The function.
    pub name: &'static str,
    /// Its arguments up to `workspaceSize`, in order.
    pub args: &'static [Param],
    /// `(attribute, value)` for each attribute that it has no argument for.
    pub fixed: &'static [(usize, i64)],
    /// The document that publishes it, in ops-nn.
    pub source: &'static str,
}

/// One argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// What of the operator it is.
    pub of: Of,
    /// Its name.
    pub name: Cow<'static, str>,
    /// Its C type.
    pub ty: Type,
}

impl Param {
    /// Whether it is a tensor.
    pub fn is_tensor(&self) -> bool {
        !matches!(self.of, Of::Attr(_))
    }

    /// `const aclTensor* self`
    pub fn declaration(&self) -> String {
        format!("{} {}", self.ty.c(), self.name)
    }
}

/// A part of an operator's signature, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// An input tensor.
    Input(usize),
    /// An attribute.
    Attr(usize),
    /// An output tensor.
    Output(usize),
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
}

impl Type {
    /// As C has it.
    pub const fn c(self) -> &'static str {
        match self {
            Type::ConstTensor => "const aclTensor*",
            Type::Tensor => "aclTensor*",
            Type::Int => "int64_t",
            Type::Bool => "bool",
            Type::Double => "double",
            Type::Chars => "char*",
        }
    }
}

/// The argument of an input: `const aclTensor*`.
pub const fn input(index: usize, name: &'static str) -> Param {
    Param { of: Of::Input(index), name: Cow::Borrowed(name), ty: Type::ConstTensor }
}

/// The argument of an attribute.
pub const fn attr(index: usize, name: &'static str, ty: Type) -> Param {
    Param { of: Of::Attr(index), name: Cow::Borrowed(name), ty }
}

/// The argument of an output; documents differ in its `const`.
pub const fn output(index: usize, name: &'static str, ty: Type) -> Param {
    Param { of: Of::Output(index), name: Cow::Borrowed(name), ty }
}

impl Aclnn {
    /// What most rows have.
    pub const PLAIN: Aclnn = Aclnn {
        header: "",
        names: &[],
        stand_ins: &[],
        broadcast: false,
        dtypes: DTypes::Same,
        empty: true,
    };
}

impl Published {
    /// A row without content.
    pub const NOTHING: Published =
        Published { operator: "", aclnn: None, infiniop: None, left_out: &[] };

    /// The row of an operator, while compiling.
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
