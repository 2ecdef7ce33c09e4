//! The order of the target-independent passes, from a traced graph to a finished one.
//!
//! ```text
//! trace (op-dsl-syntax)
//!   -> branch_sinking   a function of a select moves into its arms, where an arm then becomes a primitive
//!   -> recognise        an analytic univariate subgraph that equals a primitive becomes that primitive
//!   -> exponential_sums `ln(exp(x) + exp(y))` becomes `max(x, y) + softplus(-|x - y|)`, quotients become sigmoids
//!   -> functions_of_logarithms  `tanh(ln u)` becomes a fraction
//!   -> differentiate    gradients only
//!   -> divisors         gradients only: terms with `a * (b / a)` become `b`
//!   -> finish:
//!        branch_sinking, recognise, exponential_sums, functions_of_logarithms
//!                       again, for what differentiation or the author wrote out
//!        compose        primitives without an algorithm are expanded
//!        like_terms     `a x + b x` becomes `(a + b) x` for attributes `a` and `b`
//!        saturate       x is clamped where the formula has reached its limit
//!        common_factors `dy * a - dy * b` becomes `dy * (a - b)`, so that nothing is rounded before it cancels
//!        stabilise      no cancellation in the tails, no spurious infinity, no NaN from finite input
//!        simplify       constant folding, 1 * x, 0 + x, ...
//!   -> for back ends that have f64, and for tables:
//!        recognise, compose, like_terms
//!        common_factors of quotients: `y / d + k y` becomes `y (1 / d + k)`
//!        opposites      `s(v) - s(-v)` becomes `tanh(v / 2)`; softplus of `v` and of `-v` share their common part
//!        addends        terms of a sum that depend on the same stream are added first
//!        conjugates     `u + sqrt(u^2 + c)` becomes a quotient where `u` is negative
//!        rational       one common denominator: terms that cancel are cancelled before any rounding; first of functions of a sum of
//!                       streams alone, if the graph divides by its square or size
//!        series         a power series where a function loses its digits near zero
//!        limits         asymptotes far out
//!        functions_of_sums  series and limits of functions of a sum of streams, if nothing else is accurate
//!        functions_of_streams  fractions of each function of one stream, and of one sum, on its own
//!        held           values at infinity that are limits
//!        exponentials   products of exponentials that leave f64 take one exponential of a sum
//!        overflow_guard factors that overflow f64 are clamped where another factor may be zero
//!        simplify
//! -> select, schedule, emit (codegen-cpu, codegen-ascendc)
//! ```

use crate::accuracy::Fast;
use crate::graph::{Builder, Graph, Id, Node};
use crate::op::Wide;
use crate::passes::differentiate::{self, Unconnected};
use crate::passes::exponential_sums::Joint;
use crate::passes::rational::Style;
use crate::passes::{
    addends, branch_sinking, common_factors, compose, conjugates, exponential_sums, exponentials,
    functions_of_logarithms, functions_of_streams, functions_of_sums, held, like_terms, limits,
    opposites, overflow_guard, rational, recognise, saturate, series, simplify, stabilise,
};
use crate::prim::Prim;
use crate::rounding::{self, Arithmetic, BUDGET, Ranges, Worst};
use crate::wiring::Wiring;

/// Runs all target-independent passes on a forward formula or a gradient written by hand.
///
/// `ranges` bound the input streams. If the estimated f32 error is above `WORTH_ANOTHER`, the formula is also written
/// as fractions (sums brought to one denominator). The most accurate of these replaces it if it has less than a tenth
/// of the error.
pub fn forward(traced: &Graph, ranges: &Ranges) -> Graph {
    let written = finish(traced);
    let error = rounding::worst(&written, Arithmetic::F32, ranges).ulps;
    if error <= WORTH_ANOTHER {
        return written;
    }
    let functions = functions(&written);
    let known = known(traced);
    fractions_of_sums(&known, Graph::clone)
        .chain(fractions(&known))
        .map(|form| finish(&form))
        // A form must not call a function that a back end may lack, unless the formula calls it already.
        .filter(|form| {
            let has = |f: &Prim| EVERYWHERE.contains(f) || functions.contains(f);
            self::functions(form).iter().all(has)
        })
        .map(|form| (rounding::worst(&form, Arithmetic::F32, ranges).ulps, form))
        .filter(|(other, _)| *other < 0.1 * error)
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map_or(written, |(_, form)| form)
}

