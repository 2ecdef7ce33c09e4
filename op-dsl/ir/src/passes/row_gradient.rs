//! Gradient of a formula with row functions: the vector-Jacobian product over whole rows.
//!
//! A row function's *adjoint* is the derivative of all outputs of the row by its value. For `y_i = f(x_i, r)` with
//! `r = row_sum(g(x_i))` it is `row_sum(dy_i * f_r(x_i, r))`, and `dx_i = dy_i * f_x + adjoint * g'(x_i)`. The adjoint is thus the
//! value of one more row function, and the upstream gradient of the terms `g`. Adjoints are taken in reverse order of dependence.
//!
//! The adjoint of a mean is the mean of its terms, since a term's weight is one over their number. Terms that equal the maximum share
//! its adjoint equally; their number is the value of a row function too.

use super::differentiate::{Unconnected, beyond, once, unconnected};
use super::simplify;
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;
use crate::row::{RowFormula, RowFunction};
use crate::univariate::part;
use crate::wiring::Wiring;

/// Returns the gradient of a formula; `inputs` is the number of the gradient's input streams.
///
/// # Errors
/// The result would read a stream that the wiring does not connect.
pub fn run(
    forward: &RowFormula,
    wiring: &Wiring,
    inputs: usize,
    before: impl Fn(&Graph) -> Graph,
) -> Result<RowFormula, Unconnected> {
    let functions = &forward.functions;
    let with_maxima = Maxima::of(forward, &before(&forward.graph));
    let maxima = with_maxima.counts.len();
    let first_adjoint = functions.len() + maxima;
    let adjoint = |k: usize| first_adjoint + functions.len() - 1 - k;

    let mut wiring = wiring.clone();
    wiring.inputs.to_mut().resize(forward.inputs, None);
    wiring.inputs.to_mut().extend((0..2 * first_adjoint).map(|k| Some(inputs + k)));
    let adjoints = (0..functions.len()).map(|k| Some(RowFormula::value(inputs, adjoint(k))));
    wiring.upstream.to_mut().extend(adjoints);
    wiring.saved.to_mut().resize(with_maxima.graph.outputs.len(), None);
    let values = (0..functions.len()).rev().map(|k| RowFormula::value(forward.inputs, k));
    wiring.wrt.to_mut().extend(values);

    let steps = [wiring];
    let mut kept = with_maxima.terms;
    kept.extend(with_maxima.counts);
    let graph = once(&with_maxima.graph, &steps[0], beyond(&steps, 0), true, &kept);
    if let Some(unconnected) = graph.nodes.iter().find_map(|node| unconnected(&steps, node)) {
        return Err(unconnected);
    }
    // The derivatives by the formula's inputs, those by the values of row functions, then the terms of the forward formula.
    let own = steps[0].wrt.len() - functions.len();
    let (results, terms) = graph.outputs.split_at(steps[0].wrt.len());
    let outputs: Vec<Id> =
        results[..own].iter().chain(terms).chain(&results[own..]).copied().collect();
    let sums = core::iter::repeat_n(RowFunction::Sum, maxima);
    let adjoints = functions.iter().rev().map(|function| match function {
        RowFunction::Mean => RowFunction::Mean,
        RowFunction::Sum | RowFunction::Max => RowFunction::Sum,
    });
    let functions = functions.iter().copied().chain(sums).chain(adjoints).collect();
    let graph = simplify::run(&graph.with_outputs(&outputs));
    Ok(without_vanishing(RowFormula { graph, functions, inputs }, first_adjoint))
}

/// A forward formula in which each maximum (`row_max`) is differentiable: terms that equal the maximum share its derivative.
struct Maxima {
    /// The graph, in which a select replaces the terms of a maximum: `term / count` where the term is the largest, else 0.
    ///
    /// Its derivative by the terms is that of the maximum, where `count` is the number of terms that equal the maximum.
    graph: Graph,
    /// For each row function, its terms.
    terms: Vec<Id>,
    /// For each maximum, 1 where a term equals it, else 0.
    counts: Vec<Id>,
}

impl Maxima {
    fn of(forward: &RowFormula, graph: &Graph) -> Maxima {
        let mut b = Builder::new();
        let new = graph.forward(|at| b.add(at.copy()));
        let outputs: Vec<Id> = graph.outputs.iter().map(|o| new[o.index()]).collect();
        let (own, terms) = outputs.split_at(forward.outputs());
        let (mut differentiable, mut counts) = (terms.to_vec(), Vec::new());
        let functions = forward.functions.iter().enumerate();
        for (k, _) in functions.filter(|(_, f)| **f == RowFunction::Max) {
            // Computed once more, a term might round otherwise than the maximum did. Streams do not.
            let term = match b.node(terms[k]) {
                Node::Stream(_) => terms[k],
                _ => b.stream(RowFormula::terms(forward.inputs, k)),
            };
            let value = b.stream(RowFormula::value(forward.inputs, k));
            let is_largest = b.call(Prim::Eq, &[term, value]);
            let count = forward.functions.len() + counts.len();
            let count = b.stream(RowFormula::value(forward.inputs, count));
            let (share, one, zero) = (b.quotient(terms[k], count), b.num(1.0), b.num(0.0));
            differentiable[k] = b.call(Prim::Select, &[is_largest, share, zero]);
            counts.push(b.call(Prim::Select, &[is_largest, one, zero]));
        }
        let outputs = [own, &differentiable].concat();
        // All nodes stay, so that ids do.
        let all: Vec<Id> = outputs.iter().chain(terms).chain(&counts).copied().collect();
        let kept = b.finish(&all);
        let at = |from: usize, n: usize| kept.outputs[from..from + n].to_vec();
        let (terms, counts) = (terms.len(), counts.len());
        Maxima {
            graph: kept.with_outputs(&at(0, outputs.len())),
            terms: at(outputs.len(), terms),
            counts: at(outputs.len() + terms, counts),
        }
    }
}

