//! The functions that CANN and InfiniCore have published for the operators of this crate.

use crate::registered::REGISTERED;
use op_dsl::ir::Stored;
use op_dsl::ir::op::Value;
use op_dsl::ir::published::Type::{Bool, Chars, ConstTensor, Double, Int, Scalar, Tensor};
use op_dsl::ir::published::{Aclnn, DTypes, Infiniop, LeftOut, Name, Negative, Published};
use op_dsl::ir::published::{attr, input, optional, optional_input, output, unused};

/// Variants that are not published: GeGluGradV2's document has only tanh on architectures before 2201.
const ONLY_TANH: &[LeftOut] = &[without_erf(2002), without_erf(1001)];

const fn without_erf(arch: u16) -> LeftOut {
    LeftOut { arch, attr: "approximate", value: 0, instead: "approximate = tanh" }
}

/// `(attribute index, value)` that fixes `alpha` of the hard sigmoid to 1/6; [`HALF`]: `beta` to 1/2.
///
/// They are fixed, because the published functions of the hard sigmoid have no arguments for these attributes.
const SIXTH: (usize, Value) = (0, Value::Float(1.0 / 6.0));
const HALF: (usize, Value) = (1, Value::Float(0.5));

/// Generates an aclnn function from the directory of its document (and the document's name, if it covers two functions), its
/// name, its arguments and attributes with fixed values.
macro_rules! function {
    ($directory:literal $(/ $page:literal)?, $name:literal, [$($arg:expr),*] $(, [$($fixed:expr),*])?) => {
        Name {
            name: $name,
            args: &[$($arg),*],
            fixed: &[$($($fixed),*)?],
            source: page!($directory, [$($page)? $name]),
        }
    };
}

/// Generates the path of a function's document from its directory and the first of the listed names.
macro_rules! page {
    ($directory:literal, [$page:literal $($function:literal)?]) => {
        concat!($directory, "/docs/", $page, ".md")
    };
}

/// Generates the row of [`FUNCTIONS`] for an operator.
///
/// Arguments are its header, its functions, the differences from [`Aclnn::PLAIN`], and those from [`Published::NOTHING`].
macro_rules! functions {
    ($operator:literal, $header:literal, [$($function:expr),*] $(, $field:ident: $value:expr)*
     $(; $more:ident: $of:expr)*) => {
        Published {
            operator: $operator,
            aclnn: Some(Aclnn {
                header: $header,
                names: &[$($function),*],
                $($field: $value,)*
                ..Aclnn::PLAIN
            }),
            $($more: $of,)*
            ..Published::NOTHING
        }
    };
}

/// Generates the row of [`FUNCTIONS`] for an operator with one aclnn function; attributes with fixed values come last.
macro_rules! one {
    ($operator:literal, $directory:literal $(/ $page:literal)?, $header:literal, $name:literal,
     $args:tt $(, $field:ident: $value:expr)* $(; $fixed:tt)?) => {
        functions!($operator, $header, [function!($directory $(/ $page)?, $name, $args $(, $fixed)?)] $(, $field: $value)*)
    };
}

/// Generates the row of [`FUNCTIONS`] for an activation, whose function is `(self, attributes, out)`.
macro_rules! forward {
    ($operator:literal, $directory:literal $(/ $page:literal)?, $header:literal, $name:literal,
     [$($arg:expr),*] => $out:ident $($rest:tt)*) => {
        one!($operator, $directory $(/ $page)?, $header, $name,
             [input(0, "self"), $($arg,)* output(0, "out", $out)] $($rest)*)
    };
}

/// Generates the row of [`FUNCTIONS`] for a gradient, `(gradOutput, self, attributes, gradInput)`.
macro_rules! backward {
    ($operator:literal, $directory:literal, $header:literal, $name:literal,
     [$($arg:expr),*] => $out:literal $($rest:tt)*) => {
        one!($operator, $directory, $header, $name,
             [input(0, "gradOutput"), input(1, "self"), $($arg,)* output(0, $out, Tensor)] $($rest)*)
    };
}