/// Returns the graph of a formula that is computed in f32 as it is written, with primitives that targets implement.
pub fn as_written(traced: &Graph) -> Graph {
    simplify::run(&known(traced))
}

/// Returns the graph of a formula for results in f64: as it is written, without sums that cancel though they need not.
///
/// Passes that aim at the digits or the range of f32 are left out: series, limits, and clamps.
pub fn for_f64(traced: &Graph) -> Graph {
    let graph = common_factors::run(&opposites::run(&known(traced)));
    simplify::run(&stabilise::run(&graph))
}

/// Primitives with one argument that every back end implements.
const EVERYWHERE: [Prim; 6] =
    [Prim::Neg, Prim::Abs, Prim::Exp, Prim::Sigmoid, Prim::Silu, Prim::SiluGrad];

/// Estimated f32 error, in ULP, above which [`forward`] also tries to write the formula as fractions.
///
/// The number is beyond any sum of rounding errors, because only cancellation or overflow reaches it.
const WORTH_ANOTHER: f64 = 1000.0;

/// The ways to write a graph as a fraction, simple ones first.
const STYLES: [Style; 4] = [
    Style { two_sided: false, other_forms: false },
    Style { two_sided: true, other_forms: false },
    Style { two_sided: false, other_forms: true },
    Style { two_sided: true, other_forms: true },
];

/// Rewrites a graph as fractions (sums brought to one denominator), once for each of [`STYLES`].
fn fractions(graph: &Graph) -> impl Iterator<Item = Graph> {
    STYLES.into_iter().map(|style| fraction(graph, style))
}

/// Rewrites functions of sums of streams as fractions of their own, if the graph divides by squares of such sums.
///
/// There is one graph for each of [`STYLES`]; `then` is applied to the functions of streams that stand for the sums.
fn fractions_of_sums(graph: &Graph, then: impl Fn(&Graph) -> Graph) -> impl Iterator<Item = Graph> {
    let styles = if functions_of_sums::are_divisors(graph) { &STYLES[..] } else { &[] };
    styles.iter().filter_map(move |style| {
        functions_of_sums::run(graph, |graph| then(&fraction(graph, *style)))
    })
}

/// Rewrites a graph as fractions.
fn fraction(graph: &Graph, style: Style) -> Graph {
    simplify::run(&rational::run(graph, style))
}

/// Returns the primitives with one argument that a graph calls.
fn functions(graph: &Graph) -> Vec<Prim> {
    let function = |node: &Node| match *node {
        Node::Call(prim, _) if prim.row().arity == 1 => Some(prim),
        _ => None,
    };
    graph.nodes.iter().filter_map(function).collect()
}

/// Differentiates a forward formula, once for each of `steps`.
///
/// The result is not finished: it still needs the passes of [`forward`].
///
/// # Errors
/// When the gradient needs a forward input that `steps` connect to no input of the gradient operator.
pub fn gradient(traced: &Graph, steps: &[Wiring]) -> Result<Graph, Unconnected> {
    Ok(simplify::run(&differentiate::run(traced, steps, before_derivatives)?))
}

/// Rewrites a graph before it is differentiated: a formula that spells out a primitive becomes a call of that primitive.
pub fn before_derivatives(graph: &Graph) -> Graph {
    let recognised = recognise::run(&branch_sinking::run(graph));
    functions_of_logarithms::run(&exponential_sums::run(&recognised, Joint::Lost))
}

/// Error budget of the 16-bit types, in their own ULP.
///
/// With this budget, one result in thirty may be rounded the wrong way at the input with the largest error.
const BUDGET_OF_HALVES: f64 = 1.0 / 32.0;

