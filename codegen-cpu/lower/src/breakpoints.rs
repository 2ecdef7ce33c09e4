//! Breakpoints of a function of one stream.
//!
//! A choice by `x` may make a function not smooth, as `if x > 0` in elu, or may not show at all: `exp(min(x, 0)) / (1 + exp(-|x|))`
//! is sigmoid, which is smooth at zero. So a choice is a breakpoint only if the function below it differs from the
//! continuation of the side above.

use op_dsl_ir::Prim;
use op_dsl_ir::clamp_bounds::{is_far, stream, unbound};
use op_dsl_ir::graph::{Graph, Id, Node};

/// How a function continues across an argument at which it chooses between two formulas.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Joint {
    Smooth,
    Kink,
    Jump,
}

/// Distances from an argument with a choice at which the formulas of both sides are compared.
///
/// There are two, because different formulas may have the same value at one of them.
const BESIDE: [f64; 2] = [1.0 / 8.0, 1.0 / 16.0];
/// Relative difference up to which the values of two formulas count as equal: some ten units in the last place of f32.
const SAME: f64 = 1e-6;
/// Absolute value below which differences are ignored, because such values are zero in f32.
const NOTHING: f64 = 1e-42;

/// Returns the breakpoints of a function, ascending: arguments at which it is not smooth.
///
/// The function's variable `x` is stream 0 of its graph. Returns `None` if the function jumps, or if a choice between two
/// formulas is not a comparison of `x` with a number.
pub fn kinks(graph: &Graph) -> Option<Vec<f64>> {
    let mut places = Vec::new();
    for node in graph.nodes.iter() {
        if let (Node::Call(prim, args), None) = (*node, unbound(graph, node)) {
            places.extend(place(graph, prim, args)?);
        }
    }
    // A number that represents infinity is not a place.
    places.retain(|c| !is_far(*c));
    places.sort_by(f64::total_cmp);
    places.dedup();
    let joints: Vec<Joint> = places.iter().map(|c| joint(graph, *c)).collect();
    let kinks = places.iter().zip(&joints).filter(|(_, j)| **j == Joint::Kink).map(|(c, _)| *c);
    (!joints.contains(&Joint::Jump)).then(|| kinks.collect())
}

/// Returns the value of `x` at which a call of the primitive `prim` chooses between two formulas.
///
/// `Some(None)` if the primitive never chooses; `None` if it chooses, but not at a single value of `x`.
fn place(graph: &Graph, prim: Prim, [a, b, _]: [Id; 3]) -> Option<Option<f64>> {
    let number = |id: Id| graph.as_const(id);
    let is_x = |id: Id| stream(graph, id).is_some();
    match prim {
        Prim::Abs => is_x(a).then_some(Some(0.0)),
        Prim::Lt | Prim::Le | Prim::Eq | Prim::Min | Prim::Max => {
            let met = if is_x(a) { number(b) } else { number(a).filter(|_| is_x(b)) };
            met.map(Some)
        }
        _ => Some(None),
    }
}

/// Returns whether a function is smooth at `x = c`, has a breakpoint there, or jumps.
fn joint(graph: &Graph, c: f64) -> Joint {
    let above = continued(graph, c);
    let [f, right] = [graph, &above].map(|g| move |x: f64| g.eval(&[x], &[])[0]);
    let same = |a: f64, b: f64| a == b || (a - b).abs() <= SAME * a.abs().max(b.abs()).max(NOTHING);
    let near = c - 1e-9 * c.abs().max(1e-6);
    if BESIDE.into_iter().all(|d| same(f(c - d), right(c - d))) && same(f(c), right(c)) {
        Joint::Smooth
    } else if [c, near].into_iter().all(|x| (f(x) - right(x)).abs() < SAME) {
        Joint::Kink
    } else {
        Joint::Jump
    }
}

