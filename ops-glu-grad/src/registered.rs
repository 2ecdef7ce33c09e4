//! The registrations of this crate's operators in ops-nn: graph prototypes and definitions, which differ.
//!
//! `.ci/deep published CHECKOUT` compares them with a checkout of ops-nn.

#![allow(clippy::approx_constant)] // `scale` is published with twelve digits

use op_dsl::ir::published::Published;
use op_dsl::ir::registered::Types::{Common, Each};
use op_dsl::ir::registered::{AttrDefault, Attribute, Definition, Prototype, Types, attribute};

const FLOATS: Types = Each("TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT})");
const FLOATS_IN_COMMON: Types = Common("TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT})");
const DOUBLES: Types = Each("TensorType({DT_BF16, DT_FLOAT16, DT_FLOAT, DT_DOUBLE})");
const NO_BF16: Types = Each("TensorType({DT_FLOAT16, DT_FLOAT, DT_DOUBLE})");
const FLOATING: Types = Each("TensorType({FloatingDataType, DT_BF16})");
const ANY_FLOATING: Types = Each("TensorType::FloatingDataType()");
const REAL: Types = Each("TensorType::RealNumberType()");
const UNARY: Types = Each("TensorType::UnaryDataType()");
const UNARY_TYPE: Types = Each("TensorType(UnaryDataType)");
const COUNTS: &str = "TensorType({DT_INT64})";
const BITS_OR_BYTES: &str = "TensorType({DT_UINT8, DT_UINT1})";

const RELU: Types = Each(
    "TensorType({DT_FLOAT, DT_FLOAT16, DT_DOUBLE, DT_INT8, DT_INT32, DT_INT16, DT_INT64, DT_UINT8, DT_UINT16, DT_QINT8, DT_BF16})",
);
const RELU6: Types = Each("TensorType({DT_FLOAT16, DT_FLOAT, DT_INT32, DT_BF16})");
const SELU: Types =
    Each("TensorType({DT_FLOAT16, DT_FLOAT, DT_DOUBLE, DT_INT8, DT_INT32, DT_BF16})");
const HARD_SIGMOID: Types = Each("TensorType({DT_FLOAT, DT_FLOAT16, DT_BF16, DT_INT32})");
const THRESHOLD: Types = Each("TensorType({DT_INT32, DT_FLOAT16, DT_BF16})");

/// Attribute `clamp_mode`: whether values are clamped before the activation, or one product after it.
const CLAMP_MODE: Attribute =
    Attribute { version: 2, ..attribute("clamp_mode", AttrDefault::Int(0)) };

const fn int(name: &'static str, default: i64) -> Attribute {
    attribute(name, AttrDefault::Int(default))
}

const fn float(name: &'static str, default: f64) -> Attribute {
    attribute(name, AttrDefault::Float(default))
}

const fn boolean(name: &'static str, default: bool) -> Attribute {
    attribute(name, AttrDefault::Bool(default))
}

const fn text(name: &'static str, default: &'static str) -> Attribute {
    attribute(name, AttrDefault::Text(default))
}

/// Generates a row of [`REGISTERED`]: an operator with a graph prototype and a definition in ops-nn.
///
/// Arguments are the element types, `inputs => outputs`, attributes, then the fields that only the definition has.
macro_rules! both {
    ($operator:literal, $types:expr, [$($input:literal),*] => [$($output:literal),*],
     [$($attr:expr),*] $(, types_of: $types_of:expr)? $(; $($field:ident: $value:expr),*)?) => {
        Published {
            prototype: Some(Prototype {
                inputs: &[$($input),*],
                outputs: &[$($output),*],
                types: $types,
                types_of: &[$($types_of)?],
                attrs: &[$($attr),*],
            }),
            ..definition!($operator $($(, $field: $value)*)?)
        }
    };
}

/// Generates a row of [`REGISTERED`]: an operator with a definition but no graph prototype in ops-nn.
macro_rules! definition {
    ($operator:literal $(, $field:ident: $value:expr)*) => {
        Published {
            operator: $operator,
            definition: Some(Definition { $($field: $value,)* ..Definition::PLAIN }),
            ..Published::NOTHING
        }
    };
}

