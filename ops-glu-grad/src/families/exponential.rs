//! Activations that are exponential on one side: elu, selu, softplus.

/// Elu, selu, softplus and log-sigmoid with their gradients.
#[op_dsl::operators(published = crate::published::PUBLISHED)]
pub mod exponential {
    use op_dsl::prelude::*;

    /// The constants of selu, with which it keeps mean 0 and variance 1.
    const SCALE: f64 = 1.0507009873554805;
    const ALPHA: f64 = 1.6732632423543772;

    /// `scale * x` where `x` is positive, else `scale * alpha * (e^(input_scale * x) - 1)`.
    ///
    /// Source: elu of CANN (ops-nn/activation).
    #[op(name = "Elu")]
    pub fn elu(
        x: Elem,
        #[attr(default = 1.0)] alpha: f32,
        #[attr(default = 1.0)] scale: f32,
        #[attr(default = 1.0)] input_scale: f32,
    ) -> Elem {
        if x > 0.0 { scale * x } else { scale * alpha * expm1(input_scale * x) }
    }

    /// The gradient of `Elu` with all attributes 1, by its result.
    ///
    /// Source: elu_grad of CANN (ops-nn/activation).
    #[op(
        name = "EluGrad", grad_of = elu,
        grad(name = "EluGradGrad", wrt(grads, activations))
    )]
    pub fn elu_grad(grads: Elem, #[holds(y)] activations: Elem) -> Elem {
        if activations < 0.0 { grads * (activations + 1.0) } else { grads }
    }

    /// The gradient of `Elu` by its result, or by its `x`.
    ///
    /// Source: elu_grad_v2 and aclnnEluBackward of CANN (ops-nn/activation).
    #[op(name = "EluGradV2")]
    pub fn elu_grad_v2(
        grads: Elem,
        activations: Elem,
        #[attr(default = 1.0)] alpha: f32,
        #[attr(default = 1.0)] scale: f32,
        #[attr(default = 1.0)] input_scale: f32,
        #[attr(default = false)] is_result: bool,
    ) -> Elem {
        let e = alpha * scale * exp(input_scale * activations);
        let below = if is_result { activations + alpha * scale } else { e };
        if activations > 0.0 { scale * grads } else { grads * input_scale * below }
    }

    /// `SCALE * x` where `x` is not negative, else `SCALE * ALPHA * (e^x - 1)`.
    ///
    /// Source: selu of CANN (ops-nn/activation).
    #[op(name = "Selu")]
    pub fn selu(x: Elem) -> Elem {
        if x >= 0.0 { SCALE * x } else { SCALE * ALPHA * expm1(x) }
    }

    /// The gradient of `Selu` by its result.
    ///
    /// Source: selu_grad of CANN (ops-nn/activation).
    #[op(
        name = "SeluGrad", grad_of = selu,
        grad(name = "SeluGradGrad", wrt(gradients, outputs))
    )]
    pub fn selu_grad(gradients: Elem, #[holds(y)] outputs: Elem) -> Elem {
        if outputs >= 0.0 { SCALE * gradients } else { gradients * (outputs + SCALE * ALPHA) }
    }

    /// `ln(1 + e^x)`
    ///
    /// Source: softplus and softplus_grad of CANN (ops-nn/activation).
    #[op(
        name = "Softplus",
        grad(
            name = "SoftplusGrad", wrt(x), inputs(gradients, features = x), outputs(backprops),
            grad(name = "SoftplusGradGrad", wrt(gradients, features))
        )
    )]
    pub fn softplus_of(x: Elem) -> Elem {
        softplus(x)
    }

    /// `ln(1 + e^(beta x)) / beta`, and `x` where `beta * x` is above `threshold`.
    ///
    /// Source: softplus_v2 of CANN (ops-nn/activation).
    #[op(name = "SoftplusV2")]
    pub fn softplus_v2(
        x: Elem,
        #[attr(default = 1.0)] beta: f32,
        #[attr(default = 20.0)] threshold: f32,
    ) -> Elem {
        if beta * x > threshold { x } else { softplus(beta * x) / beta }
    }

    /// The gradient of `SoftplusV2`.
    ///
    /// Source: softplus_v2_grad of CANN (ops-nn/activation).
    #[op(
        name = "SoftplusV2Grad", grad_of = softplus_v2, outputs(output_backprops),
        grad(name = "SoftplusV2GradGrad", wrt(input_gradients, input_features))
    )]
    pub fn softplus_v2_grad(
        input_gradients: Elem,
        #[holds(x)] input_features: Elem,
        #[attr(default = 1.0)] beta: f32,
        #[attr(default = 20.0)] threshold: f32,
    ) -> Elem {
        let slope = sigmoid(beta * input_features);
        if beta * input_features > threshold { input_gradients } else { input_gradients * slope }
    }

    /// `ln(sigmoid(x))`
    ///
    /// Source: log_sigmoid and logsigmoid_grad of CANN (ops-nn/activation).
    #[op(
        name = "LogSigmoid",
        grad(
            name = "LogSigmoidGrad", wrt(x), inputs(grads, features = x), outputs(backprops),
            grad(name = "LogSigmoidGradGrad", wrt(grads, features))
        )
    )]
    pub fn log_sigmoid(x: Elem) -> Elem {
        -softplus(-x)
    }
}
