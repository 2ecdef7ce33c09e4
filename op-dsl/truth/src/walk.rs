//! One element through a formula, and through its derivative by forward mode.

use crate::real::Real;
use crate::rules;
use op_dsl_ir::op::{Derived, Spec};
use op_dsl_ir::{Graph, Node, Prim};

/// The outputs of a specialisation for one element. `number` makes numbers of the precision that is
/// computed in.
pub fn outputs<R: Real>(
    spec: &Spec,
    streams: &[f64],
    scalars: &[f64],
    number: &impl Fn(f64) -> R,
) -> Vec<R> {
    let stream = |i: usize| number(streams.get(i).copied().unwrap_or(f64::NAN));
    let scalar = |i: usize| number(scalars.get(i).copied().unwrap_or(f64::NAN));
    let Some(derived) = &spec.derived else {
        let values = values(&spec.traced, &|_| None, &stream, &scalar, number);
        return spec.traced.outputs.iter().map(|o| values[o.index()].clone()).collect();
    };
    let (forward, wiring) = (&derived.forward, &derived.wiring);
    let given = |i: usize| {
        let mut saved = forward.outputs.iter().zip(wiring.saved.iter());
        let stream = saved.find_map(|(out, at)| at.filter(|_| out.index() == i))?;
        Some(stream)
    };
    let input = |i: usize| wiring.inputs[i].map_or_else(|| number(f64::NAN), &stream);
    let values = values(forward, &|i| given(i).map(&stream), &input, &scalar, number);
    let by = |wrt: &usize| gradient(derived, &values, *wrt, &stream, number);
    wiring.wrt.iter().map(by).collect()
}

/// The value of every node; `given` answers for those that are known already.
fn values<R: Real>(
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
            Node::Const(c) => number(c),
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

/// The arguments of a call; the places that it does not have repeat the first.
fn arguments<'v, R>(node: &Node, values: &'v [R]) -> [&'v R; 3] {
    let args = node.args();
    [0, 1, 2].map(|k| &values[args.get(k).unwrap_or(&args[0]).index()])
}

/// The upstream gradients times the derivatives of the outputs by input stream `wrt`.
fn gradient<R: Real>(
    derived: &Derived,
    values: &[R],
    wrt: usize,
    stream: &impl Fn(usize) -> R,
    number: &impl Fn(f64) -> R,
) -> R {
    let tangents = tangents(&derived.forward, values, wrt, number);
    let flows = derived.forward.outputs.iter().zip(derived.wiring.upstream.iter());
    let flows = flows.filter_map(|(out, dy)| Some((tangents[out.index()].clone()?, (*dy)?)));
    let sum = flows.map(|(tangent, dy)| stream(dy) * tangent).reduce(|sum, flow| sum + flow);
    sum.unwrap_or_else(|| number(0.0))
}

/// The derivative of every node; `None` where it is zero whatever the numbers are. Of a choice it
/// is that of the branch taken, so that the other has no part in it.
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
            Node::Call(prim, args) => {
                let moving: Vec<Option<R>> = (0..node.args().len()).map(of).collect();
                let slopes = match moving.iter().any(Option::is_some) {
                    true => rules::slopes(*prim, arguments(node, values), &values[i]),
                    false => [None, None, None],
                };
                let terms = moving.into_iter().zip(slopes).filter_map(|(t, s)| Some(t? * s?));
                let _ = args;
                terms.reduce(|sum, term| sum + term)
            }
        };
        tangents.push(tangent);
    }
    tangents
}
