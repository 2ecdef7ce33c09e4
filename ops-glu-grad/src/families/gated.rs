//! Gated linear units beyond GeGLU and SwiGLU.

/// GLU, its relu and bilinear forms, SituGLU and the clipped SwiGLU, with their gradients.
#[op_dsl::operators(published = crate::published::PUBLISHED)]
pub mod gated {
    use op_dsl::prelude::*;

    /// `A * sigmoid(B)` over the halves `A`, `B` of `x` along `dim`.
    ///
    /// Source: glu and glu_grad of CANN (ops-nn/activation).
    #[op(
        name = "GLU",
        grad(
            name = "GLUGrad", wrt(x), inputs(grad_out, self_ = x), outputs(out),
            grad(name = "GLUGradGrad", wrt(grad_out, self_))
        )
    )]
    pub fn glu(
        #[split(along = dim, gate_left = false)] x: Gated,
        #[attr(default = -1)] dim: Dim,
    ) -> Elem {
        x.value * sigmoid(x.gate)
    }

    /// `A * relu(B)` over the halves `A`, `B` of `x` along `dim`.
    ///
    /// Source: N. Shazeer, GLU Variants Improve Transformer (2020).
    #[op(name = "ReGlu", grad(name = "ReGluGrad", wrt(x)))]
    pub fn re_glu(
        #[split(along = dim, gate_left = false)] x: Gated,
        #[attr(default = -1)] dim: Dim,
    ) -> Elem {
        x.value * relu(x.gate)
    }

    /// `A * B` over the halves `A`, `B` of `x` along `dim`.
    ///
    /// Source: N. Shazeer, GLU Variants Improve Transformer (2020).
    #[op(
        name = "BilinearGlu",
        grad(name = "BilinearGluGrad", wrt(x), grad(name = "BilinearGluGradGrad", wrt(dy, x)))
    )]
    pub fn bilinear_glu(
        #[split(along = dim, gate_left = false)] x: Gated,
        #[attr(default = -1)] dim: Dim,
    ) -> Elem {
        x.value * x.gate
    }

    /// `beta * tanh(A / beta) * sigmoid(A) * up`, where `up` is `B`, and `linear_beta * tanh(B /
    /// linear_beta)` if `linear_beta` is positive.
    ///
    /// Source: situ_glu and situ_glu_grad of CANN (ops-nn/activation).
    #[op(
        name = "SituGlu",
        grad(
            name = "SituGluGrad",
            wrt(x),
            inputs(grad_y, x),
            outputs(grad_x),
            grad(name = "SituGluGradGrad", wrt(grad_y, x))
        )
    )]
    pub fn situ_glu(
        #[split(along = dim, gate_left = activate_left)] x: Gated,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = 1.0)] beta: f32,
        #[attr(default = 0.0)] linear_beta: f32,
        #[attr(default = true)] activate_left: bool,
    ) -> Elem {
        let bent = linear_beta * tanh(x.value / linear_beta);
        let up = if linear_beta > 0.0 { bent } else { x.value };
        beta * tanh(x.gate / beta) * sigmoid(x.gate) * up
    }

    /// `min(x, limit)`, with the derivative 1 at the limit.
    #[formula]
    fn below(x: Elem, limit: f32) -> Elem {
        if x > limit { limit } else { x }
    }

    #[formula]
    fn swish(x: Elem, alpha: f32) -> Elem {
        x * sigmoid(alpha * x)
    }

    /// `a * sigmoid(alpha * a) * (b + bias)`, where `a` is even elements (or the first half) cut off
    /// at `limit`, and `b` odd ones (or the other half) cut off at `-limit` and `limit`. Derivatives
    /// at the limits are those within. Of a mixture of experts, `group_index` has the rows of each.
    ///
    /// Source: clipped_swiglu and clipped_swiglu_grad of CANN (ops-nn/activation).
    #[op(
        name = "ClippedSwiglu",
        grad(
            name = "ClippedSwigluGrad",
            wrt(x),
            inputs(grad_y, x, group_index),
            outputs(grad_x),
            grad(name = "ClippedSwigluGradGrad", wrt(grad_y, x))
        )
    )]
    pub fn clipped_swiglu(
        #[split(along = dim, gate_left = true, interleaved = interleaved)] x: Gated,
        #[rows] group_index: Option<Rows>,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = 1.702)] alpha: f32,
        #[attr(default = 7.0)] limit: f32,
        #[attr(default = 1.0)] bias: f32,
        #[attr(default = true)] interleaved: bool,
    ) -> Elem {
        swish(below(x.gate, limit), alpha) * (-below(-below(x.value, limit), limit) + bias)
    }
}
