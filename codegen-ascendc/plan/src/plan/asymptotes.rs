//! Continues functions whose powers leave `float` by their asymptotes.
//!
//! `u^2` is infinite beyond 1.8e19, although `sqrt(1 + u^2)` and `ln(1 + u^2)` are not. Far out such a function is a power of its
//! argument times a constant, or a logarithm: `f(B) (u / B)^n`, or `f(B) + a ln(u / B)`, from a bound `B` on. Therefore
//!
//! ```text
//! v = min(max(u, -B), B)     r = max(|u| / B, 1)     f(u) = f(v) r^n    or    f(u) = f(v) + a ln(r)
//! ```
//!
//! which is `f(u)` to the bit up to `B`, because `r` is 1 there, and the limit of `f` where `u` is infinite. The argument is a stream or
//! a value of several streams, such as a difference. Each side has its own asymptote, or none if `float` serves there.
//!
//! Kernels spend these calls only where results are wrong without them ([`serve`]).

use super::limits::{alone, defaults, results};
use super::planned::Plan;
use super::quotients;
use op_dsl_ir::clamp_bounds::held_at;
use op_dsl_ir::format::pow2;
use op_dsl_ir::op::OpDef;
use op_dsl_ir::{Builder, Graph, Id, Node, Prim};

/// Binary exponents of the bounds that are tried, in this order.
///
/// The cube of the first bound and the fourth power of the second are in the range of `float`. Neither is more than 2^40, because around
/// the argument of a primitive such bounds count as redundant.
const BOUNDS: [i32; 2] = [39, 30];
/// Binary exponents of the arguments at which functions are evaluated: those of the bounds, and others up to the largest of `float`.
const EXPONENTS: [i32; 17] =
    [30, 39, 44, 50, 56, 62, 65, 70, 76, 82, 88, 94, 100, 106, 112, 118, 126];
/// Signs of the arguments to the left and to the right of 0.
const SIDES: [f64; 2] = [-1.0, 1.0];
/// Orders of powers that are tried. A function of another order has vanished, or leaves `float`, before its powers do.
const ORDERS: std::ops::RangeInclusive<i32> = -3..=1;
/// Number of values, from a bound on, that have to lie on an asymptote.
const CONFIRMED: usize = 6;
/// Largest relative difference of a function from its asymptote: half a unit of `float`.
const REACHED: f64 = 1.0 / (1u64 << 24) as f64;
/// Largest relative difference of a right value from the function.
///
/// It is a unit of bf16, in which plans may round it, and far less than what a value is off whose powers overflow.
const RIGHT: f64 = 1.0 / 128.0;

/// Returns whether a plan is right where one input is far from 0 and every other is 1, at default attribute values.
///
/// In f16, which has no such numbers, every plan is.
pub(super) fn serve(def: &OpDef, plan: &Plan) -> bool {
    serve_at(def, plan, &EXPONENTS.map(pow2), is_right)
}

/// Returns whether a plan is right where one input is the largest number and every other is 1, at default attribute values.
///
/// An attribute times an input may overflow there, so that it must not be multiplied by a function that is 0. Sines have no digits
/// there, so that every plan with one is right.
pub(super) fn serve_largest(def: &OpDef, plan: &Plan) -> bool {
    let turns = |node: &Node| matches!(node, Node::Call(Prim::Sin | Prim::Cos, _));
    if plan.graph.nodes.iter().any(turns) {
        return true;
    }
    let is_number = |got: f64, want: f64| !got.is_nan() || want.is_nan();
    serve_at(def, plan, &[MOST], |got, want| is_number(got, want) && is_right(got, want))
}

fn serve_at(def: &OpDef, plan: &Plan, sizes: &[f64], is_right: impl Fn(f64, f64) -> bool) -> bool {
    let graph = &def.specs[plan.spec].graph;
    let scalars = defaults(def, graph);
    let is_number = |k: &usize| plan.inputs[*k].is_some() && !def.is_mask(*k);
    let serves = |(stream, x): (usize, f64)| {
        let got = results(plan, stream, x, &scalars);
        let want = graph.eval(&alone(plan, stream, x), &scalars);
        got.into_iter().zip(want).all(|(got, want)| is_right(got, want))
    };
    let far =
        |k| SIDES.into_iter().flat_map(move |side| sizes.iter().map(move |size| (k, side * size)));
    let is_far = plan.dtype.has_f32_range();
    !is_far || (0..plan.inputs.len()).filter(is_number).flat_map(far).all(serves)
}

