//! Whole rows of gated tensors in the input queue, which take two slots each.
//!
//! A plan that reads only one part needs both slots too, because whole rows are copied in one burst.

use super::super::package::Package;
use super::names::{Input, if_constexpr, inputs, slot};
use crate::plan::Plan;
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::Part;

/// Gated input (each row holds gate and value) of which at least one plan reads a part.
///
/// Kernels for small rows copy whole rows of this tensor, with both parts.
pub struct Rows {
    /// C++ name of the tensor.
    pub name: String,
    /// Parts of the tensor (gate, value) that at least one plan reads.
    pub parts: Vec<Input>,
}

/// Returns the gated inputs of which at least one plan reads a part.
pub fn rows(package: &Package<'_>) -> Vec<Rows> {
    let mut all: Vec<Rows> = Vec::new();
    for part in inputs(package).into_iter().filter(|i| i.stream.part != Part::Whole) {
        let name = cpp_name(&package.def.inputs[part.stream.tensor].name);
        match all.iter_mut().find(|rows| rows.name == name) {
            Some(rows) => rows.parts.push(part),
            None => all.push(Rows { name, parts: vec![part] }),
        }
    }
    all
}

/// Returns whether some plan reads only one of the two parts (gate, value) of a gated input.
///
/// A kernel gives this input one slot of the queue's buffer if it copies only the part, and two slots if it copies whole rows.
pub fn any_lone(package: &Package<'_>) -> bool {
    rows(package).iter().any(|rows| package.plans.iter().any(|plan| rows.is_lone(plan)))
}

impl Rows {
    /// Returns whether a plan reads exactly one part of this tensor.
    pub fn is_lone(&self, plan: &Plan) -> bool {
        self.parts.iter().filter(|part| plan.inputs[part.index].is_some()).count() == 1
    }

    /// Returns the name of the constant for the first slot of this tensor's whole rows in the input queue.
    pub fn slot(&self, package: &Package<'_>) -> String {
        if any_lone(package) {
            slot(&format!("{}.rows", self.name))
        } else {
            slot(&self.parts[0].name)
        }
    }

    /// Guards a C++ statement so that only specialisations that read a part of this tensor execute it.
    pub fn guarded(&self, statement: String) -> String {
        if self.parts.iter().any(|part| part.always) {
            return statement;
        }
        let reads: Vec<String> =
            self.parts.iter().map(|part| format!("Formula::READS_{}", slot(&part.name))).collect();
        if_constexpr(&reads.join(" || "), &statement)
    }
}
