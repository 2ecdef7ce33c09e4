//! Gradient of a formula, by symbolic forward-mode differentiation: one pass per input stream.
//!
//! The *tangent* of a node is its derivative by that stream. For a call, it is the sum of its partial derivatives times the
//! tangents of its arguments; for a `select`, the `select` of the tangents, so that the untaken branch never reaches the result,
//! not even as `0 * inf`. The upstream gradient is the last factor. Nodes that are *saved* outputs of the forward pass are read
//! from their stream instead of recomputed. `with_grad(value, e)` has the tangent of `e`. In the result it is `value`.

use crate::analysis::Visit;
use crate::derive;
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;
use crate::roles::rounds;
use crate::wiring::Wiring;

/// Error for a gradient that reads an input stream that some step's [`Wiring::inputs`] do not connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the gradient reads input stream {stream} of step {step}, which is not among its inputs")]
pub struct Unconnected {
    /// Index of the differentiation step that does not connect the stream.
    ///
    /// It is 0 for a stream of the formula itself.
    pub step: usize,
    /// Index of the stream among the inputs of the graph that this step differentiates.
    pub stream: usize,
}

/// Returns the gradient graph of `forward`, differentiated once per entry of `steps`.
///
/// `between` rewrites each graph before it is differentiated. Some steps read values that the forward pass saved in streams. Up to
/// the last step these values are computed by nodes instead, so that the last step differentiates them too. In the result they are
/// read from their streams again.
///
/// # Errors
/// The result would read a stream that the inputs of some step do not connect.
pub fn run(
    forward: &Graph,
    steps: &[Wiring],
    between: impl Fn(&Graph) -> Graph,
) -> Result<Graph, Unconnected> {
    let mut graph = forward.clone();
    // Streams of `graph` that contain its last outputs, the saved ones.
    let mut held: Vec<usize> = Vec::new();
    for (i, step) in steps.iter().enumerate() {
        let wiring = with_held(step, &held);
        let is_last = i + 1 == steps.len();
        held = wiring.saved.iter().flatten().copied().collect();
        let written = between(&graph);
        let saved = written.outputs.iter().zip(wiring.saved.iter());
        let saved = saved.filter(|(_, s)| !is_last && s.is_some()).map(|(out, _)| *out);
        let kept: Vec<Id> = saved.collect();
        graph = once(&written, &wiring, beyond(steps, i), is_last, &kept);
    }
    let graph = without_surrogates(&graph);
    match graph.nodes.iter().find_map(|node| unconnected(steps, node)) {
        Some(unconnected) => Err(unconnected),
        None => Ok(graph),
    }
}

/// Replaces every call of `with_grad` by its value. After the last differentiation the chosen derivative is not needed.
pub fn without_surrogates(graph: &Graph) -> Graph {
    graph.rewrite(|b, node| match node {
        Node::Call(Prim::WithGrad, [value, ..]) => value,
        _ => b.add(node),
    })
}

/// Extends a differentiation step by the saved outputs of the graph that it differentiates.
///
/// `held` has the indices of the graph's input streams that contain these outputs.
fn with_held(step: &Wiring, held: &[usize]) -> Wiring {
    let mut wiring = step.clone();
    wiring.upstream.to_mut().extend(held.iter().map(|_| None));
    wiring.saved.to_mut().extend(held.iter().map(|s| step.inputs.get(*s).copied().flatten()));
    wiring
}

/// Returns the first index to use for streams that step `i` does not connect.
///
/// The index is above those of all connected streams, so that a use that remains in the result is found.
pub(super) fn beyond(steps: &[Wiring], i: usize) -> usize {
    let of = |w: &Wiring| {
        let all = w.upstream.iter().chain(w.inputs.iter()).chain(w.saved.iter());
        all.flatten().max().map_or(0, |last| last + 1)
    };
    steps.get(i + 1).map_or_else(|| of(&steps[i]), |next| next.inputs.len())
}

/// Returns the error if a node of the result is a stream that some step does not connect.
pub(super) fn unconnected(steps: &[Wiring], node: &Node) -> Option<Unconnected> {
    let Node::Stream(stream) = *node else { return None };
    let mut stream = usize::from(stream);
    let mut found = None;
    for step in (0..steps.len()).rev() {
        let Some(of_step) = stream.checked_sub(beyond(steps, step)) else { break };
        stream = of_step;
        found = Some(Unconnected { step, stream });
    }
    found
}

