//! Clamps factors that overflow f64, so that `0 * inf` cannot occur.
//!
//! For example, `dy * exp(x)` is 0 for every `x` where `dy` is 0, but `exp(1000)` is infinite in f64 too, and `0 * inf` is NaN.
//! Therefore a factor that overflows is clamped to `GROWN`, and a divisor that underflows becomes such a factor (its reciprocal).
//! The clamp changes no f32 result, because where it takes effect the result is either zero or beyond f32.
//!
//! Two terms that share a factor which overflows for negative attributes are brought to one product first: the derivative of
//! `exp(-a |x|) cos(x)` is `inf - inf` far out for negative `a`, unless its sum has no exponential.

use crate::clamp_bounds::held;
use crate::graph::{Graph, Id, Node};
use crate::passes::common_factors;
use crate::prim::Prim;
use crate::rounding::{Point, lines, values_of_nodes};

/// Magnitude that factors are clamped to.
///
/// A factor of this magnitude times three nonzero f32 factors is beyond f32 and within f64: `1e180 * 1.4e-45^3` is 2.7e45, and
/// `1e180 * 3.4e38^3` is 3.9e295.
const GROWN: f64 = 1e180;

/// Clamps all values that overflow f64 and are multiplied by values of other inputs.
///
/// The clamp holds wherever the value is used, so that a fraction with it above and below keeps its limit: `y e / (1 + e)`
/// is `y` where `e` overflows.
pub fn run(graph: &Graph) -> Graph {
    let one_factor = with_one_factor(graph);
    let (mut overflows, vanishes) = ends(one_factor.as_ref().unwrap_or(graph));
    if let Some(graph) = &one_factor {
        overflows.iter_mut().zip(where_negative(graph)).for_each(|(all, own)| *all |= own);
    }
    let graph = one_factor.as_ref().unwrap_or(graph);
    let inputs = graph.inputs();
    // True if another operand depends on an input that `x` does not depend on.
    let by_others = |x: Id, others: &[Id]| {
        others.iter().any(|y| !inputs[y.index()].are_within(inputs[x.index()]))
    };
    let mut clamped = vec![false; graph.nodes.len()];
    for node in graph.nodes.iter().filter(|n| matches!(n, Node::Call(Prim::Mul | Prim::Mul3, _))) {
        for x in node.args() {
            clamped[x.index()] |= overflows[x.index()] && by_others(*x, node.args());
        }
    }
    graph.rewrite_at(|b, at| {
        let value = match at.node {
            Node::Call(Prim::Div, [x, y, _]) if vanishes[y.index()] && by_others(y, &[x]) => {
                let one = b.num(1.0);
                let over = b.quotient(one, at[y]);
                let over = held(b, over, GROWN);
                b.product(at[x], over)
            }
            _ => b.add(at.copy()),
        };
        if clamped[at.id.index()] { held(b, value, GROWN) } else { value }
    })
}

/// Brings the factors before a sum that both terms share, and that overflow f64 only where attributes are negative.
///
/// `None` if there are none.
fn with_one_factor(graph: &Graph) -> Option<Graph> {
    let once = |graph: &Graph| {
        let negative = where_negative(graph);
        let always = negative.contains(&true).then(|| ends(graph).0)?;
        common_factors::once(graph, |id| negative[id.index()] && !always[id.index()])
    };
    std::iter::successors(once(graph), once).last()
}

/// Returns, per node, whether it is infinite at some sample point with negative attributes.
fn where_negative(graph: &Graph) -> Vec<bool> {
    let mut overflows = vec![false; graph.nodes.len()];
    let is_asked = graph.inputs().iter().any(|inputs| inputs.scalars != 0);
    for mut line in lines(graph, &[]).filter(|line| is_asked && line.iter().all(Point::is_usual)) {
        line.iter_mut().for_each(Point::negate_scalars);
        for (over, column) in overflows.iter_mut().zip(values_of_nodes(graph, &line)) {
            *over |= column.iter().any(|v| v.value.is_infinite());
        }
    }
    overflows
}