/// Graph prototypes and operator definitions in ops-nn, one row per operator in `activation/` there.
#[rustfmt::skip]
pub static REGISTERED: &[Published] = &[
    both!("ClippedSwiglu", FLOATS, ["x", "group_index"] => ["y"],
        [int("dim", -1), float("alpha", 1.702), float("limit", 7.0), float("bias", 1.0),
         boolean("interleaved", true), CLAMP_MODE], types_of: ("group_index", COUNTS);
        more_attrs: &[CLAMP_MODE], beside: &["torch_extension"], functions: &["aclnnClippedSwigluV2"]),
    both!("ClippedSwigluGrad", FLOATS, ["grad_y", "x", "group_index"] => ["grad_x"],
        [int("dim", -1), float("alpha", 1.702), float("limit", 7.0), float("bias", 1.0),
         boolean("interleaved", true)], types_of: ("group_index", COUNTS); beside: &["torch_extension"]),
    both!("Elu", FLOATING, ["x"] => ["y"], [float("alpha", 1.0), float("scale", 1.0), float("input_scale", 1.0)];
        beside: &["framework", "op_kernel_aicpu"], functions: &["aclnnInplaceElu"]),
    both!("EluGrad", FLOATING, ["grads", "activations"] => ["y"], []; beside: &["framework"]),
    both!("EluGradV2", FLOATS, ["grads", "activations"] => ["y"],
        [float("alpha", 1.0), float("scale", 1.0), float("input_scale", 1.0), boolean("is_result", false)]),
    both!("FastGelu", FLOATS, ["x"] => ["y"], []; beside: &["framework"]),
    both!("FastGeluGrad", FLOATS, ["dy", "x"] => ["z"], []; beside: &["framework"]),
    both!("FusedBiasLeakyRelu", NO_BF16, ["x", "bias"] => ["y"],
        [float("negative_slope", 0.2), float("scale", 1.414213562373)];
        beside: &["op_graph/fused_bias_leaky_relu_graph_infer.cpp"]),
    both!("FusedBiasLeakyReluGrad", NO_BF16, ["y_grad", "features"] => ["x_grad"],
        [float("negative_slope", 0.2), float("scale", 1.414213562373)];
        beside: &["op_graph/fused_bias_leaky_relu_grad_graph_infer.cpp"]),
    both!("GLU", FLOATS, ["x"] => ["y"], [int("dim", -1)]),
    both!("GLUGrad", ANY_FLOATING, ["y_grad", "x"] => ["x_grad"], [int("dim", -1)]),
    both!("GeGluGradV2", FLOATS_IN_COMMON, ["dy", "x", "gelu"] => ["dx"],
        [int("dim", -1), int("approximate", 1), boolean("activate_left", false)]),
    both!("GeGluV2", FLOATS_IN_COMMON, ["x"] => ["y", "gelu"],
        [int("dim", -1), int("approximate", 1), boolean("activate_left", false)];
        more_socs: &["kirin9030", "kirinx90"], beside: &["framework"]),
    both!("Gelu", FLOATS, ["x"] => ["y"], []; beside: &["framework"]),
    both!("GeluGrad", FLOATS, ["dy", "x", "y"] => ["z"], []; beside: &["framework"]),
    both!("GeluGradV2", FLOATS_IN_COMMON, ["dy", "x"] => ["z"], [text("approximate", "none")]),
    both!("GeluV2", FLOATS_IN_COMMON, ["x"] => ["y"], [text("approximate", "none")]; beside: &["framework"]),
    both!("HardShrink", FLOATS, ["input_x"] => ["output_y"], [float("lambd", 0.5)]; inputs: &["self"],
        beside: &["op_graph/hard_shrink_graph_infer.cpp"]),
    both!("HardShrinkGrad", FLOATS, ["gradients", "features"] => ["backprops"], [float("lambd", 0.5)]; required: true),
    both!("HardSigmoid", HARD_SIGMOID, ["input_x"] => ["output_y"],
        [float("alpha", 0.16666666), float("beta", 0.5)]; more_types: &["INT32"],
        beside: &["framework", "op_graph/hard_sigmoid_graph_infer.cpp"], functions: &["aclnnInplaceHardsigmoid"]),
    both!("HardSigmoidGrad", FLOATS, ["grads", "input_x"] => ["y"], [float("alpha", 0.16666666), float("beta", 0.5)]),
    definition!("HardSwish", functions: &["aclnnInplaceHardswish"]),
    definition!("HardSwishGrad"),
    both!("HardSwishGradV2", FLOATS, ["gradOutput", "self"] => ["out"], []; more_socs: &["ascend910", "mc62"]),
    both!("HardtanhGrad", FLOATS, ["result", "grad"] => ["y"],
        [float("min_val", -1.0), float("max_val", 1.0)]; required: true),
    both!("LeakyRelu", DOUBLES, ["x"] => ["y"], [float("negative_slope", 0.0)]; beside: &["framework"],
        functions: &["aclnnInplaceLeakyRelu", "aclnnInplaceRReluWithNoise", "aclnnRReluWithNoise"]),
    both!("LeakyReluGrad", DOUBLES, ["gradients", "features"] => ["backprops"], [float("negative_slope", 0.0)];
        beside: &["framework"]),
    both!("LogSigmoid", FLOATS, ["x"] => ["y"], [];
        functions: &["aclnnBinaryCrossEntropyWithLogitsTargetBackward"]),
    both!("LogSigmoidGrad", FLOATS, ["grads", "features"] => ["backprops"], []; directory: "logsigmoid_grad"),
    both!("Mish", FLOATS, ["x"] => ["y"], []; beside: &["framework"], functions: &["aclnnInplaceMish"]),
    both!("MishGrad", FLOATS, ["grad", "x", "tanhx"] => ["x_grad"], []),
    both!("PRelu", FLOATS, ["x", "weight"] => ["y"], []; beside: &["framework"]),
    definition!("PReluGradUpdate", beside: &["op_graph/fusion_pass", "op_graph/prelu_grad_proto.h"],
        functions: &["aclnnPreluBackward"]),
    both!("Relu", RELU, ["x"] => ["y"], []; more_types: &["INT32", "INT64", "INT8"], beside: &["framework"],
        functions: &["aclnnAddRelu", "aclnnInplaceAddRelu", "aclnnInplaceRelu"]),
    both!("Relu6", RELU6, ["x"] => ["y"], []; more_types: &["INT32"],
        beside: &["framework", "op_graph/relu6_graph_infer.cpp"]),
    both!("Relu6Grad", FLOATS, ["gradients", "features"] => ["backprops"], []; beside: &["framework"]),
    both!("ReluGrad", REAL, ["gradients", "features"] => ["backprops"],
        []; more_types: &["INT32", "INT64", "INT8", "UINT8"], beside: &["framework"]),
    both!("ReluGradV2", REAL, ["gradients", "mask"] => ["backprops"],
        [], types_of: ("mask", BITS_OR_BYTES); more_types: &["INT32", "INT8", "UINT8"]),
    both!("Selu", SELU, ["x"] => ["y"], []; more_types: &["INT32", "INT8"], beside: &["framework"],
        functions: &["aclnnInplaceSelu"]),
    both!("SeluGrad", REAL, ["gradients", "outputs"] => ["y"], []; more_types: &["INT32", "INT8", "UINT8"],
        beside: &["framework"]),
    both!("Sigmoid", UNARY, ["x"] => ["y"], []; beside: &["framework"], functions: &["aclnnInplaceSigmoid"]),
    both!("SigmoidGrad", UNARY_TYPE, ["y", "dy"] => ["z"], [boolean("complex_conj", false)];
        beside: &["framework", "op_kernel_aicpu"]),
    both!("SiluGrad", FLOATS, ["dy", "x"] => ["dx"], []; mixed: true),
    both!("SituGlu", FLOATS, ["x"] => ["y"],
        [int("dim", -1), float("beta", 1.0), float("linear_beta", 0.0), boolean("activate_left", true)];
        beside: &["tests/pytest/test_situ_glu_network.py", "torch_extension"]),
    both!("SituGluGrad", FLOATS, ["grad_y", "x"] => ["grad_x"],
        [int("dim", -1), float("beta", 1.0), float("linear_beta", 0.0), boolean("activate_left", true)];
        beside: &["tests/pytest/test_situ_glu_grad_network.py", "torch_extension"]),
    both!("SoftShrinkGrad", FLOATS, ["input_grad", "input_x"] => ["output_y"], [float("lambd", 0.5)]),
    both!("Softplus", FLOATING, ["x"] => ["y"], []; beside: &["framework"]),
    both!("SoftplusGrad", FLOATING, ["gradients", "features"] => ["backprops"], []; beside: &["framework"]),
    both!("SoftplusV2", FLOATS, ["x"] => ["y"], [float("beta", 1.0), float("threshold", 20.0)]),
    both!("SoftplusV2Grad", FLOATS, ["input_gradients", "input_features"] => ["output_backprops"],
        [float("beta", 1.0), float("threshold", 20.0)]),
    definition!("Softshrink", beside: &["op_graph/softshrink_graph_infer.cpp"]),
    both!("Softsign", FLOATING, ["x"] => ["y"], []; beside: &["framework"]),
    both!("SoftsignGrad", FLOATING, ["gradients", "features"] => ["output"], []; beside: &["framework"]),
    both!("SwiGlu", FLOATS_IN_COMMON, ["x"] => ["y"], [int("dim", -1)]; more_socs: &["kirin9030", "kirinx90"]),
    both!("SwiGluGrad", FLOATS_IN_COMMON, ["y_grad", "x"] => ["x_grad"], [int("dim", -1)]),
    both!("Swish", FLOATS, ["x"] => ["y"], [float("scale", 1.0)]; functions: &["aclnnSilu"]),
    both!("SwishGrad", FLOATS, ["grad", "x", "y"] => ["grad_x"], [float("scale", 1.0)];
        beside: &["tests/assets/input.py"]),
    both!("ThresholdGradV2D", THRESHOLD, ["gradients", "features"] => ["backprops"],
        [attribute("threshold", AttrDefault::Required("Float"))]; more_types: &["INT32", "INT8", "UINT8"]),
];
