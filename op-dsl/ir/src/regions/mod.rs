//! Functions of one value in a graph: what a back end may evaluate as one look-up.
//!
//! Most results are a function of one stream times other streams: `dy * f(x)`, `value * f(gate)`. [`split`]
//! finds `f` however the formula is written. A factor only multiplies, so `f` is the result where all
//! factors are 1, and the result is the product of `f` and the factors that it depends on:
//!
//! ```text
//! if x > 0 { dy } else { dy * a * exp(x) }   =   dy * f(x)      f(x) = if x > 0 { 1 } else { a * exp(x) }
//! ```
//!
//! Attributes are taken out of it (`function.rs`):
//!
//! ```text
//! x * sigmoid(beta * x)   =   f(beta * x) / beta                f(t) = t * sigmoid(t)
//! ```
//!
//! What is no such function is taken apart: products into their factors, choices into both cases. What then
//! is left over has to be exact (`exact.rs`), or there is no split.

mod exact;
mod function;

use crate::degree::{BEYOND, is_far};
use crate::graph::{Builder, Graph, Id, Node};
use crate::passes::simplify;
use crate::prim::Prim;
use crate::roles::is_factor;
use exact::exact;
pub use exact::is_uniform;
use function::{find, part};

/// A graph apart in functions of one value each and what is made of their values.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// What is made of their values. The value of function `k` is stream `inputs + k`. Besides products
    /// and choices there are only sums of what is exact.
    pub rest: Graph,
    /// The functions.
    pub functions: Vec<Function>,
}

/// A function of one value.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// What it is applied to.
    pub variable: Variable,
    /// Where that lies: anywhere, or not below 0. Elsewhere the value is not looked at.
    pub domain: [f64; 2],
    /// What is computed of stream 0, its variable: one output.
    pub graph: Graph,
}

/// What a function is applied to: `y * a^p * b^q ..`
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// `y`, of one stream: the stream, or what is chosen of it and attributes.
    pub of: Graph,
    /// Attributes and the powers they are taken to. They are positive, or the function is another.
    pub times: Vec<(usize, i32)>,
}

impl Variable {
    /// The stream that it depends on.
    pub fn stream(&self) -> usize {
        let stream = self.of.nodes.iter().find_map(|node| match *node {
            Node::Stream(s) => Some(usize::from(s)),
            _ => None,
        });
        stream.unwrap_or_default()
    }
}

/// So many choices are taken apart, one inside the other.
const CASES: usize = 4;
/// Where streams lie: from, to.
type Domains = [[f64; 2]];
/// Where a stream lies of which nothing is known.
const EVERYWHERE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// Splits a graph over `inputs` streams. `None` where some result is not made of functions of one value as said
/// above, or where none costs as much as a look-up.
pub fn split(graph: &Graph, inputs: usize) -> Option<Split> {
    let factors: Vec<bool> = (0..inputs).map(|s| is_factor(graph, s)).collect();
    let mut splitter = Splitter { inputs, functions: Vec::new(), b: Builder::new() };
    let mut results = Vec::new();
    for output in graph.outputs.iter() {
        let alone = simplify::run(&Graph { outputs: [*output].to_vec().into(), ..graph.clone() });
        let one = alone.rewrite(|b, node| match node {
            Node::Stream(s) if factors[usize::from(s)] => b.num(1.0),
            node => b.add(node),
        });
        // The function comes first: in `mul3` a small one keeps large factors from overflowing.
        let mut product =
            splitter.product(&simplify::run(&one), &vec![EVERYWHERE; inputs], CASES)?;
        let read = (0..inputs).filter(|s| factors[*s] && alone.reads(*s));
        product.extend(read.map(|s| splitter.b.stream(s)));
        results.push(multiplied(&mut splitter.b, &product));
    }
    let Splitter { b, functions, .. } = splitter;
    (!functions.is_empty()).then(|| Split { rest: b.finish(&results), functions })
}

/// The rest as it is built, and the functions that were met.
struct Splitter {
    b: Builder,
    inputs: usize,
    functions: Vec<Function>,
}

