//! Activations as papers and programs write them, each with its gradient, one line per spelling.

/// Generates a module of operators from lines `"Name" "Gradient" function(x, attribute = default): formula;`.
macro_rules! corpus {
    ($(#[$doc:meta])* mod $module:ident;
     $($name:literal $gradient:literal $function:ident($x:ident $(, $attr:ident = $default:literal)?): $formula:expr;)*) => {
        $(#[$doc])*
        #[op_dsl::operators]
        pub mod $module {
            use op_dsl::prelude::*;
            $(
                #[op(name = $name, grad(name = $gradient, wrt($x)))]
                pub fn $function($x: Elem $(, #[attr(default = $default)] $attr: f32)?) -> Elem {
                    $formula
                }
            )*
        }
    };
}

corpus! {
    /// Products of the input and a gate.
    mod gates;

    // Misra 2019.
    "MishA" "MishAGrad" mish_a(x): x * tanh(softplus(x));
    "MishB" "MishBGrad" mish_b(x): x * tanh(ln(1.0 + exp(x)));
    "MishC" "MishCGrad" mish_c(x): { let n = exp(x) * (exp(x) + 2.0); x * n / (n + 2.0) };

    // Hendrycks and Gimpel 2016.
    "QuickGeluA" "QuickGeluAGrad" quick_gelu_a(x): x * sigmoid(1.702 * x);
    "QuickGeluB" "QuickGeluBGrad" quick_gelu_b(x): x / (1.0 + exp(-1.702 * x));
    "QuickGeluC" "QuickGeluCGrad" quick_gelu_c(x): x - x / (1.0 + exp(1.702 * x));

    // Ramachandran et al. 2017.
    "SwishA" "SwishAGrad" swish_a(x, beta = 1.5): x * sigmoid(beta * x);
    "SwishB" "SwishBGrad" swish_b(x, beta = 1.5): x / (1.0 + exp(-beta * x));
    "SwishC" "SwishCGrad" swish_c(x, beta = 1.5): 0.5 * x * (1.0 + tanh(0.5 * beta * x));

    // Hendrycks and Gimpel 2016.
    "GeluA" "GeluAGrad" gelu_a(x): 0.5 * x * erfc(-x * FRAC_1_SQRT_2);
    "GeluB" "GeluBGrad" gelu_b(x): x * (0.5 + 0.5 * erf(x / sqrt(2.0)));
    "GeluC" "GeluCGrad" gelu_c(x): x - 0.5 * x * erfc(x * FRAC_1_SQRT_2);

    // Hendrycks and Gimpel 2016.
    "GeluTanhA" "GeluTanhAGrad" gelu_tanh_a(x): x * sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x));
    "GeluTanhB" "GeluTanhBGrad" gelu_tanh_b(x): 0.5 * x * (1.0 + tanh(0.7978845608028654 * x * (1.0 + 0.044715 * x * x)));

    // Nag and Bhattacharyya 2021.
    "SerfA" "SerfAGrad" serf_a(x): x * erf(softplus(x));
    "SerfB" "SerfBGrad" serf_b(x): x * erf(ln(1.0 + exp(x)));

    // Naveen 2022.
    "PhishA" "PhishAGrad" phish_a(x): x * tanh(0.5 * x * (1.0 + erf(x * FRAC_1_SQRT_2)));
    "PhishB" "PhishBGrad" phish_b(x): x * tanh(0.5 * x * erfc(-x * FRAC_1_SQRT_2));

    // Wang et al. 2022.
    "SmishA" "SmishAGrad" smish_a(x): x * tanh(ln(1.0 + sigmoid(x)));
    "SmishB" "SmishBGrad" smish_b(x): { let n = (1.0 + sigmoid(x)) * (1.0 + sigmoid(x)); x * (n - 1.0) / (n + 1.0) };

    // Zhu et al. 2021.
    "LogishA" "LogishAGrad" logish_a(x): x * ln(1.0 + sigmoid(x));
    "LogishB" "LogishBGrad" logish_b(x): x * log1p(1.0 / (1.0 + exp(-x)));

    // Liu and Di 2020.
    "TanhExpA" "TanhExpAGrad" tanh_exp_a(x): x * tanh(exp(x));
    "TanhExpB" "TanhExpBGrad" tanh_exp_b(x): x * (1.0 - 2.0 / (1.0 + exp(2.0 * exp(x))));

    "XTanhA" "XTanhAGrad" x_tanh_a(x): x * tanh(0.5 * x);
    "XTanhB" "XTanhBGrad" x_tanh_b(x): x * (exp(x) - 1.0) / (exp(x) + 1.0);

    "XSoftplusA" "XSoftplusAGrad" x_softplus_a(x): x * softplus(x);
    "XSoftplusB" "XSoftplusBGrad" x_softplus_b(x): x * ln(1.0 + exp(x));

    "XOverCoshA" "XOverCoshAGrad" x_over_cosh_a(x): x / cosh(x);
    "XOverCoshB" "XOverCoshBGrad" x_over_cosh_b(x): 2.0 * x / (exp(x) + exp(-x));

    // Noel et al. 2021.
    "GrowingCosineA" "GrowingCosineAGrad" growing_cosine_a(x): x * cos(x);
    "GrowingCosineB" "GrowingCosineBGrad" growing_cosine_b(x): x * sin(x + FRAC_PI_2);
}

corpus! {
    /// Functions that stand still on both sides.
    mod saturated;

    "SigmoidA" "SigmoidAGrad" sigmoid_a(x): 1.0 / (1.0 + exp(-x));
    "SigmoidB" "SigmoidBGrad" sigmoid_b(x): exp(x) / (exp(x) + 1.0);
    "SigmoidC" "SigmoidCGrad" sigmoid_c(x): (1.0 + tanh(0.5 * x)) * 0.5;

    "TanhA" "TanhAGrad" tanh_a(x): (exp(2.0 * x) - 1.0) / (exp(2.0 * x) + 1.0);
    "TanhB" "TanhBGrad" tanh_b(x): sinh(x) / cosh(x);
    "TanhC" "TanhCGrad" tanh_c(x): 2.0 * sigmoid(2.0 * x) - 1.0;

    "SechSquaredA" "SechSquaredAGrad" sech_squared_a(x): 1.0 - tanh(x) * tanh(x);
    "SechSquaredB" "SechSquaredBGrad" sech_squared_b(x): 1.0 / (cosh(x) * cosh(x));

    "LogisticSlopeA" "LogisticSlopeAGrad" logistic_slope_a(x): sigmoid(x) * (1.0 - sigmoid(x));
    "LogisticSlopeB" "LogisticSlopeBGrad" logistic_slope_b(x): exp(-x) / ((1.0 + exp(-x)) * (1.0 + exp(-x)));
    "LogisticSlopeC" "LogisticSlopeCGrad" logistic_slope_c(x): sigmoid(x) - sigmoid(x) * sigmoid(x);

    // Turian et al. 2009.
    "SoftsignA" "SoftsignAGrad" softsign_a(x): x / (1.0 + abs(x));
    "SoftsignB" "SoftsignBGrad" softsign_b(x): if x > 0.0 { x / (1.0 + x) } else { x / (1.0 - x) };

    "HalfSoftsignA" "HalfSoftsignAGrad" half_softsign_a(x): 0.5 * (x / (1.0 + abs(x)) + 1.0);
    "HalfSoftsignB" "HalfSoftsignBGrad" half_softsign_b(x): 0.5 * x / (1.0 + abs(x)) + 0.5;

    // Carlile et al. 2017.
    "IsruA" "IsruAGrad" isru_a(x): x / sqrt(1.0 + x * x);
    "IsruB" "IsruBGrad" isru_b(x): x * recip(sqrt(x * x + 1.0));

    "SituA" "SituAGrad" situ_a(x): tanh(x) * sigmoid(x);
    "SituB" "SituBGrad" situ_b(x): (exp(x) - exp(-x)) / (exp(x) + exp(-x)) / (1.0 + exp(-x));

    // Xu et al. 2016.
    "PenalisedTanhA" "PenalisedTanhAGrad" penalised_tanh_a(x): if x > 0.0 { tanh(x) } else { 0.25 * tanh(x) };
    "PenalisedTanhB" "PenalisedTanhBGrad" penalised_tanh_b(x): max(tanh(x), 0.0) + 0.25 * min(tanh(x), 0.0);

    // Gemma 2, 2024.
    "SoftCapA" "SoftCapAGrad" soft_cap_a(x, cap = 30.0): cap * tanh(x / cap);
    "SoftCapB" "SoftCapBGrad" soft_cap_b(x, cap = 30.0): cap * (2.0 * sigmoid(2.0 * x / cap) - 1.0);

    "ArctanA" "ArctanAGrad" arctan_a(x): atan(x) * FRAC_2_PI;
    "ArctanB" "ArctanBGrad" arctan_b(x): 2.0 / PI * atan(x);

    "LorentzianA" "LorentzianAGrad" lorentzian_a(x): 1.0 / (1.0 + x * x);
    "LorentzianB" "LorentzianBGrad" lorentzian_b(x): recip(x * x + 1.0);

    "SquareShareA" "SquareShareAGrad" square_share_a(x): x * x / (1.0 + x * x);
    "SquareShareB" "SquareShareBGrad" square_share_b(x): 1.0 - 1.0 / (1.0 + x * x);

    // Gomes et al. 2008.
    "CloglogA" "CloglogAGrad" cloglog_a(x): 1.0 - exp(-exp(x));
    "CloglogB" "CloglogBGrad" cloglog_b(x): -(exp(-exp(x)) - 1.0);

    "GompertzA" "GompertzAGrad" gompertz_a(x): exp(-exp(-x));
    "GompertzB" "GompertzBGrad" gompertz_b(x): recip(exp(exp(-x)));

    // Wuraola and Patel 2018.
    "SqnlA" "SqnlAGrad" sqnl_a(x): if x > 2.0 { 1.0 } else if x > 0.0 { x - x * x / 4.0 } else if x >= -2.0 { x + x * x / 4.0 } else { -1.0 };
    "SqnlB" "SqnlBGrad" sqnl_b(x): { let c = clamp(x, -2.0, 2.0); c - c * abs(c) / 4.0 };

    "HardSigmoidA" "HardSigmoidAGrad" hard_sigmoid_a(x): clamp(0.2 * x + 0.5, 0.0, 1.0);
    "HardSigmoidB" "HardSigmoidBGrad" hard_sigmoid_b(x): min(max(x / 5.0 + 0.5, 0.0), 1.0);
}

corpus! {
    /// Bells and waves.
    mod bells;

    "BumpA" "BumpAGrad" bump_a(x): exp(-(x * x));
    "BumpB" "BumpBGrad" bump_b(x): recip(exp(x * x));
    "BumpC" "BumpCGrad" bump_c(x): exp2(-x * x * LOG2_E);

    "XBumpA" "XBumpAGrad" x_bump_a(x): x * exp(-x * x);
    "XBumpB" "XBumpBGrad" x_bump_b(x): x / exp(x * x);

    "DipA" "DipAGrad" dip_a(x): 1.0 - exp(-x * x);
    "DipB" "DipBGrad" dip_b(x): -(exp(-(x * x)) - 1.0);

    "RickerA" "RickerAGrad" ricker_a(x): (1.0 - x * x) * exp(-0.5 * x * x);
    "RickerB" "RickerBGrad" ricker_b(x): exp(-x * x / 2.0) - x * x * exp(-x * x / 2.0);

    "LaplaceA" "LaplaceAGrad" laplace_a(x): exp(-abs(x));
    "LaplaceB" "LaplaceBGrad" laplace_b(x): if x > 0.0 { exp(-x) } else { exp(x) };

    // Ziyin et al. 2020.
    "SnakeA" "SnakeAGrad" snake_a(x): x + sin(x) * sin(x);
    "SnakeB" "SnakeBGrad" snake_b(x): x + 0.5 - 0.5 * cos(2.0 * x);

    // Sitzmann et al. 2020.
    "SineA" "SineAGrad" sine_a(x): sin(30.0 * x);
    "SineB" "SineBGrad" sine_b(x): 2.0 * sin(15.0 * x) * cos(15.0 * x);
}

corpus! {
    /// Linear units, bent below zero.
    mod units;

    // Maas et al. 2013.
    "LeakyA" "LeakyAGrad" leaky_a(x): if x > 0.0 { x } else { 0.1 * x };
    "LeakyB" "LeakyBGrad" leaky_b(x): max(x, 0.0) + 0.1 * min(x, 0.0);
    "LeakyC" "LeakyCGrad" leaky_c(x): relu(x) - 0.1 * relu(-x);

    // So et al. 2021.
    "SquaredReluA" "SquaredReluAGrad" squared_relu_a(x): relu(x) * relu(x);
    "SquaredReluB" "SquaredReluBGrad" squared_relu_b(x): if x > 0.0 { x * x } else { 0.0 };
    "SquaredReluC" "SquaredReluCGrad" squared_relu_c(x): x * relu(x);

    // Clevert et al. 2015.
    "EluA" "EluAGrad" elu_a(x): if x > 0.0 { x } else { exp(x) - 1.0 };
    "EluB" "EluBGrad" elu_b(x): max(x, 0.0) + exp(min(x, 0.0)) - 1.0;

    // Barron 2017.
    "CeluA" "CeluAGrad" celu_a(x, alpha = 1.3): max(x, 0.0) + min(0.0, alpha * (exp(x / alpha) - 1.0));
    "CeluB" "CeluBGrad" celu_b(x, alpha = 1.3): if x > 0.0 { x } else { alpha * expm1(x / alpha) };

    // Klambauer et al. 2017.
    "SeluA" "SeluAGrad" selu_a(x): 1.0507009873554805 * (if x > 0.0 { x } else { 1.6732632423543772 * (exp(x) - 1.0) });
    "SeluB" "SeluBGrad" selu_b(x): if x > 0.0 { 1.0507009873554805 * x } else { 1.7580993408473766 * exp(x) - 1.7580993408473766 };

    // Basirat and Roth 2018.
    "ElishA" "ElishAGrad" elish_a(x): if x >= 0.0 { x / (1.0 + exp(-x)) } else { (exp(x) - 1.0) / (1.0 + exp(-x)) };
    "ElishB" "ElishBGrad" elish_b(x): sigmoid(x) * (if x >= 0.0 { x } else { expm1(x) });

    // Carlile et al. 2017.
    "IsrluA" "IsrluAGrad" isrlu_a(x): if x >= 0.0 { x } else { x / sqrt(1.0 + x * x) };
    "IsrluB" "IsrluBGrad" isrlu_b(x): max(x, 0.0) + min(x, 0.0) / sqrt(1.0 + x * x);

    // Howard et al. 2019.
    "HardSwishA" "HardSwishAGrad" hard_swish_a(x): x * clamp(x + 3.0, 0.0, 6.0) / 6.0;
    "HardSwishB" "HardSwishBGrad" hard_swish_b(x): x * min(max(x / 6.0 + 0.5, 0.0), 1.0);

    "TanhShrinkA" "TanhShrinkAGrad" tanh_shrink_a(x): x - tanh(x);
    "TanhShrinkB" "TanhShrinkBGrad" tanh_shrink_b(x): x - (1.0 - 2.0 / (exp(2.0 * x) + 1.0));
    "TanhShrinkC" "TanhShrinkCGrad" tanh_shrink_c(x): x - (exp(x) - exp(-x)) / (exp(x) + exp(-x));
}

corpus! {
    /// Smooth linear units, logarithms and roots.
    mod smooth;

    // Dugas et al. 2000.
    "SoftplusA" "SoftplusAGrad" softplus_a(x): ln(1.0 + exp(x));
    "SoftplusB" "SoftplusBGrad" softplus_b(x): max(x, 0.0) + ln(1.0 + exp(-abs(x)));
    "SoftplusC" "SoftplusCGrad" softplus_c(x): -ln(sigmoid(-x));

    // Dugas et al. 2000.
    "SoftplusBetaA" "SoftplusBetaAGrad" softplus_beta_a(x, beta = 1.5): ln(1.0 + exp(beta * x)) / beta;
    "SoftplusBetaB" "SoftplusBetaBGrad" softplus_beta_b(x, beta = 1.5): softplus(beta * x) / beta;

    "LogSigmoidA" "LogSigmoidAGrad" log_sigmoid_a(x): ln(sigmoid(x));
    "LogSigmoidB" "LogSigmoidBGrad" log_sigmoid_b(x): -softplus(-x);
    "LogSigmoidC" "LogSigmoidCGrad" log_sigmoid_c(x): -ln(1.0 + exp(-x));

    "LogCoshA" "LogCoshAGrad" log_cosh_a(x): ln((exp(x) + exp(-x)) / 2.0);
    "LogCoshB" "LogCoshBGrad" log_cosh_b(x): ln(cosh(x));
    "LogCoshC" "LogCoshCGrad" log_cosh_c(x): abs(x) + log1p(exp(-2.0 * abs(x))) - LN_2;

    "Log2SoftplusA" "Log2SoftplusAGrad" log2_softplus_a(x): log2(1.0 + exp2(x));
    "Log2SoftplusB" "Log2SoftplusBGrad" log2_softplus_b(x): softplus(x * LN_2) * LOG2_E;

    // Klimek and Perelstein 2018.
    "SoftClipA" "SoftClipAGrad" soft_clip_a(x): ln((1.0 + exp(x)) / (1.0 + exp(x - 1.0)));
    "SoftClipB" "SoftClipBGrad" soft_clip_b(x): softplus(x) - softplus(x - 1.0);

    // Barron 2021.
    "SquarePlusA" "SquarePlusAGrad" square_plus_a(x): (x + sqrt(x * x + 4.0)) / 2.0;
    "SquarePlusB" "SquarePlusBGrad" square_plus_b(x): 0.5 * x + sqrt(0.25 * x * x + 1.0);

    "BentA" "BentAGrad" bent_a(x): (sqrt(x * x + 1.0) - 1.0) / 2.0 + x;
    "BentB" "BentBGrad" bent_b(x): 0.5 * sqrt(x * x + 1.0) + x - 0.5;

    // Hafner et al. 2023.
    "SymlogA" "SymlogAGrad" symlog_a(x): sign(x) * ln(1.0 + abs(x));
    "SymlogB" "SymlogBGrad" symlog_b(x): if x > 0.0 { log1p(x) } else { -log1p(-x) };

    "SignedRootA" "SignedRootAGrad" signed_root_a(x): sign(x) * (sqrt(abs(x) + 1.0) - 1.0);
    "SignedRootB" "SignedRootBGrad" signed_root_b(x): x / (1.0 + sqrt(1.0 + abs(x)));

    "AsinhA" "AsinhAGrad" asinh_a(x): ln(x + sqrt(x * x + 1.0));
    "AsinhB" "AsinhBGrad" asinh_b(x): sign(x) * ln(abs(x) + sqrt(x * x + 1.0));

    "LogSquareA" "LogSquareAGrad" log_square_a(x): ln(1.0 + x * x);
    "LogSquareB" "LogSquareBGrad" log_square_b(x): log1p(x * x);

    "XLogA" "XLogAGrad" x_log_a(x): x * ln(abs(x));
    "XLogB" "XLogBGrad" x_log_b(x): 0.5 * x * ln(x * x);

    "GrowthA" "GrowthAGrad" growth_a(x): exp(x) - 1.0 + x;
    "GrowthB" "GrowthBGrad" growth_b(x): expm1(x) + x;

    "CubeA" "CubeAGrad" cube_a(x): x * x * x;
    "CubeB" "CubeBGrad" cube_b(x): x.powi(3);

    "LogitA" "LogitAGrad" logit_a(x): ln(x / (1.0 - x));
    "LogitB" "LogitBGrad" logit_b(x): ln(x) - ln(1.0 - x);

    "IdentityA" "IdentityAGrad" identity_a(x, k = 1.7): x * (1.0 / k) * k;
    "IdentityB" "IdentityBGrad" identity_b(x, k = 1.7): k * x / k;
}

corpus! {
    /// Functions that formulas know by a formula of others.
    mod written;

    "Rsqrt" "RsqrtGrad" f_rsqrt(x): rsqrt(x);
    "Cbrt" "CbrtGrad" f_cbrt(x): cbrt(x);
    "Hypot" "HypotGrad" f_hypot(x, a = 1.5): hypot(x, a);
    "Exp10" "Exp10Grad" f_exp10(x): exp10(x);
    "Log10" "Log10Grad" f_log10(x): log10(x);
    "Logit" "LogitGrad" f_logit(x): logit(x);
    "Logaddexp" "LogaddexpGrad" f_logaddexp(x, a = 1.5): logaddexp(x, a);
    "Tan" "TanGrad" f_tan(x): tan(x);
    "Asin" "AsinGrad" f_asin(x): asin(x);
    "Acos" "AcosGrad" f_acos(x): acos(x);
    "Atan2" "Atan2Grad" f_atan2(x, a = 1.5): atan2(x, a);
    "Asinh" "AsinhGrad" f_asinh(x): asinh(x);
    "Acosh" "AcoshGrad" f_acosh(x): acosh(x);
    "Atanh" "AtanhGrad" f_atanh(x): atanh(x);
    "Copysign" "CopysignGrad" f_copysign(x, a = -1.5): copysign(x, a);
    "Heaviside" "HeavisideGrad" f_heaviside(x): x * heaviside(x);
    "Sinc" "SincGrad" f_sinc(x): sinc(x);
}

corpus! {
    /// Rounded numbers: quantisers and sawtooth waves.
    mod rounded;

    "FakeQuant" "FakeQuantGrad" fake_quant(x, scale = 0.05): clamp(round(x / scale), -128.0, 127.0) * scale;
    "Quarters" "QuartersGrad" quarters(x): round(x * 4.0) / 4.0;
    "Sawtooth" "SawtoothGrad" sawtooth(x): x - floor(x);
    "Centred" "CentredGrad" centred(x): x - round(x);
    "RoundGate" "RoundGateGrad" round_gate(x): x * sigmoid(round(x));
    "Stairs" "StairsGrad" stairs(x, k = 1.5): ceil(k * tanh(x)) + trunc(x);
}
