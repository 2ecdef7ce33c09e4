//! Simplifies by exact rules only: folds constants, replaces `1 * x` by `x`, and so on.
//!
//! Every rule is exact in floating point (up to the sign of a zero). Therefore no rule may regroup sums or turn a division into a
//! product with a rounded reciprocal.

use super::products::is_ordinary;
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;

/// Applies the simplification rules to every node, arguments first, until nothing changes.
pub fn run(graph: &Graph) -> Graph {
    let mut now = graph.clone();
    loop {
        let next = now.rewrite(rule);
        if next.is_same(&now) {
            return now;
        }
        now = next;
    }
}

fn rule(b: &mut Builder, node: Node) -> Id {
    let Node::Call(prim, args) = node else { return b.add(node) };
    if let Some(value) = fold(b, prim, &args) {
        return b.num(value);
    }
    let [x, y, z] = args;
    let number = |id: Id| if id == Id::NONE { None } else { b.as_const(id) };
    match (prim, number(x), number(y)) {
        (Prim::Add, Some(0.0), _) => y,
        (Prim::Add | Prim::Sub, _, Some(0.0)) => x,
        (Prim::Sub, Some(0.0), _) => b.negative(y),
        (Prim::Mul, Some(1.0), _) => y,
        (Prim::Mul, Some(-1.0), _) => b.negative(y),
        // Moves a constant to the left of a product.
        (Prim::Mul, None, Some(_)) => b.product(y, x),
        (Prim::Div, _, Some(c)) if is_power_of_two(c) => b.scaled(1.0 / c, x),
        (Prim::Neg, ..) => negate(b, x, node),
        (Prim::Add, ..) => add(b, x, y, node),
        (Prim::Sub, ..) => match b.as_call(Prim::Neg, y) {
            Some([y, ..]) => b.sum(x, y),
            None => b.add(node),
        },
        (Prim::Mul | Prim::Div, ..) => signs(b, prim, x, y),
        (Prim::Select, ..) if y == z => y,
        (Prim::Abs, ..) => match b.as_call(Prim::Neg, x) {
            Some([x, ..]) => b.call(Prim::Abs, &[x]),
            None => b.add(node),
        },
        _ => b.add(node),
    }
}

/// Returns the value of a call whose arguments are all constants; `None` for any other call.
fn fold(b: &Builder, prim: Prim, args: &[Id; 3]) -> Option<f64> {
    let row = prim.row();
    let mut values = [f64::NAN; 3];
    for (value, arg) in values.iter_mut().zip(&args[..row.arity]) {
        *value = b.as_const(*arg)?;
    }
    // A comparison is not folded, because a number would lose the type of a mask. Hence the condition of a `select` is never a
    // number, and no `select` is folded here.
    Some((row.oracle)(values)).filter(|v| v.is_finite() && !prim.is_comparison())
}

fn is_power_of_two(c: f64) -> bool {
    c.to_bits() << 12 == 0 && is_ordinary(c)
}

/// Emits `-x`, simplified by `--x = x`, `-(x - y) = y - x` or `-(c x) = (-c) x` (constant `c`).
fn negate(b: &mut Builder, x: Id, node: Node) -> Id {
    match b.node(x) {
        Node::Call(Prim::Neg, [x, ..]) => x,
        Node::Call(Prim::Sub, [x, y, _]) => b.difference(y, x),
        Node::Call(Prim::Mul, [c, x, _]) if b.as_const(c).is_some() => {
            let c = b.as_const(c).unwrap_or(1.0);
            b.scaled(-c, x)
        }
        _ => b.add(node),
    }
}

/// Emits `x + y`, simplified by `x + -y = x - y` or `-x + y = y - x`.
fn add(b: &mut Builder, x: Id, y: Id, node: Node) -> Id {
    if let Some([y, ..]) = b.as_call(Prim::Neg, y) {
        return b.difference(x, y);
    }
    match b.as_call(Prim::Neg, x) {
        Some([x, ..]) => b.difference(y, x),
        None => b.add(node),
    }
}

/// Emits a product, simplified by `(-x)(-y) = x y` or `(-x) y = -(x y)`, or likewise a quotient.
fn signs(b: &mut Builder, prim: Prim, x: Id, y: Id) -> Id {
    let bare = |id: Id| b.as_call(Prim::Neg, id).map(|[inner, ..]| inner);
    let (bare_x, bare_y) = (bare(x), bare(y));
    let call = b.call(prim, &[bare_x.unwrap_or(x), bare_y.unwrap_or(y)]);
    if bare_x.is_some() == bare_y.is_some() { call } else { b.negative(call) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A NaN is not equal to itself, so that a graph with one never equals the graph after a further pass.
    #[test]
    fn a_constant_that_is_nan_ends_as_others_do() {
        let mut b = Builder::new();
        let (x, nan, one) = (b.stream(0), b.num(f64::NAN), b.num(1.0));
        let product = b.call(Prim::Mul, &[one, x]);
        let sum = b.call(Prim::Add, &[product, nan]);
        let simple = run(&b.finish(&[sum]));
        assert!(matches!(simple.nodes[simple.outputs[0].index()], Node::Call(Prim::Add, [x, ..])
            if simple.nodes[x.index()] == Node::Stream(0)));
    }
}
