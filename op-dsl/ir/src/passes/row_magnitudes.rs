//! Maxima of magnitudes along rows, in formulas that also read the numbers with their signs.
//!
//! ```text
//! row_max(abs(y))   ->   abs(max(row_max(y), row_max(-y)))
//! ```
//!
//! The terms of the first maximum are then `y`, which later stages read instead of computing it again. A quantiser of a unit needs both:
//! `y / scale` with `scale = row_max(abs(y)) / 127`. The terms of the second maximum are the kept ones, negated, so that `y` is computed
//! once. The outer magnitude is for rows of zeros, whose maximum may be `-0`.
//!
//! This is for operators that round results to integers or eight bits, which have no NPU kernels. There each stage has the error budget
//! of an operator, so that kept terms would bring results of f32 over theirs (8.1 units of a SwiGLU with a scale for each row).

use super::simplify;
use crate::graph::{Builder, Id, Node};
use crate::prim::Prim;
use crate::row::{RowFormula, RowFunction};
use crate::univariate::costs;

/// Rewrites each maximum of magnitudes whose argument is costly and has another use.
pub fn run(formula: &RowFormula) -> RowFormula {
    // In a simple graph equal nodes are one.
    let simple = RowFormula { graph: simplify::run(&formula.graph), ..formula.clone() };
    // From the last on, because the functions after a new one are renumbered.
    (0..formula.functions.len()).rev().fold(simple, |formula, k| {
        argument(&formula, k).map_or(formula.clone(), |y| split(&formula, k, y))
    })
}

/// Returns `y` if row function `k` is `row_max(abs(y))`, and `y` takes a function to compute and is read elsewhere.
fn argument(formula: &RowFormula, k: usize) -> Option<Id> {
    let graph = &formula.graph;
    let term = graph.outputs[formula.outputs() + k];
    let (RowFunction::Max, Node::Call(Prim::Abs, [y, ..])) =
        (formula.functions[k], graph.nodes[term.index()])
    else {
        return None;
    };
    let needed = graph.needed_for(&[y]);
    let is_costly = |(node, needed): (&Node, &bool)| {
        *needed && matches!(node, Node::Call(prim, _) if costs(*prim))
    };
    let is_costly = graph.nodes.iter().zip(&needed).any(is_costly);
    (is_costly && graph.uses()[y.index()] > 1).then_some(y)
}

/// Replaces row function `k`, the maximum of the magnitude of `y`, by two maxima.
fn split(formula: &RowFormula, k: usize, y: Id) -> RowFormula {
    let (graph, inputs) = (&formula.graph, formula.inputs);
    let mut b = Builder::new();
    let new = graph.forward(|at| match at.node {
        Node::Stream(s) if usize::from(s) == RowFormula::value(inputs, k) => {
            let [above, below] = [k, k + 1].map(|k| b.stream(RowFormula::value(inputs, k)));
            let largest = b.call(Prim::Max, &[above, below]);
            b.call(Prim::Abs, &[largest])
        }
        Node::Stream(s) => {
            let is_later = usize::from(s) >= RowFormula::value(inputs, k + 1);
            b.stream(usize::from(s) + if is_later { 2 } else { 0 })
        }
        _ => b.add(at.copy()),
    });
    let mut outputs: Vec<Id> = graph.outputs.iter().map(|o| new[o.index()]).collect();
    let place = formula.outputs() + k;
    outputs[place] = new[y.index()];
    let kept = b.stream(RowFormula::terms(inputs, k));
    outputs.insert(place + 1, b.negative(kept));
    let mut functions = formula.functions.clone();
    functions.insert(k + 1, RowFunction::Max);
    RowFormula { graph: b.finish(&outputs), functions, inputs }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `y / row_max(abs(y)) + row_sum(y)` with `y = exp(x) - 2`, and the same with `y = x`, which costs nothing.
    fn scaled(is_costly: bool) -> RowFormula {
        let mut b = Builder::new();
        let x = b.stream(0);
        let (e, two) = (b.call(Prim::Exp, &[x]), b.num(2.0));
        let y = if is_costly { b.difference(e, two) } else { x };
        let size = b.call(Prim::Abs, &[y]);
        let (largest, sum) = (b.stream(RowFormula::value(1, 0)), b.stream(RowFormula::value(1, 1)));
        let quotient = b.quotient(y, largest);
        let result = b.sum(quotient, sum);
        let functions = vec![RowFunction::Max, RowFunction::Sum];
        RowFormula { graph: b.finish(&[result, size, y]), functions, inputs: 1 }
    }

    #[test]
    fn magnitudes_keep_their_signs_for_later_stages() {
        let (formula, cheap) = (scaled(true), scaled(false));
        assert_eq!(run(&cheap), cheap);
        let split = run(&formula);
        assert_eq!(split.functions, [RowFunction::Max, RowFunction::Max, RowFunction::Sum]);
        for row in [[-3.0, 0.5, 1.0], [0.1, 0.2, 0.3], [f64::NAN, 0.0, 1.0], [-9.0, -9.0, -9.0]] {
            let bits = |formula: &RowFormula| {
                let results = formula.eval(&[row.to_vec()], &[], 3);
                results[0].iter().map(|v| v.to_bits()).collect::<Vec<_>>()
            };
            assert_eq!(bits(&split), bits(&formula), "{row:?}");
        }
    }
}