/// Returns the function that uses the formula for `x` just above `c` on both sides of `c`.
fn continued(graph: &Graph, c: f64) -> Graph {
    let above = graph.eval_all(&[c + BESIDE[0]], &[]);
    graph.rewrite_at(|b, at| {
        let node = at.copy();
        let (Node::Call(prim, args), Node::Call(_, [x, y, _])) = (at.node, node) else {
            return b.add(node);
        };
        if place(graph, prim, args) != Some(Some(c)) {
            return b.add(node);
        }
        match prim {
            Prim::Abs => x,
            // Above the place `x` is the larger of `x` and the number.
            Prim::Min | Prim::Max => {
                let (x, number) = if b.as_const(x).is_none() { (x, y) } else { (y, x) };
                if prim == Prim::Max { x } else { number }
            }
            _ => b.num(above[at.id.index()]),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::graph::Builder;

    /// The breakpoints of a formula in `x`.
    fn of(formula: impl Fn(&mut Builder, Id) -> Id) -> Option<Vec<f64>> {
        let mut b = Builder::new();
        let x = b.stream(0);
        let f = formula(&mut b, x);
        kinks(&b.finish(&[f]))
    }

    /// Returns a choice: `yes` where `c < x`, otherwise `no`.
    fn above(b: &mut Builder, x: Id, c: f64, yes: Id, no: Id) -> Id {
        let c = b.num(c);
        let is_above = b.call(Prim::Lt, &[c, x]);
        b.call(Prim::Select, &[is_above, yes, no])
    }

    #[test]
    fn elu_has_one_and_its_jumping_kin_no_table() {
        let elu = |scale: f64, offset: f64| {
            of(|b, x| {
                let (e, one) = (b.call(Prim::Expm1, &[x]), b.num(offset));
                let shifted = b.sum(e, one);
                let below = b.scaled(scale, shifted);
                above(b, x, 0.0, x, below)
            })
        };
        // With slope 1 on both sides the second derivative still jumps.
        assert_eq!(elu(1.0, 0.0), Some(vec![0.0]));
        assert_eq!(elu(0.5, 0.0), Some(vec![0.0]));
        assert_eq!(elu(1.0, 0.25), None);
    }

    #[test]
    fn what_is_smooth_in_spite_of_its_spelling_has_none() {
        // exp(min(x, 0)) / (1 + exp(-|x|)) is sigmoid(x) on both sides: exp(x) / (1 + exp(x)) for x < 0, 1 / (1 + exp(-x)) for x > 0.
        let logistic = of(|b, x| {
            let size = b.call(Prim::Abs, &[x]);
            let (minus, zero) = (b.negative(size), b.num(0.0));
            let least = b.call(Prim::Min, &[x, zero]);
            let (above, below) = (b.call(Prim::Exp, &[least]), b.call(Prim::Exp, &[minus]));
            let one = b.num(1.0);
            let sum = b.sum(one, below);
            b.quotient(above, sum)
        });
        assert_eq!(logistic, Some(vec![]));
        // max(x, 0) + log1p(exp(-|x|)) is softplus.
        let softplus = of(|b, x| {
            let (size, zero) = (b.call(Prim::Abs, &[x]), b.num(0.0));
            let minus = b.negative(size);
            let e = b.call(Prim::Exp, &[minus]);
            let (line, rest) = (b.call(Prim::Max, &[zero, x]), b.call(Prim::Log1p, &[e]));
            b.sum(line, rest)
        });
        assert_eq!(softplus, Some(vec![]));
        // A choice where the function has reached its limit changes nothing.
        let far = of(|b, x| {
            let (s, zero) = (b.call(Prim::Sigmoid, &[x]), b.num(0.0));
            above(b, x, -120.0, s, zero)
        });
        assert_eq!(far, Some(vec![]));
    }

    #[test]
    fn bounds_are_kinks_and_other_choices_unknown() {
        let clamped = of(|b, x| {
            let bounds = [-1.0, 2.0].map(|c| b.num(c));
            let low = b.call(Prim::Max, &[x, bounds[0]]);
            let e = b.call(Prim::Exp, &[low]);
            let high = b.call(Prim::Min, &[bounds[1], x]);
            b.sum(e, high)
        });
        assert_eq!(clamped, Some(vec![-1.0, 2.0]));
        assert_eq!(
            of(|b, x| {
                let e = b.call(Prim::Exp, &[x]);
                b.call(Prim::Max, &[e, x])
            }),
            None
        );
    }
}
