//! The functions that C calls: generated from the table of operators by
//! `op_dsl_capi::generate`, do not edit.
#![allow(non_snake_case)]

use ops_glu_grad::OPERATORS;

op_dsl_capi::aclnn_functions! {
    "GeGluV2" aclnnGeGluGetWorkspaceSize
        aclnnGeGlu(self_: Tensor, dim: Int, approximate: Int, out: Tensor, out_gelu: Tensor);
    "GeGluV2" aclnnGeGluV3GetWorkspaceSize
        aclnnGeGluV3(self_: Tensor, dim: Int, approximate: Int, activate_left: Bool, out: Tensor, out_gelu: Tensor);
    "GeGluGradV2" aclnnGeGluBackwardGetWorkspaceSize
        aclnnGeGluBackward(grad_output: Tensor, self_: Tensor, gelu: Tensor, dim: Int, approximate: Int, grad_input: Tensor);
    "GeGluGradV2" aclnnGeGluV3BackwardGetWorkspaceSize
        aclnnGeGluV3Backward(grad_output: Tensor, self_: Tensor, gelu: Tensor, dim: Int, approximate: Int, activate_left: Bool, grad_input: Tensor);
    "SwiGlu" aclnnSwiGluGetWorkspaceSize aclnnSwiGlu(x: Tensor, dim_optional: Int, out: Tensor);
    "SwiGluGrad" aclnnSwiGluGradGetWorkspaceSize
        aclnnSwiGluGrad(y_grad: Tensor, x: Tensor, dim_optional: Int, out: Tensor);
    "GeluV2" aclnnGeluV2GetWorkspaceSize aclnnGeluV2(x: Tensor, approximate: Int, y: Tensor);
    "GeluGradV2" aclnnGeluBackwardV2GetWorkspaceSize
        aclnnGeluBackwardV2(grad_output: Tensor, self_: Tensor, approximate: Chars, grad_input: Tensor);
    "Gelu" aclnnGeluGetWorkspaceSize aclnnGelu(self_: Tensor, out: Tensor);
    "GeluGrad" aclnnGeluBackwardGetWorkspaceSize
        aclnnGeluBackward(grad_output: Tensor, self_: Tensor, grad_input: Tensor);
    "Relu" aclnnReluGetWorkspaceSize aclnnRelu(self_: Tensor, out: Tensor);
    "LeakyRelu" aclnnLeakyReluGetWorkspaceSize aclnnLeakyRelu(self_: Tensor, negative_slope: Scalar, out: Tensor);
    "LeakyReluGrad" aclnnLeakyReluBackwardGetWorkspaceSize
        aclnnLeakyReluBackward(grad_output: Tensor, self_: Tensor, negative_slope: Scalar, self_is_result: Bool, out: Tensor);
    "ThresholdV2D" aclnnThresholdGetWorkspaceSize
        aclnnThreshold(self_: Tensor, threshold: Scalar, value: Scalar, out: Tensor);
    "ThresholdGradV2D" aclnnThresholdBackwardGetWorkspaceSize
        aclnnThresholdBackward(grad_output: Tensor, self_: Tensor, threshold: Scalar, out: Tensor);
    "PRelu" aclnnPreluGetWorkspaceSize aclnnPrelu(self_: Tensor, weight: Tensor, out: Tensor);
    "PReluGrad" aclnnPreluBackwardGetWorkspaceSize
        aclnnPreluBackward(grad_output: Tensor, self_: Tensor, weight: Tensor, grad_input: Tensor, grad_weight: Tensor);
    "HardShrink" aclnnHardshrinkGetWorkspaceSize aclnnHardshrink(self_: Tensor, lambd: Scalar, out: Tensor);
    "HardShrinkGrad" aclnnHardshrinkBackwardGetWorkspaceSize
        aclnnHardshrinkBackward(grad_output: Tensor, self_: Tensor, lambd: Scalar, grad_input: Tensor);
    "Softshrink" aclnnSoftshrinkGetWorkspaceSize aclnnSoftshrink(self_: Tensor, lambd: Scalar, out: Tensor);
    "SoftShrinkGrad" aclnnSoftshrinkBackwardGetWorkspaceSize
        aclnnSoftshrinkBackward(grad_output: Tensor, self_: Tensor, lambda: Scalar, grad_input: Tensor);
    "HardSigmoid" aclnnHardsigmoidGetWorkspaceSize aclnnHardsigmoid(self_: Tensor, out: Tensor);
    "HardSigmoidGrad" aclnnHardsigmoidBackwardGetWorkspaceSize
        aclnnHardsigmoidBackward(grad_output: Tensor, self_: Tensor, out: Tensor);
    "HardSwish" aclnnHardswishGetWorkspaceSize aclnnHardswish(self_: Tensor, out: Tensor);
    "HardSwishGrad" aclnnHardswishBackwardGetWorkspaceSize
        aclnnHardswishBackward(grad_output: Tensor, self_: Tensor, out: Tensor);
    "HardSwishGradV2" aclnnHardswishBackwardV2GetWorkspaceSize
        aclnnHardswishBackwardV2(grad_output: Tensor, self_: Tensor, out: Tensor);
    "Hardtanh" aclnnHardtanhGetWorkspaceSize
        aclnnHardtanh(self_: Tensor, clip_value_min: Scalar, clip_value_max: Scalar, out: Tensor);
    "HardtanhGrad" aclnnHardtanhBackwardGetWorkspaceSize
        aclnnHardtanhBackward(grad_output: Tensor, self_: Tensor, min: Scalar, max: Scalar, out: Tensor);
    "Elu" aclnnEluGetWorkspaceSize
        aclnnElu(self_: Tensor, alpha: Scalar, scale: Scalar, input_scale: Scalar, out: Tensor);
    "EluGradV2" aclnnEluBackwardGetWorkspaceSize
        aclnnEluBackward(grad_output: Tensor, alpha: Scalar, scale: Scalar, input_scale: Scalar, is_result: Bool, self_or_result: Tensor, grad_input: Tensor);
    "Selu" aclnnSeluGetWorkspaceSize aclnnSelu(self_: Tensor, out: Tensor);
    "SeluGrad" aclnnSeluBackwardGetWorkspaceSize
        aclnnSeluBackward(grad_output: Tensor, result: Tensor, grad_input: Tensor);
    "SoftplusV2" aclnnSoftplusGetWorkspaceSize
        aclnnSoftplus(self_: Tensor, beta: Scalar, threshold: Scalar, out: Tensor);
    "SoftplusV2Grad" aclnnSoftplusBackwardGetWorkspaceSize
        aclnnSoftplusBackward(grad_output: Tensor, self_: Tensor, beta: Scalar, threshold: Scalar, grad_input: Tensor);
    "LogSigmoid" aclnnLogSigmoidForwardGetWorkspaceSize
        aclnnLogSigmoidForward(self_: Tensor, out: Tensor, buffer: Tensor);
    "LogSigmoid" aclnnLogSigmoidGetWorkspaceSize aclnnLogSigmoid(self_: Tensor, out: Tensor);
    "LogSigmoidGrad" aclnnLogSigmoidBackwardGetWorkspaceSize
        aclnnLogSigmoidBackward(grad_output: Tensor, self_: Tensor, buffer: Tensor, grad_input: Tensor);
    "Sigmoid" aclnnSigmoidGetWorkspaceSize aclnnSigmoid(self_: Tensor, out: Tensor);
    "SigmoidGrad" aclnnSigmoidBackwardGetWorkspaceSize
        aclnnSigmoidBackward(grad_output: Tensor, output: Tensor, grad_input: Tensor);
    "Tanh" aclnnTanhGetWorkspaceSize aclnnTanh(self_: Tensor, out: Tensor);
    "TanhGrad" aclnnTanhBackwardGetWorkspaceSize
        aclnnTanhBackward(grad_output: Tensor, output: Tensor, grad_input: Tensor);
    "Silu" aclnnSiluGetWorkspaceSize aclnnSilu(self_: Tensor, out: Tensor);
    "SiluGrad" aclnnSiluBackwardGetWorkspaceSize
        aclnnSiluBackward(grad_output: Tensor, self_: Tensor, grad_input: Tensor);
    "Swish" aclnnSwishGetWorkspaceSize aclnnSwish(self_: Tensor, beta_optional: Scalar, out: Tensor);
    "SwishGrad" aclnnSwishBackwardGetWorkspaceSize
        aclnnSwishBackward(grad_output: Tensor, self_: Tensor, beta_optional: Scalar, grad_input: Tensor);
    "FastGelu" aclnnFastGeluGetWorkspaceSize aclnnFastGelu(self_: Tensor, out: Tensor);
    "FastGeluGrad" aclnnFastGeluBackwardGetWorkspaceSize
        aclnnFastGeluBackward(grad_output: Tensor, self_: Tensor, grad_input: Tensor);
    "Mish" aclnnMishGetWorkspaceSize aclnnMish(self_: Tensor, out: Tensor);
    "MishGrad" aclnnMishBackwardGetWorkspaceSize
        aclnnMishBackward(grad_output: Tensor, self_: Tensor, grad_input: Tensor);
    "GLU" aclnnGluGetWorkspaceSize aclnnGlu(self_: Tensor, dim: Int, out: Tensor);
    "GLUGrad" aclnnGluBackwardGetWorkspaceSize aclnnGluBackward(grad_out: Tensor, self_: Tensor, dim: Int, out: Tensor);
    "SituGlu" aclnnSituGluGetWorkspaceSize
        aclnnSituGlu(x: Tensor, dim: Int, beta: Double, linear_beta: Double, activate_left: Bool, out: Tensor);
    "SituGluGrad" aclnnSituGluGradGetWorkspaceSize
        aclnnSituGluGrad(grad_y: Tensor, x: Tensor, dim: Int, beta: Double, linear_beta: Double, activate_left: Bool, out: Tensor);
    "ClippedSwiglu" aclnnClippedSwigluGetWorkspaceSize
        aclnnClippedSwiglu(x: Tensor, group_index_optional: Tensor, dim: Int, alpha: Double, limit: Double, bias: Double, interleaved: Bool, out: Tensor);
    "ClippedSwigluGrad" aclnnClippedSwigluGradGetWorkspaceSize
        aclnnClippedSwigluGrad(grad_y: Tensor, x: Tensor, group_index_optional: Tensor, dim: Int, alpha: Double, limit: Double, bias: Double, interleaved: Bool, grad_x_out: Tensor);
    "SwiGluMul" aclnnSwiGluMulGetWorkspaceSize aclnnSwiGluMul(gate_: Tensor, up: Tensor, y: Tensor);
    "SwiGluMulGrad" aclnnSwiGluMulGradGetWorkspaceSize
        aclnnSwiGluMulGrad(dy: Tensor, gate_: Tensor, up: Tensor, dgate: Tensor, dup: Tensor);
    "SwiGluMulGradGrad" aclnnSwiGluMulGradGradGetWorkspaceSize
        aclnnSwiGluMulGradGrad(ddgate: Tensor, ddup: Tensor, dy: Tensor, gate_: Tensor, up: Tensor, ddy: Tensor, dgate: Tensor, dup: Tensor);
    "GeGluMul" aclnnGeGluMulGetWorkspaceSize aclnnGeGluMul(gate_: Tensor, up: Tensor, approximate: Int, y: Tensor);
    "GeGluMulGrad" aclnnGeGluMulGradGetWorkspaceSize
        aclnnGeGluMulGrad(dy: Tensor, gate_: Tensor, up: Tensor, approximate: Int, dgate: Tensor, dup: Tensor);
    "GeGluMulGradGrad" aclnnGeGluMulGradGradGetWorkspaceSize
        aclnnGeGluMulGradGrad(ddgate: Tensor, ddup: Tensor, dy: Tensor, gate_: Tensor, up: Tensor, approximate: Int, ddy: Tensor, dgate: Tensor, dup: Tensor);
    "ReluSquaredMul" aclnnReluSquaredMulGetWorkspaceSize aclnnReluSquaredMul(gate_: Tensor, up: Tensor, y: Tensor);
    "ReluSquaredMulGrad" aclnnReluSquaredMulGradGetWorkspaceSize
        aclnnReluSquaredMulGrad(dy: Tensor, gate_: Tensor, up: Tensor, dgate: Tensor, dup: Tensor);
    "ClippedSwiGluMul" aclnnClippedSwiGluMulGetWorkspaceSize
        aclnnClippedSwiGluMul(gate_: Tensor, up: Tensor, alpha: Double, limit: Double, bias: Double, y: Tensor);
    "ClippedSwiGluMulGrad" aclnnClippedSwiGluMulGradGetWorkspaceSize
        aclnnClippedSwiGluMulGrad(dy: Tensor, gate_: Tensor, up: Tensor, alpha: Double, limit: Double, bias: Double, dgate: Tensor, dup: Tensor);
    "Rope" aclnnRopeGetWorkspaceSize
        aclnnRope(x: Tensor, cos: Tensor, sin: Tensor, dim: Int, interleaved: Bool, y: Tensor);
    "RopeGrad" aclnnRopeGradGetWorkspaceSize
        aclnnRopeGrad(dy: Tensor, cos: Tensor, sin: Tensor, dim: Int, interleaved: Bool, dx: Tensor);
    "DyT" aclnnDyTGetWorkspaceSize aclnnDyT(x: Tensor, alpha: Tensor, gamma: Tensor, beta: Tensor, y: Tensor);
    "DyTGrad" aclnnDyTGradGetWorkspaceSize
        aclnnDyTGrad(dy: Tensor, x: Tensor, alpha: Tensor, gamma: Tensor, beta: Tensor, dx: Tensor, dalpha: Tensor, dgamma: Tensor, dbeta: Tensor);
    "BiasGelu" aclnnBiasGeluGetWorkspaceSize aclnnBiasGelu(x: Tensor, bias: Tensor, y: Tensor);
    "BiasGeluGrad" aclnnBiasGeluGradGetWorkspaceSize
        aclnnBiasGeluGrad(dy: Tensor, x: Tensor, bias: Tensor, dx: Tensor, dbias: Tensor);
    "BiasSwiGlu" aclnnBiasSwiGluGetWorkspaceSize aclnnBiasSwiGlu(x: Tensor, bias: Tensor, dim: Int, y: Tensor);
    "BiasSwiGluGrad" aclnnBiasSwiGluGradGetWorkspaceSize
        aclnnBiasSwiGluGrad(dy: Tensor, x: Tensor, bias: Tensor, dim: Int, dx: Tensor, dbias: Tensor);
    "DropoutAdd" aclnnDropoutAddGetWorkspaceSize
        aclnnDropoutAdd(x: Tensor, residual: Tensor, keep: Tensor, p: Double, y: Tensor);
    "DropoutAddGrad" aclnnDropoutAddGradGetWorkspaceSize
        aclnnDropoutAddGrad(dy: Tensor, keep: Tensor, p: Double, dx: Tensor, dresidual: Tensor);
    "ReluSquared" aclnnReluSquaredGetWorkspaceSize aclnnReluSquared(x: Tensor, y: Tensor);
    "ReluSquaredGrad" aclnnReluSquaredGradGetWorkspaceSize aclnnReluSquaredGrad(dy: Tensor, x: Tensor, dx: Tensor);
    "XIelu" aclnnXIeluGetWorkspaceSize aclnnXIelu(x: Tensor, alpha_p: Double, alpha_n: Double, beta: Double, y: Tensor);
    "XIeluGrad" aclnnXIeluGradGetWorkspaceSize
        aclnnXIeluGrad(dy: Tensor, x: Tensor, alpha_p: Double, alpha_n: Double, beta: Double, dx: Tensor);
    "SoftCap" aclnnSoftCapGetWorkspaceSize aclnnSoftCap(x: Tensor, cap: Double, y: Tensor);
    "SoftCapGrad" aclnnSoftCapGradGetWorkspaceSize aclnnSoftCapGrad(dy: Tensor, x: Tensor, cap: Double, dx: Tensor);
}

op_dsl_capi::infiniop_functions! {
    "GeLUBackward" "GeLUBackward" infiniopCreateGeLUBackwardDescriptor infiniopGetGeLUBackwardWorkspaceSize infiniopGeLUBackward
        infiniopDestroyGeLUBackwardDescriptor(grad_input; input, grad_output);
}
