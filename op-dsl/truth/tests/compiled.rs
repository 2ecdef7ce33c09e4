//! Compiled graphs against the reference evaluator.
//!
//! The formulas lose digits inside the branches of a select. The graph that a back end lowers is evaluated node by
//! node, in f64 where the compiler chose f64, otherwise rounded to f32 after every call. It must agree with the
//! reference to 2 units in the last place of f32.
#![allow(missing_docs)]

use op_dsl_ir::format::Format;
use op_dsl_ir::graph::Graph;
use op_dsl_ir::op::OpDef;
use op_dsl_ir::{DType, display};
use op_dsl_syntax::function;

const F32: Format = Format::of(DType::F32);
/// Allowed error in units in the last place.
const BUDGET: f64 = 2.0;

/// Returns `f(x)` and its gradient by `x`.
///
/// Where the formula names them, `t` and `y` are further tensors and `k` is an attribute.
fn operators(body: &str) -> Vec<OpDef> {
    let has = |name: &str| body.split(|c: char| !c.is_alphanumeric()).any(|word| word == name);
    let tensors = ["x", "t", "y"].into_iter().filter(|name| has(name));
    let mut params: Vec<String> = tensors.map(|name| format!("{name}: Elem")).collect();
    params.extend(has("k").then(|| "#[attr(default = 1.0)] k: f32".to_owned()));
    let item = format!("fn f({}) -> Elem {{ {body} }}", params.join(", "));
    let args = r#"name = "F", outputs(out), grad(name = "G", wrt(x))"#;
    let tokens = |text: &str| text.parse().expect("tokens");
    let family = function(tokens(args), tokens(&item)).expect("a function");
    if let Some(error) = family.error {
        panic!("{body}: {error}");
    }
    family.ops.into_iter().map(|op| op.def).collect()
}

/// One element: `x`, `t`, `y` and the attribute `k`.
#[derive(Clone, Copy, Debug)]
struct At {
    x: f64,
    t: f64,
    y: f64,
    k: f64,
}

impl At {
    fn streams(self, def: &OpDef) -> Vec<f64> {
        let of = |name: &String| match &**name {
            "x" => self.x,
            "t" => self.t,
            "y" => self.y,
            _ => 1.0,
        };
        def.input_names().iter().map(of).collect()
    }
}

/// Returns the first output, rounded as a back end rounds it.
fn computed(def: &OpDef, at: At) -> f64 {
    let (spec, streams) = (&def.specs[0], at.streams(def));
    match &spec.wide {
        Some(wide) if wide.single => F32.round(wide.graph.eval(&streams, &[at.k])[0]),
        _ => in_f32(&spec.graph, &streams, at.k),
    }
}

fn in_f32(graph: &Graph, streams: &[f64], k: f64) -> f64 {
    use op_dsl_ir::Node;
    let mut values: Vec<f64> = Vec::new();
    for node in graph.nodes.iter() {
        let value = match *node {
            Node::Stream(s) => streams[usize::from(s)],
            Node::Scalar(_) => k,
            Node::Const(c) => c,
            Node::Call(prim, args) => (prim.row().oracle)(
                args.map(|a| values.get(a.index()).copied().unwrap_or(f64::NAN)),
            ),
        };
        values.push(F32.round(value));
    }
    values[graph.outputs[0].index()]
}

/// Returns f32 values of either sign and all exponents.
///
/// Mantissas are irregular, and there are more values where functions bend.
fn samples() -> Vec<f64> {
    let mut all = vec![0.0, f64::from(f32::MAX), 0.5, 1.0, 2.0, 16.0, 100.0, 745.0, 746.0, 43160.0];
    for exponent in -149..=127 {
        let count = if (-34..=10).contains(&exponent) { 6 } else { 1 };
        for k in 0..count {
            let mantissa =
                1.0 + (0.137_31 + 0.162_37 * f64::from(k + exponent % 3)).rem_euclid(1.0);
            all.push(F32.round(mantissa * 2f64.powi(exponent)));
        }
    }
    all.iter().flat_map(|x| [*x, -x]).collect()
}

/// Value and derivative by `x`, from formulas without cancellation.
type Reference = fn(At) -> [f64; 2];

/// Returns the reference evaluator's result, which has enough digits whatever cancels.
fn evaluated(def: &OpDef, at: At) -> f64 {
    op_dsl_truth::outputs(&def.specs[0], &at.streams(def), &[at.k], F32)[0]
}

