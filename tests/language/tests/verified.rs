//! Formulas that are hard to evaluate, at poles and beyond the range of f64: the graphs of operators and the reference evaluator agree.
//!
//! `verified.rs` of the tests of kernels has those whose kernels are as hard, `corpus.rs` more spellings, and 16-bit types.
#![allow(missing_docs)]

#[path = "../../tests/common/verify.rs"]
mod verify;

use op_dsl_cpp::in_parallel;

#[op_dsl::operators]
pub mod formulas {
    use op_dsl::prelude::*;

    /// `e^x` is infinite in f64 as well, and times a factor of 0 it is 0.
    #[op(name = "Growth", dtypes(f32), grad(name = "GrowthGrad", wrt(x)))]
    pub fn growth(x: Elem) -> Elem {
        exp(x) - 1.0 + x
    }

    /// By a divisor, and beside attributes and other streams.
    #[op(name = "Grown", dtypes(f32), outputs(out))]
    pub fn grown(x: Elem, y: Elem, #[attr(default = 1.5)] k: f32) -> Elem {
        y / exp(-k * x) + k * y
    }

    /// `x^2/2` near zero, where three terms cancel that are about 1, and one of them is rounded.
    #[op(name = "LogCosh", dtypes(f32), grad(name = "LogCoshGrad", wrt(x)))]
    pub fn log_cosh(x: Elem) -> Elem {
        abs(x) + log1p(exp(-2.0 * abs(x))) - LN_2
    }

    /// Cancels for a negative attribute alone, and its gradient by the attribute's product overflows for a large `dy`: StarReLU, Yu et
    /// al., 2022.
    #[op(name = "SquaredRelu", dtypes(f32), grad(name = "SquaredReluGrad", wrt(x)))]
    pub fn squared_relu(
        x: Elem,
        #[attr(default = 0.8944)] s: f32,
        #[attr(default = -0.4472)] b: f32,
    ) -> Elem {
        s * relu(x) * relu(x) + b
    }

    /// `inf * 0` where both exponents are far out: the decay of a selective state space, Gu and Dao, 2023.
    #[op(name = "Decay", dtypes(f32), grad(name = "DecayGrad", wrt(dt, a, h)))]
    pub fn decay(dt: Elem, a: Elem, h: Elem) -> Elem {
        exp(-exp(a) * softplus(dt)) * h
    }

    /// By the chain rule the derivative is `0 * inf` at 1.
    #[op(name = "Logit", dtypes(f32), grad(name = "LogitGrad", wrt(x)))]
    pub fn logit(x: Elem) -> Elem {
        ln(x / (1.0 - x))
    }

    /// By the chain rule the derivatives are `-inf + 0 * inf` at 0.
    #[op(name = "XLog", dtypes(f32), grad(name = "XLogGrad", wrt(x)))]
    pub fn x_log(x: Elem) -> Elem {
        x * ln(abs(x))
    }

    #[op(name = "XLogSquare", dtypes(f32), grad(name = "XLogSquareGrad", wrt(x)))]
    pub fn x_log_square(x: Elem) -> Elem {
        0.5 * x * ln(x * x)
    }

    /// Falls to 0 as `1 / |x|`, by terms that cancel.
    #[op(name = "HalfSoftsign", dtypes(f32), grad(name = "HalfSoftsignGrad", wrt(x)))]
    pub fn half_softsign(x: Elem) -> Elem {
        0.5 * (x / (1.0 + abs(x)) + 1.0)
    }

    /// A slope that is as near to 0 as one of `1 + sin(2 x)` can be, wherever that is.
    #[op(name = "Snake", dtypes(f32), grad(name = "SnakeGrad", wrt(x)))]
    pub fn snake(x: Elem) -> Elem {
        x + sin(x) * sin(x)
    }

    #[op(name = "Smish", dtypes(f32), grad(name = "SmishGrad", wrt(x)))]
    pub fn smish(x: Elem) -> Elem {
        let n = (1.0 + sigmoid(x)) * (1.0 + sigmoid(x));
        x * (n - 1.0) / (n + 1.0)
    }

    #[op(name = "Symlog", dtypes(f32), grad(name = "SymlogGrad", wrt(x)))]
    pub fn symlog(x: Elem) -> Elem {
        sign(x) * ln(1.0 + abs(x))
    }

    #[op(name = "SignedRoot", dtypes(f32), grad(name = "SignedRootGrad", wrt(x)))]
    pub fn signed_root(x: Elem) -> Elem {
        sign(x) * (sqrt(abs(x) + 1.0) - 1.0)
    }

