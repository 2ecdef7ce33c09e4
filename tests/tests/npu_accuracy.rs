//! Losses and gates whose terms cancel, or whose slopes jump, have plans for NPUs within their error budget in f32.
//!
//! Activations whose tails or zeros lose digits in some spelling have them too.
#![allow(missing_docs)]

use codegen_ascendc::arch::Soc;
use codegen_ascendc::plan;
use op_dsl::ir::DType;
use op_dsl_cpp::in_parallel;

#[op_dsl::operators(kernels = false)]
pub mod formulas {
    use op_dsl::prelude::*;

    /// A bound lies between the difference, whose product is rounded, and the square.
    #[op(name = "SquaredHinge", grad(name = "SquaredHingeGrad", wrt(x)))]
    pub fn squared_hinge(x: Elem, t: Elem) -> Elem {
        let margin = max(0.0, 1.0 - t * x);
        margin * margin
    }

    /// The gradient `exp(x) - t` vanishes at the least loss, and has a bound, because `exp(x)` is infinite in f64.
    #[op(name = "Poisson", grad(name = "PoissonGrad", wrt(x)))]
    pub fn poisson(x: Elem, t: Elem) -> Elem {
        exp(x) - t * x
    }

    /// Terms of different inputs cancel inside the tanh.
    #[op(name = "Candidate", grad(name = "CandidateGrad", wrt(x, h)))]
    pub fn candidate(r: Elem, h: Elem, x: Elem) -> Elem {
        tanh(x + sigmoid(r) * h)
    }

    /// The slope jumps at a bound that f32 rounds, to which the ratio is rounded as well.
    #[op(name = "ClippedRatio", grad(name = "ClippedRatioGrad", wrt(new)))]
    pub fn clipped_ratio(
        new: Elem,
        old: Elem,
        advantage: Elem,
        #[attr(default = 0.2)] e: f32,
    ) -> Elem {
        let ratio = exp(new - old);
        -min(ratio * advantage, clamp(ratio, 1.0 - e, 1.0 + e) * advantage)
    }

    /// A square root next to a number.
    #[op(name = "PseudoHuber", grad(name = "PseudoHuberGrad", wrt(x)))]
    pub fn pseudo_huber(x: Elem, t: Elem, #[attr(default = 1.5)] d: f32) -> Elem {
        let r = (x - t) / d;
        d * d * (sqrt(1.0 + r * r) - 1.0)
    }

    /// The same with the attribute in the root.
    #[op(name = "Charbonnier")]
    pub fn charbonnier(x: Elem, t: Elem, #[attr(default = 0.25)] e: f32) -> Elem {
        sqrt((x - t) * (x - t) + e * e) - e
    }

    /// Both tails of the slope vanish, and the difference of its terms as well.
    #[op(name = "Slope", grad(name = "SlopeGrad", wrt(x)))]
    pub fn slope(x: Elem) -> Elem {
        exp(-x) / ((1.0 + exp(-x)) * (1.0 + exp(-x)))
    }

    /// Logarithms of quotients of the inputs.
    #[op(name = "Divergence", grad(name = "DivergenceGrad", wrt(p, q)))]
    pub fn divergence(p: Elem, q: Elem) -> Elem {
        0.5 * p * ln(2.0 * p / (p + q)) + 0.5 * q * ln(2.0 * q / (p + q))
    }

    /// The second derivative is the attribute times a function of `a x`, which vanishes near `a x = 2.4`.
    #[op(name = "Bend", grad(name = "BendGrad", wrt(x), grad(name = "BendGradGrad", wrt(dy, x))))]
    pub fn bend(
        x: Elem,
        #[attr(default = 1.702)] a: f32,
        #[attr(default = 7.0)] most: f32,
    ) -> Elem {
        let held = min(x, most);
        held * sigmoid(a * held)
    }

    /// `2 x` overflows at the largest numbers, where a cosine has no digits.
    #[op(name = "Wave")]
    pub fn wave(x: Elem) -> Elem {
        x + 0.5 - 0.5 * cos(2.0 * x)
    }

    #[op(name = "Decay")]
    pub fn decay(dt: Elem, a: Elem, h: Elem) -> Elem {
        exp(-exp(a) * softplus(dt)) * h
    }
}

#[test]
fn formulas_that_cancel_or_jump_are_within_budget() {
    let socs = ["ascend910b", "ascend950"].map(|name| Soc::named(name).expect("a target"));
    let all = formulas::OPERATORS.iter().flat_map(|op| socs.map(|soc| (op.def(), soc)));
    in_parallel(all, |(def, soc)| {
        let plan = plan::plan(def, 0, DType::F32, soc).expect("a plan");
        let (accuracy, name) = (&plan.accuracy, &def.name);
        assert!(
            accuracy.is_good(),
            "{name} on {}: {} ulp, {:?}",
            soc.name,
            accuracy.error,
            accuracy.worst
        );
    });
}
