//! Ordinary activations as papers and programs write them, each with its gradient. Spellings of one
//! function have a letter.

#[op_dsl::operators]
pub mod corpus {
    use op_dsl::prelude::*;

    /// `n = (1 + e^x)^2 - 1`, over `n + 2`: the tanh of softplus.
    #[formula]
    fn tanh_softplus(x: Elem) -> Elem {
        let n = exp(x) * (exp(x) + 2.0);
        n / (n + 2.0)
    }

    #[op(name = "MishA", grad(name = "MishAGrad", wrt(x)))]
    pub fn mish_a(x: Elem) -> Elem {
        x * tanh(softplus(x))
    }

    #[op(name = "MishB", grad(name = "MishBGrad", wrt(x)))]
    pub fn mish_b(x: Elem) -> Elem {
        x * tanh(ln(1.0 + exp(x)))
    }

    #[op(name = "MishC", grad(name = "MishCGrad", wrt(x)))]
    pub fn mish_c(x: Elem) -> Elem {
        x * tanh_softplus(x)
    }

    #[op(name = "TanhShrinkA", grad(name = "TanhShrinkAGrad", wrt(x)))]
    pub fn tanh_shrink_a(x: Elem) -> Elem {
        x - tanh(x)
    }

    #[op(name = "TanhShrinkB", grad(name = "TanhShrinkBGrad", wrt(x)))]
    pub fn tanh_shrink_b(x: Elem) -> Elem {
        x - (1.0 - 2.0 / (exp(2.0 * x) + 1.0))
    }

    #[op(name = "LogCoshA", grad(name = "LogCoshAGrad", wrt(x)))]
    pub fn log_cosh_a(x: Elem) -> Elem {
        ln((exp(x) + exp(-x)) / 2.0)
    }

    #[op(name = "LogCoshB", grad(name = "LogCoshBGrad", wrt(x)))]
    pub fn log_cosh_b(x: Elem) -> Elem {
        abs(x) + log1p(exp(-2.0 * abs(x))) - LN_2
    }

    #[op(name = "SoftsignA", grad(name = "SoftsignAGrad", wrt(x)))]
    pub fn softsign_a(x: Elem) -> Elem {
        x / (1.0 + abs(x))
    }

    #[op(name = "SoftsignB", grad(name = "SoftsignBGrad", wrt(x)))]
    pub fn softsign_b(x: Elem) -> Elem {
        if x > 0.0 { x / (1.0 + x) } else { x / (1.0 - x) }
    }

    #[op(name = "QuickGeluA", grad(name = "QuickGeluAGrad", wrt(x)))]
    pub fn quick_gelu_a(x: Elem) -> Elem {
        x * sigmoid(1.702 * x)
    }

    #[op(name = "QuickGeluB", grad(name = "QuickGeluBGrad", wrt(x)))]
    pub fn quick_gelu_b(x: Elem) -> Elem {
        x / (1.0 + exp(-1.702 * x))
    }

    #[op(name = "Bump", grad(name = "BumpGrad", wrt(x)))]
    pub fn bump(x: Elem) -> Elem {
        exp(-(x * x))
    }

    #[op(name = "Logit", grad(name = "LogitGrad", wrt(x)))]
    pub fn logit(x: Elem) -> Elem {
        ln(x / (1.0 - x))
    }

    #[op(name = "Bent", grad(name = "BentGrad", wrt(x)))]
    pub fn bent(x: Elem) -> Elem {
        (sqrt(x * x + 1.0) - 1.0) / 2.0 + x
    }

    #[op(name = "Sqnl", grad(name = "SqnlGrad", wrt(x)))]
    pub fn sqnl(x: Elem) -> Elem {
        if x > 2.0 {
            1.0
        } else if x > 0.0 {
            x - x * x / 4.0
        } else if x >= -2.0 {
            x + x * x / 4.0
        } else {
            -1.0
        }
    }

    /// NaN is not positive: the derivative there is 0.1, as it is written.
    #[op(name = "Leaky", grad(name = "LeakyGrad", wrt(x)))]
    pub fn leaky(x: Elem) -> Elem {
        if x > 0.0 { x } else { 0.1 * x }
    }

    #[op(name = "SquaredRelu", grad(name = "SquaredReluGrad", wrt(x)))]
    pub fn squared_relu(x: Elem) -> Elem {
        relu(x) * relu(x)
    }

    #[op(name = "Serf", grad(name = "SerfGrad", wrt(x)))]
    pub fn serf(x: Elem) -> Elem {
        x * erf(ln(1.0 + exp(x)))
    }

    #[op(name = "Celu", grad(name = "CeluGrad", wrt(x)))]
    pub fn celu(x: Elem, #[attr(default = 1.3)] alpha: f32) -> Elem {
        max(x, 0.0) + min(0.0, alpha * (exp(x / alpha) - 1.0))
    }

    #[op(name = "Swish", grad(name = "SwishGrad", wrt(x)))]
    pub fn swish(x: Elem, #[attr(default = 1.5)] beta: f32) -> Elem {
        x / (1.0 + exp(-beta * x))
    }

    #[op(name = "GeluByErfc", grad(name = "GeluByErfcGrad", wrt(x)))]
    pub fn gelu_by_erfc(x: Elem) -> Elem {
        0.5 * x * erfc(-x * FRAC_1_SQRT_2)
    }

    #[op(name = "HardSwish", grad(name = "HardSwishGrad", wrt(x)))]
    pub fn hard_swish(x: Elem) -> Elem {
        x * clamp(x + 3.0, 0.0, 6.0) / 6.0
    }
}