impl Splitter {
    /// The factors of a graph of one output, at most one of them a function.
    fn product(&mut self, graph: &Graph, domains: &Domains, cases: usize) -> Option<Vec<Id>> {
        let id = graph.outputs[0];
        let node = graph.nodes[id.index()];
        if node == Node::Const(1.0) {
            return Some(Vec::new());
        }
        if let Some(found) = find(graph, domains).filter(|found| is_worth_it(&found.function.graph))
        {
            let value = self.value(found.function);
            let times = found.times.iter().map(|(k, p)| {
                let scalar = self.b.scalar(*k);
                self.b.power(scalar, *p)
            });
            let times: Vec<Id> = times.collect();
            let Some(times) = times.into_iter().reduce(|x, y| self.b.product(x, y)) else {
                return Some(vec![value]);
            };
            return Some(vec![self.b.product(times, value)]);
        }
        let (exact, uniform) = (exact(graph), is_uniform(graph));
        let plain = |id: &Id| exact[id.index()];
        if plain(&id) || uniform[id.index()] {
            return Some(vec![self.copied(graph)]);
        }
        match node {
            Node::Call(Prim::Neg, [x, ..]) => {
                let mut product = self.product(&part(graph, x), domains, cases)?;
                match product.first_mut() {
                    Some(first) => *first = self.b.negative(*first),
                    None => product.push(self.b.num(-1.0)),
                }
                Some(product)
            }
            Node::Call(Prim::Mul | Prim::Mul3, _) => {
                let mut all = Vec::new();
                for x in node.args() {
                    all.extend(self.product(&part(graph, *x), domains, cases)?);
                }
                // What contains a function comes first, of which there is one at most: each has its error.
                let mut functions = all.iter().filter(|x| self.reads_function(**x)).copied();
                let (first, more) = (functions.next(), functions.next());
                all.retain(|x| Some(*x) != first);
                more.is_none().then(|| first.into_iter().chain(all).collect())
            }
            Node::Call(Prim::Add | Prim::Sub | Prim::Div, _) if node.args().iter().all(plain) => {
                Some(vec![self.copied(graph)])
            }
            Node::Call(Prim::Div, [x, y, _]) if uniform[y.index()] => {
                let mut product = self.product(&part(graph, x), domains, cases)?;
                let (one, y) = (self.b.num(1.0), self.copied(&part(graph, y)));
                product.push(self.b.quotient(one, y));
                Some(product)
            }
            _ => {
                let is_choice = |k: &usize| matches!(graph.nodes[*k], Node::Call(Prim::Select, _));
                let choices = (0..graph.nodes.len()).rev().filter(is_choice);
                let mut conditions = choices.map(|k| graph.nodes[k].args()[0]).filter(plain);
                let (condition, cases) = (conditions.next()?, cases.checked_sub(1)?);
                let decided = |whether| {
                    let domains = narrowed(graph, condition, whether, domains);
                    (simplify::run(&decided(graph, condition, whether)), domains)
                };
                let [yes, no] = [true, false].map(decided).map(|(graph, domains)| {
                    let product = self.product(&graph, &domains, cases)?;
                    Some(multiplied(&mut self.b, &product))
                });
                let (yes, no) = (yes?, no?);
                let condition = self.copied(&part(graph, condition));
                Some(vec![self.b.call(Prim::Select, &[condition, yes, no])])
            }
        }
    }

    /// The value of a function, which may have been met before.
    fn value(&mut self, function: Function) -> Id {
        let known = self.functions.iter().position(|f| *f == function);
        let at = known.unwrap_or(self.functions.len());
        self.functions.extend(known.is_none().then_some(function));
        self.b.stream(self.inputs + at)
    }

    /// A graph of one output as it is, but for bounds that no number reaches.
    fn copied(&mut self, graph: &Graph) -> Id {
        let unbound = graph.rewrite(|b, node| {
            let is_far = |id: Id| b.as_const(id).is_some_and(|c| c.abs() >= BEYOND);
            match node {
                Node::Call(Prim::Min | Prim::Max, [x, y, _]) if is_far(x) => y,
                Node::Call(Prim::Min | Prim::Max, [x, y, _]) if is_far(y) => x,
                node => b.add(node),
            }
        });
        self.b.part(&unbound)
    }

    fn reads_function(&self, id: Id) -> bool {
        match self.b.node(id) {
            Node::Stream(s) => usize::from(s) >= self.inputs,
            node => node.args().iter().any(|id| self.reads_function(*id)),
        }
    }
}

/// The graph where a condition is known to hold, or not to. Attributes are finite: zero times what they make of
/// each other is zero.
fn decided(graph: &Graph, condition: Id, holds: bool) -> Graph {
    let mut at = 0..;
    let chosen = graph.rewrite(|b, node| {
        let asks = at.next().is_some_and(|k: usize| {
            matches!(graph.nodes[k], Node::Call(Prim::Select, [c, ..]) if c == condition)
        });
        match node {
            Node::Call(_, [_, yes, _]) if asks && holds => yes,
            Node::Call(_, [_, _, no]) if asks => no,
            node => b.add(node),
        }
    });
    let (chosen, mut at) = (simplify::run(&chosen), 0..);
    let uniform = is_uniform(&chosen);
    chosen.rewrite(|b, node| {
        let is_uniform = at.next().is_some_and(|k: usize| uniform[k]);
        match node {
            Node::Call(Prim::Mul, [x, y, _])
                if is_uniform && [x, y].iter().any(|id| b.as_const(*id) == Some(0.0)) =>
            {
                b.num(0.0)
            }
            node => b.add(node),
        }
    })
}

