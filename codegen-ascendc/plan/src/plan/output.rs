//! An output of a formula in f64, and the units in which its errors count: how much it changes with its inputs, and the size of its terms.

use super::scales::Scales;
use op_dsl_ir::analysis::{Inputs, Visit};
use op_dsl_ir::format::pow2;
use op_dsl_ir::roles::{self, Dependence};
use op_dsl_ir::univariate::part;
use op_dsl_ir::{Graph, Id, Node, Prim};
use std::borrow::Cow;

/// Whether sizes of inputs count inside a formula.
///
/// They limit the unit in which errors near zeros and in tails count. Plans that are accurate without them are preferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sizes {
    /// Functions of several inputs count as much as those of one: tails keep their digits where `a x` is rounded.
    Ignored,
    /// The activation counts by its size where it multiplies a function of other inputs too, as in `x silu'(a x)`, and so do terms that
    /// cancel in the argument of a function, as in `tanh(x + a y)`. Near the zeros of these no sequence of calls is right to its last
    /// digit.
    Counted,
}

/// For each node or stream, its values, one per element.
pub(super) type Columns = Vec<Vec<f64>>;

/// An output of a formula.
pub(super) struct Output {
    /// The part of the formula that the output is computed from; the last node is the output.
    graph: Graph,
    /// For each node, the input streams that it depends on.
    inputs: Vec<Inputs>,
    /// For each node, true if it depends on the activation and on no other stream.
    ///
    /// The activation is the input stream that the formula is applied to.
    pub(super) own: Vec<bool>,
    /// How attributes multiply the nodes in `own`.
    scales: Scales,
    /// For each node, true if it is in `own` and counts by its size: it is arithmetic on the activation, without a function.
    sized: Vec<bool>,
    sizes: Sizes,
    /// For each input stream, true if the output is affine in it: the stream only multiplies terms.
    pub(super) factors: Vec<bool>,
    /// Arguments of sines and cosines that depend on an input stream.
    pub(super) turns: Vec<Id>,
}

