//! Functions of one stream in a graph: what a back end may evaluate as one look-up.
//!
//! Most results are a function of one stream times other streams: `dy * f(x)`, `value * f(gate)`.
//! [`split`] finds `f` however the formula is written. A factor only multiplies, so `f` is the result
//! where all factors are 1, and the result is the product of `f` and the factors that it depends on:
//!
//! ```text
//! if x > 0 { dy } else { dy * a * exp(x) }   =   dy * f(x)      f(x) = if x > 0 { 1 } else { a * exp(x) }
//! ```
//!
//! No other form is looked for. Where two streams or an attribute have a part in `f` there is none, nor where
//! `f` is beyond f32 though the product need not be.

use crate::graph::{Builder, Graph, Id, Node};
use crate::passes::simplify;
use crate::prim::Prim;
use crate::roles::is_factor;

/// A graph apart in functions of one stream each and what is made of their values.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// What is made of their values. The value of function `k` is stream `inputs + k`.
    pub rest: Graph,
    /// The functions.
    pub functions: Vec<Function>,
}

/// A function of one stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The stream.
    pub stream: usize,
    /// What is computed of stream 0, its variable: one output.
    pub graph: Graph,
}

/// Splits a graph over `inputs` streams. `None` where some result is no product of factors and a function
/// of one stream, or where no function calls anything but arithmetic.
pub fn split(graph: &Graph, inputs: usize) -> Option<Split> {
    let factors: Vec<bool> = (0..inputs).map(|s| is_factor(graph, s)).collect();
    let mut functions: Vec<Function> = Vec::new();
    let mut b = Builder::new();
    let mut results = Vec::new();
    for output in graph.outputs.iter() {
        let alone = simplify::run(&Graph { outputs: vec![*output].into(), ..graph.clone() });
        let mut product: Vec<Id> =
            (0..inputs).filter(|s| factors[*s] && alone.reads(*s)).map(|s| b.stream(s)).collect();
        let value = match Value::of(&alone, &factors)? {
            Value::Number(1.0) if !product.is_empty() => None,
            Value::Number(c) => Some(b.num(c)),
            // A small factor may bring back what is beyond f32.
            Value::Function(function) if !product.is_empty() && exceeds(&function.graph) => {
                return None;
            }
            Value::Function(function) => {
                let known = functions.iter().position(|f| *f == function);
                let at = known.unwrap_or(functions.len());
                functions.extend(known.is_none().then_some(function));
                Some(b.stream(inputs + at))
            }
        };
        // The function comes first: in `mul3` a small one keeps large factors from overflowing.
        product.splice(0..0, value);
        results.push(multiplied(&mut b, &product));
    }
    let any = functions.iter().any(|f| is_worth_it(&f.graph));
    any.then(|| Split { rest: b.finish(&results), functions })
}

/// What is left of a result where all factors are 1.
enum Value {
    Number(f64),
    Function(Function),
}

impl Value {
    fn of(result: &Graph, factors: &[bool]) -> Option<Value> {
        let one = result.rewrite(|b, node| match node {
            Node::Stream(s) if factors[usize::from(s)] => b.num(1.0),
            node => b.add(node),
        });
        let graph = simplify::run(&one);
        if let Node::Const(c) = graph.nodes[graph.outputs[0].index()] {
            return Some(Value::Number(c));
        }
        let mut streams = (0..factors.len()).filter(|s| graph.reads(*s));
        let (stream, more) = (streams.next()?, streams.next());
        if more.is_some() || graph.nodes.iter().any(|n| matches!(n, Node::Scalar(_))) {
            return None;
        }
        let renamed = graph.rewrite(|b, node| match node {
            Node::Stream(_) => b.stream(0),
            node => b.add(node),
        });
        Some(Value::Function(Function { stream, graph: renamed }))
    }
}

/// The product of one or more factors.
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

/// Whether a function is beyond f32 for a number of f32.
fn exceeds(function: &Graph) -> bool {
    let most = f64::from(f32::MAX);
    let ends = [most, most / 3.0, 1e20, 500.0, 100.0];
    ends.iter().flat_map(|x| [*x, -x]).any(|x| function.eval(&[x], &[])[0].abs() > most)
}

/// Whether a function calls anything that costs as much as a look-up. What repeats itself for ever has no table.
fn is_worth_it(graph: &Graph) -> bool {
    let calls = |wanted: &dyn Fn(Prim) -> bool| {
        graph.nodes.iter().any(|node| matches!(*node, Node::Call(prim, _) if wanted(prim)))
    };
    let costs = |prim: Prim| {
        let is_cheap = matches!(prim, Prim::Neg | Prim::Abs | Prim::Relu | Prim::Sign | Prim::Sqrt);
        prim.row().arity == 1 && !is_cheap || prim == Prim::Pow
    };
    calls(&costs) && !calls(&|prim| matches!(prim, Prim::Sin | Prim::Cos))
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
        assert_eq!(functions.iter().map(|f| f.stream).collect::<Vec<_>>(), [1, 1]);
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

    /// `exp(100)` is no f32, and `1e-40 * exp(100)` is one.
    #[test]
    fn what_a_factor_brings_back_is_no_function() {
        let mut b = Builder::new();
        let (dy, x) = (b.stream(0), b.stream(1));
        let e = b.call(Prim::Exp, &[x]);
        let product = b.product(dy, e);
        assert_eq!(split(&b.finish(&[product]), 2), None);
        assert!(split(&b.finish(&[e]), 2).is_some());
    }

    #[test]
    fn results_of_two_streams_attributes_and_arithmetic_have_none() {
        let mut b = Builder::new();
        let (x, y, k) = (b.stream(0), b.stream(1), b.scalar(0));
        let (f, g) = (decay(&mut b, x), decay(&mut b, y));
        let scaled = b.product(k, x);
        for result in [b.product(f, g), decay(&mut b, scaled), b.product(x, x)] {
            assert_eq!(split(&b.finish(&[result]), 2), None);
        }
    }
}
