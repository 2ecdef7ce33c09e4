//! Gated linear units: one half of `x` goes through an activation and multiplies the other.

/// GeGLU and SwiGLU with their gradients.
#[op_dsl::operators(published = crate::published::PUBLISHED)]
pub mod glu {
    use op_dsl::prelude::*;

    /// Which form of GELU. The numbers are CANN's.
    #[derive(OpAttr, Clone, Copy, PartialEq, Eq, Debug)]
    #[repr(i64)]
    pub enum Approximate {
        /// GELU by the error function.
        None = 0,
        /// GELU approximated by tanh.
        Tanh = 1,
    }

    /// `x Phi(x)`, or its approximation by tanh.
    #[formula]
    pub fn gelu_by(x: Elem, approximate: Approximate) -> Elem {
        match approximate {
            Approximate::None => 0.5 * x * (1.0 + erf(x * FRAC_1_SQRT_2)),
            Approximate::Tanh => {
                let u = FRAC_2_SQRT_PI * FRAC_1_SQRT_2 * (x + 0.044715 * x.powi(3));
                0.5 * x * (1.0 + tanh(u))
            }
        }
    }

    /// GeGLU: `y = B * gelu(A)`, where `A` is the half of `x` along `dim` that `activate_left`
    /// picks, and `B` the other. `gelu(A)` is kept for the gradient, which is
    /// `dA = dy * B * gelu'(A)`, `dB = dy * gelu(A)`.
    ///
    /// Source: aclnnGeGluV3 and aclnnGeGluV3Backward of CANN (ops-nn/activation).
    #[op(
        name = "GeGluV2",
        grad(name = "GeGluGradV2", wrt(x), grad(name = "GeGluGradGradV2", wrt(dy, x)))
    )]
    pub fn ge_glu(
        #[split(along = dim, gate_left = activate_left)] x: Gated,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = Approximate::Tanh)] approximate: Approximate,
        #[attr(default = false)] activate_left: bool,
    ) -> Elem {
        #[saved]
        let gelu = gelu_by(x.gate, approximate);
        x.value * gelu
    }

    /// SwiGLU: `y = A * sigmoid(A) * B` over the halves `A`, `B` of `x` along `dim`.
    ///
    /// The gradient, with `s = sigmoid(A)`, is `dA = dy * B * (s + A * s * (1 - s))` and
    /// `dB = dy * A * s`. The formula published for aclnnSwiGluGrad writes `s * (1 - s * A)` for
    /// the last part of `dA`: a parenthesis is misplaced there. What CANN computes is the true
    /// derivative, as here.
    ///
    /// Source: aclnnSwiGlu and aclnnSwiGluGrad of CANN (ops-nn/activation).
    #[op(
        name = "SwiGlu",
        empty = false,
        grad(
            name = "SwiGluGrad",
            wrt(x),
            inputs(y_grad, x),
            outputs(x_grad),
            grad(name = "SwiGluGradGrad", wrt(y_grad, x))
        )
    )]
    pub fn swi_glu(
        #[split(along = dim, gate_left = true)] x: Gated,
        #[attr(default = -1)] dim: Dim,
    ) -> Elem {
        x.gate * sigmoid(x.gate) * x.value
    }
}
