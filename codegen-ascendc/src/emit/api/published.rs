//! The aclnn signatures that CANN has published, as data.
//!
//! A caller links against a name, so names, the order of arguments and their C types are a contract.
//! Operators without a row here get theirs from their own signature (`signature.rs`).

/// The aclnn names of one operator, and what they accept beyond its kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// The operator's name.
    pub operator: &'static str,
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
    pub args: &'static [Argument],
    /// `(attribute, value)` for each attribute that it has no argument for.
    pub fixed: &'static [(usize, i64)],
    /// The document that publishes it, in ops-nn.
    pub source: &'static str,
}

/// One argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// What of the operator it is.
    pub of: Of,
    /// Its name.
    pub name: &'static str,
    /// Its C type.
    pub ty: Type,
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

const fn input(index: usize, name: &'static str) -> Argument {
    Argument { of: Of::Input(index), name, ty: Type::ConstTensor }
}

const fn attr(index: usize, name: &'static str, ty: Type) -> Argument {
    Argument { of: Of::Attr(index), name, ty }
}

const fn output(index: usize, name: &'static str, ty: Type) -> Argument {
    Argument { of: Of::Output(index), name, ty }
}

/// What most rows have.
const PLAIN: Published = Published {
    operator: "",
    header: "",
    names: &[],
    stand_ins: &[],
    broadcast: false,
    dtypes: DTypes::Same,
    empty: true,
};

use Type::{Bool, Chars, ConstTensor, Int, Tensor};

/// Every published operator.
pub static PUBLISHED: &[Published] = &[
    Published {
        operator: "GeGluGradV2",
        header: "aclnn_geglu_backward",
        names: &[
            Name {
                name: "aclnnGeGluBackward",
                args: &[
                    input(0, "gradOutput"),
                    input(1, "self"),
                    input(2, "gelu"),
                    attr(0, "dim", Int),
                    attr(1, "approximate", Int),
                    output(0, "gradInput", Tensor),
                ],
                fixed: &[(2, 0)],
                source: "activation/ge_glu_grad_v2/docs/aclnnGeGluBackward.md",
            },
            Name {
                name: "aclnnGeGluV3Backward",
                args: &[
                    input(0, "gradOutput"),
                    input(1, "self"),
                    input(2, "gelu"),
                    attr(0, "dim", Int),
                    attr(1, "approximate", Int),
                    attr(2, "activateLeft", Bool),
                    output(0, "gradInput", Tensor),
                ],
                fixed: &[],
                source: "activation/ge_glu_grad_v2/docs/aclnnGeGluV3Backward.md",
            },
        ],
        ..PLAIN
    },
    Published {
        operator: "GeGluV2",
        header: "aclnn_geglu",
        names: &[
            Name {
                name: "aclnnGeGlu",
                args: &[
                    input(0, "self"),
                    attr(0, "dim", Int),
                    attr(1, "approximate", Int),
                    output(0, "out", Tensor),
                    output(1, "outGelu", Tensor),
                ],
                fixed: &[(2, 0)],
                source: "activation/ge_glu_v2/docs/aclnnGeGlu.md",
            },
            Name {
                name: "aclnnGeGluV3",
                args: &[
                    input(0, "self"),
                    attr(0, "dim", Int),
                    attr(1, "approximate", Int),
                    attr(2, "activateLeft", Bool),
                    output(0, "out", Tensor),
                    output(1, "outGelu", Tensor),
                ],
                fixed: &[],
                source: "activation/ge_glu_v2/docs/aclnnGeGluV3.md",
            },
        ],
        ..PLAIN
    },
    Published {
        operator: "GeluGradV2",
        header: "aclnn_gelu_backward_v2",
        names: &[Name {
            name: "aclnnGeluBackwardV2",
            args: &[
                input(0, "gradOutput"),
                input(1, "self"),
                attr(0, "approximate", Chars),
                output(0, "gradInput", Tensor),
            ],
            fixed: &[],
            source: "activation/gelu_grad_v2/docs/aclnnGeluBackwardV2.md",
        }],
        broadcast: true,
        dtypes: DTypes::Promoted,
        ..PLAIN
    },
    Published {
        operator: "GeluV2",
        header: "aclnn_gelu_v2",
        names: &[Name {
            name: "aclnnGeluV2",
            args: &[input(0, "x"), attr(0, "approximate", Int), output(0, "y", Tensor)],
            fixed: &[],
            source: "activation/gelu_v2/docs/aclnnGeluV2.md",
        }],
        ..PLAIN
    },
    Published {
        operator: "GeluGrad",
        header: "aclnn_gelu_backward",
        names: &[Name {
            name: "aclnnGeluBackward",
            args: &[input(0, "gradOutput"), input(1, "self"), output(0, "gradInput", ConstTensor)],
            fixed: &[],
            source: "activation/gelu_grad/docs/aclnnGeluBackward.md",
        }],
        // The kernel is declared with the forward's result and never reads it.
        stand_ins: &[(2, 0)],
        broadcast: true,
        dtypes: DTypes::Cast,
        ..PLAIN
    },
    Published {
        operator: "Gelu",
        header: "aclnn_gelu",
        names: &[Name {
            name: "aclnnGelu",
            args: &[input(0, "self"), output(0, "out", Tensor)],
            fixed: &[],
            source: "activation/gelu/docs/aclnnGelu.md",
        }],
        ..PLAIN
    },
    Published {
        operator: "SwiGluGrad",
        header: "aclnn_swi_glu_grad",
        names: &[Name {
            name: "aclnnSwiGluGrad",
            args: &[
                input(0, "yGrad"),
                input(1, "x"),
                attr(0, "dimOptional", Int),
                output(0, "out", ConstTensor),
            ],
            fixed: &[],
            source: "activation/swi_glu_grad/docs/aclnnSwiGluGrad.md",
        }],
        empty: false,
        ..PLAIN
    },
    Published {
        operator: "SwiGlu",
        header: "aclnn_swi_glu",
        names: &[Name {
            name: "aclnnSwiGlu",
            args: &[input(0, "x"), attr(0, "dimOptional", Int), output(0, "out", ConstTensor)],
            fixed: &[],
            source: "activation/swi_glu/docs/aclnnSwiGlu.md",
        }],
        empty: false,
        ..PLAIN
    },
];

/// The row of an operator.
pub fn published(operator: &str) -> Option<&'static Published> {
    PUBLISHED.iter().find(|p| p.operator == operator)
}