impl Output {
    /// Returns output `id` of a graph, where `stream` is the activation.
    pub(super) fn new(
        graph: &Graph,
        id: Id,
        streams: usize,
        stream: usize,
        sizes: Sizes,
    ) -> Output {
        let graph = part(graph, id);
        let inputs = graph.inputs();
        let is_own = |inputs: &Inputs| inputs.streams == Inputs::bit(stream);
        let own: Vec<bool> = inputs.iter().map(is_own).collect();
        let has_function =
            graph.forward(|at: Visit<'_, bool>| is_function(&at.node) || at.args().any(|has| *has));
        let is_sized = |(own, has): (bool, bool)| sizes == Sizes::Counted && own && !has;
        let sized = own.iter().copied().zip(has_function).map(is_sized).collect();
        let scales = Scales::new(&graph, &own);
        let is_affine = |k| roles::dependence(&graph, k) == Dependence::Affine;
        let factors = (0..streams).map(is_affine).collect();
        let turn = |node: &Node| match *node {
            Node::Call(Prim::Sin | Prim::Cos, [x, ..]) if inputs[x.index()].streams != 0 => Some(x),
            _ => None,
        };
        let turns = graph.nodes.iter().filter_map(turn).collect();
        Output { graph, inputs, own, scales, sized, sizes, factors, turns }
    }

    /// Returns true if errors count otherwise than by [`Sizes::Ignored`].
    pub(super) fn counts_sizes(&self) -> bool {
        let (nodes, is_sized) = (&self.graph.nodes, |id: &Id| self.sized[id.index()]);
        let multiplies = |id: &Id| {
            let node = &nodes[id.index()];
            node.is_product() && !self.own[id.index()] && node.args().iter().any(is_sized)
        };
        let is_sum = |id: &Id| matches!(nodes[id.index()], Node::Call(Prim::Add | Prim::Sub, _));
        let cancels = |id: &Id| {
            let node = &nodes[id.index()];
            !self.own[id.index()] && is_function(node) && node.args().iter().any(is_sum)
        };
        self.graph.ids().any(|id| multiplies(&id) || cancels(&id))
    }

    /// Returns the values of all nodes for `count` elements.
    pub(super) fn values(&self, streams: &[Vec<f64>], scalars: &[f64], count: usize) -> Columns {
        let columns = self.graph.eval_all_columns(streams, scalars, count);
        columns.into_iter().map(Cow::into_owned).collect()
    }

    /// Returns, for each element, the change of the output per relative change of input `stream`.
    ///
    /// It is computed by central differences, and is 0 where these are not finite. `values` are those of all nodes at `streams`.
    pub(super) fn changes(
        &self,
        values: &Columns,
        streams: &[Vec<f64>],
        stream: usize,
    ) -> Vec<f64> {
        const STEP: f64 = 1.0 / (1 << 20) as f64;
        let depends = |id: Id| self.inputs[id.index()].streams & Inputs::bit(stream) != 0;
        let xs = &streams[stream];
        if !depends(self.graph.last()) {
            return vec![0.0; xs.len()];
        }
        let at = |share: f64| {
            let given = |id: Id, node: &Node| match node {
                _ if !depends(id) => Some(Cow::Borrowed(&values[id.index()][..])),
                Node::Stream(_) => Some(xs.iter().map(|x| x * (1.0 + share)).collect()),
                _ => None,
            };
            self.graph.columns(xs.len(), given).pop().unwrap_or_default()
        };
        let change = |(above, below): (&f64, &f64)| {
            let change = (above - below).abs() / (2.0 * STEP);
            if change.is_finite() { change } else { 0.0 }
        };
        at(STEP).iter().zip(at(-STEP).iter()).map(change).collect()
    }

    /// Returns, for each element, the size of the factors in front of functions of the activation.
    ///
    /// The result is the output with the attributes in front of each node in `own`, the functions of the activation alone, at least 1
    /// for these, for other functions and for nodes in `sized`, and with absolute values, so that no sum cancels. Where terms of
    /// different inputs cancel in the argument of a function, it has their size too, times the slope of the function:
    /// `x + sigmoid(r) h` is rounded before its tanh. `values` are those of all nodes.
    pub(super) fn weights(&self, values: &Columns, own: &[bool], count: usize) -> Vec<f64> {
        let scales = self.scales.at(&self.graph, values, count);
        let mut all = self.graph.forward(|at: Visit<'_, Vec<f64>>| {
            let args: Vec<&Vec<f64>> = at.args().collect();
            let sizes = || values[at.id.index()].iter().map(|value| value.abs());
            let three = |of: &dyn Fn(usize) -> f64| {
                core::array::from_fn(|k| if k < args.len() { of(k) } else { f64::NAN })
            };
            let weights = |i: usize| three(&|k| args[k][i]);
            let point = |i: usize| three(&|k| values[at.node.args()[k].index()][i]);
            let each = |f: &dyn Fn(&mut dyn Iterator<Item = f64>) -> f64| {
                (0..count).map(|i| f(&mut args.iter().map(|arg| arg[i]))).collect()
            };
            match at.node {
                _ if own[at.id.index()] && self.sized[at.id.index()] => {
                    sizes().map(|v| v.max(1.0)).collect()
                }
                _ if own[at.id.index()] => scales[at.id.index()].clone(),
                Node::Call(Prim::Add | Prim::Sub, _) => each(&|args| args.sum()),
                Node::Call(Prim::Neg | Prim::Mul | Prim::Mul3, _) => each(&|args| args.product()),
                Node::Call(Prim::Select, _) => each(&|args| args.skip(1).fold(0.0, f64::max)),
                Node::Call(Prim::Div, _) => {
                    each(&|args| args.next().unwrap_or(0.0) / args.next().unwrap_or(1.0))
                }
                Node::Call(Prim::Max | Prim::Min | Prim::Abs, _) => (0..count)
                    .map(|i| of_chosen(point(i), weights(i), values[at.id.index()][i]))
                    .collect(),
                node if is_function(&node) && self.sizes == Sizes::Ignored => {
                    sizes().map(|v| v.max(1.0)).collect()
                }
                Node::Call(prim, _) if is_function(&at.node) => {
                    let size = |i: usize| values[at.id.index()][i].abs().max(1.0);
                    (0..count)
                        .map(|i| size(i).max(of_cancelled(prim, point(i), weights(i))))
                        .collect()
                }
                _ => sizes().collect(),
            }
        });
        all.pop().unwrap_or_default()
    }
}

/// Returns whether a node is a call that is not correctly rounded.
fn is_function(node: &Node) -> bool {
    matches!(node, Node::Call(prim, _) if prim.row().ulp.0 > 0.5)
}

