//! Accuracy of published formulas in several spellings.
//!
//! Whatever the author wrote, the compiler finds a form of the value and of the gradient that is accurate by its own
//! estimate.

use op_dsl_ir::display;
use op_dsl_ir::op::OpDef;
use op_dsl_ir::rounding::{Arithmetic, worst};
use op_dsl_syntax::function;
use quote::quote;

const FORMULAS: &[&str] = &[
    // mish
    "x * tanh(softplus(x))",
    "x * tanh(ln(1.0 + exp(x)))",
    "{ let n = (1.0 + exp(x)) * (1.0 + exp(x)); x * (n - 1.0) / (n + 1.0) }",
    "{ let w = exp(x); x * (w * w + 2.0 * w) / (w * w + 2.0 * w + 2.0) }",
    // quick gelu
    "x * sigmoid(1.702 * x)",
    "x / (1.0 + exp(-1.702 * x))",
    "x - x / (1.0 + exp(1.702 * x))",
    // swish with a parameter
    "x * sigmoid(k * x)",
    "x / (1.0 + exp(-k * x))",
    // softsign
    "x / (1.0 + abs(x))",
    "if x > 0.0 { x / (1.0 + x) } else { x / (1.0 - x) }",
    // tanhshrink
    "x - tanh(x)",
    "x - (exp(x) - exp(-x)) / (exp(x) + exp(-x))",
    // log cosh
    "ln((exp(x) + exp(-x)) / 2.0)",
    "x + softplus(-2.0 * x) - 0.6931471805599453",
    // sigmoid and tanh, written out
    "1.0 / (1.0 + exp(-x))",
    "exp(x) / (exp(x) + 1.0)",
    "(1.0 + tanh(0.5 * x)) * 0.5",
    "(exp(2.0 * x) - 1.0) / (exp(2.0 * x) + 1.0)",
    "2.0 * sigmoid(2.0 * x) - 1.0",
    "tanh(x)",
    "sigmoid(x)",
    // their derivatives
    "1.0 - tanh(x) * tanh(x)",
    "sigmoid(x) * (1.0 - sigmoid(x))",
    "exp(-x) / ((1.0 + exp(-x)) * (1.0 + exp(-x)))",
    // elu and its variants
    "if x > 0.0 { x } else { exp(x) - 1.0 }",
    "max(x, 0.0) + exp(min(x, 0.0)) - 1.0",
    "if x > 0.0 { x } else { k * exp(x) - k }",
    "if x > 0.0 { x } else { k * (exp(x / k) - 1.0) }",
    "1.0507009873554805 * (if x > 0.0 { x } else { 1.6732632423543772 * (exp(x) - 1.0) })",
    // piecewise linear
    "x * min(max(x + 3.0, 0.0), 6.0) / 6.0",
    "min(max(x / 6.0 + 0.5, 0.0), 1.0)",
    // log sigmoid
    "ln(sigmoid(x))",
    "-softplus(-x)",
    "-ln(1.0 + exp(-x))",
    // softplus with a parameter
    "ln(1.0 + exp(k * x)) / k",
    // situ
    "tanh(x) * sigmoid(x)",
    "x * tanh(exp(x))",
    "x * tanh(0.5 * x)",
    // gaussian
    "exp(-x * x)",
    "x * exp(-x * x)",
    "1.0 - exp(-x * x)",
    "x * x * exp(-0.5 * x * x)",
    // serf, phish, smish, logish
    "x * erf(softplus(x))",
    "x * tanh(0.5 * x * (1.0 + erf(x * 0.7071067811865476)))",
    "x * tanh(ln(1.0 + sigmoid(x)))",
    "x * ln(1.0 + sigmoid(x))",
    // inverse square root
    "x / sqrt(1.0 + x * x)",
    "if x >= 0.0 { x } else { x / sqrt(1.0 + x * x) }",
    "(sqrt(x * x + 1.0) - 1.0) / 2.0 + x",
    "(x + sqrt(x * x + 4.0)) / 2.0",
    // squares
    "if x > 0.0 { x * x } else { 0.0 * x }",
    "{ let q = x * x; q / (1.0 + q) }",
    "1.0 / (1.0 + x * x)",
    // soft clipping and penalised tanh
    "ln((1.0 + exp(x)) / (1.0 + exp(x - 1.0)))",
    "if x > 0.0 { tanh(x) } else { 0.25 * tanh(x) }",
    "0.5 * x * erfc(-0.7071067811865476 * x)",
    "k * tanh(x / k)",
    "x * exp(x) / (1.0 + exp(x))",
    "exp(x) - 1.0 + x",
    "ln(1.0 + x * x)",
    "x * ln(1.0 + exp(x))",
    "max(x, 0.0) + ln(1.0 + exp(-abs(x)))",
    // by names of primitives
    "relu(x) * relu(x)",
    "relu(x) - k * relu(-x)",
    "x * clamp(x + 3.0, 0.0, 6.0) / 6.0",
    "clamp(0.2 * x + 0.5, 0.0, 1.0)",
    "sinh(x) / cosh(x)",
    "x / cosh(x)",
    "ln(cosh(x))",
    "sign(x) * ln(1.0 + abs(x))",
    "sign(x) * (sqrt(abs(x) + 1.0) - 1.0)",
    "ln(x + sqrt(x * x + 1.0))",
    "x * recip(1.0 + exp(-x))",
    "x * exp2(-x * x)",
    "log2(1.0 + exp2(x))",
    "x * (1.0 / k) * k",
    "(exp(k * x) - 1.0) / k + k",
    "x * tanh(ln(1.0 + exp(k * x)))",
    "if x < 1.0 { x * exp(x) } else { x - 1.0 + 2.718281828459045 }",
    "1.0 / x",
    "ln(x)",
    "sqrt(x)",
    "x * x * x",
    "x * ln(abs(x))",
    "1.0 / (1.0 + exp(-x)) - 0.5",
    "0.5 * (x / (1.0 + abs(x)) + 1.0)",
    "(1.0 - exp(-x)) / (1.0 + exp(-x))",
    "ln(1.0 + exp(x)) - ln(1.0 + exp(-x))",
];

