//! Products in formulas of rows, whose factors with one number for each row are multiplied first: once for each row.

use op_dsl_ir::graph::{Builder, Graph, Id, Node};
use op_dsl_ir::prim::Prim;

/// Returns a graph in which factors of a product that are the same for all elements of a row are multiplied by each other first.
///
/// `is_of_row` says, per stream, whether it holds one number per row.
pub(super) fn gathered(graph: &Graph, is_of_row: &[bool]) -> Graph {
    let is_same = graph.forward(|at| match at.node {
        Node::Stream(k) => is_of_row[usize::from(k)],
        _ => at.args().all(|is_same| *is_same),
    });
    let products = Products { graph, is_same, uses: graph.uses() };
    graph.rewrite_at(|b, at| {
        let (mut same, mut others) = (Vec::new(), Vec::new());
        if products.is_product(at.id) {
            products.factors(at.id, at.earlier, &mut same, &mut others);
        }
        match (product(b, &others), product(b, &same)) {
            (Some(others), Some(row)) if same.len() > 1 => b.product(others, row),
            _ => b.add(at.copy()),
        }
    })
}

/// Returns the product of all factors; `None` if there is none.
fn product(b: &mut Builder, factors: &[Id]) -> Option<Id> {
    factors.iter().copied().reduce(|product, factor| b.product(product, factor))
}

/// The products of a graph.
struct Products<'g> {
    graph: &'g Graph,
    /// Per node, whether it is the same for all elements of a row.
    is_same: Vec<bool>,
    /// Per node, the number of its uses.
    uses: Vec<usize>,
}

impl Products<'_> {
    /// Returns whether a node is a product with a number for each element.
    fn is_product(&self, id: Id) -> bool {
        let node = &self.graph.nodes[id.index()];
        matches!(node, Node::Call(Prim::Mul, _)) && !self.is_same[id.index()]
    }

    /// Appends the factors of a product, as nodes of a new graph: those that are the same for all elements of a row, and others.
    ///
    /// A factor that is a product itself is replaced by its factors if nothing else uses it.
    fn factors(&self, id: Id, new: &[Id], same: &mut Vec<Id>, others: &mut Vec<Id>) {
        for factor in self.graph.nodes[id.index()].args() {
            if self.is_product(*factor) && self.uses[factor.index()] == 1 {
                self.factors(*factor, new, same, others);
            } else if self.is_same[factor.index()] {
                same.push(new[factor.index()]);
            } else {
                others.push(new[factor.index()]);
            }
        }
    }
}
