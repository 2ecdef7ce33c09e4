//! What CANN and InfiniCore have published of the operators of this crate.

use op_dsl::ir::published::Type::{Bool, Chars, ConstTensor, Int, Tensor};
use op_dsl::ir::published::{Aclnn, DTypes, Infiniop, LeftOut, Name, Published};
use op_dsl::ir::published::{attr, input, output};

/// The document of GeGluGradV2 has one form on architectures before 2201.
const ONLY_TANH: &[LeftOut] = &[without_erf(2002), without_erf(1001)];

const fn without_erf(arch: u16) -> LeftOut {
    LeftOut { arch, attr: "approximate", value: 0, instead: "approximate = tanh" }
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
    Published {
        operator: "GeluGradV2",
        aclnn: Some(Aclnn {
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
            ..Aclnn::PLAIN
        }),
        ..Published::NOTHING
    },
    Published {
        operator: "GeluV2",
        aclnn: Some(Aclnn {
            header: "aclnn_gelu_v2",
            names: &[Name {
                name: "aclnnGeluV2",
                args: &[input(0, "x"), attr(0, "approximate", Int), output(0, "y", Tensor)],
                fixed: &[],
                source: "activation/gelu_v2/docs/aclnnGeluV2.md",
            }],
            ..Aclnn::PLAIN
        }),
        ..Published::NOTHING
    },
    Published {
        operator: "GeluGrad",
        aclnn: Some(Aclnn {
            header: "aclnn_gelu_backward",
            names: &[Name {
                name: "aclnnGeluBackward",
                args: &[
                    input(0, "gradOutput"),
                    input(1, "self"),
                    output(0, "gradInput", ConstTensor),
                ],
                fixed: &[],
                source: "activation/gelu_grad/docs/aclnnGeluBackward.md",
            }],
            // The kernel is declared with the forward's result and never reads it.
            stand_ins: &[(2, 0)],
            broadcast: true,
            dtypes: DTypes::Cast,
            ..Aclnn::PLAIN
        }),
        ..Published::NOTHING
    },
    Published {
        operator: "Gelu",
        aclnn: Some(Aclnn {
            header: "aclnn_gelu",
            names: &[Name {
                name: "aclnnGelu",
                args: &[input(0, "self"), output(0, "out", Tensor)],
                fixed: &[],
                source: "activation/gelu/docs/aclnnGelu.md",
            }],
            ..Aclnn::PLAIN
        }),
        ..Published::NOTHING
    },
    Published {
        operator: "SwiGluGrad",
        aclnn: Some(Aclnn {
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
            ..Aclnn::PLAIN
        }),
        ..Published::NOTHING
    },
    Published {
        operator: "SwiGlu",
        aclnn: Some(Aclnn {
            header: "aclnn_swi_glu",
            names: &[Name {
                name: "aclnnSwiGlu",
                args: &[input(0, "x"), attr(0, "dimOptional", Int), output(0, "out", ConstTensor)],
                fixed: &[],
                source: "activation/swi_glu/docs/aclnnSwiGlu.md",
            }],
            ..Aclnn::PLAIN
        }),
        ..Published::NOTHING
    },
    Published {
        operator: "GeLUBackward",
        infiniop: Some(Infiniop { name: "GeLUBackward", header: "gelu_backward" }),
        ..Published::NOTHING
    },
];