fn operators(body: &str) -> Vec<OpDef> {
    let attr = if body.contains('k') { ", #[attr(default = 1.0)] k: f32" } else { "" };
    let item = format!("fn f(x: Elem{attr}) -> Elem {{ {body} }}");
    let args = quote!(name = "F", outputs(out), grad(name = "G", wrt(x)));
    let family = function(args, item.parse().expect("tokens")).expect("a function");
    if let Some(error) = family.error {
        panic!("{body}: {error}");
    }
    family.ops.into_iter().map(|op| op.def).collect()
}

#[test]
fn every_formula_has_an_accurate_form() {
    let mut bad = Vec::new();
    for formula in FORMULAS {
        for def in operators(formula) {
            let spec = &def.specs[0];
            let (inputs, scalars) = (def.input_names(), def.scalar_names());
            let narrow = worst(&spec.graph, Arithmetic::F32, &[]);
            let mut line = format!(
                "{} {formula}\n    f32 {:.1e} at {:?}",
                def.name, narrow.ulps, narrow.streams
            );
            let mut error = narrow.ulps;
            if let Some(wide) = &spec.wide {
                let found = worst(&wide.graph, Arithmetic::F64, &[]);
                error = if wide.single { found.ulps } else { error.max(found.ulps) };
                let text = display::listing(&wide.graph, &inputs, &scalars, &["out".to_owned()]);
                line += &format!("\n    f64 {:.1e} at {:?}\n{text}", found.ulps, found.streams);
            }
            if error > 2.0 || spec.wide.as_ref().is_some_and(|wide| wide.single) && error > 0.1 {
                bad.push(line);
            }
        }
    }
    assert!(bad.is_empty(), "{} forms\n{}", bad.len(), bad.join("\n"));
}

/// NaN gives NaN, and an infinity gives the limit of the formula. `k` is 0.75.
#[test]
fn every_formula_has_its_limits() {
    for formula in FORMULAS {
        for def in operators(formula) {
            let spec = &def.specs[0];
            let graph = spec.precise();
            let at = |x: f64| {
                let streams = if def.inputs.len() == 2 { vec![1.0, x] } else { vec![x] };
                graph.eval(&streams, &[0.75])[0]
            };
            // A condition decides as written, also for NaN.
            assert!(at(f64::NAN).is_nan() || formula.contains("if x"), "{} {formula}", def.name);
            for end in [f64::INFINITY, f64::NEG_INFINITY] {
                let (limit, near) = (at(end), at(end.signum() * 1e38));
                let close = (limit - near).abs() <= 1e-18 + 1e-6 * near.abs();
                let beyond = (limit as f32).is_infinite() && limit.signum() == near.signum();
                let undefined = limit.is_nan() && near.is_nan();
                let holds = close || undefined || beyond && near.abs() > 80.0;
                assert!(holds, "{} {formula} at {end}: {limit}, {near}", def.name);
            }
        }
    }
}

/// A divisor that overflows f64 gives no zero where a large `dy` makes a number of the result.
#[test]
fn large_factors_find_no_early_zero() {
    let smish = "{ let n = (1.0 + sigmoid(x)) * (1.0 + sigmoid(x)); x * (n - 1.0) / (n + 1.0) }";
    for (formula, x, want) in [
        // The slope of `x e^x`, divided by `e^x`.
        (smish, -177.910_64, -176.910_64),
        ("sigmoid(x) - sigmoid(x) * sigmoid(x)", -250.0, 1.0),
    ] {
        let def = operators(formula).swap_remove(1);
        let wide = def.specs[0].wide.as_ref().expect("an f64 graph");
        for dy in [1.0, -3.4e38] {
            let want = dy * want * f64::exp(x);
            let got = wide.graph.eval(&[dy, x], &[])[0];
            assert!((got / want - 1.0).abs() < 1e-7, "{formula} at {dy:e}: {got:e}, {want:e}");
        }
    }
}

/// A power of a base that is never near zero has its limits, whatever the exponent.
#[test]
fn powers_of_ordinary_bases_have_their_limits() {
    let all = operators("powf(1.0 + abs(x), -k)");
    let [value, slope] = [0, 1].map(|k| {
        move |all: &[OpDef], x: f64, exponent: f64| {
            let spec = &all[k].specs[0];
            let graphs = [Some(&spec.graph), spec.wide.as_ref().map(|wide| &wide.graph)];
            let streams = &[1.0, x][1 - k..];
            graphs.map(|graph| graph.map(|graph| graph.eval(streams, &[exponent])[0]))
        }
    });
    let inf = f64::INFINITY;
    for (k, at_end, slope_at_end) in [(1.5, 0.0, 0.0), (0.001, 0.0, 0.0), (-1.001, inf, inf)] {
        assert_eq!(value(&all, inf, k), [Some(at_end); 2], "{k}");
        assert_eq!(slope(&all, inf, k), [Some(slope_at_end); 2], "slope for {k}");
    }
    for x in [inf, f64::NAN] {
        assert_eq!(value(&all, x, 0.0), [Some(1.0); 2], "{x}");
    }
}