    /// `-1 / (pi x)` far to the left, where f64 has nothing left of the sum.
    #[op(name = "Cauchit", dtypes(f32), outputs(out))]
    pub fn cauchit(x: Elem) -> Elem {
        atan(x) / PI + 0.5
    }

    /// A large target leaves `-t x` of terms that cancel.
    #[op(name = "Bce", dtypes(f32), grad(name = "BceGrad", wrt(x)))]
    pub fn bce(x: Elem, t: Elem) -> Elem {
        -(t * ln(sigmoid(x)) + (1.0 - t) * ln(1.0 - sigmoid(x)))
    }

    /// The state of a GRU, whose terms cancel where `n` is small and `h = -n`.
    #[op(name = "Gru", outputs(out))]
    pub fn gru(z: Elem, n: Elem, h: Elem) -> Elem {
        (1.0 - sigmoid(z)) * tanh(n) + sigmoid(z) * h
    }

    /// A function of a difference, beyond the range of f64 on the way.
    #[op(name = "LogCoshLoss", dtypes(f32))]
    pub fn log_cosh_loss(x: Elem, t: Elem) -> Elem {
        ln(cosh(x - t))
    }

    /// The length of a parabola, whose logarithm is that of a sum which cancels where `x` is negative.
    #[op(name = "ArcLength", dtypes(f32))]
    pub fn arc_length(x: Elem) -> Elem {
        x * sqrt(x * x + 1.0) + asinh(x)
    }

    /// Exponentials that leave f64, and three of them.
    #[op(name = "LogSumExp", dtypes(f32), grad(name = "LogSumExpGrad", wrt(x, y, z)))]
    pub fn log_sum_exp(x: Elem, y: Elem, z: Elem) -> Elem {
        ln(exp(x) + exp(y) + exp(z))
    }

    /// By the chain rule the limit of the derivative is `inf / inf - 1`.
    #[op(name = "Bend", dtypes(f32), grad(name = "BendGrad", wrt(x, t)))]
    pub fn bend(x: Elem, t: Elem) -> Elem {
        let d = x - t;
        sqrt(d * d + 1.0) - d
    }

    /// The value at 0 is a limit, because the formula as written is `0 / 0`.
    #[op(name = "Coth", dtypes(f32), grad(name = "CothGrad", wrt(x)))]
    pub fn coth(x: Elem) -> Elem {
        x / tanh(x)
    }

    /// The divergence of a normal distribution from that with mean 0 and deviation 1; `s` is the logarithm of its variance.
    #[op(name = "NormalKl", dtypes(f32))]
    pub fn normal_kl(m: Elem, s: Elem) -> Elem {
        -0.5 * (1.0 + s - m * m - exp(s))
    }

    /// The derivative is a choice of a number and a product.
    #[op(name = "EluOf", dtypes(f32), grad(name = "EluOfGrad", wrt(x)))]
    pub fn elu_of(x: Elem, #[attr(default = 1.5)] alpha: f32) -> Elem {
        if x > 0.0 { x } else { alpha * (exp(x) - 1.0) }
    }

    /// The derivative is 0 where `max` takes the 0, also beside an infinite `t`: another spelling has `0 * inf`.
    #[op(name = "Hinge", dtypes(f32), grad(name = "HingeGrad", wrt(x)))]
    pub fn hinge(x: Elem, t: Elem) -> Elem {
        max(0.0, 1.0 - t * x)
    }

