//! Losses, optimisers, gates and waves as papers write them, each with the reference's own evaluation.

use super::number::Bits;

/// The reference's evaluation of an operator: its results from tensors and float attributes, in their order.
pub struct Case {
    pub operator: &'static str,
    /// Whether it evaluates the formula as written, step by step. It then also has the formula's NaN at infinities.
    pub is_as_written: bool,
    pub results: fn(&[Bits], &[Bits]) -> Vec<Bits>,
}

/// Generates a module of operators, and the reference's evaluation of each, from lines
///
/// `"Name" "Gradient" wrt(x) function(x, y; attribute = default): formula, written: evaluation;`
///
/// `safe:` instead of `written:` marks an evaluation without cancellation, where the formula as written would need
/// more bits than the limit.
macro_rules! corpus {
    ($(#[$doc:meta])* mod $module:ident, $judged:ident;
     $($name:literal $gradient:literal wrt($($wrt:ident),*) $function:ident($($x:ident),*; $($attr:ident = $default:literal),*): $formula:expr, $how:ident: $result:expr;)*) => {
        $(#[$doc])*
        #[op_dsl::operators]
        pub mod $module {
            use op_dsl::prelude::*;
            $(
                #[op(name = $name, grad(name = $gradient, wrt($($wrt),*)))]
                pub fn $function($($x: Elem,)* $(#[attr(default = $default)] $attr: f32),*) -> Elem {
                    $formula
                }
            )*
        }
        judged! { mod $judged; $($name $function($($x),*; $($attr),*), $how: $result;)* }
    };
}

/// Generates the reference's part of a module: each operator's results from streams and attributes.
macro_rules! judged {
    (mod $module:ident; $($name:literal $function:ident($($x:ident),*; $($attr:ident),*), $how:ident: $($result:expr),+;)*) => {
        pub mod $module {
            use super::super::number::*;
            use super::Case;
            $(
                fn $function(streams: &[Bits], attrs: &[Bits]) -> Vec<Bits> {
                    let &[$($x),*] = streams else { panic!("{} streams", streams.len()) };
                    let &[$($attr),*] = attrs else { panic!("{} attributes", attrs.len()) };
                    vec![$($result),+]
                }
            )*
            pub const CASES: &[Case] = &[
                $(Case { operator: $name, is_as_written: matches!(stringify!($how).as_bytes(), b"written"), results: $function }),*
            ];
        }
    };
}

corpus! {
    /// Losses of a prediction and a target.
    mod losses, losses_judged;

    "Bce" "BceGrad" wrt(x) bce(x, t;): -(t * ln(sigmoid(x)) + (1.0 - t) * ln(1.0 - sigmoid(x))),
        safe: t * softplus(-x) + (n(1.0) - t) * softplus(x);
    "BceStable" "BceStableGrad" wrt(x) bce_stable(x, t;): max(x, 0.0) - x * t + log1p(exp(-abs(x))),
        written: max(x, n(0.0)) - x * t + log1p((-abs(x)).exp());
    // Lin et al. 2017.
    "Focal" "FocalGrad" wrt(x) focal(x, t; gamma = 2.0): { let p = sigmoid(x); let pt = if t > 0.5 { p } else { 1.0 - p }; -powf(1.0 - pt, gamma) * ln(pt) },
        safe: { let s = if n(0.5).is_below(t) { -x } else { x }; pow(sigmoid(s), gamma) * softplus(s) };
    "Hinge" "HingeGrad" wrt(x) hinge(x, t;): max(0.0, 1.0 - t * x),
        written: max(n(0.0), n(1.0) - t * x);
    "SquaredHinge" "SquaredHingeGrad" wrt(x) squared_hinge(x, t;): { let m = max(1.0 - t * x, 0.0); m * m },
        written: { let m = max(n(1.0) - t * x, n(0.0)); m * m };
    // Huber 1964.
    "Huber" "HuberGrad" wrt(x) huber(x, t; delta = 1.0): { let r = abs(x - t); if r <= delta { 0.5 * r * r } else { delta * (r - 0.5 * delta) } },
        written: { let r = abs(x - t); if !delta.is_below(r) { n(0.5) * r * r } else { delta * (r - n(0.5) * delta) } };
    "SmoothL1" "SmoothL1Grad" wrt(x) smooth_l1(x, t; beta = 0.5): { let r = abs(x - t); if r < beta { 0.5 * r * r / beta } else { r - 0.5 * beta } },
        written: { let r = abs(x - t); if r.is_below(beta) { n(0.5) * r * r / beta } else { r - n(0.5) * beta } };
    "Pinball" "PinballGrad" wrt(x) pinball(x, t; q = 0.9): max(q * (t - x), (q - 1.0) * (t - x)),
        written: max(q * (t - x), (q - n(1.0)) * (t - x));
    "PoissonNll" "PoissonNllGrad" wrt(x) poisson_nll(x, t;): exp(x) - t * x,
        written: x.exp() - t * x;
    "Kl" "KlGrad" wrt(x) kl(x, t;): if t > 0.0 { t * (ln(t) - x) } else { 0.0 },
        written: if n(0.0).is_below(t) { t * (t.ln() - x) } else { n(0.0) };
    "LogCosh" "LogCoshGrad" wrt(x) log_cosh_loss(x;): ln(cosh(x)),
        safe: log_cosh(x);
    // Barron 2019.
    "Charbonnier" "CharbonnierGrad" wrt(x) charbonnier(x, t; eps = 0.001): sqrt((x - t) * (x - t) + eps * eps),
        written: ((x - t) * (x - t) + eps * eps).sqrt();
    "Cauchy" "CauchyGrad" wrt(x) cauchy(x, t; c = 2.0): 0.5 * c * c * log1p((x - t) * (x - t) / (c * c)),
        written: n(0.5) * c * c * log1p((x - t) * (x - t) / (c * c));
    "GaussianNll" "GaussianNllGrad" wrt(x, v) gaussian_nll(x, t, v;): 0.5 * (ln(v) + (x - t) * (x - t) / v),
        written: n(0.5) * (v.ln() + (x - t) * (x - t) / v);
}

corpus! {
    /// Gates of two tensors, and units of several inputs.
    mod gates, gates_judged;

    // Shazeer 2020.
    "SwiGluOfTwo" "SwiGluOfTwoGrad" wrt(gate, up) swi_glu_of_two(gate, up;): gate * sigmoid(gate) * up,
        written: gate * sigmoid(gate) * up;
    "SwiGluBeta" "SwiGluBetaGrad" wrt(gate, up) swi_glu_beta(gate, up; beta = 1.702): gate * sigmoid(beta * gate) * (up + 1.0),
        written: gate * sigmoid(beta * gate) * (up + n(1.0));
    "GeGluOfTwo" "GeGluOfTwoGrad" wrt(gate, up) ge_glu_of_two(gate, up, b, c;): gelu(gate + b) * (up + c),
        written: gelu(gate + b) * (up + c);
    "ReGlu" "ReGluGrad" wrt(gate, up) re_glu(gate, up;): max(gate, 0.0) * up,
        written: max(gate, n(0.0)) * up;
    "GluOfTwo" "GluOfTwoGrad" wrt(gate, up) glu_of_two(gate, up;): up / (1.0 + exp(-gate)),
        written: up / (n(1.0) + (-gate).exp());
    "Bilinear" "BilinearGrad" wrt(x, z) bilinear(x, z, b;): (x + b) * z,
        written: (x + b) * z;
    "TanhGate" "TanhGateGrad" wrt(gate, up) tanh_gate(gate, up;): tanh(gate) * sigmoid(up),
        written: tanh(gate) * sigmoid(up);
    // Peng et al. 2023.
    "KeyGate" "KeyGateGrad" wrt(k, v) key_gate(k, v, r;): sigmoid(r) * max(k, 0.0) * max(k, 0.0) * v,
        written: sigmoid(r) * max(k, n(0.0)) * max(k, n(0.0)) * v;
    "Highway" "HighwayGrad" wrt(x, h, g) highway(x, h, g;): sigmoid(g) * h + (1.0 - sigmoid(g)) * x,
        safe: sigmoid(g) * h + sigmoid(-g) * x;
    "Lerp" "LerpGrad" wrt(x, z) lerp(x, z; w = 0.3): x + w * (z - x),
        written: x + w * (z - x);
}

corpus! {
    /// Activations of one input.
    mod shapes, shapes_judged;

    "Sinc" "SincGrad" wrt(x) sin_over_x(x;): if x == 0.0 { 1.0 } else { sin(x) / x },
        written: if x.to_f64() == 0.0 { n(1.0) } else { x.sin() / x };
    "SoftCapped" "SoftCappedGrad" wrt(x) soft_capped(x; c = 30.0): c * tanh(x / c),
        written: c * tanh(x / c);
    "MishLn" "MishLnGrad" wrt(x) mish_ln(x;): x * tanh(ln(1.0 + exp(x))),
        safe: x * tanh(softplus(x));
    "MishSoftplus" "MishSoftplusGrad" wrt(x) mish_softplus(x;): x * tanh(softplus(x)),
        safe: x * tanh(softplus(x));
    "SerfLn" "SerfLnGrad" wrt(x) serf_ln(x;): x * erf(ln(1.0 + exp(x))),
        safe: x * softplus(x).erf();
    "SoftplusLn" "SoftplusLnGrad" wrt(x) softplus_ln(x;): ln(1.0 + exp(x)),
        safe: softplus(x);
    "SoftplusMax" "SoftplusMaxGrad" wrt(x) softplus_max(x;): max(x, 0.0) + ln(1.0 + exp(-abs(x))),
        safe: softplus(x);
    "LogSigmoidLn" "LogSigmoidLnGrad" wrt(x) log_sigmoid_ln(x;): ln(sigmoid(x)),
        safe: -softplus(-x);
    "AsinhLn" "AsinhLnGrad" wrt(x) asinh_ln(x;): ln(x + sqrt(x * x + 1.0)),
        safe: { let y = log1p(abs(x) + x * x / (n(1.0) + (x * x + n(1.0)).sqrt())); if x.is_below(n(0.0)) { -y } else { y } };
    // Ziyin et al. 2020.
    "SnakeOf" "SnakeOfGrad" wrt(x) snake_of(x; a = 1.3): x + sin(a * x) * sin(a * x) / a,
        written: x + (a * x).sin() * (a * x).sin() / a;
    "TanhExpOf" "TanhExpOfGrad" wrt(x) tanh_exp_of(x;): x * tanh(exp(x)),
        written: x * tanh(x.exp());
    // Roy et al. 2019.
    "Lisht" "LishtGrad" wrt(x) lisht(x;): x * tanh(x),
        written: x * tanh(x);
    "TanhShrinkOf" "TanhShrinkOfGrad" wrt(x) tanh_shrink_of(x;): x - tanh(x),
        written: x - tanh(x);
    "SquarePlusOf" "SquarePlusOfGrad" wrt(x) square_plus_of(x; b = 4.0): 0.5 * (x + sqrt(x * x + b)),
        written: n(0.5) * (x + (x * x + b).sqrt());
    "GaussianBump" "GaussianBumpGrad" wrt(x) gaussian_bump(x; s = 0.8): exp(-x * x / (2.0 * s * s)),
        written: (-x * x / (n(2.0) * s * s)).exp();
    "Cauchit" "CauchitGrad" wrt(x) cauchit(x;): atan(x) / PI + 0.5,
        safe: { let pi = n(4.0) * n(1.0).atan(); if x.is_below(n(-1.0)) { (n(-1.0) / x).atan() / pi } else { x.atan() / pi + n(0.5) } };
    "EluOf" "EluOfGrad" wrt(x) elu_of(x; alpha = 1.5): if x > 0.0 { x } else { alpha * (exp(x) - 1.0) },
        written: if n(0.0).is_below(x) { x } else { alpha * expm1(x) };
    "BentIdentity" "BentIdentityGrad" wrt(x) bent_identity(x;): (sqrt(x * x + 1.0) - 1.0) / 2.0 + x,
        safe: x * x / (n(2.0) * (n(1.0) + (x * x + n(1.0)).sqrt())) + x;
    "Gravity" "GravityGrad" wrt(x) gravity(x;): x / (1.0 + x * x),
        written: x / (n(1.0) + x * x);
    "PowerDecay" "PowerDecayGrad" wrt(x) power_decay(x; p = 1.5): powf(1.0 + abs(x), -p),
        written: pow(n(1.0) + abs(x), -p);
    "Damped" "DampedGrad" wrt(x) damped(x; a = 0.5): exp(-a * abs(x)) * cos(x),
        written: (-a * abs(x)).exp() * x.cos();
}

/// Steps of optimisers, which have no gradient, and a gated output.
#[op_dsl::operators]
pub mod optimisers {
    use op_dsl::prelude::*;

    #[op(name = "SgdStep", outputs(p_new))]
    pub fn sgd(
        p: Elem,
        g: Elem,
        #[attr(default = 0.1)] lr: f32,
        #[attr(default = 0.01)] decay: f32,
    ) -> Elem {
        p - lr * (g + decay * p)
    }

    /// Sutskever et al. 2013.
    #[op(name = "MomentumStep", outputs(p_new, v_new))]
    pub fn momentum(
        p: Elem,
        g: Elem,
        v: Elem,
        #[attr(default = 0.1)] lr: f32,
        #[attr(default = 0.9)] mu: f32,
    ) -> (Elem, Elem) {
        let v_new = mu * v + g;
        (p - lr * v_new, v_new)
    }

    /// Kingma and Ba 2015.
    #[op(name = "AdamStep", outputs(p_new, m_new, v_new))]
    pub fn adam(
        p: Elem,
        g: Elem,
        m: Elem,
        v: Elem,
        #[attr(default = 0.001)] lr: f32,
        #[attr(default = 1e-8)] eps: f32,
    ) -> (Elem, Elem, Elem) {
        let m_new = 0.9 * m + 0.1 * g;
        let v_new = 0.999 * v + 0.001 * g * g;
        (p - lr * m_new / (sqrt(v_new) + eps), m_new, v_new)
    }

    /// Loshchilov and Hutter 2019.
    #[op(name = "AdamWStep", outputs(p_new))]
    pub fn adam_w(p: Elem, g: Elem, m: Elem, v: Elem, #[attr(default = 0.001)] lr: f32) -> Elem {
        let m_new = 0.9 * m + 0.1 * g;
        let v_new = 0.999 * v + 0.001 * g * g;
        p - lr * (m_new / (sqrt(v_new) + 1e-8) + 0.01 * p)
    }

    /// Chen et al. 2023.
    #[op(name = "LionStep", outputs(p_new))]
    pub fn lion(
        p: Elem,
        g: Elem,
        m: Elem,
        #[attr(default = 0.001)] lr: f32,
        #[attr(default = 0.9)] beta: f32,
    ) -> Elem {
        p - lr * sign(beta * m + (1.0 - beta) * g)
    }

    #[op(name = "RmsPropStep", outputs(p_new))]
    pub fn rms_prop(p: Elem, g: Elem, v: Elem, #[attr(default = 0.01)] lr: f32) -> Elem {
        p - lr * g / sqrt(0.99 * v + 0.01 * g * g + 1e-8)
    }

    #[op(name = "AdagradStep", outputs(p_new))]
    pub fn adagrad(p: Elem, g: Elem, s: Elem, #[attr(default = 0.01)] lr: f32) -> Elem {
        p - lr * g / (sqrt(s + g * g) + 1e-10)
    }

    /// Su et al. 2021.
    #[op(name = "Rotary", grad(name = "RotaryGrad", wrt(x)))]
    pub fn rotary(
        #[split(along = dim, gate_left = true)] x: Gated,
        angle: Elem,
        #[attr(default = -1)] dim: Dim,
    ) -> Gated {
        let (c, s) = (cos(angle), sin(angle));
        Gated { gate: x.gate * c - x.value * s, value: x.value * c + x.gate * s }
    }
}

judged! {
    mod optimisers_judged;
    "SgdStep" sgd(p, g; lr, decay), written: p - lr * (g + decay * p);
    "MomentumStep" momentum(p, g, v; lr, mu), written: p - lr * (mu * v + g), mu * v + g;
    "AdamStep" adam(p, g, m, v; lr, eps), written:
        p - lr * (n(0.9) * m + n(0.1) * g) / ((n(0.999) * v + n(0.001) * g * g).sqrt() + eps),
        n(0.9) * m + n(0.1) * g,
        n(0.999) * v + n(0.001) * g * g;
    "AdamWStep" adam_w(p, g, m, v; lr), written:
        p - lr * ((n(0.9) * m + n(0.1) * g) / ((n(0.999) * v + n(0.001) * g * g).sqrt() + n(1e-8)) + n(0.01) * p);
    "LionStep" lion(p, g, m; lr, beta), written: p - lr * sign(beta * m + (n(1.0) - beta) * g);
    "RmsPropStep" rms_prop(p, g, v; lr), written: p - lr * g / (n(0.99) * v + n(0.01) * g * g + n(1e-8)).sqrt();
    "AdagradStep" adagrad(p, g, s; lr), written: p - lr * g / ((s + g * g).sqrt() + n(1e-10));
    "Rotary" rotary(gate, value, angle;), written:
        gate * angle.cos() - value * angle.sin(),
        value * angle.cos() + gate * angle.sin();
}
