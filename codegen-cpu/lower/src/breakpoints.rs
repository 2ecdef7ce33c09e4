//! Breakpoints of a function of one stream.
//!
//! A choice by `x` may make a function not smooth, as `if x > 0` in elu, or may not show at all: `exp(min(x, 0)) / (1 + exp(-|x|))`
//! is sigmoid, which is smooth at zero. So a choice is a breakpoint only if the function below it differs from the
//! continuation of the side above.

use op_dsl_ir::Prim;
use op_dsl_ir::clamp_bounds::{is_far, stream, unbound};
use op_dsl_ir::format::pow2;
use op_dsl_ir::graph::{Graph, Id, Node};

/// How a function continues across an argument at which it chooses between two formulas.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Joint {
    Smooth,
    Kink,
    Jump,
}

/// Largest distance from an argument with a choice at which the formulas of both sides are compared.
///
/// It is a quarter of the argument's size, because series are right near 0 only, and half the distance to the next choice. Half that
/// distance is tried as well, because different formulas may have the same value at one of the two.
const BESIDE: f64 = 1.0 / 8.0;
/// Relative difference up to which the values of two formulas count as equal: some ten units in the last place of f32.
const SAME: f64 = 1e-6;
/// Absolute value below which differences are ignored, because such values are zero in f32.
const NOTHING: f64 = 1e-42;
/// Number of arguments in each binade at which a condition is evaluated to find where it changes.
///
/// A condition that holds for fewer is found where both sides of it are closest, if they come closer only once in between.
const IN_BINADE: i32 = 16;
/// Largest number of arguments at which a function may choose; a periodic one chooses at too many for a table.
const MOST: usize = 16;

/// A node that chooses between two formulas, and the arguments at which it changes its choice.
struct Choice {
    id: Id,
    places: Vec<f64>,
}

/// Returns the breakpoints of a function, ascending: arguments at which it is not smooth.
///
/// The function's variable `x` is stream 0 of its graph. Returns `None` if the function jumps, or chooses at too many arguments.
pub fn kinks(graph: &Graph) -> Option<Vec<f64>> {
    let choices = choices(graph)?;
    let mut places: Vec<f64> = choices.iter().flat_map(|choice| choice.places.clone()).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let joint = |k: usize| {
        let before = k.checked_sub(1).map_or(f64::INFINITY, |before| places[k] - places[before]);
        let after = places.get(k + 1).map_or(f64::INFINITY, |after| after - places[k]);
        let size = if places[k] == 0.0 { f64::INFINITY } else { 0.25 * places[k].abs() };
        let beside = BESIDE.min(0.5 * before.min(after)).min(size);
        joint(graph, &choices, places[k], beside)
    };
    let joints: Vec<Joint> = (0..places.len()).map(joint).collect();
    let kinks = places.iter().zip(&joints).filter(|(_, j)| **j == Joint::Kink).map(|(c, _)| *c);
    (!joints.contains(&Joint::Jump)).then(|| kinks.collect())
}

/// Returns the nodes that choose between two formulas; `None` if they choose at too many arguments.
fn choices(graph: &Graph) -> Option<Vec<Choice>> {
    let mut grid = None;
    let mut choices = Vec::new();
    for id in graph.ids() {
        let node = graph.nodes[id.index()];
        let Node::Call(prim, [a, b, _]) = node else { continue };
        if unbound(graph, &node).is_some() || !is_choice(prim) {
            continue;
        }
        let (number, is_x) = (|id: Id| graph.as_const(id), |id: Id| stream(graph, id).is_some());
        let places = match prim {
            Prim::Abs if is_x(a) => vec![0.0],
            Prim::Abs => changes(graph, id, grid.get_or_insert_with(sample)),
            _ if is_x(a) && number(b).is_some() => number(b).into_iter().collect(),
            _ if is_x(b) && number(a).is_some() => number(a).into_iter().collect(),
            // Two values are equal at single arguments, which samples do not find.
            Prim::Eq => return None,
            _ => changes(graph, id, grid.get_or_insert_with(sample)),
        };
        // A number that represents infinity is not a place.
        let places: Vec<f64> = places.into_iter().filter(|c| !is_far(*c)).collect();
        choices.push(Choice { id, places });
    }
    let count: usize = choices.iter().map(|choice| choice.places.len()).sum();
    (count <= MOST).then_some(choices)
}

