//! Distributes a constant factor over a sum of constants and scaled products, which saves a rounding.
//!
//! `c (a x + b)` is rounded after each of its calls; `(c a) x + c b` is rounded once less, and on registers only once, because they
//! fuse the product and the sum. Derivatives of polynomials contain such products: `k (1 + 3 a x^2)`. Two products of one value by
//! numbers that differ by a power of two share one product, since scaling it by a power of two is exact.

use op_dsl_ir::{Builder, Graph, Id, Node, Prim};

/// Returns the graph with `c (a x + b)` rewritten as `(c a) x + c b`, which rounds once less.
///
/// `c`, `a` and `b` are constants. Where no constant multiplies such a sum, it is the same graph, except that products of one
/// value by constants that differ by a power of two share one product.
pub(super) fn run(graph: &Graph) -> Graph {
    let uses = graph.uses();
    // Products by a constant: the value, the constant and the product.
    let mut products: Vec<(Id, f64, Id)> = Vec::new();
    graph.rewrite_at(|b, at| {
        let Some((c, of)) = by_number(graph, &at.node) else { return b.add(at.copy()) };
        let value = at[of];
        let is_double = |known: &&(Id, f64, Id)| known.0 == value && is_power_of_two(c / known.1);
        let product = match products.iter().find(is_double) {
            Some(&(_, of, product)) => b.scaled(c / of, product),
            None => inside(c, value, uses[of.index()] == readers_by_number(graph, of, c), b),
        };
        products.push((value, c, product));
        product
    })
}

/// Returns the constant and the other factor if the node is a product with a constant; else `None`.
///
/// The constant must be finite and not 0.
fn by_number(graph: &Graph, node: &Node) -> Option<(f64, Id)> {
    let Node::Call(Prim::Mul, [x, y, _]) = *node else { return None };
    let number = |id: Id| graph.as_const(id).filter(|c| *c != 0.0 && c.is_finite());
    number(x).map(|c| (c, y)).or_else(|| number(y).map(|c| (c, x)))
}

/// Counts the nodes that multiply node `of` by `number`, or by `number` times a power of two.
fn readers_by_number(graph: &Graph, of: Id, number: f64) -> usize {
    let is_reader = |node: &&Node| {
        by_number(graph, node).is_some_and(|(c, x)| x == of && is_power_of_two(c / number))
    };
    graph.nodes.iter().filter(is_reader).count()
}

/// Returns true if scaling by `c` is exact: it is a power of two, of either sign.
fn is_power_of_two(c: f64) -> bool {
    libm::frexp(c).0.abs() == 0.5
}

/// Returns `value` times `c`, if possible with `c` moved into a sum or a factor of `value`.
///
/// `is_alone` says that no other node reads `value`. Otherwise `c` is not moved, because the unscaled value would be computed too.
fn inside(c: f64, value: Id, is_alone: bool, b: &mut Builder) -> Id {
    let moved = if is_alone && !is_power_of_two(c) { moved(c, value, b) } else { None };
    moved.unwrap_or_else(|| b.scaled(c, value))
}

fn moved(c: f64, value: Id, b: &mut Builder) -> Option<Id> {
    let Node::Call(prim, [x, y, _]) = b.node(value) else { return None };
    match prim {
        Prim::Add | Prim::Sub => {
            let (x, y) = (scaled(c, x, b)?, scaled(c, y, b)?);
            Some(if prim == Prim::Add { b.sum(x, y) } else { b.difference(x, y) })
        }
        Prim::Mul => {
            let (of, other) = [(x, y), (y, x)].into_iter().find(|(of, _)| is_sum(*of, b))?;
            let of = moved(c, of, b)?;
            Some(b.product(of, other))
        }
        _ => None,
    }
}

fn is_sum(id: Id, b: &Builder) -> bool {
    let Node::Call(Prim::Add | Prim::Sub, [x, y, _]) = b.node(id) else { return false };
    [x, y].into_iter().all(|id| is_scalable(id, b))
}

/// Returns true if [`scaled`] can multiply node `id` by a constant without another rounding.
fn is_scalable(id: Id, b: &Builder) -> bool {
    let is_number = |id: Id| number(id, b).is_some();
    let has_number = |[x, y, _]: [Id; 3]| is_number(x) || is_number(y);
    b.as_const(id).is_some() || is_number(id) || b.as_call(Prim::Mul, id).is_some_and(has_number)
}

/// Returns the constant and the other factor if node `id` is a product with one; else `None`.
fn number(id: Id, b: &Builder) -> Option<(f64, Id)> {
    let [x, y, _] = b.as_call(Prim::Mul, id)?;
    b.as_const(x).map(|c| (c, y)).or_else(|| b.as_const(y).map(|c| (c, x)))
}

/// Returns `c` times node `id`, if that is a constant or a product with one; otherwise `None`.
fn scaled(c: f64, id: Id, b: &mut Builder) -> Option<Id> {
    if let Some(of) = b.as_const(id) {
        return Some(b.num(c * of));
    }
    if let Some((of, x)) = number(id, b) {
        return Some(b.scaled(c * of, x));
    }
    // `(a x) x` becomes `((c a) x) x`.
    let [x, y, _] = b.as_call(Prim::Mul, id)?;
    let (product, other) = [(x, y), (y, x)].into_iter().find(|(p, _)| number(*p, b).is_some())?;
    let (of, x) = number(product, b)?;
    let product = b.scaled(c * of, x);
    Some(b.product(product, other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_move_into_sums() {
        let mut b = Builder::new();
        let x = b.stream(0);
        let one = b.num(1.0);
        let (scaled, square) = (b.scaled(0.1, x), b.product(x, x));
        let cubic = b.product(scaled, x);
        let sum = b.sum(cubic, one);
        let v = b.product(sum, x);
        let (whole, half) = (b.scaled(3.0, v), b.scaled(1.5, v));
        let (e, t) = (b.call(Prim::Exp, &[whole]), b.call(Prim::Tanh, &[half]));
        let terms = b.scaled(0.3, square);
        let slope = b.sum(terms, one);
        let slope = b.scaled(1.6, slope);
        let graph = b.finish(&[e, t, slope]);
        let found = run(&graph);
        for x in [-2.0, 1e-9, 0.3, 5.0] {
            let (got, want) = (found.eval(&[x], &[]), graph.eval(&[x], &[]));
            for (got, want) in got.iter().zip(&want) {
                assert!((got - want).abs() <= 1e-12 * want.abs(), "{x}: {got:e}, not {want:e}");
            }
        }
        let products = |graph: &Graph| {
            graph.nodes.iter().filter(|n| matches!(n, Node::Call(Prim::Mul, _))).count()
        };
        // `3 v` and `1.6 slope` are no products any more, because the factors moved into the sums.
        assert_eq!(products(&found) + 2, products(&graph), "{found:?}");
        assert_eq!(run(&found), found);
    }
}