/// Returns the f64 graph of a formula, and where it has to replace `narrow`, the finished f32 graph.
pub fn wide(traced: &Graph, narrow: &Graph, ranges: &Ranges) -> Wide {
    let (graph, is_joined) = widen(traced, ranges, Infinities::Limits);
    let worst = rounding::worst_in_f32(narrow, ranges);
    let limits = rounding::agree_at_infinity(narrow, &graph, ranges);
    // Factors that leave f64 leave f32 as well, perhaps only for attributes that the estimate does not sample.
    let halves = worst.halves > BUDGET_OF_HALVES || !limits || is_joined;
    let single = worst.ulps > BUDGET || halves;
    Wide { graph, single, halves, fast: Fast::NONE }
}

/// Returns the f64 graph of a part of a formula with row functions, and where it has to replace `narrow`, the finished f32 graph.
///
/// `nearest` is the formula without remainders of the values of rows, which `narrow` computes, so that f32 always needs the f64
/// graph. An infinite element gives what arithmetic gives, not a limit: most values of its row are infinite or NaN as well, and the
/// clamps that give limits took up to two thirds of a gradient's time.
pub fn wide_of_rows(traced: &Graph, nearest: &Graph, narrow: &Graph, ranges: &Ranges) -> Wide {
    let Wide { halves, .. } = wide(nearest, narrow, ranges);
    let (graph, is_joined) = widen(traced, ranges, Infinities::Arithmetic);
    Wide { graph, single: true, halves: halves || is_joined, fast: Fast::NONE }
}

/// Results for infinite inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Infinities {
    /// Limits, wherever one input is infinite.
    Limits,
    /// The results of arithmetic on the formula, which may be NaN.
    Arithmetic,
}

/// Adapts an f64 graph to a back end without f64: orders its factors so that f32 does not overflow.
pub fn for_float(wide: &Graph) -> Graph {
    simplify::run(&stabilise::run(&saturate::run(wide)))
}

/// Returns more ways to write a formula that has [`conjugates`], for back ends without f64.
///
/// The quotient for a sum is good in f64, where the logarithm of `x + sqrt(x^2 + 1)` near 1 has digits left. In f32 it has none, and
/// a fraction has `log1p` there, which takes CPUs three times as long.
pub fn without_f64(traced: &Graph) -> Vec<Graph> {
    let written = written(traced);
    if conjugates::run(&written).is_none() {
        return Vec::new();
    }
    let limited = |form: Graph| held::run(&limits::run(&series::run(&form)));
    fractions(&written).map(|form| for_float(&overflow_guard::run(&limited(form)))).collect()
}

/// Returns a formula as fractions, for back ends without f64, once for each of [`STYLES`].
///
/// The fractions in exponentials of `-|u|`, with a formula for either sign of `u`, neither overflow nor lose the digits of tails.
pub fn fractions_for_float(traced: &Graph) -> impl Iterator<Item = Graph> {
    let written = written(traced);
    let limited = |form: Graph| for_float(&held::run(&limits::run(&form)));
    STYLES.into_iter().map(move |style| limited(fraction(&written, style)))
}

/// Returns a formula for f64 before sums that cancel are rewritten.
fn written(traced: &Graph) -> Graph {
    let collected = common_factors::of_quotients(&like_terms::run(&known(traced)));
    addends::by_stream(&opposites::run(&collected))
}

/// Estimated error, in ULP, at or below which [`widen`] stops trying other ways to write a formula.
const GOOD: f64 = 0.05;

