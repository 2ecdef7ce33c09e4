//! Formulas whose kernels are hard to get right: products that leave f32 and come back, functions of products, poles, choices.
//!
//! `tests/language` has more formulas, which the interpreter runs, and `corpus.rs` more spellings of them.
#![allow(missing_docs)]

#[path = "common/verify.rs"]
mod verify;

use op_dsl_cpp::in_parallel;

#[op_dsl::operators]
pub mod formulas {
    use op_dsl::prelude::*;

    /// The derivative is `x * E / (1 + E)^2` and more, where `E = e^(2 e^x)` has no exponent.
    #[op(name = "TanhExp", dtypes(f32), grad(name = "TanhExpGrad", wrt(x)))]
    pub fn tanh_exp(x: Elem) -> Elem {
        x * (1.0 - 2.0 / (1.0 + exp(2.0 * exp(x))))
    }

    /// The derivative is `2x` far out, which leaves f32 before `x` does, and comes back by a small `dy`.
    #[op(name = "XSoftplus", dtypes(f32), grad(name = "XSoftplusGrad", wrt(x)))]
    pub fn x_softplus(x: Elem) -> Elem {
        x * softplus(x)
    }

    /// By large `dy` results are normal where `e^x` is none.
    #[op(name = "Elu", dtypes(f32), grad(name = "EluGrad", wrt(x)))]
    pub fn elu(x: Elem) -> Elem {
        if x > 0.0 { x } else { exp(x) - 1.0 }
    }

    /// The table of the slope is one side of it, and 0 has either sign.
    #[op(name = "SquarePlus", dtypes(f32), grad(name = "SquarePlusGrad", wrt(x)))]
    pub fn square_plus(x: Elem) -> Elem {
        (x + sqrt(x * x + 4.0)) / 2.0
    }

    #[op(name = "XTanh", dtypes(f32), grad(name = "XTanhGrad", wrt(x)))]
    pub fn x_tanh(x: Elem) -> Elem {
        x * tanh(0.5 * x)
    }

    /// Functions of a product are looked up as others are.
    #[op(name = "Swish", dtypes(f32), grad(name = "SwishGrad", wrt(x)))]
    pub fn swish(x: Elem, #[attr(default = 1.5)] beta: f32) -> Elem {
        x * sigmoid(beta * x)
    }

    /// Two terms cancel where `h = -x`.
    #[op(name = "Highway", outputs(out))]
    pub fn highway(x: Elem, h: Elem, g: Elem) -> Elem {
        sigmoid(g) * h + (1.0 - sigmoid(g)) * x
    }

    /// The gate's part has a limit whatever `up` is, and the product a sum that may be infinite.
    #[op(name = "SwishGlu", dtypes(f32), grad(name = "SwishGluGrad", wrt(gate, up)))]
    pub fn swish_glu(gate: Elem, up: Elem, #[attr(default = 1.702)] beta: f32) -> Elem {
        gate * sigmoid(beta * gate) * (up + 1.0)
    }

    /// Four factors, of which the second may be a denormal number that the last makes a normal one of.
    #[op(name = "Limited", dtypes(f32), outputs(out))]
    pub fn limited(
        x: Elem,
        w: Elem,
        v: Elem,
        dy: Elem,
        #[attr(default = 1.702)] alpha: f32,
        #[attr(default = 7.0)] limit: f32,
    ) -> Elem {
        let (below, passes) =
            (if limit < w { limit } else { w }, if limit < v { 0.0 } else { 1.0 });
        sigmoid(alpha * x) * below * passes * dy
    }

    /// A power that leaves f32, where a small `dy` brings it back, and whose exponent multiplies the error of its base.
    #[op(name = "PowerOf", dtypes(f32), grad(name = "PowerOfGrad", wrt(x)))]
    pub fn power_of(x: Elem, #[attr(default = 1.5)] p: f32) -> Elem {
        powf(abs(x) + 0.1, p)
    }