/// Returns the graph with functions whose powers leave `float` continued by their asymptotes.
///
/// An asymptote has to hold at all these choices of attribute values. Without any, the graph stays the same.
pub(super) fn run(graph: &Graph, attributes: &[Vec<f64>]) -> Graph {
    if attributes.is_empty() {
        return graph.clone();
    }
    let graph = &quotients::run(&graph.oriented());
    let found = found(graph, attributes);
    graph.rewrite_at(|b, at| {
        let Some((function, ends)) = &found[at.id.index()] else { return b.add(at.copy()) };
        let u = at[function.argument];
        let held = held_at(b, u, pow2(ends.bound), ends.sides.map(|side| side.is_some()));
        let mut new = [at.earlier, &[Id::NONE]].concat();
        new[function.argument.index()] = held;
        for k in function.argument.index() + 1..new.len() {
            if function.is_part[k] {
                new[k] = b.add(graph.nodes[k].map_args(&new));
            }
        }
        ends.applied(b, u, new[at.id.index()])
    })
}

/// Returns, per node, the function that it is the value of and its asymptotes, if it needs any.
fn found(graph: &Graph, attributes: &[Vec<f64>]) -> Vec<Option<(Function, Ends)>> {
    let mut found: Vec<Option<(Function, Ends)>> = vec![None; graph.nodes.len()];
    let inputs = graph.inputs();
    let is_argument = |id: &Id| match graph.nodes[id.index()] {
        Node::Stream(_) => true,
        Node::Call(prim, _) => !prim.is_comparison() && inputs[id.index()].streams.count_ones() > 1,
        _ => false,
    };
    for argument in graph.ids().filter(is_argument) {
        let function = Function::of(graph, argument);
        let is_part = |id: &Id| function.is_part[id.index()] && *id != argument;
        let is_read = graph.live_out(|id, _| !function.is_part[id.index()]);
        let values: Vec<Values> =
            attributes.iter().map(|scalars| Values::of(graph, argument, scalars)).collect();
        let mut open: Vec<Id> =
            graph.ids().filter(|id| is_part(id) && is_read[id.index()]).collect();
        let mut is_seen = vec![false; graph.nodes.len()];
        // Where the whole has no asymptote, as `u ln(1 + u^2)`, a part of it may have one.
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut is_seen[id.index()], true) {
                continue;
            }
            let sides = [0, 1].map(|side| values.iter().any(|values| values.are_wrong(side, id)));
            if sides == [false; 2] || found[id.index()].is_some() {
                continue;
            }
            match BOUNDS.into_iter().find_map(|bound| Ends::of(&values, id, bound, sides)) {
                Some(ends) => found[id.index()] = Some((function.clone(), ends)),
                None => open.extend(graph.nodes[id.index()].args().iter().filter(|id| is_part(id))),
            }
        }
    }
    found
}

/// The nodes that depend on an argument, and on streams only through it.
#[derive(Clone)]
struct Function {
    argument: Id,
    /// Per node, whether it is the argument or such a node.
    is_part: Vec<bool>,
}

impl Function {
    fn of(graph: &Graph, argument: Id) -> Function {
        let uniform = graph.uniform();
        let is_part = graph.forward(|at| {
            let is_known = |id: &Id| at[*id] || uniform[id.index()];
            let args = at.node.args();
            at.id == argument || args.iter().any(|id| at[*id]) && args.iter().all(is_known)
        });
        Function { argument, is_part }
    }
}

/// The values of all nodes where the argument is far from 0: by side, then by [`EXPONENTS`].
struct Values {
    exact: [Vec<Vec<f64>>; 2],
    in_float: [Vec<Vec<f64>>; 2],
}

impl Values {
    fn of(graph: &Graph, argument: Id, scalars: &[f64]) -> Values {
        let given = |x: f64| {
            move |id: Id, node: Node| match node {
                _ if id == argument => Some(x),
                Node::Scalar(k) => Some(scalars[usize::from(k)]),
                _ => None,
            }
        };
        let all = |round: fn(f64) -> f64| {
            SIDES.map(|side| {
                let at = |e| values(graph, given(side * pow2(e)), round);
                EXPONENTS.into_iter().map(at).collect()
            })
        };
        Values { exact: all(|value| value), in_float: all(float) }
    }

    /// Returns whether `float` arithmetic gives a wrong value of a node on a side.
    fn are_wrong(&self, side: usize, id: Id) -> bool {
        let mut pairs = self.in_float[side].iter().zip(&self.exact[side]);
        pairs.any(|(got, want)| !is_right(got[id.index()], want[id.index()]))
    }

