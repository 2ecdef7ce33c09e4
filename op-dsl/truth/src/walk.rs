//! Evaluation of one element of a formula, and of its derivative by forward mode.

use crate::constants;
use crate::dual::Dual;
use crate::real::Real;
use crate::rules;
use op_dsl_ir::op::{Derived, Spec};
use op_dsl_ir::wiring::Wiring;
use op_dsl_ir::{Graph, Node, Prim};

/// Returns a function from a stream's index to its value; NaN for a stream that does not exist.
pub fn at<R>(streams: &[f64], number: impl Fn(f64) -> R) -> impl Fn(usize) -> R {
    move |i| number(streams.get(i).copied().unwrap_or(f64::NAN))
}

/// Returns the approximate number of primitive calls that the evaluation of one element makes.
///
/// For a derivative it includes the calls that compute slopes.
pub fn calls(spec: &Spec) -> usize {
    let of = |graph: &Graph| graph.nodes.iter().map(weight).sum::<usize>();
    match &spec.derived {
        Some(Derived { forward, steps, .. }) => 3 * steps.len() * of(forward),
        None => of(&spec.traced),
    }
}

/// Returns the number of usual calls that take as long as the evaluation of a node.
fn weight(node: &Node) -> usize {
    // Newton's method evaluates error functions and logarithms many times, and the series of the gamma function has many terms.
    let is_long =
        |prim: Prim| matches!(prim, Prim::Erfinv | Prim::Lgamma | Prim::Digamma | Prim::Trigamma);
    if matches!(*node, Node::Call(prim, _) if is_long(prim)) { 40 } else { 1 }
}

/// Returns the outputs of a specialisation for one element.
///
/// `stream` returns the value of an input stream by index; `number` converts an f64 to a number of the chosen precision.
pub fn outputs<R: Real>(
    spec: &Spec,
    stream: &impl Fn(usize) -> R,
    scalars: &[f64],
    number: &impl Fn(f64) -> R,
) -> Vec<R> {
    let scalar = |i: usize| number(scalars.get(i).copied().unwrap_or(f64::NAN));
    let Some(Derived { forward, steps, .. }) = &spec.derived else {
        let values = values(&spec.traced, &|_| None, stream, &scalar, number);
        return spec.traced.outputs.iter().map(|o| values[o.index()].clone()).collect();
    };
    let [first, later @ ..] = &**steps else { return Vec::new() };
    // Returns stream `i` of the first step's gradient, if the last step was given it.
    let held = |i: usize| match later {
        [] => Some(stream(i)),
        [second, ..] => second.inputs.get(i).copied().flatten().map(stream),
    };
    let given = |i: usize| {
        let mut saved = forward.outputs.iter().zip(first.saved.iter());
        saved.find_map(|(out, at)| at.filter(|_| out.index() == i)).and_then(held)
    };
    let upstream = |i: usize| held(i).unwrap_or_else(|| number(f64::NAN));
    let input = |i: usize| first.inputs[i].map_or_else(|| number(f64::NAN), upstream);
    let values = values(forward, &given, &input, &scalar, number);
    let by = |wrt: &usize| match later {
        [] => gradient(forward, first, &values, *wrt, stream, number),
        [second, ..] => {
            let slopes = slopes(forward, first, &values, *wrt, &upstream, number);
            flow(slopes.into_iter(), second, stream, number)
        }
    };
    later.first().unwrap_or(first).wrt.iter().map(by).collect()
}

/// Returns a gradient: the sum, over the forward outputs, of upstream gradient times derivative.
///
/// `slopes` has the derivative of each output. `stream` returns the gradient's input streams by index, and `wiring`
/// says which of them are upstream gradients.
fn flow<R: Real>(
    slopes: impl Iterator<Item = Option<R>>,
    wiring: &Wiring,
    stream: &impl Fn(usize) -> R,
    number: &impl Fn(f64) -> R,
) -> R {
    let flows = slopes.zip(wiring.upstream.iter());
    let flows = flows.filter_map(|(slope, dy)| Some(stream((*dy)?) * slope?));
    flows.reduce(|sum, flow| sum + flow).unwrap_or_else(|| number(0.0))
}

