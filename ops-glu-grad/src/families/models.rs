//! Building blocks of models: gated units of two tensors, rotary embeddings, fused elementwise steps.

/// Gated units whose halves are two tensors, as `gate_proj` and `up_proj` make them, with their gradients.
#[op_dsl::operators]
pub mod two_tensors {
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

    /// SwiGLU of two tensors: `silu(gate) * up`.
    ///
    /// Source: N. Shazeer, GLU Variants Improve Transformer (2020); the MLP of Llama, Mistral and Qwen.
    #[op(
        name = "SwiGluMul",
        grad(
            name = "SwiGluMulGrad",
            wrt(gate, up),
            grad(name = "SwiGluMulGradGrad", wrt(dy, gate, up))
        )
    )]
    pub fn swi_glu_mul(gate: Elem, up: Elem) -> Elem {
        gate * sigmoid(gate) * up
    }

    /// GeGLU of two tensors: `gelu(gate) * up`.
    ///
    /// Source: N. Shazeer, GLU Variants Improve Transformer (2020); the MLP of Gemma, which uses the form by tanh.
    #[op(
        name = "GeGluMul",
        grad(
            name = "GeGluMulGrad",
            wrt(gate, up),
            grad(name = "GeGluMulGradGrad", wrt(dy, gate, up))
        )
    )]
    pub fn ge_glu_mul(
        gate: Elem,
        up: Elem,
        #[attr(default = Approximate::Tanh)] approximate: Approximate,
    ) -> Elem {
        match approximate {
            Approximate::None => gelu(gate) * up,
            Approximate::Tanh => gelu_tanh(gate) * up,
        }
    }

    /// `relu(gate)^2 * up`.
    ///
    /// Source: D. So et al., Primer: Searching for Efficient Transformers for Language Modeling (2021).
    #[op(name = "ReluSquaredMul", grad(name = "ReluSquaredMulGrad", wrt(gate, up)))]
    pub fn relu_squared_mul(gate: Elem, up: Elem) -> Elem {
        relu(gate).powi(2) * up
    }

    /// `min(x, limit)`, with the derivative 1 at the limit.
    #[formula]
    fn below(x: Elem, limit: f32) -> Elem {
        if x > limit { limit } else { x }
    }

    /// `a * sigmoid(alpha * a) * (b + bias)`, where `a` is `gate` cut off at `limit`, and `b` is `up` cut off at
    /// `-limit` and `limit`. Derivatives at the limits are those within.
    ///
    /// Source: the experts of gpt-oss (OpenAI, 2025).
    #[op(name = "ClippedSwiGluMul", grad(name = "ClippedSwiGluMulGrad", wrt(gate, up)))]
    pub fn clipped_swi_glu_mul(
        gate: Elem,
        up: Elem,
        #[attr(default = 1.702)] alpha: f32,
        #[attr(default = 7.0)] limit: f32,
        #[attr(default = 1.0)] bias: f32,
    ) -> Elem {
        let a = below(gate, limit);
        a * sigmoid(alpha * a) * (-below(-below(up, limit), limit) + bias)
    }
}

/// Rotary embeddings, dynamic tanh, and steps that models fuse, with their gradients.
#[op_dsl::operators]
pub mod models {
    use op_dsl::prelude::*;

    /// Rotates pairs of elements of `x` by angles whose cosines and sines are `cos` and `sin`.
    ///
    /// A pair is one element of each half of `x` along `dim` (Llama, GPT-NeoX), or two neighbours if `interleaved`
    /// (GPT-J). `cos` and `sin` have half of the elements of `x` along `dim` and are broadcast: for queries
    /// `[batch, heads, positions, 2 n]` they may be `[positions, n]`.
    ///
    /// Source: J. Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding (2021).
    #[op(name = "Rope", grad(name = "RopeGrad", wrt(x)))]
    pub fn rope(
        #[split(along = dim, gate_left = true, interleaved = interleaved)] x: Gated,
        #[broadcast] cos: Elem,
        #[broadcast] sin: Elem,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = false)] interleaved: bool,
    ) -> Gated {
        Gated { gate: x.gate * cos - x.value * sin, value: x.value * cos + x.gate * sin }
    }