/// All published interfaces, one row per operator: its functions and its registration.
pub static PUBLISHED: &[Published] =
    &Published::join::<{ Published::count(FUNCTIONS, REGISTERED) }>(FUNCTIONS, REGISTERED);

/// Published functions, one row per operator, with their differences from the operator's signature.
#[rustfmt::skip]
static FUNCTIONS: &[Published] = &[
    functions!("GeGluGradV2", "aclnn_geglu_backward", [
        function!("activation/ge_glu_grad_v2", "aclnnGeGluBackward",
            [input(0, "gradOutput"), input(1, "self"), input(2, "gelu"), attr(0, "dim", Int),
            attr(1, "approximate", Int), output(0, "gradInput", Tensor)], [(2, Value::Bool(false))]),
        function!("activation/ge_glu_grad_v2", "aclnnGeGluV3Backward",
            [input(0, "gradOutput"), input(1, "self"), input(2, "gelu"), attr(0, "dim", Int),
            attr(1, "approximate", Int), attr(2, "activateLeft", Bool), output(0, "gradInput", Tensor)])];
        left_out: ONLY_TANH),
    functions!("GeGluV2", "aclnn_geglu", [
        function!("activation/ge_glu_v2", "aclnnGeGlu",
            [input(0, "self"), attr(0, "dim", Int), attr(1, "approximate", Int),
            output(0, "out", Tensor), output(1, "outGelu", Tensor)], [(2, Value::Bool(false))]),
        function!("activation/ge_glu_v2", "aclnnGeGluV3",
            [input(0, "self"), attr(0, "dim", Int), attr(1, "approximate", Int),
            attr(2, "activateLeft", Bool), output(0, "out", Tensor), output(1, "outGelu", Tensor)])]),
    backward!("GeluGradV2", "activation/gelu_grad_v2", "aclnn_gelu_backward_v2", "aclnnGeluBackwardV2",
        [attr(0, "approximate", Chars)] => "gradInput", broadcast: true, dtypes: DTypes::PROMOTED),
    one!("GeluV2", "activation/gelu_v2", "aclnn_gelu_v2", "aclnnGeluV2",
        [input(0, "x"), attr(0, "approximate", Int), output(0, "y", Tensor)]),
    // The kernel's declaration has the forward operator's result, which it never reads.
    one!("GeluGrad", "activation/gelu_grad", "aclnn_gelu_backward", "aclnnGeluBackward",
        [input(0, "gradOutput"), input(1, "self"), output(0, "gradInput", ConstTensor)], stand_ins: &[(2, 0)],
        broadcast: true, dtypes: DTypes::CAST),
    one!("Gelu", "activation/gelu", "aclnn_gelu", "aclnnGelu", [input(0, "self"), output(0, "out", Tensor)]),
    one!("SwiGluGrad", "activation/swi_glu_grad", "aclnn_swi_glu_grad", "aclnnSwiGluGrad",
        [input(0, "yGrad"), input(1, "x"), attr(0, "dimOptional", Int), output(0, "out", ConstTensor)],
        empty: false),
    one!("SwiGlu", "activation/swi_glu", "aclnn_swi_glu", "aclnnSwiGlu",
        [input(0, "x"), attr(0, "dimOptional", Int), output(0, "out", ConstTensor)]),
    backward!("FastGeluGrad", "activation/fast_gelu_grad", "aclnn_fast_gelu_backward", "aclnnFastGeluBackward",
        [] => "gradInput"),
    backward!("HardSwishGrad", "activation/hard_swish_grad", "aclnn_hardswish_backward",
        "aclnnHardswishBackward", [] => "out"),
    backward!("HardSwishGradV2", "activation/hard_swish_grad_v2", "aclnn_hardswish_backward_v2",
        "aclnnHardswishBackwardV2", [] => "out"),
    one!("SeluGrad", "activation/selu_grad", "aclnn_selu_backward", "aclnnSeluBackward",
        [input(0, "gradOutput"), input(1, "result"), output(0, "gradInput", Tensor)]),
    backward!("SiluGrad", "activation/silu_grad", "aclnn_silu_backward", "aclnnSiluBackward",
        [] => "gradInput"),
    backward!("MishGrad", "activation/mish_grad", "aclnn_mish_backward", "aclnnMishBackward", [] => "gradInput",
        broadcast: true, dtypes: DTypes::CAST),
    one!("SigmoidGrad", "activation/sigmoid_grad", "aclnn_sigmoid_backward", "aclnnSigmoidBackward",
        [input(1, "gradOutput"), input(0, "output"), output(0, "gradInput", Tensor)], broadcast: true,
        dtypes: DTypes::CAST),
    one!("GLUGrad", "activation/glu_grad", "aclnn_glu_backward", "aclnnGluBackward",
        [input(0, "gradOut"), input(1, "self"), attr(0, "dim", Int), output(0, "out", ConstTensor)]),
    one!("SituGluGrad", "activation/situ_glu_grad", "aclnn_situ_glu_grad", "aclnnSituGluGrad",
        [input(0, "gradY"), input(1, "x"), attr(0, "dim", Int), attr(1, "beta", Double),
        attr(2, "linearBeta", Double), attr(3, "activateLeft", Bool), output(0, "out", ConstTensor)]),
    one!("EluGradV2", "activation/elu_grad_v2", "aclnn_elu_backward", "aclnnEluBackward",
        [input(0, "gradOutput"), attr(0, "alpha", Scalar), attr(1, "scale", Scalar),
        attr(2, "inputScale", Scalar), attr(3, "isResult", Bool), input(1, "selfOrResult"),
        output(0, "gradInput", Tensor)], dtypes: DTypes::SAME_CAST,
        negative: &[(0, Negative::RefusedIf("isResult"))]),
    backward!("HardShrinkGrad", "activation/hard_shrink_grad", "aclnn_hardshrink_backward",
        "aclnnHardshrinkBackward", [attr(0, "lambd", Scalar)] => "gradInput", broadcast: true,
        dtypes: DTypes::FLOATS_CAST, negative: &[(0, Negative::Zero)]),
    backward!("SoftShrinkGrad", "activation/soft_shrink_grad", "aclnn_softshrink_backward",
        "aclnnSoftshrinkBackward", [attr(0, "lambda", Scalar)] => "gradInput", broadcast: true,
        dtypes: DTypes::FLOATS_CAST, negative: &[(0, Negative::Refused)]),
    backward!("HardSigmoidGrad", "activation/hard_sigmoid_grad", "aclnn_hardsigmoid_backward",
        "aclnnHardsigmoidBackward", [] => "out", dtypes: DTypes::FLOATS_CAST; [SIXTH, HALF]),
    one!("HardtanhGrad", "activation/hardtanh_grad", "aclnn_hardtanh_backward", "aclnnHardtanhBackward",
        [input(1, "gradOutput"), input(0, "self"), attr(0, "min", Scalar), attr(1, "max", Scalar),
        output(0, "out", Tensor)]),
    // `selfIsResult` has no effect, because an input and its result have the same sign if the slope is not negative.
    backward!("LeakyReluGrad", "activation/leaky_relu_grad", "aclnn_leaky_relu_backward",
        "aclnnLeakyReluBackward",
        [attr(0, "negativeSlope", Scalar), unused("selfIsResult", Bool, false)] => "out", broadcast: true,
        dtypes: DTypes::FLOATS_CAST, negative: &[(0, Negative::RefusedIf("selfIsResult"))]),
    backward!("LogSigmoidGrad", "activation/logsigmoid_grad", "aclnn_logsigmoid_backward",
        "aclnnLogSigmoidBackward", [unused("buffer", ConstTensor, false)] => "gradInput"),
    one!("ClippedSwigluGrad", "activation/clipped_swiglu_grad", "aclnn_clipped_swiglu_grad",
        "aclnnClippedSwigluGrad", [input(0, "gradY"), input(1, "x"), optional_input(2, "groupIndexOptional"),
        attr(0, "dim", Int), attr(1, "alpha", Double), attr(2, "limit", Double), attr(3, "bias", Double),
        attr(4, "interleaved", Bool), output(0, "gradXOut", ConstTensor)], empty: false),
    one!("ClippedSwiglu", "activation/clipped_swiglu", "aclnn_clipped_swiglu", "aclnnClippedSwiglu",
        [input(0, "x"), optional_input(1, "groupIndexOptional"), attr(0, "dim", Int), attr(1, "alpha", Double),
        attr(2, "limit", Double), attr(3, "bias", Double), attr(4, "interleaved", Bool),
        output(0, "out", ConstTensor)]),
    backward!("SoftplusV2Grad", "activation/softplus_v2_grad", "aclnn_softplus_backward",
        "aclnnSoftplusBackward", [attr(0, "beta", Scalar), attr(1, "threshold", Scalar)] => "gradInput",
        dtypes: DTypes::CAST),
    // The kernel's declaration has the forward operator's result, which it never reads.
    backward!("SwishGrad", "activation/swish_grad", "aclnn_swish_backward", "aclnnSwishBackward",
        [optional(0, "betaOptional", Scalar)] => "gradInput", stand_ins: &[(2, 1)]),
    backward!("ThresholdGradV2D", "activation/threshold_grad_v2_d", "aclnn_threshold_backward",
        "aclnnThresholdBackward", [attr(0, "threshold", Scalar)] => "out", broadcast: true),
    one!("PReluGrad", "activation/p_relu_grad_update", "aclnn_prelu_backward", "aclnnPreluBackward",
        [input(0, "gradOutput"), input(1, "self"), input(2, "weight"), output(0, "gradInput", Tensor),
        output(1, "gradWeight", Tensor)], broadcast: true),
    one!("TanhGrad", "math/tanh_grad", "aclnn_tanh_backward", "aclnnTanhBackward",
        [input(1, "gradOutput"), input(0, "output"), output(0, "gradInput", Tensor)], broadcast: true),
    forward!("Elu", "activation/elu" / "aclnnElu&aclnnInplaceElu", "aclnn_elu", "aclnnElu",
        [attr(0, "alpha", Scalar), attr(1, "scale", Scalar), attr(2, "inputScale", Scalar)] => Tensor,
        dtypes: DTypes::SAME_CAST),
    forward!("FastGelu", "activation/fast_gelu", "aclnn_fast_gelu", "aclnnFastGelu", [] => Tensor),
    forward!("GLU", "activation/glu", "aclnn_glu", "aclnnGlu", [attr(0, "dim", Int)] => ConstTensor,
        dtypes: DTypes::SAME_CAST),
    forward!("HardShrink", "activation/hard_shrink", "aclnn_hardshrink", "aclnnHardshrink",
        [attr(0, "lambd", Scalar)] => Tensor, dtypes: DTypes::SAME_CAST, negative: &[(0, Negative::Zero)]),
    forward!("HardSigmoid", "activation/hard_sigmoid" / "aclnnHardsigmoid&aclnnInplaceHardsigmoid",
        "aclnn_hardsigmoid", "aclnnHardsigmoid", [] => Tensor; [SIXTH, HALF]),
    forward!("HardSwish", "activation/hard_swish" / "aclnnHardswish&aclnnInplaceHardswish", "aclnn_hardswish",
        "aclnnHardswish", [] => ConstTensor, dtypes: DTypes::SAME_CAST),
    forward!("Hardtanh", "conversion/clip_by_value_v2" / "aclnnHardtanh&aclnnInplaceHardtanh", "aclnn_hardtanh",
        "aclnnHardtanh", [attr(0, "clipValueMin", Scalar), attr(1, "clipValueMax", Scalar)] => Tensor),
    forward!("LeakyRelu", "activation/leaky_relu" / "aclnnLeakyRelu&aclnnInplaceLeakyRelu", "aclnn_leaky_relu",
        "aclnnLeakyRelu", [attr(0, "negativeSlope", Scalar)] => Tensor, dtypes: DTypes::SAME_CAST),
    functions!("LogSigmoid", "aclnn_logsigmoid", [
        function!("activation/log_sigmoid", "aclnnLogSigmoidForward",
            [input(0, "self"), output(0, "out", Tensor), unused("buffer", Tensor, true)]),
        function!("activation/log_sigmoid", "aclnnLogSigmoid",
            [input(0, "self"), output(0, "out", Tensor)])]),
    forward!("Mish", "activation/mish" / "aclnnMish&aclnnInplaceMish", "aclnn_mish", "aclnnMish", [] => Tensor),
    // The weight may also have any shape of as many elements as there are channels: here one dimension, or those of broadcasting.
    forward!("PRelu", "activation/p_relu", "aclnn_prelu", "aclnnPrelu", [input(1, "weight")] => Tensor,
        broadcast: true, dtypes: DTypes::FLOATS_CAST),
    forward!("Relu", "activation/relu" / "aclnnRelu&aclnnInplaceRelu", "aclnn_relu", "aclnnRelu",
        [] => ConstTensor),
    forward!("Selu", "activation/selu" / "aclnnSelu&aclnnInplaceSelu", "aclnn_selu", "aclnnSelu", [] => Tensor,
        dtypes: DTypes::SAME_CAST),
    forward!("Sigmoid", "activation/sigmoid" / "aclnnSigmoid&aclnnInplaceSigmoid", "aclnn_sigmoid",
        "aclnnSigmoid", [] => Tensor, dtypes: DTypes::SAME_CAST),
    forward!("Silu", "activation/swish" / "aclnnSilu", "aclnn_silu", "aclnnSilu", [] => Tensor),
    one!("SituGlu", "activation/situ_glu", "aclnn_situ_glu", "aclnnSituGlu", [input(0, "x"),
        attr(0, "dim", Int), attr(1, "beta", Double), attr(2, "linearBeta", Double),
        attr(3, "activateLeft", Bool), output(0, "out", ConstTensor)]),
    forward!("SoftplusV2", "activation/softplus_v2", "aclnn_softplus", "aclnnSoftplus",
        [attr(0, "beta", Scalar), attr(1, "threshold", Scalar)] => Tensor, dtypes: DTypes::SAME_CAST),
    forward!("Softshrink", "activation/softshrink", "aclnn_softshrink", "aclnnSoftshrink",
        [attr(0, "lambd", Scalar)] => Tensor, dtypes: DTypes::SAME_CAST, negative: &[(0, Negative::Refused)]),
    forward!("Swish", "activation/swish", "aclnn_swish", "aclnnSwish",
        [optional(0, "betaOptional", Scalar)] => Tensor),
    forward!("Tanh", "math/tanh" / "aclnnTanh&aclnnInplaceTanh", "aclnn_tanh", "aclnnTanh", [] => Tensor,
        dtypes: DTypes::SAME_CAST),
    forward!("ThresholdV2D", "activation/threshold" / "aclnnThreshold&aclnnInplaceThreshold", "aclnn_threshold",
        "aclnnThreshold", [attr(0, "threshold", Scalar), attr(1, "value", Scalar)] => Tensor,
        dtypes: DTypes::SAME_CAST),
    Published { operator: "GeLUBackward", infiniop: Some(Infiniop { name: "GeLUBackward",
        header: "gelu_backward" }), ..Published::NOTHING },
    // The operator's definition has only one type for the mask.
    Published { operator: "ReluGradV2", masks: Stored::Bit, ..Published::NOTHING },
];
