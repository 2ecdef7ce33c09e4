//! Features that no operator of the table has.
//!
//! Interleaved elements, attributes in the formula, comparisons, an unused input, results of both kinds, an exponential of a sum of products.

#[op_dsl::operators(kernels = false)]
pub mod ops {
    use op_dsl::prelude::*;

    /// `y = value * gate * sigmoid(beta gate) + z * gate`, over alternating elements.
    #[op(name = "Mixed")]
    pub fn mixed(
        #[split(along = dim, interleaved)] x: Gated,
        z: Elem,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = 1.5)] beta: f32,
    ) -> Elem {
        #[saved]
        let s = sigmoid(beta * x.gate);
        x.value * x.gate * s + z * x.gate
    }

    /// Two results: one of two parts, one whole.
    #[op(name = "MixedGrad", grad_of = mixed, outputs(dx, dz))]
    pub fn mixed_grad(
        dy: Elem,
        #[split(along = dim, interleaved)] x: Gated,
        z: Elem,
        s: Elem,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = 1.5)] beta: f32,
    ) -> (Gated, Elem) {
        let gate = x.value * s * (1.0 + beta * x.gate * (1.0 - s)) + z;
        (Gated { gate: dy * gate, value: dy * x.gate * s }, dy * x.gate)
    }

    /// One part alone or both, in an order that the caller says.
    #[op(name = "Lone")]
    pub fn lone(
        z: Elem,
        #[split(along = dim, gate_left = left, interleaved)] x: Gated,
        w: Elem,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = true)] left: bool,
        #[attr(default = false)] both: bool,
    ) -> Gated {
        let gate = if both { x.gate } else { 2.0 };
        Gated { gate: z * x.value * gate, value: x.value + w }
    }

    /// Another slope for what is negative, over two halves.
    #[op(name = "Bent")]
    pub fn bent(
        #[split(along = dim, gate_left = true)] x: Gated,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = 0.25)] slope: f32,
    ) -> Elem {
        let y = if x.gate > 0.0 { x.gate } else { slope * x.gate };
        y * x.value
    }

    /// The argument of an exponential with what its roundings lost.
    #[op(name = "Grown")]
    pub fn grown(x: Elem, z: Elem, #[attr(default = 1.5)] beta: f32) -> Elem {
        exp(1.7 * x - beta * z)
    }
}