#[track_caller]
fn all_agree(formulas: &[(&str, Option<Reference>)], points: &[At]) {
    let mut missed = Vec::new();
    for (formula, reference) in formulas {
        for (i, def) in operators(formula).iter().enumerate() {
            let of = |at: &At| {
                let want = reference.map_or_else(|| evaluated(def, *at), |of| of(*at)[i]);
                let got = computed(def, *at);
                (F32.error(got, want, 0.0), got, want, *at)
            };
            let worst = points.iter().map(of).max_by(|a, b| a.0.total_cmp(&b.0));
            let Some((ulps, got, want, at)) = worst else { continue };
            let line = format!(
                "{} {formula}\n    {ulps:.3} units at {at:?}: {got:e}, not {want:e}",
                def.name
            );
            if std::env::var_os("SHOW").is_some() {
                println!("{line}");
            }
            if ulps > BUDGET {
                let spec = &def.specs[0];
                let graph = match &spec.wide {
                    Some(wide) if wide.single => &wide.graph,
                    _ => &spec.graph,
                };
                let (names, scalars) = (def.input_names(), def.scalar_names());
                let text = display::listing(graph, &names, &scalars, &["out".to_owned()]);
                missed.push(format!("{line}\n{text}"));
            }
        }
    }
    assert!(missed.is_empty(), "{} of them\n{}", missed.len(), missed.join("\n"));
}

/// Returns all samples as `x`, each with both labels as `t`.
fn labelled(ks: &[f64]) -> Vec<At> {
    let at = |x: f64| ks.iter().flat_map(move |k| [0.0, 1.0].map(|t| At { x, t, y: 1.0, k: *k }));
    samples().into_iter().chain([f64::INFINITY, f64::NEG_INFINITY, f64::NAN]).flat_map(at).collect()
}

fn softplus(x: f64) -> f64 {
    x.max(0.0) + libm::log1p(libm::exp(-x.abs())) + 0.0 * if x.is_nan() { x } else { 0.0 }
}

/// Returns `sigmoid(x)`, computed from its logarithm.
fn sigmoid(x: f64) -> f64 {
    libm::exp(-softplus(-x))
}

/// Returns value and slope of `sigmoid(-u)^k softplus(-u)`, where `u` is the logit of the label.
fn focal(At { x, t, k, .. }: At, k_is: Option<f64>) -> [f64; 2] {
    let (side, k) = (if t > 0.5 { 1.0 } else { -1.0 }, k_is.unwrap_or(k));
    let u = side * x;
    // Where the product would be `0 * inf`, the power decides, because it vanishes before the logarithm grows.
    let power = if k == 0.0 { 1.0 } else { libm::exp(-k * softplus(u)) };
    let log = softplus(-u);
    let value = if power == 0.0 { 0.0 } else { power * log };
    let bend = if log.is_infinite() { 0.0 } else { k * sigmoid(u) * log };
    let slope = -power * (bend + sigmoid(-u));
    [value, side * slope]
}

/// Tests binary classification: the probability of the label is selected from `p` and `1 - p`.
#[test]
fn focal_losses() {
    let formulas: &[(&str, Option<Reference>)] = &[
        // Lin et al. 2017.
        (
            "{ let p = sigmoid(x); let pt = if t > 0.5 { p } else { 1.0 - p }; -powf(1.0 - pt, k) * ln(pt) }",
            Some(|at| focal(at, None)),
        ),
        (
            "{ let p = 1.0 / (1.0 + exp(-x)); if t > 0.5 { -powf(1.0 - p, k) * ln(p) } else { -powf(p, k) * ln(1.0 - p) } }",
            Some(|at| focal(at, None)),
        ),
        (
            "{ let pt = if t == 1.0 { sigmoid(x) } else { sigmoid(-x) }; -ln(pt) * powf(1.0 - pt, k) }",
            Some(|at| focal(at, None)),
        ),
        (
            "{ let p = sigmoid(x); let pt = if t > 0.5 { p } else { 1.0 - p }; -(1.0 - pt) * (1.0 - pt) * ln(pt) }",
            Some(|at| focal(at, Some(2.0))),
        ),
        (
            "{ let p = sigmoid(x); let pt = if t > 0.5 { p } else { 1.0 - p }; -(1.0 - pt).powi(2) * ln(pt) }",
            Some(|at| focal(at, Some(2.0))),
        ),
        (
            "{ let p = sigmoid(x); let pt = if t > 0.5 { p } else { 1.0 - p }; -powf(1.0 - pt, 2.0) * ln(pt) }",
            Some(|at| focal(at, Some(2.0))),
        ),
        (
            "{ let p = sigmoid(x); let pt = if t > 0.5 { p } else { 1.0 - p }; -powf(1.0 - pt, 0.5) * ln(pt) }",
            Some(|at| focal(at, Some(0.5))),
        ),
        (
            "{ let p = sigmoid(x); let a = if t > 0.5 { 0.25 } else { 0.75 }; let pt = if t > 0.5 { p } else { 1.0 - p }; -a * powf(1.0 - pt, k) * ln(pt) }",
            Some(|at| focal(at, None).map(|v| v * if at.t > 0.5 { 0.25 } else { 0.75 })),
        ),
    ];
    all_agree(formulas, &labelled(&[0.0, 0.5, 1.0, 2.0, 5.0, 37.5]));
}