/// Returns the gradient of a formula by its input stream `wrt`.
///
/// The gradient is the sum, over all outputs, of the upstream gradient times the output's derivative.
fn gradient<R: Real>(
    forward: &Graph,
    wiring: &Wiring,
    values: &[R],
    wrt: usize,
    stream: &impl Fn(usize) -> R,
    number: &impl Fn(f64) -> R,
) -> R {
    let tangents = tangents(forward, values, wrt, number);
    let slopes = forward.outputs.iter().map(|out| tangents[out.index()].clone());
    flow(slopes, wiring, stream, number)
}

/// Returns the derivative of every output of a gradient by the gradient's input stream `wrt`.
///
/// All intermediate numbers are duals whose slope is the derivative by stream `wrt`. A forward value that the gradient
/// reads as an input has the slope of its node in the forward formula.
fn slopes<R: Real>(
    forward: &Graph,
    wiring: &Wiring,
    values: &[R],
    wrt: usize,
    stream: &impl Fn(usize) -> R,
    number: &impl Fn(f64) -> R,
) -> Vec<Option<R>> {
    let varied = wiring.inputs.iter().position(|at| *at == Some(wrt));
    let still = || vec![None; values.len()];
    let tangents = varied.map_or_else(still, |input| tangents(forward, values, input, number));
    let values = values.iter().cloned().zip(tangents);
    let values: Vec<Dual<R>> = values.map(|(value, slope)| Dual { value, slope }).collect();
    let stream = |i: usize| Dual { value: stream(i), slope: (i == wrt).then(|| number(1.0)) };
    let number = |v: f64| Dual::still(number(v));
    let by = |input: &usize| gradient(forward, wiring, &values, *input, &stream, &number).slope;
    wiring.wrt.iter().map(by).collect()
}

/// Returns the value of every node; `given` returns, by node index, a value that is known already.
pub(crate) fn values<R: Real>(
    graph: &Graph,
    given: &impl Fn(usize) -> Option<R>,
    stream: &impl Fn(usize) -> R,
    scalar: &impl Fn(usize) -> R,
    number: &impl Fn(f64) -> R,
) -> Vec<R> {
    let mut values: Vec<R> = Vec::with_capacity(graph.nodes.len());
    for (i, node) in graph.nodes.iter().enumerate() {
        let own = || match *node {
            Node::Stream(s) => stream(s.into()),
            Node::Scalar(s) => scalar(s.into()),
            Node::Const(c) => constants::number(c, number(c)),
            Node::Call(prim, _) => rules::value(prim, arguments(node, &values)),
        };
        let value = match node {
            Node::Stream(_) => own(),
            _ => given(i).unwrap_or_else(own),
        };
        values.push(value);
    }
    values
}

/// Returns the values of a call's arguments; missing arguments repeat the first.
fn arguments<'v, R>(node: &Node, values: &'v [R]) -> [&'v R; 3] {
    let args = node.args();
    [0, 1, 2].map(|k| &values[args.get(k).unwrap_or(&args[0]).index()])
}

/// Returns the derivative of every node by input stream `wrt`; `None` where it is zero for all numbers.
///
/// The derivative of a select is that of the branch taken, so that the untaken branch has no influence.
fn tangents<R: Real>(
    graph: &Graph,
    values: &[R],
    wrt: usize,
    number: &impl Fn(f64) -> R,
) -> Vec<Option<R>> {
    let mut tangents: Vec<Option<R>> = Vec::with_capacity(graph.nodes.len());
    for (i, node) in graph.nodes.iter().enumerate() {
        let of = |k: usize| tangents[node.args()[k].index()].clone();
        let tangent = match node {
            Node::Stream(s) => (usize::from(*s) == wrt).then(|| number(1.0)),
            Node::Scalar(_) | Node::Const(_) => None,
            Node::Call(Prim::Select, [c, ..]) => {
                let (c, yes, no) = (&values[c.index()], of(1), of(2));
                match c.sign() {
                    Some(std::cmp::Ordering::Equal) => no,
                    Some(_) => yes,
                    None => yes.or(no).map(|_| c.unknown()),
                }
            }
            Node::Call(prim, _) => {
                let moving: Vec<Option<R>> = (0..node.args().len()).map(of).collect();
                let slopes = match moving.iter().any(Option::is_some) {
                    true => rules::slopes(*prim, arguments(node, values), &values[i]),
                    false => [None, None, None],
                };
                let terms = moving.into_iter().zip(slopes);
                let terms = terms.filter_map(|(t, s)| Some(rules::term(*prim, t?, s?)));
                terms.reduce(|sum, term| sum + term)
            }
        };
        tangents.push(tangent);
    }
    tangents
}