/// Differentiates a graph once.
///
/// The values of the nodes `kept`, for example those to save, are outputs after the gradients. Streams that the step does not connect
/// are numbered from `beyond` on.
pub(super) fn once(
    forward: &Graph,
    wiring: &Wiring,
    beyond: usize,
    is_last: bool,
    kept: &[Id],
) -> Graph {
    let mut b = Builder::new();
    let values = forward_values(forward, wiring, beyond, is_last, &mut b);

    let mut outputs = Vec::with_capacity(wiring.wrt.len());
    for &wrt in wiring.wrt.iter() {
        let tangents = tangents(forward, &values, wrt, !is_last, &mut b);
        let mut sum = None;
        for (out, dy) in forward.outputs.iter().zip(wiring.upstream.iter()) {
            if let (Some(dy), Some(tangent)) = (dy, tangents[out.index()]) {
                let dy = b.stream(*dy);
                let flow = chain(&mut b, dy, tangent);
                sum = Some(add(&mut b, sum, flow));
            }
        }
        outputs.push(sum.unwrap_or_else(|| b.num(0.0)));
    }
    outputs.extend(kept.iter().map(|node| values[node.index()]));
    b.finish(&outputs)
}

/// Copies the nodes of `forward` into the gradient graph, and returns the copies.
///
/// At the last step, saved nodes become streams. Unconnected streams are numbered from `beyond` on.
fn forward_values(
    forward: &Graph,
    wiring: &Wiring,
    beyond: usize,
    is_last: bool,
    b: &mut Builder,
) -> Vec<Id> {
    forward.forward(|at| {
        let saved = forward.outputs.iter().zip(wiring.saved.iter());
        let saved = saved.filter(|(out, _)| is_last && **out == at.id).find_map(|(_, s)| *s);
        match (at.node, saved) {
            (Node::Stream(s), _) => {
                let s = s as usize;
                b.stream(wiring.inputs.get(s).copied().flatten().unwrap_or(beyond + s))
            }
            (_, Some(stream)) => b.stream(stream),
            (_, None) => b.add(at.copy()),
        }
    })
}

/// Returns the derivative of every node by the input stream `wrt`, or `None` where it is zero.
///
/// `again` is true if the derivative will be differentiated once more.
fn tangents(
    forward: &Graph,
    values: &[Id],
    wrt: usize,
    again: bool,
    b: &mut Builder,
) -> Vec<Option<Id>> {
    let rounds = rounds(forward);
    forward.forward(|at: Visit<'_, Option<Id>>| match (at.node, at.node.map_args(values)) {
        (Node::Stream(s), _) => (usize::from(s) == wrt).then(|| b.num(1.0)),
        (Node::Call(Prim::Select, [_, yes, no]), Node::Call(_, [c, ..])) => {
            choice(b, c, at[yes], at[no])
        }
        // Partial derivatives are only needed if some argument depends on the stream.
        (Node::Call(prim, args), Node::Call(_, arg_values)) => {
            let moving = args.map(|a| at.get(a).copied().flatten());
            let any = moving.iter().any(Option::is_some);
            let partials =
                any.then(|| derive::partials(b, prim, arg_values, values[at.id.index()], again));
            let terms = partials.into_iter().flatten().zip(moving);
            terms.fold(None, |sum, (partial, tangent)| match (partial, tangent) {
                (Some(partial), Some(tangent)) => {
                    // A rounded value does not move, whatever the slopes around it are.
                    let stays = rounds && vanishes(b, tangent) && !vanishes(b, partial);
                    let (factor, slope) =
                        if stays { (partial, tangent) } else { (tangent, partial) };
                    let flow = chain(b, factor, slope);
                    Some(add(b, sum, flow))
                }
                _ => sum,
            })
        }
        _ => None,
    })
}

/// Emits the derivative of a `select` from those of its branches, `None` meaning zero.
fn choice(b: &mut Builder, c: Id, yes: Option<Id>, no: Option<Id>) -> Option<Id> {
    if yes == no {
        return yes;
    }
    let zero = b.num(0.0);
    Some(b.call(Prim::Select, &[c, yes.unwrap_or(zero), no.unwrap_or(zero)]))
}

/// Emits `factor * slope` by the chain rule.
///
/// A branch of `slope` that is 0 gives 0, even if the factor is infinite.
fn chain(b: &mut Builder, factor: Id, slope: Id) -> Id {
    match b.as_call(Prim::Select, slope) {
        Some([c, yes, no]) if vanishes(b, slope) => {
            let (yes, no) = (chain(b, factor, yes), chain(b, factor, no));
            b.call(Prim::Select, &[c, yes, no])
        }
        _ if b.as_const(slope) == Some(0.0) => slope,
        _ => b.product(factor, slope),
    }
}

/// Returns whether a slope is the constant zero, or a `select` with the constant zero as a branch.
fn vanishes(b: &Builder, slope: Id) -> bool {
    match b.as_call(Prim::Select, slope) {
        Some([_, yes, no]) => vanishes(b, yes) || vanishes(b, no),
        None => b.as_const(slope) == Some(0.0),
    }
}

fn add(b: &mut Builder, sum: Option<Id>, term: Id) -> Id {
    sum.map_or(term, |sum| b.sum(sum, term))
}
