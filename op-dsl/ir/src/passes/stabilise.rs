//! Removes cancellation and overflow at the ends of the number range, which authors cannot see.
//!
//! * `1 + tanh u`, `1 - tanh u` and `1 - tanh^2 u` cancel where `tanh u` is near one. They become sigmoids, which do not cancel.
//!   (`1 + erf u` is found by value, in `recognise`.) `1 - t^2` of a saved `t` cancels too, and becomes `(1 - t) (1 + t)`.
//! * Products take bounded factors first, because `dy * a` may overflow, and infinity times a gate that has underflowed to zero
//!   would be NaN. `gelu'(x) * dy * a` gives the correct zero.
//! * A bounded factor above one may still make `dy` overflow before a small `a` brings it back. Such products become one call of
//!   `mul3`, which picks the order by the values.

use super::products::{bounds, inner_products, is_ordinary};
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;

/// Rewrites sums that cancel, and then orders the factors of products.
///
/// Cancellation is removed first, since that changes which factors are bounded.
pub fn run(graph: &Graph) -> Graph {
    order_products(&graph.rewrite(cancellation))
}

fn cancellation(b: &mut Builder, node: Node) -> Id {
    let found = match node {
        Node::Call(Prim::Add, [x, y, _]) => {
            one_plus_tanh(b, x, y).or_else(|| one_plus_tanh(b, y, x))
        }
        Node::Call(Prim::Sub, [x, y, _]) => match b.as_const(x) {
            Some(1.0) => one_minus_tanh(b, y).or_else(|| squares(b, x, y)),
            _ => squares(b, x, y),
        },
        _ => None,
    };
    found.unwrap_or_else(|| b.add(node))
}

/// Rewrites `1 + tanh u` as `2 sigmoid(2 u)`. `None` for other sums.
fn one_plus_tanh(b: &mut Builder, one: Id, t: Id) -> Option<Id> {
    if b.as_const(one) != Some(1.0) {
        return None;
    }
    let [u, ..] = b.as_call(Prim::Tanh, t)?;
    Some(twice_sigmoid(b, 2.0, u))
}

/// Rewrites `1 - t`, if `t` is `tanh u` or `tanh^2 u`. `None` for any other `t`.
///
/// The results are `2 sigmoid(-2 u)` and `4 sigmoid(2 u) sigmoid(-2 u)`.
fn one_minus_tanh(b: &mut Builder, t: Id) -> Option<Id> {
    if let Some([u, ..]) = b.as_call(Prim::Tanh, t) {
        return Some(twice_sigmoid(b, -2.0, u));
    }
    let [x, y, _] = b.as_call(Prim::Mul, t)?;
    let [u, ..] = b.as_call(Prim::Tanh, x).filter(|_| x == y)?;
    let (up, down) = (twice_sigmoid(b, 2.0, u), twice_sigmoid(b, -2.0, u));
    Some(b.product(up, down))
}

/// Rewrites a difference `x - y` of a stream's square and a number as `(u - v) (u + v)`.
///
/// `u` and `v` are the square roots of `x` and `y`. Both `u - v` and `u + v` are rounded only once. `None` for other differences.
fn squares(b: &mut Builder, x: Id, y: Id) -> Option<Id> {
    let (x, y) = match (b.as_const(x), b.as_const(y)) {
        (Some(c), None) => (root(b, c)?, squared(b, y)?),
        (None, Some(c)) => (squared(b, x)?, root(b, c)?),
        _ => return None,
    };
    let (apart, together) = (b.difference(x, y), b.sum(x, y));
    Some(b.product(apart, together))
}

/// Emits the square root of a number if f64 represents it exactly, otherwise returns `None`.
fn root(b: &mut Builder, c: f64) -> Option<Id> {
    let root = c.sqrt();
    (root * root == c && is_ordinary(root)).then(|| b.num(root))
}

/// Returns the stream of which a value is the square, or `None` if it is no square of a stream.
fn squared(b: &Builder, value: Id) -> Option<Id> {
    let [x, y, _] = b.as_call(Prim::Mul, value)?;
    (x == y && matches!(b.node(x), Node::Stream(_))).then_some(x)
}

fn twice_sigmoid(b: &mut Builder, factor: f64, u: Id) -> Id {
    let v = b.scaled(factor, u);
    let s = b.call(Prim::Sigmoid, &[v]);
    b.scaled(2.0, s)
}

fn order_products(graph: &Graph) -> Graph {
    let bounds = bounds(graph);
    let uniform = graph.uniform();
    let inner = inner_products(graph);
    graph.rewrite_at(|b, at| {
        let product = match at.node {
            Node::Call(Prim::Mul, _) => {
                let factors = graph.factors(at.id, |factor| inner[factor.index()]);
                product(b, graph, &bounds, &uniform, &factors, at.earlier)
            }
            _ => None,
        };
        product.unwrap_or_else(|| b.add(at.copy()))
    })
}

/// Emits a product in this order: one number, attributes, bounded factors, other factors.
///
/// Factors of each kind keep the order in which they are written. Attributes come before streams because they are multiplied once in a
/// call, and `dy * s` may overflow where a small `x` brings `dy * s * x` back.
///
/// Returns `None` if there are only two factors, or if the number is near the ends of f32's range; then the product keeps its
/// grouping.
fn product(
    b: &mut Builder,
    graph: &Graph,
    bounds: &[f64],
    uniform: &[bool],
    factors: &[Id],
    new: &[Id],
) -> Option<Id> {
    let number = |id: &Id| graph.as_const(*id);
    let scale: f64 = factors.iter().filter_map(number).product();
    if factors.len() == 2 || !is_ordinary(scale) {
        return None;
    }
    let others = factors.iter().filter(|id| number(id).is_none());
    let (attributes, streams): (Vec<Id>, Vec<Id>) = others.partition(|id| uniform[id.index()]);
    let (bounded, free): (Vec<Id>, Vec<Id>) =
        streams.into_iter().partition(|id| bounds[id.index()].is_finite());
    let first: Vec<Id> = [attributes, bounded].concat();
    // An attribute has no bound, so that it may make a product of two streams overflow.
    let reach = scale.abs() * first.iter().map(|id| bounds[id.index()]).product::<f64>();
    let mut result = b.num(scale);
    let mut free = free.iter().map(|id| new[id.index()]);
    for id in &first {
        result = b.product(result, new[id.index()]);
    }
    if reach > 1.0 && free.len() >= 2 {
        let two: Vec<Id> = free.by_ref().take(2).collect();
        result = b.call(Prim::Mul3, &[result, two[0], two[1]]);
    }
    Some(free.fold(result, |product, factor| b.product(product, factor)))
}