/// Returns the weight of a bound, or that of the argument within it: the largest of an argument that has the size of the result.
fn of_chosen(args: [f64; 3], weights: [f64; 3], result: f64) -> f64 {
    let all = args.iter().zip(weights).filter(|(x, _)| x.abs() == result.abs());
    all.map(|(_, weight)| weight).fold(0.0, f64::max)
}

/// Returns how much of a function's value is lost to terms that cancel in its arguments: their weights beyond the size of the argument,
/// times the slope.
fn of_cancelled(prim: Prim, args: [f64; 3], weights: [f64; 3]) -> f64 {
    let lost = |k: usize| {
        let beyond = weights[k] - args[k].abs();
        let is_lost = beyond > 0.0 && beyond.is_finite();
        if is_lost { beyond * slope(prim, args, k) } else { 0.0 }
    };
    (0..args.len()).map(lost).sum()
}

/// Returns the size of a function's slope in argument `k`, by a central difference; 0 where there is none.
fn slope(prim: Prim, args: [f64; 3], k: usize) -> f64 {
    let step = args[k].abs().max(1.0) * pow2(-20);
    let at = |x: f64| {
        let mut args = args;
        args[k] = x;
        (prim.row().oracle)(args)
    };
    let slope = (at(args[k] + step) - at(args[k] - step)) / (2.0 * step);
    if slope.is_finite() { slope.abs() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::Builder;

    #[test]
    fn functions_weigh_as_much_as_what_multiplies_them() {
        let mut b = Builder::new();
        let (dy, x, dz) = (b.stream(0), b.stream(1), b.stream(2));
        let (f, g) = (b.call(Prim::Gelu, &[x]), b.call(Prim::Tanh, &[x]));
        let (first, second) = (b.product(dy, f), b.product(dz, g));
        let sum = b.difference(first, second);
        let third = b.quotient(sum, dz);
        let graph = b.finish(&[f, sum, third]);
        let streams = [-3.0, 0.1, 2.0].map(|x| vec![x]);
        let weight = |id: &Id| {
            let output = Output::new(&graph, *id, 3, 1, Sizes::Ignored);
            output.weights(&output.values(&streams, &[], 1), &output.own, 1)[0]
        };
        let found: Vec<f64> = graph.outputs.iter().map(weight).collect();
        assert_eq!(found, [1.0, 5.0, 2.5]);
    }

    #[test]
    fn terms_that_cancel_in_an_argument_and_within_bounds_count() {
        let mut b = Builder::new();
        let (x, y) = (b.stream(0), b.stream(1));
        let (sum, held) = (b.sum(x, y), b.num(1e30));
        let bounded = b.call(Prim::Min, &[sum, held]);
        let tanh = b.call(Prim::Tanh, &[bounded]);
        let graph = b.finish(&[bounded, tanh]);
        let streams = [6.0, -6.0].map(|x| vec![x]);
        let weights = |sizes: Sizes| -> Vec<f64> {
            let weight = |id: &Id| {
                let output = Output::new(&graph, *id, 2, 2, sizes);
                output.weights(&output.values(&streams, &[], 1), &output.own, 1)[0]
            };
            graph.outputs.iter().map(weight).collect()
        };
        assert_eq!(weights(Sizes::Ignored), [12.0, 1.0]);
        let counted = weights(Sizes::Counted);
        assert!(counted[0] == 12.0 && (counted[1] - 12.0).abs() < 1e-6, "{counted:?}");
    }

    #[test]
    fn activation_counts_by_its_size_beside_functions_of_others() {
        let mut b = Builder::new();
        let (x, a) = (b.stream(0), b.stream(1));
        let v = b.product(a, x);
        let f = b.call(Prim::SiluGrad, &[v]);
        let (of_both, own) = (b.product(x, f), b.call(Prim::Gelu, &[x]));
        let sum = b.sum(of_both, own);
        let graph = b.finish(&[sum]);
        let streams = [42.0, -0.03].map(|x| vec![x]);
        let weight = |sizes: Sizes| {
            let output = Output::new(&graph, graph.outputs[0], 2, 0, sizes);
            output.weights(&output.values(&streams, &[], 1), &output.own, 1)[0]
        };
        assert_eq!([Sizes::Ignored, Sizes::Counted].map(weight), [2.0, 43.0]);
    }
}
