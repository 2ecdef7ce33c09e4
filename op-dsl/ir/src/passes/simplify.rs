//! Removes what costs work and changes nothing: constants are folded, `1 * x` is `x`.
//!
//! Every rule is exact in floating point (up to the sign of a zero), so no rule may regroup sums
//! or turn a division into a product by a rounded reciprocal.

use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;

/// Applies the rules to every node, arguments first, until nothing changes.
pub fn run(graph: &Graph) -> Graph {
    let mut now = graph.clone();
    loop {
        let next = now.rewrite(rule);
        if next == now {
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
        (Prim::Mul | Prim::Div, _, Some(1.0)) => x,
        (Prim::Mul, Some(-1.0), _) => b.negative(y),
        (Prim::Mul | Prim::Div, _, Some(-1.0)) => b.negative(x),
        // Constants stand on the left of a product.
        (Prim::Mul, None, Some(_)) => b.product(y, x),
        (Prim::Div, _, Some(c)) if is_power_of_two(c) => b.scaled(1.0 / c, x),
        (Prim::Neg, ..) => negate(b, x, node),
        (Prim::Add, ..) => add(b, x, y, node),
        (Prim::Sub, ..) => match b.as_call(Prim::Neg, y) {
            Some([y, ..]) => b.sum(x, y),
            None => b.add(node),
        },
        (Prim::Mul, ..) => multiply(b, x, y, node),
        (Prim::Div, ..) => match (b.as_call(Prim::Neg, x), b.as_call(Prim::Neg, y)) {
            (Some([x, ..]), Some([y, ..])) => b.quotient(x, y),
            (Some([x, ..]), None) => outer_negative(b, Prim::Div, x, y),
            (None, Some([y, ..])) => outer_negative(b, Prim::Div, x, y),
            (None, None) => b.add(node),
        },
        (Prim::Select, ..) if y == z => y,
        _ => b.add(node),
    }
}

/// The value of a call whose arguments are all numbers.
fn fold(b: &Builder, prim: Prim, args: &[Id; 3]) -> Option<f64> {
    let row = prim.row();
    if row.prim == Prim::Select {
        return None;
    }
    let mut values = [f64::NAN; 3];
    for (value, arg) in values.iter_mut().zip(&args[..row.arity]) {
        *value = b.as_const(*arg)?;
    }
    // A comparison stays a mask: a number would lose its type.
    Some((row.oracle)(values)).filter(|v| v.is_finite() && !prim.is_comparison())
}

fn is_power_of_two(c: f64) -> bool {
    c.is_normal() && c.to_bits() << 12 == 0 && c.abs() < 1e30 && c.abs() > 1e-30
}

fn outer_negative(b: &mut Builder, prim: Prim, x: Id, y: Id) -> Id {
    let inner = b.call(prim, &[x, y]);
    b.negative(inner)
}

/// `--x = x`, `-(x - y) = y - x`, `-(c x) = (-c) x`
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

/// `x + -y = x - y`, `-x + y = y - x`
fn add(b: &mut Builder, x: Id, y: Id, node: Node) -> Id {
    if let Some([y, ..]) = b.as_call(Prim::Neg, y) {
        return b.difference(x, y);
    }
    match b.as_call(Prim::Neg, x) {
        Some([x, ..]) => b.difference(y, x),
        None => b.add(node),
    }
}

/// `c (-x) = (-c) x`, `(-x)(-y) = x y`, `(-x) y = -(x y)`, `c (d x) = (c d) x` where exact
fn multiply(b: &mut Builder, x: Id, y: Id, node: Node) -> Id {
    let negative = |id: Id| b.as_call(Prim::Neg, id).map(|[inner, ..]| inner);
    match (b.as_const(x), negative(x), negative(y)) {
        (Some(c), _, Some(y)) => b.scaled(-c, y),
        (_, Some(x), Some(y)) => b.product(x, y),
        (_, Some(x), None) => outer_negative(b, Prim::Mul, x, y),
        (_, None, Some(y)) => outer_negative(b, Prim::Mul, x, y),
        (Some(c), ..) => match b.as_call(Prim::Mul, y) {
            Some([d, x, _]) if b.as_const(d).is_some() => {
                let d = b.as_const(d).unwrap_or(1.0);
                b.scaled(c * d, x)
            }
            _ => b.add(node),
        },
        _ => b.add(node),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show;

    fn shown(build: impl Fn(&mut Builder, Id, Id) -> Id) -> String {
        let mut b = Builder::new();
        let (x, y) = (b.stream(0), b.stream(1));
        let out = build(&mut b, x, y);
        let names = ["x".to_string(), "y".to_string()];
        show::expression(&run(&b.finish(&[out])), &names, &[])
    }

    #[test]
    fn rules() {
        let twice = |b: &mut Builder, x| b.scaled(2.0, x);
        assert_eq!(shown(|b, x, _| b.scaled(1.0, x)), "x");
        assert_eq!(shown(|b, x, _| b.scaled(-1.0, x)), "-x");
        assert_eq!(
            shown(|b, x, _| {
                let t = twice(b, x);
                b.scaled(3.0, t)
            }),
            "6 * x"
        );
        assert_eq!(
            shown(|b, x, y| {
                let n = b.negative(y);
                b.sum(x, n)
            }),
            "x - y"
        );
        assert_eq!(
            shown(|b, x, y| {
                let n = b.negative(x);
                b.product(n, y)
            }),
            "-(x * y)"
        );
        assert_eq!(
            shown(|b, x, _| {
                let n = b.negative(x);
                b.negative(n)
            }),
            "x"
        );
        assert_eq!(
            shown(|b, x, _| {
                let c = b.num(4.0);
                b.quotient(x, c)
            }),
            "0.25 * x"
        );
        assert_eq!(
            shown(|b, x, _| {
                let c = b.num(3.0);
                b.quotient(x, c)
            }),
            "x / 3"
        );
        assert_eq!(
            shown(|b, _, _| {
                let c = b.num(0.0);
                b.call(Prim::Exp, &[c])
            }),
            "1"
        );
    }
}