fn is_choice(prim: Prim) -> bool {
    matches!(prim, Prim::Abs | Prim::Lt | Prim::Le | Prim::Eq | Prim::Min | Prim::Max)
}

/// Returns arguments of both signs, ascending, from the least to the largest float.
fn sample() -> Vec<f64> {
    let sizes = (-149 * IN_BINADE..128 * IN_BINADE).map(|k| {
        let (exponent, step) = (k.div_euclid(IN_BINADE), k.rem_euclid(IN_BINADE));
        pow2(exponent) * (1.0 + f64::from(step) / f64::from(IN_BINADE))
    });
    let sizes: Vec<f64> = sizes.collect();
    sizes.iter().rev().map(|x| -x).chain([0.0]).chain(sizes.iter().copied()).collect()
}

/// Returns the first arguments at which node `id` chooses otherwise than before, ascending.
fn changes(graph: &Graph, id: Id, grid: &Vec<f64>) -> Vec<f64> {
    let node = graph.nodes[id.index()];
    let operands = graph.with_outputs(node.args());
    let at = |x: f64| operands.eval(&[x], &[]);
    let columns = operands.eval_columns(std::slice::from_ref(grid), &[], grid.len());
    let all: Vec<Vec<f64>> =
        (0..grid.len()).map(|k| columns.iter().map(|column| column[k]).collect()).collect();
    let holds: Vec<bool> = all.iter().map(|values| chooses_first(node, values)).collect();
    let margins: Vec<f64> = all.iter().map(|values| margin(values)).collect();
    let change = |mut below: f64, mut above: f64, after: bool| {
        while above.next_down() > below {
            let middle = 0.5 * (below + above);
            if chooses_first(node, &at(middle)) == after { above = middle } else { below = middle }
        }
        above
    };
    let mut found = Vec::new();
    for k in 1..grid.len() {
        if found.len() > MOST {
            break;
        }
        if holds[k] != holds[k - 1] {
            found.push(change(grid[k - 1], grid[k], holds[k]));
        } else if k + 1 < grid.len()
            && holds[k + 1] == holds[k]
            && margins[k] < margins[k - 1].min(margins[k + 1])
        {
            let least = least(|x| margin(&at(x)), grid[k - 1], grid[k + 1]);
            if chooses_first(node, &at(least)) != holds[k] {
                found.push(change(grid[k - 1], least, !holds[k]));
                found.push(change(least, grid[k + 1], holds[k]));
            }
        }
    }
    found
}

/// Returns the distance of the operands of a choice from those at which it changes.
fn margin(operands: &[f64]) -> f64 {
    match operands {
        [x, y] => (x - y).abs(),
        _ => operands[0].abs(),
    }
}

/// Returns the argument between two at which a function with one minimum there is least, by dividing the interval in three.
///
/// 120 divisions leave less of it than the last place of its ends.
fn least(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    for _ in 0..120 {
        let third = (high - low) / 3.0;
        if f(low + third) < f(high - third) { high -= third } else { low += third }
    }
    0.5 * (low + high)
}

/// Returns whether a comparison holds, or whether the other choices take their first argument as it is.
fn chooses_first(node: Node, args: &[f64]) -> bool {
    match (node, args) {
        (Node::Call(Prim::Abs, _), [x]) => *x >= 0.0,
        (Node::Call(Prim::Le, _), [x, y]) => x <= y,
        (Node::Call(Prim::Max, _), [x, y]) => x >= y,
        (Node::Call(Prim::Eq, _), [x, y]) => x == y,
        (_, [x, y]) => x < y,
        _ => false,
    }
}

