//! Sigmoid, tanh, and ungated functions composed of them: silu, swish, mish.

/// Sigmoid, tanh, silu, swish, mish and softsign with their gradients.
#[op_dsl::operators(published = crate::published::PUBLISHED)]
pub mod sigmoid {
    use op_dsl::prelude::*;

    /// `1 / (1 + e^-x)`
    ///
    /// Source: sigmoid of CANN (ops-nn/activation).
    #[op(name = "Sigmoid")]
    pub fn sigmoid_of(x: Elem) -> Elem {
        sigmoid(x)
    }

    /// The gradient of `Sigmoid` by its result.
    ///
    /// Source: sigmoid_grad of CANN (ops-nn/activation).
    #[op(
        name = "SigmoidGrad", grad_of = sigmoid_of, outputs(z),
        grad(name = "SigmoidGradGrad", wrt(y, dy), outputs(y_grad, dy_grad))
    )]
    pub fn sigmoid_grad(y: Elem, dy: Elem) -> Elem {
        dy * y * (1.0 - y)
    }

    /// `tanh(x)`
    ///
    /// Source: tanh of CANN.
    #[op(name = "Tanh")]
    pub fn tanh_of(x: Elem) -> Elem {
        tanh(x)
    }

    /// The gradient of `Tanh` by its result.
    ///
    /// Source: tanh_grad of CANN.
    #[op(
        name = "TanhGrad", grad_of = tanh_of, outputs(z),
        grad(name = "TanhGradGrad", wrt(y, dy), outputs(y_grad, dy_grad))
    )]
    pub fn tanh_grad(y: Elem, dy: Elem) -> Elem {
        dy * (1.0 - y) * (1.0 + y)
    }

    /// `x * sigmoid(x)`
    ///
    /// Source: aclnnSilu and silu_grad of CANN (ops-nn/activation).
    #[op(name = "Silu", grad(name = "SiluGrad", wrt(x), grad(name = "SiluGradGrad", wrt(dy, x))))]
    pub fn silu_of(x: Elem) -> Elem {
        x * sigmoid(x)
    }

    /// `x * sigmoid(scale * x)`. The gradient is given `y` and has no use for it.
    ///
    /// Source: swish and swish_grad of CANN (ops-nn/activation).
    #[op(
        name = "Swish",
        grad(
            name = "SwishGrad",
            wrt(x),
            inputs(grad, x, y),
            outputs(grad_x),
            grad(name = "SwishGradGrad", wrt(grad, x))
        )
    )]
    pub fn swish(x: Elem, #[attr(default = 1.0)] scale: f32) -> Elem {
        x * sigmoid(scale * x)
    }

    /// `x * sigmoid(1.702 x)`
    ///
    /// Source: fast_gelu and fast_gelu_grad of CANN (ops-nn/activation).
    #[op(
        name = "FastGelu",
        grad(
            name = "FastGeluGrad",
            wrt(x),
            inputs(dy, x),
            outputs(z),
            grad(name = "FastGeluGradGrad", wrt(dy, x))
        )
    )]
    pub fn fast_gelu(x: Elem) -> Elem {
        x * sigmoid(1.702 * x)
    }

    /// `x * tanh(softplus(x))`
    ///
    /// Source: mish of CANN (ops-nn/activation).
    #[op(name = "Mish")]
    pub fn mish(x: Elem) -> Elem {
        x * tanh(softplus(x))
    }

    /// The gradient of `Mish`; `tanhx` is `tanh(softplus(x))`, where a caller has it.
    ///
    /// Source: mish_grad of CANN (ops-nn/activation).
    #[op(name = "MishGrad", grad_of = mish, wrt(x), outputs(x_grad))]
    pub fn mish_grad(grad: Elem, x: Elem, tanhx: Option<Elem>) -> Elem {
        let t = tanhx.unwrap_or(tanh(softplus(x)));
        grad * (t - x * (t * t - 1.0) * sigmoid(x))
    }

    /// The gradient of `MishGrad` where `tanhx` is left out.
    ///
    /// Source: the derivative of mish_grad of CANN (ops-nn/activation) by hand, since `tanhx` follows from `x`.
    #[op(
        name = "MishGradGrad", grad_of = mish_grad, wrt(grad, x),
        outputs(dgrad, dx)
    )]
    pub fn mish_grad_grad(dx_grad: Elem, grad: Elem, x: Elem) -> (Elem, Elem) {
        let (t, s) = (tanh(softplus(x)), sigmoid(x));
        // The first and the second derivative of `t`.
        let slope = (1.0 - t * t) * s;
        let bend = slope * (1.0 - s - 2.0 * t * s);
        (dx_grad * (t + x * slope), dx_grad * grad * (2.0 * slope + x * bend))
    }

    /// `x / (1 + |x|)`
    ///
    /// Source: softsign and softsign_grad of CANN (ops-nn/activation).
    #[op(
        name = "Softsign",
        grad(
            name = "SoftsignGrad", wrt(x), inputs(gradients, features = x), outputs(output),
            grad(name = "SoftsignGradGrad", wrt(gradients, features))
        )
    )]
    pub fn softsign(x: Elem) -> Elem {
        x / (1.0 + abs(x))
    }
}