/// Returns, per node, whether it is infinite at some sample point, and whether it is zero at one.
fn ends(graph: &Graph) -> (Vec<bool>, Vec<bool>) {
    let count = graph.nodes.len();
    let (mut overflows, mut vanishes) = (vec![false; count], vec![false; count]);
    for line in lines(graph, &[]) {
        for (i, column) in values_of_nodes(graph, &line).iter().enumerate() {
            overflows[i] |= column.iter().any(|v| v.value.is_infinite());
            vanishes[i] |= column.iter().any(|v| v.value == 0.0);
        }
    }
    (overflows, vanishes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Builder;

    fn grown(formula: impl Fn(&mut Builder, Id, Id) -> Id) -> Graph {
        let mut b = Builder::new();
        let (dy, x) = (b.stream(0), b.stream(1));
        let result = formula(&mut b, dy, x);
        run(&b.finish(&[result]))
    }

    #[test]
    fn nothing_times_what_is_beyond_f64_is_nothing() {
        let factor = grown(|b, dy, x| {
            let (e, one) = (b.call(Prim::Exp, &[x]), b.num(1.0));
            let slope = b.sum(e, one);
            b.product(dy, slope)
        });
        let divisor = grown(|b, dy, x| {
            let minus = b.negative(x);
            let e = b.call(Prim::Exp, &[minus]);
            b.quotient(dy, e)
        });
        for graph in [&factor, &divisor] {
            for x in [800.0, 1e30] {
                assert_eq!(graph.eval(&[0.0, x], &[])[0], 0.0);
                // About the least and the greatest product of two f32 numbers.
                for dy in [1e-89, -1e-89, 1e76] {
                    let y = graph.eval(&[dy, x], &[])[0];
                    assert!(y.is_finite() && y / dy.signum() > f64::from(f32::MAX), "{y:e}");
                }
            }
            assert!((graph.eval(&[3.0, 2.0], &[])[0] / 3.0 - 2f64.exp()).abs() < 1.1);
            assert_eq!(graph.eval(&[1.0, f64::INFINITY], &[])[0], GROWN);
            assert!(graph.eval(&[1.0, f64::NAN], &[])[0].is_nan());
        }
    }

    /// Tests the derivative of `exp(-a |x|) cos(x)` for positive `x`, and a negative `a`.
    #[test]
    fn terms_that_share_what_overflows_are_no_difference_of_infinities() {
        let mut b = Builder::new();
        let (dy, x, a) = (b.stream(0), b.stream(1), b.scalar(0));
        let size = b.call(Prim::Abs, &[x]);
        let exponent = b.product(a, size);
        let exponent = b.negative(exponent);
        let [e, sin, cos] = [(Prim::Exp, exponent), (Prim::Sin, x), (Prim::Cos, x)]
            .map(|(prim, x)| b.call(prim, &[x]));
        let scaled = b.product(a, e);
        let (left, right) = (b.product(scaled, cos), b.product(sin, e));
        let left = b.negative(left);
        let slope = b.difference(left, right);
        let result = b.product(dy, slope);
        let graph = b.finish(&[result]);
        let held = run(&graph);
        let at = |dy: f64, x: f64| held.eval(&[dy, x], &[-1.3])[0];
        let sign = (1.3 * 1000f64.cos() - 1000f64.sin()).signum();
        assert!(graph.eval(&[1.0, 1000.0], &[-1.3])[0].is_nan());
        assert_eq!(at(1.0, 1000.0) as f32, f32::INFINITY.copysign(sign as f32));
        assert_eq!(at(0.0, 1000.0), 0.0);
        let want = graph.eval(&[1.0, 3.0], &[-1.3])[0];
        assert!((at(1.0, 3.0) / want - 1.0).abs() < 1e-14);
    }

    /// Tests `y e / (1 + e)` with `e = exp(x)`, where the clamp of `e` must hold in numerator and denominator.
    #[test]
    fn a_fraction_keeps_its_limit() {
        let graph = grown(|b, y, x| {
            let (e, one) = (b.call(Prim::Exp, &[x]), b.num(1.0));
            let (above, below) = (b.product(y, e), b.sum(e, one));
            b.quotient(above, below)
        });
        for (x, want) in [(800.0, 3.0), (-800.0, 0.0), (0.0, 1.5)] {
            assert_eq!(graph.eval(&[3.0, x], &[])[0], want);
        }
    }

    #[test]
    fn what_nothing_else_multiplies_or_stays_below_is_left_alone() {
        for formula in [
            |b: &mut Builder, _: Id, x: Id| {
                let e = b.call(Prim::Exp, &[x]);
                b.product(x, e)
            },
            |b: &mut Builder, dy: Id, x: Id| {
                let square = b.product(x, x);
                b.product(dy, square)
            },
            |b: &mut Builder, dy: Id, x: Id| b.quotient(dy, x),
        ] {
            let mut b = Builder::new();
            let (dy, x) = (b.stream(0), b.stream(1));
            let result = formula(&mut b, dy, x);
            let graph = b.finish(&[result]);
            assert_eq!(run(&graph), graph);
        }
    }
}