/// Tests cross-entropy, saturated functions of a selected sign, and powers of probabilities.
#[test]
fn functions_of_chosen_probabilities() {
    fn entropy(at: At) -> [f64; 2] {
        let side = if at.t > 0.5 { 1.0 } else { -1.0 };
        [softplus(-side * at.x), -side * sigmoid(-side * at.x)]
    }
    /// Returns value and slope of `sigmoid(u)^k` for `u = side x`.
    fn power(x: f64, k: f64, side: f64) -> [f64; 2] {
        let u = side * x;
        let value = if k == 0.0 { 1.0 } else { libm::exp(-k * softplus(-u)) };
        let slope = if k == 0.0 { 0.0 } else { k * value * sigmoid(-u) };
        let nothing = if x.is_nan() { x } else { 0.0 };
        [value + nothing, side * slope + nothing]
    }
    let formulas: &[(&str, Option<Reference>)] = &[
        ("{ let p = sigmoid(x); -ln(if t > 0.5 { p } else { 1.0 - p }) }", Some(entropy)),
        ("-ln(if t > 0.5 { sigmoid(x) } else { sigmoid(-x) })", Some(entropy)),
        (
            "if t > 0.5 { -ln(1.0 / (1.0 + exp(-x))) } else { -ln(1.0 - 1.0 / (1.0 + exp(-x))) }",
            Some(entropy),
        ),
        (
            "{ let s = if t > 0.5 { tanh(x) } else { -tanh(x) }; 1.0 - s }",
            Some(|at| {
                let side = if at.t > 0.5 { -2.0 } else { 2.0 };
                let s = sigmoid(side * at.x);
                [2.0 * s, 2.0 * side * s * sigmoid(-side * at.x)]
            }),
        ),
        (
            "{ let s = if t > 0.5 { erf(x) } else { -erf(x) }; 0.5 * (1.0 + s) }",
            Some(|at| {
                let side = if at.t > 0.5 { 1.0 } else { -1.0 };
                let bell = libm::exp(-at.x * at.x) / std::f64::consts::PI.sqrt();
                [0.5 * libm::erfc(-side * at.x), side * bell]
            }),
        ),
        (
            "powf(1.0 - (if t > 0.5 { sigmoid(x) } else { 1.0 - sigmoid(x) }), 0.5)",
            Some(|at| power(at.x, 0.5, if at.t > 0.5 { -1.0 } else { 1.0 })),
        ),
        ("powf(sigmoid(x), k)", Some(|at| power(at.x, at.k, 1.0))),
        ("powf(1.0 / (1.0 + exp(x)), k)", Some(|at| power(at.x, at.k, -1.0))),
        ("powf(1.0 + exp(x), -k)", Some(|at| power(at.x, at.k, -1.0))),
        ("sqrt(1.0 - sigmoid(x))", Some(|at| power(at.x, 0.5, -1.0))),
    ];
    all_agree(formulas, &labelled(&[0.0, 0.5, 2.0, 37.5]));
}

/// Tests single values that were wrong before.
#[test]
fn focal_loss() {
    let focal = "{ let p = sigmoid(x); let pt = if t > 0.5 { p } else { 1.0 - p }; -powf(1.0 - pt, k) * ln(pt) }";
    let [loss, gradient] = &operators(focal)[..] else { panic!("two") };
    let at = |def: &OpDef, k: f64, x: f64, t: f64| computed(def, At { x, t, y: 1.0, k });
    let close = |is: f64, want: f64| {
        assert!((is - want).abs() <= 1e-4 * want.abs(), "{is:e}, not {want:e}")
    };
    close(at(loss, 2.0, 43160.0, 0.0), 43160.0);
    close(at(loss, 2.0, 746.0, 0.0), 746.0);
    close(at(loss, 0.5, 30.0, 1.0), 2.8625e-20);
    close(at(loss, 0.5, 40.0, 1.0), 8.7565e-27);
    close(at(gradient, 2.0, 43160.0, 0.0), 1.0);
    close(at(gradient, 2.0, 746.0, 0.0), 1.0);
    close(at(gradient, 0.5, 40.0, 1.0), -1.3135e-26);
    close(at(gradient, 0.0, 40.0, 1.0), -4.248e-18);
}

