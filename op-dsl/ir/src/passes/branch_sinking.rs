//! Moves calls on a `select` into its branches, where a branch then becomes a primitive (branch sinking).
//!
//! For example, `1 - pt` with `pt = if t > 0.5 { p } else { 1.0 - p }` and `p = sigmoid(x)` cancels in either branch, but
//! `recognise` looks for functions of one value and does not see through the `select`. Moved into the branches, it is
//! `if t > 0.5 { sigmoid(-x) } else { sigmoid(x) }`. A sum that cancels in f64 too is moved as well, because other passes may have
//! a better form of it. A `select` stays as it is where no branch gains by the move, since the call would only be duplicated.
//!
//! A power whose base has a logarithm among the primitives becomes the exponential of it: `powf(sigmoid(x), y)` becomes
//! `exp(-y * softplus(-x))`. The reason is that a small base underflows long before its square root does, and that the power rule
//! gives the derivative `0 * inf` there. The exponential has neither problem.

use super::recognise::is_composite_row;
use super::simplify;
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;
use crate::rounding::{Arithmetic, Point, lines, outputs, worst};

/// Maximum number of `select`s that one call is moved into, because each duplicates the call.
const MOST_ARMS: usize = 8;
/// Largest integer exponent for which [`power`] rewrites a power as a product.
///
/// A product of so few factors has less rounding error than the exponential of a logarithm.
const LAST_PRODUCT: f64 = 4.0;

/// Moves calls on a `select` into its branches, and rewrites powers as exponentials.
pub fn run(graph: &Graph) -> Graph {
    let rewritten = graph.rewrite(|b, node| {
        let mut copies = MOST_ARMS;
        moved(b, node, &mut copies).or_else(|| power(b, node)).unwrap_or_else(|| b.add(node))
    });
    if rewritten == *graph { rewritten } else { simplify::run(&rewritten) }
}

/// Moves a call into the branches of the first `select` among its arguments.
///
/// Returns `None` unless other passes or [`power`] can improve a branch: with the branch's argument the call cancels, equals one
/// primitive, or is a power that can be rewritten. `copies` is the number of `select`s that the call may still be moved into.
fn moved(b: &mut Builder, node: Node, copies: &mut usize) -> Option<Id> {
    let Node::Call(prim, args) = node else { return None };
    if prim.is_comparison() || matches!(prim, Prim::Select | Prim::Neg) {
        return None;
    }
    let choice = |b: &Builder, id: Id| (id != Id::NONE).then(|| b.as_call(Prim::Select, id))?;
    let [condition, ..] = args.into_iter().find_map(|arg| choice(b, arg))?;
    *copies = copies.checked_sub(1)?;
    // Other arguments that select by the same condition take the same branch.
    let decided = |b: &Builder, arm: usize| {
        args.map(|arg| match choice(b, arg) {
            Some(chosen) if chosen[0] == condition => chosen[arm],
            _ => arg,
        })
    };
    let mut gains = false;
    let mut arm = |b: &mut Builder, arm: usize| {
        let call = Node::Call(prim, decided(b, arm));
        if let Some(gained) = moved(b, call, copies).or_else(|| power(b, call)) {
            gains = true;
            return gained;
        }
        let id = b.add(call);
        let graph = simplify::run(&b.finish(&[id]));
        gains |= is_composite_row(&graph) || cancels(&graph);
        id
    };
    let (yes, no) = (arm(b, 1), arm(b, 2));
    gains.then(|| b.call(Prim::Select, &[condition, yes, no]))
}

/// Returns whether a graph's output is a sum or difference of one stream that cancels in f64 too.
///
/// The output has to depend on one stream, because the passes that have a better formula look for functions of one stream.
fn cancels(graph: &Graph) -> bool {
    let result = graph.outputs[0].index();
    let is_sum = matches!(graph.nodes[result], Node::Call(Prim::Add | Prim::Sub, _));
    let is_sole = || graph.inputs()[result].sole_stream().is_some();
    is_sum && is_sole() && worst(graph, Arithmetic::F64, &[]).ulps > 1.0
}

/// Returns whether a graph's output is a normal number of f32 for every finite input, as `1 + |x|` is.
///
/// Powers of such a base neither underflow nor overflow on the way. They have the limits of a power at infinity, also where the
/// exponent is 0 or next to it: an exponential would have `exp(0 * inf)`.
fn is_ordinary(graph: &Graph) -> bool {
    let range = f64::from(f32::MIN_POSITIVE)..=f64::from(f32::MAX);
    let is_in_range = |point: Point| {
        let results = outputs(graph, Arithmetic::F64, &point);
        results.iter().all(|result| range.contains(&result.value))
    };
    lines(graph, &[]).flatten().all(is_in_range)
}

/// Rewrites a power `x^y` if `ln(x)` equals another primitive, for example if `x` is a sigmoid.
///
/// A base that is [ordinary](is_ordinary) stays as it is.
///
/// The result is a product if `y` is a small integer, otherwise `exp(y ln(x))`. `None` for any other node.
fn power(b: &mut Builder, node: Node) -> Option<Id> {
    let Node::Call(Prim::Pow, [x, y, _]) = node else { return None };
    let log = b.call(Prim::Ln, &[x]);
    if !is_composite_row(&b.finish(&[log])) || is_ordinary(&b.finish(&[x])) {
        return None;
    }
    if let Some(n) = b.as_const(y).filter(|y| (1.0..=LAST_PRODUCT).contains(y) && y.fract() == 0.0)
    {
        return Some(b.power(x, n as i32));
    }
    let exponent = b.product(y, log);
    Some(b.call(Prim::Exp, &[exponent]))
}