/// Number of rows at which adjoints are evaluated, more than [`ENOUGH`], because a formula may have no value at some of them.
const SAMPLES: usize = 12;
/// Minimum number of rows with finite values that decides whether an adjoint vanishes.
const ENOUGH: usize = 4;
/// Ratio of a sum to its sum of magnitudes below which the sum counts as zero, as an adjoint of analytic terms at all samples.
///
/// Rounding in f64 leaves about 1e-16 per term.
const VANISHING: f64 = 1e-11;

/// Replaces adjoints that are zero for all inputs by the constant zero.
///
/// A formula may read a row function's value without depending on it. For example, a softmax subtracts the maximum only so that
/// exponentials do not overflow. The terms of the maximum's adjoint then cancel exactly, but in f32 they leave the rounding errors
/// of a whole row, which would be added to the gradient at one element.
fn without_vanishing(mut formula: RowFormula, first_adjoint: usize) -> RowFormula {
    let analytic = analytic(&formula);
    let sampled: Vec<Vec<Vec<f64>>> = (0..SAMPLES).map(|k| sample(&formula, k)).collect();
    for k in first_adjoint..formula.functions.len() {
        let terms = sampled.iter().map(|values| &values[formula.outputs() + k]);
        let finite: Vec<_> = terms.filter(|t| t.iter().all(|x| x.is_finite())).collect();
        let vanishes = |terms: &&Vec<f64>| {
            let (sum, size) = terms.iter().fold((0.0, 0.0), |(s, a), x| (s + x, a + x.abs()));
            size > 0.0 && f64::abs(sum) <= VANISHING * size
        };
        let is_zero = finite.len() >= ENOUGH && finite.iter().all(vanishes);
        if is_zero && analytic[k] {
            formula.graph = without(&formula.graph, RowFormula::value(formula.inputs, k));
        }
    }
    formula
}

/// Returns, for each row function, true if its terms, and the terms of the functions that they read, contain no choices.
///
/// Terms without choices (such as a `select` or `max`) that add up to zero at all samples do so everywhere. Terms with choices may
/// add up to something else where no sample has made the same choice.
fn analytic(formula: &RowFormula) -> Vec<bool> {
    let mut all: Vec<bool> = Vec::new();
    for terms in &formula.graph.outputs[formula.outputs()..] {
        let is_analytic = |node: &Node| match *node {
            Node::Call(prim, _) => prim.is_smooth(),
            Node::Stream(s) => {
                let of_function = usize::from(s).checked_sub(formula.inputs).map(|s| s / 2);
                of_function.is_none_or(|k| all.get(k) == Some(&true))
            }
            _ => true,
        };
        let terms = part(&formula.graph, *terms);
        all.push(terms.nodes.iter().all(is_analytic));
    }
    all
}

/// Returns a graph in which input stream `value` is zero, and so are the products and quotients that it is a factor of.
fn without(graph: &Graph, value: usize) -> Graph {
    let zero: Vec<bool> = graph.forward(|at| match at.node {
        Node::Stream(s) => usize::from(s) == value,
        Node::Call(Prim::Mul | Prim::Mul3 | Prim::Neg, _) => at.args().any(|zero| *zero),
        Node::Call(Prim::Div, [numerator, ..]) => at[numerator],
        _ => false,
    });
    simplify::run(&graph.rewrite_at(|b, at| match zero[at.id.index()] {
        true => b.num(0.0),
        false => b.add(at.copy()),
    }))
}

/// Evaluates a formula at a row of pseudo-random numbers, of some elements more for each sample.
fn sample(formula: &RowFormula, k: usize) -> Vec<Vec<f64>> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(k as u64 + 1);
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let len = 3 + k % 5;
    // Half of the samples are positive, for functions that are defined there only.
    let low = if k.is_multiple_of(2) { -2.0 } else { 0.25 };
    let mut number = || low + (2.5 - low) * next();
    let streams: Vec<Vec<f64>> =
        (0..formula.inputs).map(|_| (0..len).map(|_| number()).collect()).collect();
    let scalars: Vec<f64> = (0..formula.graph.scalars()).map(|_| number()).collect();
    formula.eval(&streams, &scalars, len)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x max(row_sum(x) - 1000, 0)`: at all samples the maximum is 0, and so is its derivative.
    #[test]
    fn an_adjoint_stays_that_is_zero_at_the_samples_alone() {
        let mut b = Builder::new();
        let (x, sum) = (b.stream(0), b.stream(RowFormula::value(1, 0)));
        let (limit, zero) = (b.num(1000.0), b.num(0.0));
        let above = b.difference(sum, limit);
        let above = b.call(Prim::Max, &[above, zero]);
        let y = b.product(x, above);
        let graph = b.finish(&[y, x]);
        let forward = RowFormula { graph, functions: vec![RowFunction::Sum], inputs: 1 };
        let wiring = Wiring {
            inputs: vec![Some(1)].into(),
            upstream: vec![Some(0)].into(),
            saved: vec![None].into(),
            wrt: vec![0].into(),
        };
        let gradient = run(&forward, &wiring, 2, Graph::clone).expect("all streams are connected");
        let (dy, x) = (vec![1.0, 2.0], vec![600.0, 500.0]);
        assert_eq!(gradient.eval(&[dy, x], &[], 2)[0], [1700.0, 1800.0]);
    }
}