/// Rewrites a graph so that its evaluation in f64 is as accurate as possible.
///
/// The formula is kept as written if its estimated error is at most [`GOOD`]. Otherwise it is also written as
/// fractions, and the most accurate candidate is taken. If that is over the error budget and the graph has several
/// outputs, each output is rewritten on its own.
///
/// Also returns whether products of exponentials leave f64 as written, so that they are [joined](exponentials).
fn widen(traced: &Graph, ranges: &Ranges, infinities: Infinities) -> (Graph, bool) {
    let has_limits = infinities == Infinities::Limits;
    let limited = |form: &Graph| limits::run(&series::run(form));
    let bounded = |limits: &Graph| if has_limits { held::run(limits) } else { limits.clone() };
    let written = written(traced);
    let [of_sums, conjugate] =
        [functions_of_sums::run(&written, limited), conjugates::run(&written)];
    let others: Vec<&Graph> = of_sums.iter().chain(&conjugate).collect();
    // A quotient for a sum that cancels comes first, since fractions of the sum multiply out the square of a difference of streams, and
    // so do fractions of functions of such a difference alone.
    let forms = [written.clone()].into_iter().chain(conjugate.clone()).map(|form| limited(&form));
    let forms = forms.chain(fractions_of_sums(&written, limited));
    let forms = forms.chain(fractions(&written).map(|form| limited(&form)));
    // The last to be tried are fractions of each function on its own, which have limits where one fraction of all is `inf / inf`.
    let alone = STYLES.into_iter().flat_map(|style| {
        let pass = |graph: &Graph| limited(&fraction(graph, style));
        [functions_of_sums::run(&written, pass), functions_of_streams::run(&written, pass)]
    });
    let mut best: Option<(f64, [Graph; 2])> = None;
    for form in forms.chain(of_sums.clone()).chain(alone.flatten()) {
        let bounded = bounded(&form);
        let graph = simplify::run(&overflow_guard::run(&bounded));
        let Worst { ulps: error, is_lost, .. } = rounding::worst(&graph, Arithmetic::F64, ranges);
        let is_without = has_limits && rounding::has_no_limit(&graph, ranges);
        let is_beyond =
            || others.iter().any(|other| rounding::overflows_beside(&graph, other, ranges));
        let error = if is_without || is_beyond() { error.max(1.0) } else { error };
        // Only a form that is good everywhere replaces one that is zero where huge factors make a number of it.
        let error = if is_lost { error.max(GOOD.next_up()) } else { error };
        if best.as_ref().is_none_or(|(least, _)| error < *least) {
            best = Some((error, [bounded, graph]));
        }
        if error <= GOOD {
            break;
        }
    }
    match best {
        Some((error, _)) if error > BUDGET && written.outputs.len() > 1 => {
            one_by_one(traced, ranges, infinities)
        }
        Some((_, [bounded, graph])) => match joined(&bounded, &graph) {
            Some(joined) => (joined, true),
            None => (graph, false),
        },
        None => (written, false),
    }
}

/// Returns `bounded` with its exponentials joined, if that is better than `graph`, its rewrite without that.
fn joined(bounded: &Graph, graph: &Graph) -> Option<Graph> {
    let joined = held::run(&limits::with_series(&exponentials::joined(bounded)?));
    let joined = simplify::run(&overflow_guard::run(&joined));
    exponentials::is_better(&joined, graph).then_some(joined)
}

/// Applies [`widen`] to each output on its own, for graphs that no single rewrite makes accurate.
fn one_by_one(traced: &Graph, ranges: &Ranges, infinities: Infinities) -> (Graph, bool) {
    let mut b = Builder::new();
    let alone = |output: &Id| Graph { outputs: vec![*output].into(), ..traced.clone() };
    let forms = traced.outputs.iter();
    let forms = forms.map(|output| widen(&simplify::run(&alone(output)), ranges, infinities));
    let mut any_joined = false;
    let outputs = forms.map(|(form, is_joined)| {
        any_joined |= is_joined;
        b.part(&form)
    });
    let outputs: Vec<Id> = outputs.collect();
    (b.finish(&outputs), any_joined)
}

/// Rewrites a graph so that it calls only primitives that targets implement.
fn known(graph: &Graph) -> Graph {
    let recognised = recognise::run(&branch_sinking::run(&simplify::run(graph)));
    compose::run(&functions_of_logarithms::run(&exponential_sums::run(&recognised, Joint::Kept)))
}

fn finish(graph: &Graph) -> Graph {
    let graph = saturate::run(&like_terms::run(&known(graph)));
    let graph = stabilise::run(&common_factors::run(&graph));
    simplify::run(&graph)
}