/// Where streams lie if a condition holds, or does not.
fn narrowed(graph: &Graph, condition: Id, holds: bool, domains: &Domains) -> Vec<[f64; 2]> {
    let mut domains = domains.to_vec();
    let number = |id: Id| match graph.nodes[id.index()] {
        Node::Const(c) => Some(c),
        _ => None,
    };
    let stream = |id: Id| graph.stream_within_bounds(id);
    if let Node::Call(Prim::Lt | Prim::Le, [x, y, _]) = graph.nodes[condition.index()] {
        // c < x, and x < c.
        let met = [(number(x), stream(y), holds), (number(y), stream(x), !holds)];
        for (c, stream, is_above) in met {
            let Some((0.0, stream)) = c.zip(stream) else { continue };
            domains[stream][usize::from(!is_above)] = 0.0;
        }
    }
    domains
}

impl Graph {
    /// The stream that a node is, but for bounds that no number reaches.
    fn stream_within_bounds(&self, id: Id) -> Option<usize> {
        match &self.nodes[id.index()] {
            Node::Stream(s) => Some(usize::from(*s)),
            node if is_far(self, node) => {
                node.args().iter().find_map(|id| self.stream_within_bounds(*id))
            }
            _ => None,
        }
    }
}

/// The product of factors.
fn multiplied(b: &mut Builder, factors: &[Id]) -> Id {
    match factors {
        [x, y] => b.product(*x, *y),
        [x, y, z] => b.call(Prim::Mul3, &[*x, *y, *z]),
        [x, rest @ ..] if !rest.is_empty() => {
            let rest = multiplied(b, rest);
            b.product(*x, rest)
        }
        [x, ..] => *x,
        [] => b.num(1.0),
    }
}