/// Returns whether a function is smooth at `x = c`, has a breakpoint there, or jumps.
fn joint(graph: &Graph, choices: &[Choice], c: f64, beside: f64) -> Joint {
    let above = continued(graph, choices, c, beside);
    let [f, right] = [graph, &above].map(|g| move |x: f64| g.eval(&[x], &[])[0]);
    let same = |a: f64, b: f64| a == b || (a - b).abs() <= SAME * a.abs().max(b.abs()).max(NOTHING);
    let near = c - 1e-9 * c.abs().max(1e-6);
    let is_same = |d: f64| same(f(c - d), right(c - d));
    if [beside, 0.5 * beside].into_iter().all(is_same) && same(f(c), right(c)) {
        Joint::Smooth
    } else if [c, near].into_iter().all(|x| (f(x) - right(x)).abs() < SAME) {
        Joint::Kink
    } else {
        Joint::Jump
    }
}

/// Returns the function that uses the formula for `x` just above `c` on both sides of `c`.
fn continued(graph: &Graph, choices: &[Choice], c: f64, beside: f64) -> Graph {
    let above = graph.eval_all(&[c + beside], &[]);
    graph.rewrite_at(|b, at| {
        let node = at.copy();
        let chooses = |choice: &Choice| choice.id == at.id && choice.places.contains(&c);
        let (Node::Call(prim, args), true) = (at.node, choices.iter().any(chooses)) else {
            return b.add(node);
        };
        let values: Vec<f64> =
            args[..prim.row().arity].iter().map(|arg| above[arg.index()]).collect();
        let is_first = chooses_first(at.node, &values);
        match (prim, is_first) {
            (Prim::Abs | Prim::Min | Prim::Max, true) => at[args[0]],
            (Prim::Abs, false) => b.negative(at[args[0]]),
            (Prim::Min | Prim::Max, false) => at[args[1]],
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
    fn choices_by_values_are_found() {
        // max(e^x, x) is e^x; max(e^x, 2 - x) has a kink where both are equal.
        let exponential = |line: fn(&mut Builder, Id) -> Id| {
            of(|b, x| {
                let (e, line) = (b.call(Prim::Exp, &[x]), line(b, x));
                b.call(Prim::Max, &[e, line])
            })
        };
        assert_eq!(exponential(|_, x| x), Some(vec![]));
        let crossed = exponential(|b, x| {
            let two = b.num(2.0);
            b.difference(two, x)
        });
        let [at] = crossed.expect("no jump")[..] else { panic!("one kink") };
        assert!((at.exp() - (2.0 - at)).abs() < 1e-15, "{at}");
        // A series near 0, and a formula by the size of another value: both are ln(1 + e^x + e^2x) or ln(cosh(x)) everywhere.
        let series = of(|b, x| {
            let (size, end) = (b.call(Prim::Abs, &[x]), b.num(0.01));
            let cosh = b.call(Prim::Cosh, &[x]);
            let (far, square) = (b.call(Prim::Ln, &[cosh]), b.product(x, x));
            let (half, less) = (b.num(0.5), b.scaled(-1.0 / 12.0, square));
            let sum = b.sum(half, less);
            let near = b.product(square, sum);
            let is_near = b.call(Prim::Lt, &[size, end]);
            b.call(Prim::Select, &[is_near, near, far])
        });
        assert_eq!(series, Some(vec![]));
        let by_value = of(|b, x| {
            let (e, one) = (b.call(Prim::Exp, &[x]), b.num(1.0));
            let more = b.sum(e, one);
            let v = b.product(more, e);
            let (half, sum) = (b.num(0.5), b.sum(v, one));
            let (near, far) = (b.call(Prim::Log1p, &[v]), b.call(Prim::Ln, &[sum]));
            let is_near = b.call(Prim::Lt, &[v, half]);
            b.call(Prim::Select, &[is_near, near, far])
        });
        assert_eq!(by_value, Some(vec![]));
        // A condition that holds between two of the arguments that are tried.
        let narrow = of(|b, x| {
            let [middle, end, zero] = [1.1, 1e-3, 0.0].map(|c| b.num(c));
            let apart = b.difference(x, middle);
            let (size, e) = (b.call(Prim::Abs, &[apart]), b.call(Prim::Exp, &[x]));
            let is_near = b.call(Prim::Lt, &[size, end]);
            b.call(Prim::Select, &[is_near, zero, e])
        });
        assert_eq!(narrow, None);
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
        let periodic = of(|b, x| {
            let wave = b.call(Prim::Sin, &[x]);
            b.call(Prim::Abs, &[wave])
        });
        assert_eq!(periodic, None);
    }
}