    /// A rounded value with the derivative of its argument, twice.
    #[op(
        name = "Quantised",
        dtypes(f32),
        grad(name = "QuantisedGrad", wrt(x), grad(name = "QuantisedGradGrad", wrt(dy, x)))
    )]
    pub fn quantised(x: Elem, #[attr(default = 0.05)] scale: f32) -> Elem {
        #[grad(identity)]
        let q = (x / scale).floor();
        q * q * scale
    }

    /// Learned scale: near integers `round(x / s) - x / s` cancels.
    #[op(name = "Scaled", dtypes(f32), grad(name = "ScaledGrad", wrt(x, s)))]
    pub fn scaled(x: Elem, #[range(0.0009765625, 128.0)] s: Elem) -> Elem {
        #[grad(identity)]
        let q = round(clamp(x / s, -8.0, 7.0));
        q * s
    }

    /// By the scale, at a scale of 0, the derivative is the bound that its sign chooses.
    #[op(name = "Learned", dtypes(f32), grad(name = "LearnedGrad", wrt(x, s)))]
    pub fn learned(x: Elem, s: Elem) -> Elem {
        #[grad(identity)]
        let q = round(clamp(x / s, -8.0, 7.0));
        q * s
    }

    /// About `e^(x / 16)` for large `x`.
    #[op(name = "SlowGrowth", dtypes(f32), grad(name = "SlowGrowthGrad", wrt(x)))]
    pub fn slow_growth(x: Elem) -> Elem {
        exp(1.0625 * x) * ln(1.0 + exp(-x))
    }

    /// About `1 / (x sqrt(pi))` for large `x`, where its derivative is a difference of terms that are about 1.
    #[op(name = "ScaledErfc", dtypes(f32), grad(name = "ScaledErfcGrad", wrt(x)))]
    pub fn scaled_erfc(x: Elem) -> Elem {
        exp(x * x) * erfc(x)
    }

    /// A normal number of f32 by a small exponent, where `normal_cdf(x)` is below f64.
    #[op(name = "CdfPow", dtypes(f32), grad(name = "CdfPowGrad", wrt(x)))]
    pub fn cdf_pow(x: Elem, #[attr(default = 1.5)] p: f32) -> Elem {
        powf(normal_cdf(x), p)
    }

    /// By a base that goes to `-inf` there is no limit, though arithmetic has one.
    #[op(name = "PowerX", dtypes(f32), grad(name = "PowerXGrad", wrt(x)))]
    pub fn power_x(x: Elem, c: Elem) -> Elem {
        powf(x * x + c, -0.55) * x
    }

    /// The derivative by `s` is 0, as a difference of equal terms.
    #[op(name = "ReluScaled", dtypes(f32), grad(name = "ReluScaledGrad", wrt(x, s)))]
    pub fn relu_scaled(x: Elem, s: Elem) -> Elem {
        relu(x / s) * s
    }

    /// The same with a bracket, whose terms cancel near 0 instead.
    #[op(name = "XIeluBracket", dtypes(f32, bf16), grad(name = "XIeluBracketGrad", wrt(x)))]
    pub fn x_ielu_bracket(
        x: Elem,
        #[attr(default = 0.8)] alpha_p: f32,
        #[attr(default = 0.5)] alpha_n: f32,
        #[attr(default = 0.5)] beta: f32,
    ) -> Elem {
        if x > 0.0 { x * (alpha_p * x + beta) } else { (exp(x) - 1.0 - x) * alpha_n + beta * x }
    }

    #[op(
        name = "Erfinv",
        dtypes(f32),
        grad(name = "ErfinvGrad", wrt(x), grad(name = "ErfinvGradGrad", wrt(dy, x)))
    )]
    pub fn erfinv_of(x: Elem) -> Elem {
        erfinv(x)
    }

    /// A number of the normal distribution from one of the uniform, between two bounds.
    #[op(name = "Drawn", dtypes(f32), grad(name = "DrawnGrad", wrt(mean, u)))]
    pub fn drawn(
        mean: Elem,
        #[range(-0.9375, 0.9375)] u: Elem,
        #[attr(default = 0.02)] std: f32,
    ) -> Elem {
        mean + std * SQRT_2 * erfinv(u)
    }

    #[op(name = "Binarised", dtypes(f32), grad(name = "BinarisedGrad", wrt(x, w)))]
    pub fn binarised(x: Elem, w: Elem) -> Elem {
        #[grad(clamp(x, -1.0, 1.0))]
        let b = if x >= 0.0 { 1.0 } else { -1.0 };
        b * w
    }

    #[formula]
    fn spike(u: Elem, alpha: f32) -> Elem {
        with_grad(heaviside(u), atan(FRAC_PI_2 * alpha * u) / PI)
    }

    /// A leaky neuron; its reset has no derivative.
    #[op(name = "Neuron", dtypes(f32), outputs(spikes, next), grad(name = "NeuronGrad", wrt(x, v)))]
    pub fn neuron(x: Elem, v: Elem, #[attr(default = 2.0)] alpha: f32) -> (Elem, Elem) {
        let h = v + 0.5 * (x - v);
        let s = spike(h - 1.0, alpha);
        #[grad(0.0)]
        let reset = s;
        (s, h * (1.0 - reset))
    }

    /// A saved value has its derivative too.
    #[op(name = "SavedRound", dtypes(f32), grad(name = "SavedRoundGrad", wrt(x, s)))]
    pub fn saved_round(x: Elem, s: Elem) -> Elem {
        #[saved]
        #[grad(identity)]
        let q = round(x);
        q * q * s
    }

    /// An angle without its full turns. The period is no f64 number, so that far out another multiple of it is taken off.
    #[op(name = "Turn", dtypes(f32), grad(name = "TurnGrad", wrt(x)))]
    pub fn turn(#[range(-1000.0, 1000.0)] x: Elem) -> Elem {
        rem(x, TAU)
    }

    #[op(
        name = "Lgamma",
        grad(name = "LgammaGrad", wrt(x), grad(name = "LgammaGradGrad", wrt(dy, x)))
    )]
    pub fn lgamma_of(x: Elem) -> Elem {
        lgamma(x)
    }

    #[op(name = "Digamma", grad(name = "DigammaGrad", wrt(x)))]
    pub fn digamma_of(x: Elem) -> Elem {
        digamma(x)
    }

    #[op(name = "Trigamma")]
    pub fn trigamma_of(x: Elem) -> Elem {
        trigamma(x)
    }

    /// The logarithm of Euler's beta function.
    #[op(name = "LogBeta", dtypes(f32), outputs(out), grad(name = "LogBetaGrad", wrt(a, b)))]
    pub fn log_beta(#[range(0.125, 64.0)] a: Elem, #[range(0.125, 64.0)] b: Elem) -> Elem {
        lgamma(a) + lgamma(b) - lgamma(a + b)
    }

    /// The negative logarithm of the probability of `k` events, where `x` is the logarithm of the rate.
    #[op(name = "PoissonNll", dtypes(f32), grad(name = "PoissonNllGrad", wrt(x)))]
    pub fn poisson_nll(#[range(-8.0, 8.0)] x: Elem, #[range(0.0, 1000.0)] k: Elem) -> Elem {
        exp(x) - k * x + lgamma(k + 1.0)
    }

    /// The logarithm of Student's density with `nu` degrees of freedom.
    #[op(name = "StudentT", dtypes(f32), grad(name = "StudentTGrad", wrt(x, nu)))]
    pub fn student_t(#[range(-64.0, 64.0)] x: Elem, #[range(0.5, 128.0)] nu: Elem) -> Elem {
        lgamma(0.5 * (nu + 1.0))
            - lgamma(0.5 * nu)
            - 0.5 * ln(PI * nu)
            - 0.5 * (nu + 1.0) * log1p(x * x / nu)
    }

    /// `cosh` leaves f64 where its logarithm is moderate, and cancels near 0.
    #[op(name = "LogCoshScaled", dtypes(f32), grad(name = "LogCoshScaledGrad", wrt(x)))]
    pub fn log_cosh_scaled(x: Elem, #[attr(default = 2.0)] a: f32) -> Elem {
        ln(cosh(a * x)) / a
    }

    /// The logarithm of a mean, which is small where both inputs are.
    #[op(name = "LogMean", dtypes(f32), outputs(out), grad(name = "LogMeanGrad", wrt(x, y)))]
    pub fn log_mean(x: Elem, y: Elem) -> Elem {
        ln(0.5 * exp(x) + 0.5 * exp(y))
    }

    /// The size of a product cancels in the derivative.
    #[op(name = "SoftsignOf", dtypes(f32), grad(name = "SoftsignOfGrad", wrt(x, t)))]
    pub fn softsign_of(x: Elem, t: Elem) -> Elem {
        t * x / (1.0 + abs(t * x))
    }

    /// A position within a period, as a phase, with a learned frequency.
    #[op(name = "Phase", dtypes(f32), grad(name = "PhaseGrad", wrt(w)))]
    pub fn phase(
        #[range(0.0, 4096.0)] x: Elem,
        w: Elem,
        #[attr(default = 128.0)] period: f32,
    ) -> Elem {
        w * sin(rem(x, period) * (PI / 64.0))
    }
}

/// Each operator is a line of its own, so that all processors take part.
#[test]
fn verify_finds_no_miss() {
    let mut lines: Vec<[&str; 3]> =
        formulas::OPERATORS.iter().map(|op| [op.name(), "--dtype", "f32"]).collect();
    lines.push(["XIeluBracketGrad", "--dtype", "bf16"]);
    // Over all inputs of the 16-bit types.
    for op in ["Gru", "Lgamma", "LgammaGrad", "Digamma", "DigammaGrad", "Trigamma"] {
        lines.push([op, "--dtype", "f16,bf16"]);
    }
    in_parallel(lines, |line| verify::finds_no_miss(formulas::OPERATORS, &line));
}