    /// Returns the asymptote of a node beyond a bound, if there is one, and `float` gives the right value at the bound.
    fn asymptote(&self, side: usize, id: Id, bound: i32) -> Option<Asymptote> {
        let from = EXPONENTS.iter().position(|e| *e == bound)?;
        let at = |k: usize| self.exact[side][k][id.index()];
        let is_normal = |k: &usize| (LEAST..=MOST).contains(&at(*k).abs());
        let places = (from..EXPONENTS.len()).take_while(is_normal);
        let values: Vec<(i32, f64)> = places.map(|k| (EXPONENTS[k] - bound, at(k))).collect();
        let [(_, first), .., (most, last)] = values[..] else { return None };
        let slope = (last - first) / (f64::from(most) * std::f64::consts::LN_2);
        // Choices of attribute values have the same slope up to rounding. It is mostly a small integer.
        let slope = pow2(-20) * libm::rint(pow2(20) * slope);
        let all = ORDERS.map(Asymptote::Power).chain([Asymptote::Log(slope)]);
        let is_on = |asymptote: &Asymptote| {
            values.iter().all(|(octaves, value)| {
                (asymptote.at(first, *octaves) - value).abs() <= REACHED * value.abs()
            })
        };
        let is_known = is_right(self.in_float[side][from][id.index()], first);
        (is_known && values.len() >= CONFIRMED).then_some(all)?.find(is_on)
    }
}

/// The magnitudes of normal numbers of `float`.
const LEAST: f64 = f32::MIN_POSITIVE as f64;
const MOST: f64 = f32::MAX as f64;

/// Returns whether a value is right; a function that is no normal number of `float` may have any.
fn is_right(got: f64, want: f64) -> bool {
    !(LEAST..=MOST).contains(&want.abs()) || (got - want).abs() <= RIGHT * want.abs()
}

/// Evaluates each node, and rounds each computed value by `round`.
///
/// `given` may supply the value of any node; streams and scalars that it does not supply are NaN.
fn values(
    graph: &Graph,
    given: impl Fn(Id, Node) -> Option<f64>,
    round: fn(f64) -> f64,
) -> Vec<f64> {
    graph.forward(|at| {
        let own = || match at.node {
            Node::Const(c) => round(c),
            Node::Stream(_) | Node::Scalar(_) => f64::NAN,
            Node::Call(prim, args) => {
                round((prim.row().oracle)(args.map(|a| at.get(a).copied().unwrap_or(f64::NAN))))
            }
        };
        given(at.id, at.node).unwrap_or_else(own)
    })
}

/// Rounds a value to `float`.
fn float(value: f64) -> f64 {
    f64::from(value as f32)
}

/// How a function continues beyond a bound.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Asymptote {
    /// As this power of its argument, times a constant.
    Power(i32),
    /// As the logarithm of its argument times this number, plus a constant.
    Log(f64),
}

impl Asymptote {
    /// Returns the value this many octaves beyond the bound, from that at the bound.
    fn at(self, first: f64, octaves: i32) -> f64 {
        match self {
            Asymptote::Power(order) => first * libm::exp2(f64::from(octaves * order)),
            Asymptote::Log(slope) => first + slope * f64::from(octaves) * std::f64::consts::LN_2,
        }
    }

    /// Emits the value where the argument is `ratio` times the bound, from the value at the bound.
    fn applied(self, b: &mut Builder, first: Id, ratio: Id) -> Id {
        match self {
            Asymptote::Power(0) => first,
            Asymptote::Power(order) if order < 0 => {
                let power = b.power(ratio, -order);
                b.quotient(first, power)
            }
            Asymptote::Power(order) => {
                let power = b.power(ratio, order);
                b.product(first, power)
            }
            Asymptote::Log(slope) => {
                let octaves = b.call(Prim::Ln, &[ratio]);
                let more = b.scaled(slope, octaves);
                b.sum(first, more)
            }
        }
    }
}

/// The asymptotes of a function beyond a bound, to the left and to the right; `None` for a side that `float` serves.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ends {
    /// Binary exponent of the bound.
    bound: i32,
    sides: [Option<Asymptote>; 2],
}

impl Ends {
    /// Returns the asymptotes of node `id` on the sides that are wrong, if all choices of attribute values have the same.
    fn of(values: &[Values], id: Id, bound: i32, are_wrong: [bool; 2]) -> Option<Ends> {
        let mut sides = [None; 2];
        for side in (0..2).filter(|side| are_wrong[*side]) {
            let mut all = values.iter().map(|values| values.asymptote(side, id, bound));
            let first = all.next()??;
            if all.any(|other| other != Some(first)) {
                return None;
            }
            sides[side] = Some(first);
        }
        Some(Ends { bound, sides })
    }

