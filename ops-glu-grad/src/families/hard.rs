//! Shrinkage functions, and piecewise polynomials in place of smooth functions: hard sigmoid, swish and tanh.

/// The shrinking and the "hard" functions with their gradients.
#[op_dsl::operators(published = crate::published::PUBLISHED)]
#[allow(non_snake_case)] // names of CANN
pub mod hard {
    use op_dsl::prelude::*;

    /// `x` outside of `[-lambd, lambd]`, else 0.
    ///
    /// Source: hard_shrink and hard_shrink_grad of CANN (ops-nn/activation).
    #[op(
        name = "HardShrink",
        outputs(out),
        grad(name = "HardShrinkGrad", wrt(x), inputs(gradients, features = x), outputs(backprops))
    )]
    pub fn hard_shrink(x: Elem, #[attr(default = 0.5)] lambd: f32) -> Elem {
        if x > lambd || x < -lambd { x } else { 0.0 }
    }

    /// `x` moved towards 0 by `lambd`, and 0 where it would pass it.
    ///
    /// Source: softshrink and soft_shrink_grad of CANN (ops-nn/activation).
    #[op(
        name = "Softshrink",
        grad(name = "SoftShrinkGrad", wrt(x), inputs(input_grad, input_x = x), outputs(output_y))
    )]
    pub fn soft_shrink(x: Elem, #[attr(default = 0.5)] lambd: f32) -> Elem {
        let by = if x > 0.0 { lambd } else { -lambd };
        if abs(x) <= lambd { 0.0 } else { x - by }
    }

    /// `alpha * x + beta`, cut off at 0 and 1.
    ///
    /// Source: hard_sigmoid of CANN (ops-nn/activation).
    #[op(name = "HardSigmoid", outputs(output_y))]
    pub fn hard_sigmoid(
        input_x: Elem,
        #[attr(default = 1.0 / 6.0)] alpha: f32,
        #[attr(default = 0.5)] beta: f32,
    ) -> Elem {
        clamp(alpha * input_x + beta, 0.0, 1.0)
    }

    /// The gradient of `HardSigmoid`: 0 at both kinks, and of NaN.
    ///
    /// Source: hard_sigmoid_grad of CANN (ops-nn/activation).
    #[op(name = "HardSigmoidGrad", grad_of = hard_sigmoid)]
    pub fn hard_sigmoid_grad(
        grads: Elem,
        input_x: Elem,
        #[attr(default = 1.0 / 6.0)] alpha: f32,
        #[attr(default = 0.5)] beta: f32,
    ) -> Elem {
        // Rounded once, a sum has the right sign.
        let (low, high) = (alpha * input_x + beta, alpha * input_x + (beta - 1.0));
        if low > 0.0 && high < 0.0 { alpha * grads } else { 0.0 }
    }

    /// `x * relu6(x + 3) / 6`, whose derivative at -3 and 3 is that of the parabola between them.
    ///
    /// Source: hard_swish and hard_swish_grad of CANN (ops-nn/activation).
    #[op(
        name = "HardSwish",
        grad(
            name = "HardSwishGrad", wrt(x), inputs(grad_output, self_ = x), outputs(grad_input)
        )
    )]
    pub fn hard_swish(x: Elem) -> Elem {
        if x < -3.0 {
            0.0
        } else if x <= 3.0 {
            x * (x + 3.0) / 6.0
        } else {
            x
        }
    }

    /// The gradient of `HardSwish` that is 0 at -3 and 1 at 3.
    ///
    /// Source: hard_swish_grad_v2 of CANN (ops-nn/activation).
    #[op(name = "HardSwishGradV2", grad_of = hard_swish, outputs(out))]
    pub fn hard_swish_grad_v2(gradOutput: Elem, #[holds(x)] self_: Elem) -> Elem {
        let slope = if self_ < 3.0 { (2.0 * self_ + 3.0) / 6.0 } else { 1.0 };
        if self_ <= -3.0 { 0.0 } else { gradOutput * slope }
    }

    /// `x`, cut off at `min_val` and `max_val`.
    ///
    /// Source: aclnnHardtanh of CANN.
    #[op(name = "Hardtanh")]
    pub fn hard_tanh(
        x: Elem,
        #[attr(default = -1.0, any)] min_val: f32,
        #[attr(default = 1.0, any)] max_val: f32,
    ) -> Elem {
        clamp(x, min_val, max_val)
    }

    /// The gradient of `Hardtanh` by its `result`: 0 at both kinks, as it comes where that is NaN.
    ///
    /// Source: hardtanh_grad of CANN (ops-nn/activation).
    #[op(name = "HardtanhGrad", grad_of = hard_tanh)]
    pub fn hard_tanh_grad(
        #[holds(y)] result: Elem,
        grad: Elem,
        #[attr(default = -1.0, any)] min_val: f32,
        #[attr(default = 1.0, any)] max_val: f32,
    ) -> Elem {
        if result <= min_val || result >= max_val { 0.0 } else { grad }
    }
}