/// Whether a function costs as much as a look-up. What repeats itself for ever has no table.
fn is_worth_it(graph: &Graph) -> bool {
    let count = |wanted: &dyn Fn(Prim) -> bool| {
        let is = |node: &&Node| matches!(**node, Node::Call(prim, _) if wanted(prim));
        graph.nodes.iter().filter(is).count()
    };
    let costs = |prim: Prim| {
        let is_cheap = matches!(prim, Prim::Neg | Prim::Abs | Prim::Relu | Prim::Sign | Prim::Sqrt);
        prim.row().arity == 1 && !is_cheap || prim == Prim::Pow
    };
    let rounds = |prim: Prim| matches!(prim, Prim::Add | Prim::Sub | Prim::Mul | Prim::Div);
    let repeats = |prim: Prim| matches!(prim, Prim::Sin | Prim::Cos);
    (count(&costs) > 0 || count(&rounds) > 1) && count(&repeats) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `sigmoid(x) - 1`.
    fn decay(b: &mut Builder, x: Id) -> Id {
        let (e, one) = (b.call(Prim::Sigmoid, &[x]), b.num(1.0));
        b.difference(e, one)
    }

    #[test]
    fn a_gated_units_gradient_is_two_functions_of_the_gate() {
        let mut b = Builder::new();
        let [dy, gate, value] = [0, 1, 2].map(|k| b.stream(k));
        let (f, t) = (decay(&mut b, gate), b.call(Prim::Tanh, &[gate]));
        let (g, above) = (b.product(t, dy), b.product(dy, f));
        let (left, right) = (b.product(above, value), b.sum(g, above));
        let graph = b.finish(&[left, right]);
        let Split { rest, functions } = split(&graph, 3).expect("two functions");
        assert_eq!(functions.iter().map(|f| f.variable.stream()).collect::<Vec<_>>(), [1, 1]);
        for (dy, x, value) in [(0.3, 0.7, -1.5), (-2.0, -3.0, 0.25)] {
            let values = functions.iter().map(|f| f.graph.eval(&[x], &[])[0]);
            let streams: Vec<f64> = [dy, x, value].into_iter().chain(values).collect();
            let (got, want) = (rest.eval(&streams, &[]), graph.eval(&streams, &[]));
            assert!(got.iter().zip(want).all(|(g, w)| (g / w - 1.0).abs() < 1e-14), "{got:?}");
        }
    }

    #[test]
    fn a_choice_is_a_function_too() {
        let mut b = Builder::new();
        let (dy, x, zero) = (b.stream(0), b.stream(1), b.num(0.0));
        let (f, positive) = (decay(&mut b, x), b.call(Prim::Lt, &[zero, x]));
        let below = b.product(dy, f);
        let chosen = b.call(Prim::Select, &[positive, dy, below]);
        let Split { functions, .. } = split(&b.finish(&[chosen]), 2).expect("a function");
        let at = |x: f64| functions[0].graph.eval(&[x], &[])[0];
        assert_eq!((at(3.0), at(-1.0)), (1.0, -1.0 / (1.0 + (-1.0f64).exp())));
    }

    /// A graph's functions and rest give what it gives, at some numbers.
    fn comes_to_the_same(graph: &Graph, inputs: usize, scalars: &[f64]) -> Split {
        let split = split(graph, inputs).expect("functions");
        for k in -12..=12 {
            let streams: Vec<f64> = (0..inputs).map(|s| f64::from(k) * 0.7 + s as f64).collect();
            let values = split.functions.iter().map(|f| {
                let Variable { of, times } = &f.variable;
                let y = of.eval(&streams, scalars)[0];
                let t = times.iter().fold(y, |t, (k, p)| t * scalars[*k].powi(*p));
                f.graph.eval(&[t], &[])[0]
            });
            let all: Vec<f64> = streams.iter().copied().chain(values).collect();
            let (got, want) = (split.rest.eval(&all, scalars), graph.eval(&streams, scalars));
            let same = |(g, w): (&f64, &f64)| (g - w).abs() <= 1e-13 * w.abs();
            assert!(got.iter().zip(&want).all(same), "{streams:?}: {got:?}, not {want:?}");
        }
        split
    }

    #[test]
    fn an_attribute_beside_the_stream_is_taken_out() {
        let mut b = Builder::new();
        let (dy, x, beta) = (b.stream(0), b.stream(1), b.scalar(0));
        let t = b.product(beta, x);
        let (s, tanh) = (b.call(Prim::Sigmoid, &[t]), b.call(Prim::Tanh, &[t]));
        let (swish, bent) = (b.product(x, s), b.quotient(tanh, beta));
        let (left, right) = (b.product(dy, swish), b.product(dy, bent));
        let Split { functions, rest } = comes_to_the_same(&b.finish(&[left, right]), 2, &[1.75]);
        assert!(functions.iter().all(|f| f.variable.times == [(0, 1)] && f.variable.stream() == 1));
        assert_eq!((functions.len(), rest.reads(1)), (2, false));
    }

    /// `if x > 0 { scale * x } else { scale * alpha * expm1(beta * x) }`
    #[test]
    fn a_choice_with_an_attribute_on_one_side_is_taken_apart() {
        let mut b = Builder::new();
        let (x, zero) = (b.stream(0), b.num(0.0));
        let [scale, alpha, beta] = [0, 1, 2].map(|k| b.scalar(k));
        let (t, line, both) = (b.product(beta, x), b.product(scale, x), b.product(scale, alpha));
        let e = b.call(Prim::Expm1, &[t]);
        let (below, above) = (b.product(both, e), b.call(Prim::Lt, &[zero, x]));
        let elu = b.call(Prim::Select, &[above, line, below]);
        let split = comes_to_the_same(&b.finish(&[elu]), 1, &[1.5, 0.25, 3.0]);
        let [Function { variable, domain, .. }] = &split.functions[..] else { panic!() };
        assert_eq!((&variable.times[..], *domain), (&[(2, 1)][..], [0.0, f64::INFINITY]));
    }

    /// The gradient of `a sigmoid(alpha a)`, `a = min(x, limit)`, by a choice.
    #[test]
    fn what_is_chosen_is_a_variable() {
        let mut b = Builder::new();
        let (x, zero, one) = (b.stream(0), b.num(0.0), b.num(1.0));
        let [alpha, limit] = [0, 1].map(|k| b.scalar(k));
        let above = b.call(Prim::Lt, &[limit, x]);
        let a = b.call(Prim::Select, &[above, limit, x]);
        let slope = b.call(Prim::Select, &[above, zero, one]);
        let t = b.product(alpha, a);
        let minus = b.negative(t);
        let [s, r] = [t, minus].map(|t| b.call(Prim::Sigmoid, &[t]));
        let forward = b.product(a, s);
        let (gated, scaled) = (b.product(slope, s), b.product(slope, alpha));
        let (inner, rest) = (b.product(s, r), b.product(scaled, a));
        let second = b.product(rest, inner);
        let backward = b.sum(gated, second);
        let split = comes_to_the_same(&b.finish(&[forward, backward]), 1, &[1.25, 2.0]);
        let chosen: Vec<bool> =
            split.functions.iter().map(|f| f.variable.of.nodes.len() > 1).collect();
        assert_eq!(chosen, [true, false]);
    }

    #[test]
    fn two_functions_of_two_streams_and_short_arithmetic_have_none() {
        let mut b = Builder::new();
        let (x, y) = (b.stream(0), b.stream(1));
        let (f, g) = (decay(&mut b, x), decay(&mut b, y));
        let sum = b.sum(f, y);
        for result in [b.product(f, g), b.product(x, x), sum] {
            assert_eq!(split(&b.finish(&[result]), 2), None);
        }
    }
}
