//! Decides where tables are faster than f32 code, for formulas that f32 computes accurately.

use op_dsl_ir::graph::{Graph, Node};
use op_dsl_ir::op::{OpDef, Spec};
use op_dsl_ir::prim::Prim;
use op_dsl_ir::univariate::{Split, costs};

/// Removes the f64 graph of each specialisation that needs it neither for accuracy nor for faster code, and tables that are slower
/// than f32 code where the author asks for either.
pub fn remove_slower_tables(def: &mut OpDef) {
    let own = def.input_streams().len();
    for spec in def.specs.to_mut() {
        let inputs = own + spec.further(own);
        spec.stages.to_mut().iter_mut().for_each(|stage| without_slower(&mut stage.spec, inputs));
        without_slower(spec, inputs);
    }
}

fn without_slower(spec: &mut Spec, inputs: usize) {
    let Some(wide) = &spec.wide else { return };
    let (single, fast) = (wide.single, wide.fast);
    let has_choice = !single || fast.tables.is_some() && fast.arithmetic;
    if !has_choice || is_faster(spec, inputs) {
        return;
    }
    match &mut spec.wide {
        Some(wide) if single => wide.fast.tables = None,
        wide => *wide = None,
    }
}

/// Returns whether table look-ups of a specialisation's functions take less time than evaluation in f32.
///
/// False if its f64 graph has no split into univariate functions.
fn is_faster(spec: &Spec, inputs: usize) -> bool {
    spec.split(inputs).is_some_and(|Split { functions, .. }| {
        let all: usize = functions.iter().map(|f| operations(&f.graph)).sum();
        all > LOOK_UP * functions.len()
    })
}

/// Estimated cost of a table look-up and its polynomial, as a number of f32 operations.
const LOOK_UP: usize = 18;

/// Estimates the cost of a graph as a number of f32 operations, from measured costs of primitives.
fn operations(graph: &Graph) -> usize {
    use Prim::{Div, Exp, Sqrt};
    let of = |node: &Node| match *node {
        Node::Call(Div | Sqrt, _) => 6,
        Node::Call(Exp, _) => 14,
        Node::Call(prim, _) if costs(prim) => 20,
        Node::Call(..) => 1,
        _ => 0,
    };
    graph.nodes.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::graph::Builder;
    use op_dsl_ir::op::{Fast, Wide};

    /// Returns whether tables of `y f(x)` are faster than f32 code, where `f` multiplies these primitives of `x`.
    fn has_tables(prims: &[Prim]) -> bool {
        let mut b = Builder::new();
        let [x, y] = [0, 1].map(|k| b.stream(k));
        let product = prims.iter().fold(y, |product, prim| {
            let value = b.call(*prim, &[x]);
            b.product(product, value)
        });
        let graph = b.finish(&[product]);
        let wide =
            Some(Wide { graph: graph.clone(), single: false, halves: false, fast: Fast::NONE });
        is_faster(&Spec { wide, ..Spec::of(graph) }, 2)
    }

    #[test]
    fn a_table_costs_more_than_one_exponential() {
        assert!(!has_tables(&[Prim::Abs]), "no split");
        assert!(!has_tables(&[Prim::Exp]));
        assert!(has_tables(&[Prim::Exp, Prim::Sqrt]));
        assert!(has_tables(&[Prim::Tanh]));
    }
}
