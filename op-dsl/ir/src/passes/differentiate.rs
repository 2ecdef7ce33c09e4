//! The gradient of a formula, by symbolic differentiation in reverse.
//!
//! For each output `y` with upstream gradient `dy`, adjoints flow from `y` to the inputs: the
//! adjoint of an argument is the sum over its uses of `adjoint of the use * partial`. Nodes that
//! are *saved* outputs of the forward pass are read from their stream instead of recomputed.

use crate::derive;
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;

/// How the streams of a gradient connect to those of its forward formula.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wiring {
    /// For each forward input stream, the gradient's input stream with the same values, if it
    /// has one.
    pub inputs: Vec<Option<usize>>,
    /// For each forward output stream, the gradient's input stream with the upstream gradient;
    /// `None` for outputs that are not differentiated (saved ones).
    pub upstream: Vec<Option<usize>>,
    /// For each forward output stream, the gradient's input stream that holds its value, if any.
    pub saved: Vec<Option<usize>>,
    /// The forward input streams to differentiate by: one gradient output each, in this order.
    pub wrt: Vec<usize>,
}

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
        + wiring.upstream.iter().chain(&wiring.inputs).flatten().max().unwrap_or(&0)
        + wiring.saved.len();
    let values = forward_values(forward, wiring, beyond, &mut b);

    let mut adjoints: Vec<Option<Id>> = vec![None; forward.nodes.len()];
    for (out, dy) in forward.outputs.iter().zip(&wiring.upstream) {
        if let Some(dy) = dy {
            let dy = b.stream(*dy);
            accumulate(&mut b, &mut adjoints, *out, dy);
        }
    }
    for i in (0..forward.nodes.len()).rev() {
        let (Some(adjoint), Node::Call(prim, args)) = (adjoints[i], forward.nodes[i]) else {
            continue;
        };
        let Node::Call(_, arg_values) = forward.nodes[i].map_args(&values) else { continue };
        let partials = derive::partials(&mut b, prim, arg_values, values[i]);
        for (arg, partial) in args.iter().zip(partials) {
            if let Some(partial) = partial {
                let flow = chain(&mut b, adjoint, partial);
                accumulate(&mut b, &mut adjoints, *arg, flow);
            }
        }
    }

    let zero = b.num(0.0);
    let outputs: Vec<Id> = wiring
        .wrt
        .iter()
        .map(|&wrt| {
            let input = |n: &Node| *n == Node::Stream(wrt as u16);
            forward.nodes.iter().position(input).and_then(|i| adjoints[i]).unwrap_or(zero)
        })
        .collect();
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
        let saved = forward.outputs.iter().zip(&wiring.saved);
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

/// `adjoint * partial`. A partial that is a choice between constants stays a choice, so that an
/// infinite or NaN adjoint of the branch not taken does not leak in as `0 * inf`.
fn chain(b: &mut Builder, adjoint: Id, partial: Id) -> Id {
    if let Some([c, yes, no]) = b.as_call(Prim::Select, partial) {
        let (yes, no) = (chain(b, adjoint, yes), chain(b, adjoint, no));
        return b.call(Prim::Select, &[c, yes, no]);
    }
    // Where the partial is zero, so is the flow, even of an infinite adjoint.
    if b.as_const(partial) == Some(0.0) { partial } else { b.product(adjoint, partial) }
}

fn accumulate(b: &mut Builder, adjoints: &mut [Option<Id>], at: Id, flow: Id) {
    let slot = &mut adjoints[at.index()];
    *slot = Some(match *slot {
        None => flow,
        Some(sum) => b.sum(sum, flow),
    });
}