    /// Dynamic tanh, which replaces a normalisation: `gamma * tanh(alpha * x) + beta`.
    ///
    /// Source: J. Zhu et al., Transformers without Normalization (2025).
    #[op(name = "DyT", grad(name = "DyTGrad", wrt(x, alpha, gamma, beta)))]
    pub fn dyt(
        x: Elem,
        #[broadcast] alpha: Elem,
        #[broadcast] gamma: Elem,
        #[broadcast] beta: Elem,
    ) -> Elem {
        gamma * tanh(alpha * x) + beta
    }

    /// `gelu(x + bias)`, the step after the first linear layer of an MLP.
    #[op(name = "BiasGelu", grad(name = "BiasGeluGrad", wrt(x, bias)))]
    pub fn bias_gelu(x: Elem, #[broadcast] bias: Elem) -> Elem {
        gelu(x + bias)
    }

    /// `silu(A) * B` over the halves `A`, `B` of `x + bias` along `dim`.
    #[op(name = "BiasSwiGlu", grad(name = "BiasSwiGluGrad", wrt(x, bias)))]
    pub fn bias_swi_glu(
        #[split(along = dim, gate_left = true)] x: Gated,
        #[broadcast] bias: Gated,
        #[attr(default = -1)] dim: Dim,
    ) -> Elem {
        silu(x.gate + bias.gate) * (x.value + bias.value)
    }

    /// Dropout of `x`, added to the residual stream: `residual + x / (1 - p)` where `keep`, else `residual`.
    #[op(name = "DropoutAdd", grad(name = "DropoutAddGrad", wrt(x, residual)))]
    pub fn dropout_add(
        x: Elem,
        residual: Elem,
        #[mask] keep: Mask,
        #[attr(default = 0.1)] p: f32,
    ) -> Elem {
        if keep { residual + x / (1.0 - p) } else { residual }
    }

    /// `relu(x)^2`.
    ///
    /// Source: D. So et al., Primer: Searching for Efficient Transformers for Language Modeling (2021).
    #[op(name = "ReluSquared", grad(name = "ReluSquaredGrad", wrt(x)))]
    pub fn relu_squared(x: Elem) -> Elem {
        relu(x).powi(2)
    }

    /// xIELU: `x (alpha_p x + beta)` for positive `x`, else `alpha_n (e^x - 1) - alpha_n x + beta x`.
    ///
    /// The source computes `alpha_p = softplus(a)` and `alpha_n = beta + softplus(b)` from trained
    /// parameters, and bounds `x` by a negative `eps` near 0 in the exponential.
    ///
    /// Source: A. Huang, Deriving Activation Functions Using Integration (2024); the MLP of Apertus.
    #[op(name = "XIelu", grad(name = "XIeluGrad", wrt(x)))]
    pub fn xielu(
        x: Elem,
        #[attr(default = 0.8)] alpha_p: f32,
        #[attr(default = 1.3)] alpha_n: f32,
        #[attr(default = 0.5)] beta: f32,
    ) -> Elem {
        if x > 0.0 { x * (alpha_p * x + beta) } else { alpha_n * expm1(x) + (beta - alpha_n) * x }
    }

    /// Soft cap of scores: `cap * tanh(x / cap)`.
    ///
    /// Source: Gemma 2: Improving Open Language Models at a Practical Size (2024).
    #[op(name = "SoftCap", grad(name = "SoftCapGrad", wrt(x)))]
    pub fn soft_cap(x: Elem, #[attr(default = 50.0)] cap: f32) -> Elem {
        cap * tanh(x / cap)
    }
}