/// Returns samples nearer to zero than `far`, among them those that were wrong before.
fn near(far: f64, ks: &[f64]) -> Vec<At> {
    let named = [
        -1.84e-8, 1.0728e-8, 1e-8, 1e-6, -1e-6, 0.99e-6, 1.01e-6, 1.001e-12, 1.9e-12, 1.01e-20,
        2.3e-20, 1.001e-10,
    ]
    .map(|x| F32.round(x));
    let beside_one =
        (-24..-1).flat_map(|e| [1.0, -1.0].map(|s| F32.round(1.0 + s * 1.37 * 2f64.powi(e))));
    let all = samples().into_iter().filter(|x| x.abs() < far).chain(named).chain(beside_one);
    all.flat_map(|x| ks.iter().map(move |k| At { x, t: 1.0, y: 1.0, k: *k })).collect()
}

/// Tests quotients `0 / 0` that a select guards, near zero and elsewhere.
#[test]
fn quotients_with_a_removable_pole() {
    let formulas = [
        "if x == 0.0 { 1.0 } else { sin(x) / x }",
        "if abs(x) < 1e-6 { 1.0 } else { sin(x) / x }",
        "if x != 0.0 { sin(x) / x } else { 1.0 }",
        "if x == 0.0 { 0.5 } else { (cosh(x) - 1.0) / (x * x) }",
        "if x == 0.0 { 0.5 } else { (cosh(x) - 1.0) / x / x }",
        "if x == 0.0 { 0.5 } else { (1.0 - cos(x)) / (x * x) }",
        "if x == 0.0 { 1.0 } else { (exp(x) - 1.0) / x }",
        "if abs(x) < 1e-6 { 1.0 + 0.5 * x } else { (exp(x) - 1.0) / x }",
        "if x == 0.0 { 1.0 } else { ln(1.0 + x) / x }",
        "if x == 0.0 { 1.0 } else { log1p(x) / x }",
        "if x == 0.0 { 1.0 } else { tanh(x) / x }",
        "if x == 0.0 { 1.0 } else { (1.0 - exp(-x)) / x }",
        "if x == 0.0 { 1.0 } else { x / (exp(x) - 1.0) }",
        "if abs(x) < 1e-6 { 1.0 - 0.5 * x } else { x / (exp(x) - 1.0) }",
        "if x == 0.0 { 0.0 } else { (sqrt(1.0 + x * x) - 1.0) / x }",
        "if x == 0.0 { 1.0 } else { atan(x) / x }",
        "if x == 0.0 { 0.0 } else { 1.0 / tanh(x) - 1.0 / x }",
        "if x == 0.0 { 0.166666666666666667 } else { (x - sin(x)) / (x * x * x) }",
    ];
    // At the end of the logarithm's domain all relevant values are infinite.
    let mut points = near(20.0, &[1.0]);
    points.retain(|at| at.x != -1.0);
    all_agree(&formulas.map(|f| (f, None)), &points);
}

/// Tests removable poles of other values than the stream, or at other points than zero.
#[test]
fn removable_poles_elsewhere() {
    let formulas = [
        "{ let a = max(abs(x), 1e-6); sin(a) / a }",
        "{ let a = max(abs(x), 1e-6); (exp(a) - 1.0) / a }",
        "(exp(x) - 1.0) / max(x, 1e-12)",
        "sin(x) / max(x, 1e-20)",
        "(sqrt(1.0 + x * x) - 1.0) / max(abs(x), 1e-12)",
        "sin(x) / sqrt(max(x * x, 1e-20))",
        "{ let a = k * x; if a == 0.0 { 1.0 } else { sin(a) / a } }",
        "{ let a = k * x; if a == 0.0 { 1.0 } else { (exp(a) - 1.0) / a } }",
        "if x == 1.0 { 1.0 } else { ln(abs(x)) / (x - 1.0) }",
        "if x == 1.0 { 1.0 } else { (exp(x - 1.0) - 1.0) / (x - 1.0) }",
        "{ let d = x - 1.0; if d == 0.0 { 1.0 } else { sin(d) / d } }",
    ];
    let mut points = near(20.0, &[0.75, 1.0]);
    points.retain(|at| at.x != 0.0);
    all_agree(&formulas.map(|f| (f, None)), &points);
}

/// Where no formula keeps the digits, the author is told.
#[test]
fn lost_digits_are_no_secret() {
    let notes = |body: &str| -> Vec<String> {
        operators(body).iter().flat_map(op_dsl_ir::lost_digits::notes).collect()
    };
    // Far out the product approaches its limit, `1 / sqrt(pi)`.
    let lost = notes("x * exp(x * x) * erfc(x) - 0.5641895835477563");
    assert!(lost[0].starts_with("`G` loses digits in f64 too"), "{lost:?}");
    for kept in ["if x == 0.0 { 1.0 } else { sin(x) / x }", "sin(30.0 * x)", "ln(1.0 - exp(x))"] {
        assert_eq!(notes(kept), [""; 0], "{kept}");
    }
}
