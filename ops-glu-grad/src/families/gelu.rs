//! GELU alone, as CANN and infiniop have it.

/// GELU with its gradients.
#[op_dsl::operators(published = crate::published::PUBLISHED)]
pub mod gelu {
    use op_dsl::prelude::*;

    /// Which form of GELU. CANN passes the name.
    #[derive(OpAttr, Clone, Copy, PartialEq, Eq, Debug)]
    #[repr(i64)]
    pub enum Approximate {
        /// GELU by the error function.
        None = 0,
        /// GELU approximated by tanh.
        Tanh = 1,
    }

    /// `x Phi(x)`
    #[formula]
    pub fn by_erf(x: Elem) -> Elem {
        0.5 * x * (1.0 + erf(x * FRAC_1_SQRT_2))
    }

    /// The approximation of `x Phi(x)` by tanh.
    #[formula]
    pub fn by_tanh(x: Elem) -> Elem {
        0.5 * x * (1.0 + tanh(FRAC_2_SQRT_PI * FRAC_1_SQRT_2 * (x + 0.044715 * x.powi(3))))
    }

    /// GELU in the form that `approximate` names.
    ///
    /// Source: aclnnGeluV2 and aclnnGeluBackwardV2 of CANN (ops-nn/activation).
    #[op(
        name = "GeluV2",
        grad(
            name = "GeluGradV2",
            wrt(x),
            inputs(dy, x),
            outputs(z),
            broadcast,
            promote,
            grad(name = "GeluGradGradV2", wrt(dy, x), broadcast = false)
        )
    )]
    pub fn gelu_v2(
        x: Elem,
        #[attr(default = Approximate::None, wire = "string")] approximate: Approximate,
    ) -> Elem {
        match approximate {
            Approximate::None => by_erf(x),
            Approximate::Tanh => by_tanh(x),
        }
    }

    /// GELU in its tanh form. The gradient is given `y` and has no use for it.
    ///
    /// Source: aclnnGelu and aclnnGeluBackward of CANN (ops-nn/activation).
    #[op(
        name = "Gelu",
        grad(
            name = "GeluGrad",
            wrt(x),
            inputs(dy, x, y),
            outputs(z),
            grad(name = "GeluGradGrad", wrt(dy, x))
        )
    )]
    pub fn gelu(x: Elem) -> Elem {
        by_tanh(x)
    }

    /// GELU in its tanh form, as infiniop has it.
    ///
    /// Source: GeLU and GeLUBackward of InfiniCore (infiniop).
    #[op(
        name = "GeLU",
        outputs(output),
        grad(
            name = "GeLUBackward",
            wrt(input),
            inputs(input, grad_output),
            outputs(grad_input),
            broadcast,
            grad(name = "GeLUBackwardBackward", wrt(input, grad_output), broadcast = false)
        )
    )]
    pub fn ge_lu(input: Elem) -> Elem {
        by_tanh(input)
    }
}
