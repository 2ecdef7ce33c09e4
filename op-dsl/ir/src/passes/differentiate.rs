//! The gradient of a formula, by symbolic differentiation forwards: one pass per input stream.
//!
//! The *tangent* of a node is its derivative by that stream: of a call, the sum of its partials
//! times the tangents of its arguments; of a choice, the choice of the tangents. So what a branch
//! does not take never reaches the result, not even as `0 * inf`. The upstream gradient is the last
//! factor. Nodes that are *saved* outputs of the forward pass are read from their stream instead of
//! recomputed.

use crate::derive;
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;
use crate::wiring::Wiring;

/// The gradient needs a forward input stream that [`Wiring::inputs`] does not connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the gradient reads forward input stream {stream}, which is not among its inputs")]
pub struct Unconnected {
    /// Index of the forward input stream.
    pub stream: usize,
}

/// The gradient graph of `forward` under `wiring`.
///
/// # Errors
/// When the result would read a forward input that the wiring does not connect.
pub fn run(forward: &Graph, wiring: &Wiring) -> Result<Graph, Unconnected> {
    let mut b = Builder::new();
    // Unconnected inputs get stream numbers past all others, so that a remaining use is found.
    let beyond = 1
        + wiring.upstream.iter().chain(wiring.inputs.iter()).flatten().max().unwrap_or(&0)
        + wiring.saved.len();
    let values = forward_values(forward, wiring, beyond, &mut b);

    let mut outputs = Vec::with_capacity(wiring.wrt.len());
    for &wrt in wiring.wrt.iter() {
        let tangents = tangents(forward, &values, wrt, &mut b);
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
    let graph = b.finish(&outputs);
    match (beyond..beyond + wiring.inputs.len()).find(|&s| graph.reads(s)) {
        Some(s) => Err(Unconnected { stream: s - beyond }),
        None => Ok(graph),
    }
}

/// The forward nodes as the gradient sees them: saved ones are streams.
fn forward_values(forward: &Graph, wiring: &Wiring, beyond: usize, b: &mut Builder) -> Vec<Id> {
    let mut values: Vec<Id> = Vec::with_capacity(forward.nodes.len());
    for (i, node) in forward.nodes.iter().enumerate() {
        let saved = forward.outputs.iter().zip(wiring.saved.iter());
        let saved = saved.filter(|(out, _)| out.index() == i).find_map(|(_, s)| *s);
        values.push(match (*node, saved) {
            (Node::Stream(s), _) => {
                let s = s as usize;
                b.stream(wiring.inputs[s].unwrap_or(beyond + s))
            }
            (_, Some(stream)) => b.stream(stream),
            (_, None) => b.add(node.map_args(&values)),
        });
    }
    values
}

/// The derivative of every node by an input stream; `None` where it is zero.
fn tangents(forward: &Graph, values: &[Id], wrt: usize, b: &mut Builder) -> Vec<Option<Id>> {
    let mut tangents: Vec<Option<Id>> = Vec::with_capacity(forward.nodes.len());
    for (i, node) in forward.nodes.iter().enumerate() {
        let tangent = match (*node, node.map_args(values)) {
            (Node::Stream(s), _) => (usize::from(s) == wrt).then(|| b.num(1.0)),
            (Node::Call(Prim::Select, [_, yes, no]), Node::Call(_, [c, ..])) => {
                choice(b, c, tangents[yes.index()], tangents[no.index()])
            }
            // Only what varies is differentiated: the partials by all else are not asked for.
            (Node::Call(prim, args), Node::Call(_, arg_values)) => {
                let of = |a: Id| tangents.get(a.index()).copied().flatten();
                let moving = args.map(of);
                let any = moving.iter().any(Option::is_some);
                let partials = any.then(|| derive::partials(b, prim, arg_values, values[i]));
                let terms = partials.into_iter().flatten().zip(moving);
                terms.fold(None, |sum, (partial, tangent)| match (partial, tangent) {
                    (Some(partial), Some(tangent)) => {
                        let flow = chain(b, tangent, partial);
                        Some(add(b, sum, flow))
                    }
                    _ => sum,
                })
            }
            _ => None,
        };
        tangents.push(tangent);
    }
    tangents
}

/// The tangent of a choice.
fn choice(b: &mut Builder, c: Id, yes: Option<Id>, no: Option<Id>) -> Option<Id> {
    if yes == no {
        return yes;
    }
    let zero = b.num(0.0);
    Some(b.call(Prim::Select, &[c, yes.unwrap_or(zero), no.unwrap_or(zero)]))
}

/// `factor * slope`. A slope that is zero by choice makes zero, even of an infinite factor.
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

/// Whether some branch of a choice is zero.
fn vanishes(b: &Builder, slope: Id) -> bool {
    match b.as_call(Prim::Select, slope) {
        Some([_, yes, no]) => vanishes(b, yes) || vanishes(b, no),
        None => b.as_const(slope) == Some(0.0),
    }
}

fn add(b: &mut Builder, sum: Option<Id>, term: Id) -> Id {
    sum.map_or(term, |sum| b.sum(sum, term))
}
