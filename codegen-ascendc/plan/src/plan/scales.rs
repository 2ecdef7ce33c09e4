//! How attributes multiply functions of one input: the second derivative of `x sigmoid(a x)` is `a g(a x)`, with a size of `a`.
//!
//! A function of an input counts as a number of the size 1 where rounding errors are judged, but not the attributes in front of it.

use op_dsl_ir::analysis::Visit;
use op_dsl_ir::homogeneity::{By, Degree, degree};
use op_dsl_ir::univariate::part;
use op_dsl_ir::{Graph, Id, Node, Prim};

/// A product of attributes: their nodes and powers.
type Powers = Vec<(Id, i32)>;

/// For each node that is a function of one input, the attributes that multiply it.
///
/// They are `None` for other nodes, and for functions that do not scale with an attribute. These count by their terms and factors.
pub(super) struct Scales(Vec<Option<Powers>>);

impl Scales {
    /// Finds the attributes that multiply the nodes in `own`.
    pub(super) fn new(graph: &Graph, own: &[bool]) -> Scales {
        let found = |id: Id| own[id.index()].then(|| powers(graph, id)).flatten();
        Scales(graph.ids().map(found).collect())
    }

    /// Returns, for each node and element, the size of the attributes in front of the function, at least 1.
    ///
    /// `values` are those of all nodes for `count` elements.
    pub(super) fn at(&self, graph: &Graph, values: &[Vec<f64>], count: usize) -> Vec<Vec<f64>> {
        let mut all = graph.forward(|at: Visit<'_, Vec<f64>>| {
            let args: Vec<&Vec<f64>> = at.args().collect();
            let each = |f: &dyn Fn(&mut dyn Iterator<Item = f64>) -> f64| {
                (0..count).map(|i| f(&mut args.iter().map(|arg| arg[i]))).collect()
            };
            let value = |id: Id, i: usize| values[id.index()][i].abs();
            match (&self.0[at.id.index()], at.node) {
                (Some(powers), _) => {
                    let size = |i: usize| {
                        powers.iter().map(|(id, power)| value(*id, i).powi(*power)).product()
                    };
                    (0..count).map(size).collect()
                }
                (None, Node::Scalar(_)) => (0..count).map(|i| value(at.id, i)).collect(),
                (None, Node::Call(Prim::Neg | Prim::Mul | Prim::Mul3, _)) => {
                    each(&|args| args.product())
                }
                (None, Node::Call(Prim::Add | Prim::Sub, _)) => {
                    each(&|args| args.fold(0.0, f64::max))
                }
                (None, Node::Call(Prim::Select, _)) => {
                    each(&|args| args.skip(1).fold(0.0, f64::max))
                }
                _ => vec![1.0; count],
            }
        });
        all.iter_mut().flatten().for_each(|size| *size = size.max(1.0));
        all
    }
}

/// Returns the attributes that multiply the function that node `id` is; `None` if it does not scale with some attribute.
///
/// They follow from how the function scales with an attribute while its variable stays: `a g(a x)` is multiplied by `k` where `a` is
/// multiplied by `k` and `x` divided by it. Other attributes stay, or scale as `x` does, as a bound of it.
fn powers(graph: &Graph, id: Id) -> Option<Powers> {
    let of = graph.with_outputs(&[id]);
    let power = |attribute: &Node| {
        let each = |(q, bounds): (i32, i32)| {
            let given = |node: &Node| match node {
                Node::Stream(_) => -q,
                _ if node == attribute => 1,
                _ => -q * bounds,
            };
            Some(match degree(&of, 0, By::Positive, given)? {
                Degree::Power(power) => power,
                Degree::Any => 0,
            })
        };
        [(0, 0), (1, 0), (1, 1), (-1, 0), (-1, 1)].into_iter().find_map(each)
    };
    let own = part(graph, id);
    let attributes = own.nodes.iter().filter(|node| matches!(node, Node::Scalar(_)));
    let node = |attribute: &Node| graph.ids().find(|id| graph.nodes[id.index()] == *attribute);
    attributes.map(|attribute| Some((node(attribute)?, power(attribute)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::Builder;

    #[test]
    fn attributes_in_front_of_functions_count() {
        let mut b = Builder::new();
        let (x, a, most) = (b.stream(0), b.scalar(0), b.scalar(1));
        let held = b.call(Prim::Min, &[x, most]);
        let v = b.product(a, held);
        let s = b.call(Prim::Sigmoid, &[v]);
        let bend = b.product(a, s);
        let squared = b.product(bend, a);
        let sum = b.sum(squared, x);
        let graph = b.finish(&[s, bend, squared, sum]);
        let values: Vec<Vec<f64>> = graph
            .eval_all_columns(&[vec![0.3]], &[5.0, 2.0], 1)
            .into_iter()
            .map(|c| c.into_owned())
            .collect();
        let own: Vec<bool> = graph.inputs().iter().map(|inputs| inputs.streams == 1).collect();
        let sizes = Scales::new(&graph, &own).at(&graph, &values, 1);
        let sizes: Vec<f64> = graph.outputs.iter().map(|id| sizes[id.index()][0]).collect();
        assert_eq!(sizes, [1.0, 5.0, 25.0, 25.0]);
    }
}
