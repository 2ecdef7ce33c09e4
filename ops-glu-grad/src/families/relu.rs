//! ReLU and its variants: zero, a constant or a line of another slope below a threshold.

/// Relu, leaky relu, threshold and their gradients.
#[op_dsl::operators(published = crate::published::PUBLISHED)]
#[allow(non_snake_case)] // names of CANN
pub mod relu {
    use op_dsl::prelude::*;

    /// `max(x, 0)`, whose derivative is 0 at 0. NaN counts as above.
    ///
    /// Source: relu and relu_grad of CANN (ops-nn/activation).
    #[op(
        name = "Relu",
        grad(name = "ReluGrad", wrt(x), inputs(gradients, features = x), outputs(backprops))
    )]
    pub fn relu(x: Elem) -> Elem {
        if x <= 0.0 { 0.0 } else { x }
    }

    /// The gradient of `Relu` by a mask: whether `x` was above 0.
    ///
    /// Source: relu_grad_v2 of CANN (ops-nn/activation), whose mask is the second output of ReluV2.
    #[op(name = "ReluGradV2", outputs(backprops))]
    pub fn relu_grad_v2(gradients: Elem, #[mask] mask: Mask) -> Elem {
        if mask { gradients } else { 0.0 }
    }

    /// `min(max(x, 0), 6)`
    ///
    /// Source: relu6 of CANN (ops-nn/activation).
    #[op(name = "Relu6")]
    pub fn relu6(x: Elem) -> Elem {
        clamp(x, 0.0, 6.0)
    }

    /// The gradient of `Relu6`: 0 at both kinks, and of NaN.
    ///
    /// Source: relu6_grad of CANN (ops-nn/activation).
    #[op(name = "Relu6Grad", grad_of = relu6, outputs(backprops))]
    pub fn relu6_grad(gradients: Elem, #[holds(x)] features: Elem) -> Elem {
        if features > 0.0 && features < 6.0 { gradients } else { 0.0 }
    }

    /// `x` where it is positive, else `negative_slope * x`.
    ///
    /// Source: leaky_relu and leaky_relu_grad of CANN (ops-nn/activation).
    #[op(
        name = "LeakyRelu",
        grad(name = "LeakyReluGrad", wrt(x), inputs(gradients, features = x), outputs(backprops))
    )]
    pub fn leaky_relu(x: Elem, #[attr(default = 0.0)] negative_slope: f32) -> Elem {
        if x > 0.0 { x } else { negative_slope * x }
    }

    /// `scale * leaky_relu(x + bias)`
    ///
    /// Source: fused_bias_leaky_relu of CANN (ops-nn/activation).
    #[op(name = "FusedBiasLeakyRelu", dtypes(f16, f32), broadcast)]
    pub fn fused_bias_leaky_relu(
        x: Elem,
        bias: Elem,
        #[attr(default = 0.2)] negative_slope: f32,
        #[attr(default = 1.414213562373)] scale: f32,
    ) -> Elem {
        let sum = x + bias;
        if sum >= 0.0 { scale * sum } else { negative_slope * scale * sum }
    }

    /// The gradient of `FusedBiasLeakyRelu` by its sum, whose sign is that of `features`, the result.
    ///
    /// Source: fused_bias_leaky_relu_grad of CANN (ops-nn/activation).
    #[op(
        name = "FusedBiasLeakyReluGrad", grad_of = fused_bias_leaky_relu, wrt(x),
        outputs(x_grad), dtypes(f16, f32)
    )]
    pub fn fused_bias_leaky_relu_grad(
        y_grad: Elem,
        #[holds(y)] features: Elem,
        #[attr(default = 0.2)] negative_slope: f32,
        #[attr(default = 1.414213562373)] scale: f32,
    ) -> Elem {
        if features > 0.0 { scale * y_grad } else { negative_slope * scale * y_grad }
    }

    /// `x` where it is above `threshold`, else `value`.
    ///
    /// Source: threshold_v2 of CANN (ops-nn/activation), with numbers for its one-element tensors.
    #[op(name = "ThresholdV2D")]
    pub fn threshold(
        x: Elem,
        #[attr(default = 1.0)] threshold: f32,
        #[attr(default = 0.0)] value: f32,
    ) -> Elem {
        if x <= threshold { value } else { x }
    }

    /// The gradient of `ThresholdV2D`.
    ///
    /// Source: threshold_grad_v2_d of CANN (ops-nn/activation).
    #[op(name = "ThresholdGradV2D", grad_of = threshold, outputs(out))]
    pub fn threshold_grad(
        gradOutput: Elem,
        #[holds(x)] self_: Elem,
        #[attr(default = 1.0)] threshold: f32,
    ) -> Elem {
        if self_ <= threshold { 0.0 } else { gradOutput }
    }

    /// `x` where it is positive, else `weight * x`, with one weight for each channel, or for all.
    ///
    /// Source: p_relu and aclnnPreluBackward of CANN (ops-nn/activation).
    #[op(
        name = "PRelu",
        grad(
            name = "PReluGrad", wrt(x, weight), inputs(grads, features = x, weights = weight),
            outputs(dx, da)
        )
    )]
    pub fn p_relu(x: Elem, #[broadcast(along = 1)] weight: Elem) -> Elem {
        if x > 0.0 { x } else { weight * x }
    }

    /// The gradients of `PRelu`, element by element: `update` is not summed over what shares a weight.
    ///
    /// Source: p_relu_grad_update of CANN (ops-nn/activation).
    #[op(name = "PReluGradUpdate", grad_of = p_relu, outputs(dx, update))]
    pub fn p_relu_grad_update(
        grads: Elem,
        #[holds(x)] features: Elem,
        #[broadcast(along = 1)]
        #[holds(weight)]
        weights: Elem,
    ) -> (Elem, Elem) {
        if features > 0.0 { (grads, 0.0) } else { (weights * grads, features * grads) }
    }
}
