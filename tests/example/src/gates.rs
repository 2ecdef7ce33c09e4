/// A gated unit with its gradient.
#[op_dsl::operators]
pub mod gates {
    use op_dsl::prelude::*;

    /// `y = value * silu(gate)` over the two halves of `x` along `dim`.
    #[op(name = "SwishGate", grad(name = "SwishGateGrad", wrt(x)))]
    pub fn swish_gate(#[split(along = dim)] x: Gated, #[attr(default = -1)] dim: Dim) -> Elem {
        x.value * (x.gate * sigmoid(x.gate))
    }
}
