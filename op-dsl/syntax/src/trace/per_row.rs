//! Outputs with one number per row: the check that formulas compute the same number for all elements of a row.

use crate::Errors;
use crate::model::OpFn;
use op_dsl_ir::graph::{Graph, Node};
use op_dsl_ir::op::Kind;

/// Returns whether every output of type `PerRow` is the same for all elements of a row; false after reporting an error.
///
/// That is a value of attributes, row functions and inputs of type `PerRow` alone.
pub(super) fn are_same(op: &OpFn, graph: &Graph, errors: &Errors) -> bool {
    let kinds = op.tensors().flat_map(|(_, kind, _)| kind.parts().iter().map(move |_| kind));
    let inputs: Vec<bool> = kinds.map(|kind| kind == Kind::PerRow).collect();
    let is_same = graph.forward(|at| match at.node {
        Node::Stream(s) => match inputs.get(usize::from(s)) {
            Some(is_per_row) => *is_per_row,
            // After the inputs, each row function has a stream of its value and one of its terms.
            None => (usize::from(s) - inputs.len()).is_multiple_of(2),
        },
        _ => at.args().all(|is_same| *is_same),
    });
    let outputs = op.outputs().flat_map(|(kind, _)| kind.parts().iter().map(move |_| kind));
    let mut all = outputs.zip(&*graph.outputs).filter(|(kind, _)| *kind == Kind::PerRow);
    let differs = all.any(|(_, output)| !is_same[output.index()]);
    if differs {
        let what = "an output of type `PerRow` has one number per row, and this differs between its elements";
        let tail = op.block.stmts.last();
        errors.at(&tail, format!("{what}; write it with `row_sum`, `row_mean` or `row_max`"));
    }
    !differs
}
