//! Error budgets of a formula's outputs.

use super::converted;
use super::formula::Formula;
use codegen_cpu::rt::simd::Level;
use op_dsl_ir::accuracy::{Accuracy, FAST_BUDGET};
use op_dsl_ir::graph::needed;
use op_dsl_ir::{DType, Id, Node, Prim};

/// Largest allowed error in f32 at SIMD levels with FMA, in units in the last place of the exact value.
const BUDGET: f64 = 2.0;
/// Largest allowed error in a 16-bit type, in units in the last place of that type.
const HALF_BUDGET: f64 = 1.0;

impl Formula {
    /// Returns the error budget of an output, in units in the last place.
    pub fn budget(&self, output: usize, dtype: DType, level: Level) -> f64 {
        match self.converted(output) {
            Some(_) => converted::BUDGET,
            None => self.budget_of(output, self.result_type(output, dtype), level),
        }
    }

    /// Returns the error budget of an output before it is converted, as a number of type `dtype`.
    pub fn budget_of(&self, output: usize, dtype: DType, level: Level) -> f64 {
        let is_fast = self.op.def().accuracy == Accuracy::Fast;
        let single = if is_fast { FAST_BUDGET } else { BUDGET };
        match dtype.is_narrow() {
            true => HALF_BUDGET,
            // Values of rows are no streams of an element, so that no primitive has a value here.
            false if level.has_fma() || !self.spec.stages.is_empty() => single,
            false => single.max(self.budget_of_primitives(output, level)),
        }
    }

    /// Returns the error budget in ULP of an output in f32, as a sum over the primitives that it needs.
    ///
    /// A primitive adds the error in its row of the primitive table, unless it only shifts the exponent. The budget is used at
    /// SIMD levels without FMA.
    fn budget_of_primitives(&self, output: usize, level: Level) -> f64 {
        let graph = &self.spec.graph;
        let is_applied =
            |_, node| matches!(node, Node::Stream(s) if self.applied.contains(&usize::from(s)));
        let varies = graph.depends_on(is_applied);
        let setting = &self.settings[0];
        let values = graph.eval_all(&setting.streams, &self.op.def().scalars(&setting.attrs));
        // A product or quotient only shifts the exponent if all arguments but one are powers of two.
        let shifts = |id: &Id| {
            let v = values[id.index()];
            !varies[id.index()] && v.is_normal() && v.to_bits() << 12 == 0
        };
        let is_exact = |prim: Prim, args: &[Id]| match prim {
            Prim::Mul | Prim::Mul3 => args.iter().filter(|a| !shifts(a)).count() <= 1,
            Prim::Div => args.last().is_some_and(shifts),
            _ => false,
        };
        let needed = needed(&graph.nodes, &[graph.outputs[output]], |k, _| varies[k]);
        let error = |(node, (needed, varies)): (&Node, (&bool, &bool))| match *node {
            Node::Call(prim, _) if *needed && *varies && !is_exact(prim, node.args()) => {
                let (fma, baseline) = prim.row().ulp;
                f64::from(if level.has_fma() { fma } else { baseline })
            }
            _ => 0.0,
        };
        let nodes = graph.nodes.iter().zip(needed.iter().zip(&varies));
        nodes.rev().map(error).sum::<f64>().max(0.5)
    }
}