    /// Both functions of the gradient are polynomials in the gate and in one function, which 16 bits look up.
    #[op(name = "QuickGlu", grad(name = "QuickGluGrad", wrt(gate, value)))]
    pub fn quick_glu(gate: Elem, value: Elem) -> Elem {
        gate * sigmoid(1.5 * gate) * value
    }

    /// With a negative exponent one factor overflows f64 where the other vanishes.
    #[op(name = "Focal", dtypes(f32, f16), grad(name = "FocalGrad", wrt(x)))]
    pub fn focal(x: Elem, t: Elem, #[attr(default = 2.0)] gamma: f32) -> Elem {
        let p = sigmoid(x);
        let pt = if t > 0.5 { p } else { 1.0 - p };
        -powf(1.0 - pt, gamma) * ln(pt)
    }

    /// With equal attributes two terms cancel: `-alpha_n` is left far to the left.
    #[op(name = "XIeluApart", dtypes(f32, bf16), grad(name = "XIeluApartGrad", wrt(x)))]
    pub fn x_ielu_apart(
        x: Elem,
        #[attr(default = 0.8)] alpha_p: f32,
        #[attr(default = 0.5)] alpha_n: f32,
        #[attr(default = 0.5)] beta: f32,
    ) -> Elem {
        if x > 0.0 {
            alpha_p * x * x + beta * x
        } else {
            alpha_n * (exp(x) - 1.0) - alpha_n * x + beta * x
        }
    }

    /// The value is multiplied by an attribute as well, and the line of its symmetry has the rounding error of `a x`.
    #[op(name = "ScaledSilu", dtypes(f32), grad(name = "ScaledSiluGrad", wrt(x)))]
    pub fn scaled_silu(x: Elem, #[attr(default = 2.0)] a: f32) -> Elem {
        silu(a * x)
    }

    /// A product of two tensors is looked up with its rounding error, also where it is a factor: `t x sigmoid'(t x)`.
    #[op(name = "TensorSwish", grad(name = "TensorSwishGrad", wrt(x, t)))]
    pub fn tensor_swish(x: Elem, t: Elem) -> Elem {
        x * sigmoid(t * x)
    }

    /// A function of a sum of two tensors, beside a second sum.
    #[op(name = "BiasGlu", dtypes(f32), grad(name = "BiasGluGrad", wrt(gate, value)))]
    pub fn bias_glu(gate: Elem, b: Elem, value: Elem, c: Elem) -> Elem {
        silu(gate + b) * (value + c)
    }

    /// A function of a difference, with a zero of second order.
    #[op(name = "LogCosh", dtypes(f32), grad(name = "LogCoshGrad", wrt(x, t)))]
    pub fn log_cosh(x: Elem, t: Elem) -> Elem {
        ln(cosh(x - t))
    }

    /// Both operands have every exponent, so that quotients have more digits than f64.
    #[op(
        name = "Rem",
        grad(name = "RemGrad", wrt(x, p), grad(name = "RemGradGrad", wrt(dy, x, p)))
    )]
    pub fn rem_of(x: Elem, p: Elem) -> Elem {
        x % p
    }
}

/// Each operator is a line of its own, so that all processors take part.
#[test]
fn verify_finds_no_miss() {
    let mut lines: Vec<[&str; 3]> =
        formulas::OPERATORS.iter().map(|op| [op.name(), "--dtype", "f32"]).collect();
    // Over all inputs of the 16-bit types.
    for op in ["Focal", "FocalGrad"] {
        lines.push([op, "--dtype", "f16"]);
    }
    for op in ["XIeluApart", "RemGrad"] {
        lines.push([op, "--dtype", "bf16"]);
    }
    for op in ["QuickGluGrad", "Highway", "Rem", "TensorSwishGrad"] {
        lines.push([op, "--dtype", "f16,bf16"]);
    }
    in_parallel(lines, |line| verify::finds_no_miss(formulas::OPERATORS, &line));
}