    /// Emits the function of `u` from its value at `u` held to the bounds.
    fn applied(&self, b: &mut Builder, u: Id, value: Id) -> Id {
        let one = b.num(1.0);
        let scale = pow2(-self.bound);
        let ratio = |b: &mut Builder, of: Id, scale: f64| {
            let size = b.scaled(scale, of);
            b.call(Prim::Max, &[size, one])
        };
        match self.sides {
            [Some(left), Some(right)] if left == right => {
                let size = b.call(Prim::Abs, &[u]);
                let ratio = ratio(b, size, scale);
                left.applied(b, value, ratio)
            }
            sides => sides.into_iter().zip(SIDES).fold(value, |value, (side, sign)| {
                let Some(asymptote) = side else { return value };
                let ratio = ratio(b, u, sign * scale);
                asymptote.applied(b, value, ratio)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function, emitted from its argument.
    type Emitted = fn(&mut Builder, Id) -> Id;

    fn square_and_one(b: &mut Builder, u: Id) -> Id {
        let (one, square) = (b.num(1.0), b.product(u, u));
        b.sum(one, square)
    }

    fn root(b: &mut Builder, u: Id) -> Id {
        let sum = square_and_one(b, u);
        b.call(Prim::Sqrt, &[sum])
    }

    /// Functions that grow as `|u|` and as `2 ln|u|`, have a limit, and vanish as `1 / u`; last one with another end on each side.
    const FUNCTIONS: [Emitted; 5] = [
        root,
        |b, u| {
            let sum = square_and_one(b, u);
            b.call(Prim::Ln, &[sum])
        },
        |b, u| {
            let root = root(b, u);
            b.quotient(u, root)
        },
        |b, u| {
            let sum = square_and_one(b, u);
            b.quotient(u, sum)
        },
        |b, u| {
            let (root, size) = (root(b, u), b.call(Prim::Relu, &[u]));
            b.sum(root, size)
        },
    ];

    /// Evaluates a graph of two streams as `float` arithmetic does.
    fn in_float(graph: &Graph, streams: [f64; 2]) -> f64 {
        let given = |_, node| match node {
            Node::Stream(k) => Some(streams[usize::from(k)]),
            _ => None,
        };
        values(graph, given, float)[graph.outputs[0].index()]
    }

    #[test]
    fn functions_are_right_at_all_sizes() {
        for (number, function) in FUNCTIONS.into_iter().enumerate() {
            for is_difference in [false, true] {
                let mut b = Builder::new();
                let (dy, x) = (b.stream(0), b.stream(1));
                let u = if is_difference { b.difference(x, dy) } else { x };
                let y = function(&mut b, u);
                let y = b.product(dy, y);
                let graph = b.finish(&[y]);
                let found = run(&graph, &[vec![]]);
                for x in (-20..127).map(|e| 1.37 * libm::exp2(f64::from(e))).flat_map(|x| [-x, x]) {
                    let at = [0.5, f64::from(x as f32)];
                    let [got, plain] = [&found, &graph].map(|graph| in_float(graph, at));
                    let want = graph.eval(&at, &[])[0];
                    let is_near = (got - want).abs() <= 3e-7 * want.abs() || want.abs() < LEAST;
                    let is_right = if x.abs() > pow2(30) { is_near } else { got == plain };
                    assert!(is_right, "{number} at {x:e}: {got:e}");
                }
                let ends = [f64::NEG_INFINITY, f64::INFINITY].map(|x| in_float(&found, [0.5, x]));
                let far = [-1e120, 1e120].map(|x| graph.eval(&[0.5, x], &[])[0]);
                let is_limit = |(end, far): (f64, f64)| match far.abs() {
                    0.0..1e-100 => end == 0.0,
                    1e-100..100.0 => end == far,
                    _ => end == f64::INFINITY,
                };
                assert!(ends.into_iter().zip(far).all(is_limit), "{number}: {ends:?}");
            }
        }
    }

    #[test]
    fn functions_that_float_serves_stay_the_same() {
        let mut b = Builder::new();
        let (x, one) = (b.stream(1), b.num(1.0));
        let (e, sum) = (b.call(Prim::Exp, &[x]), square_and_one(&mut b, x));
        let (sigmoid, inverse) = (b.sum(e, one), b.quotient(one, sum));
        let sigmoid = b.quotient(one, sigmoid);
        let graph = b.finish(&[sigmoid, inverse]);
        assert_eq!(run(&graph, &[vec![]]), graph);
    }

    /// The slope of `a ln(1 + u^2)` is another for each `a`, so that its logarithm alone is continued.
    #[test]
    fn an_asymptote_holds_for_all_attributes() {
        let mut b = Builder::new();
        let (x, a) = (b.stream(1), b.scalar(0));
        let sum = square_and_one(&mut b, x);
        let logarithm = b.call(Prim::Ln, &[sum]);
        let y = b.product(a, logarithm);
        let graph = b.finish(&[y]);
        let attributes = [vec![1.0], vec![0.25], vec![4.0]];
        let found = run(&graph, &attributes);
        for scalars in &attributes {
            let held = found.rewrite(|b, node| match node {
                Node::Scalar(_) => b.num(scalars[0]),
                node => b.add(node),
            });
            let (got, want) = (in_float(&held, [0.0, 1e30]), graph.eval(&[0.0, 1e30], scalars)[0]);
            assert!((got / want - 1.0).abs() < 3e-7, "{got}, not {want}");
        }
    }
}
