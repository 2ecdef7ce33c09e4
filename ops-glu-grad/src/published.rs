//! What CANN and InfiniCore have published of the operators of this crate.

use op_dsl::ir::published::Type::{Bool, Chars, ConstTensor, Double, Int, Tensor};
use op_dsl::ir::published::{Aclnn, DTypes, Infiniop, LeftOut, Name, Published};
use op_dsl::ir::published::{attr, input, output};

/// The document of GeGluGradV2 has one form on architectures before 2201.
const ONLY_TANH: &[LeftOut] = &[without_erf(2002), without_erf(1001)];

const fn without_erf(arch: u16) -> LeftOut {
    LeftOut { arch, attr: "approximate", value: 0, instead: "approximate = tanh" }
}

/// The row of an operator with one aclnn function: the operator, the directory of its document in
/// ops-nn/activation, the header, the function, its arguments; then what is not [`Aclnn::PLAIN`].
macro_rules! one {
    ($operator:literal, $directory:literal, $header:literal, $name:literal,
     [$($arg:expr),* $(,)?] $(, $field:ident: $value:expr)* $(,)?) => {
        Published {
            operator: $operator,
            aclnn: Some(Aclnn {
                header: $header,
                names: &[Name {
                    name: $name,
                    args: &[$($arg),*],
                    fixed: &[],
                    source: concat!("activation/", $directory, "/docs/", $name, ".md"),
                }],
                $($field: $value,)*
                ..Aclnn::PLAIN
            }),
            ..Published::NOTHING
        }
    };
}

/// One row per operator.
pub static PUBLISHED: &[Published] = &[
    Published {
        operator: "GeGluGradV2",
        aclnn: Some(Aclnn {
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
            ..Aclnn::PLAIN
        }),
        left_out: ONLY_TANH,
        ..Published::NOTHING
    },
    Published {
        operator: "GeGluV2",
        aclnn: Some(Aclnn {
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
            ..Aclnn::PLAIN
        }),
        ..Published::NOTHING
    },
    one!(
        "GeluGradV2", "gelu_grad_v2", "aclnn_gelu_backward_v2", "aclnnGeluBackwardV2",
        [
            input(0, "gradOutput"),
            input(1, "self"),
            attr(0, "approximate", Chars),
            output(0, "gradInput", Tensor),
        ],
        broadcast: true, dtypes: DTypes::Promoted
    ),
    one!(
        "GeluV2",
        "gelu_v2",
        "aclnn_gelu_v2",
        "aclnnGeluV2",
        [input(0, "x"), attr(0, "approximate", Int), output(0, "y", Tensor)]
    ),
    // The kernel is declared with the forward's result and never reads it.
    one!(
        "GeluGrad", "gelu_grad", "aclnn_gelu_backward", "aclnnGeluBackward",
        [input(0, "gradOutput"), input(1, "self"), output(0, "gradInput", ConstTensor)],
        stand_ins: &[(2, 0)], broadcast: true, dtypes: DTypes::Cast
    ),
    one!("Gelu", "gelu", "aclnn_gelu", "aclnnGelu", [input(0, "self"), output(0, "out", Tensor)]),
    one!(
        "SwiGluGrad", "swi_glu_grad", "aclnn_swi_glu_grad", "aclnnSwiGluGrad",
        [
            input(0, "yGrad"),
            input(1, "x"),
            attr(0, "dimOptional", Int),
            output(0, "out", ConstTensor),
        ],
        empty: false
    ),
    one!(
        "SwiGlu",
        "swi_glu",
        "aclnn_swi_glu",
        "aclnnSwiGlu",
        [input(0, "x"), attr(0, "dimOptional", Int), output(0, "out", ConstTensor)]
    ),
    one!(
        "FastGeluGrad",
        "fast_gelu_grad",
        "aclnn_fast_gelu_backward",
        "aclnnFastGeluBackward",
        [input(0, "gradOutput"), input(1, "self"), output(0, "gradInput", Tensor)]
    ),
    one!(
        "HardSwishGrad",
        "hard_swish_grad",
        "aclnn_hardswish_backward",
        "aclnnHardswishBackward",
        [input(0, "gradOutput"), input(1, "self"), output(0, "out", Tensor)]
    ),
    one!(
        "HardSwishGradV2",
        "hard_swish_grad_v2",
        "aclnn_hardswish_backward_v2",
        "aclnnHardswishBackwardV2",
        [input(0, "gradOutput"), input(1, "self"), output(0, "out", Tensor)]
    ),
    one!(
        "SeluGrad",
        "selu_grad",
        "aclnn_selu_backward",
        "aclnnSeluBackward",
        [input(0, "gradOutput"), input(1, "result"), output(0, "gradInput", Tensor)]
    ),
    one!(
        "SiluGrad",
        "silu_grad",
        "aclnn_silu_backward",
        "aclnnSiluBackward",
        [input(0, "gradOutput"), input(1, "self"), output(0, "gradInput", Tensor)]
    ),
    one!(
        "MishGrad", "mish_grad", "aclnn_mish_backward", "aclnnMishBackward",
        [input(0, "gradOutput"), input(1, "self"), output(0, "gradInput", Tensor)],
        broadcast: true, dtypes: DTypes::Cast
    ),
    one!(
        "SigmoidGrad", "sigmoid_grad", "aclnn_sigmoid_backward", "aclnnSigmoidBackward",
        [input(1, "gradOutput"), input(0, "output"), output(0, "gradInput", Tensor)],
        broadcast: true, dtypes: DTypes::Cast
    ),
    one!(
        "GLUGrad",
        "glu_grad",
        "aclnn_glu_backward",
        "aclnnGluBackward",
        [input(0, "gradOut"), input(1, "self"), attr(0, "dim", Int), output(0, "out", ConstTensor)]
    ),
    one!(
        "SituGluGrad",
        "situ_glu_grad",
        "aclnn_situ_glu_grad",
        "aclnnSituGluGrad",
        [
            input(0, "gradY"),
            input(1, "x"),
            attr(0, "dim", Int),
            attr(1, "beta", Double),
            attr(2, "linearBeta", Double),
            attr(3, "activateLeft", Bool),
            output(0, "out", ConstTensor),
        ]
    ),
    Published {
        operator: "GeLUBackward",
        infiniop: Some(Infiniop { name: "GeLUBackward", header: "gelu_backward" }),
        ..Published::NOTHING
    },
];
