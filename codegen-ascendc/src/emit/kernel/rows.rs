//! Whole rows of gated tensors in the input queue, which take two slots each.
//!
//! A plan that reads only one part needs both slots too, because whole rows are copied in one burst.

use super::super::package::Package;
use super::super::text::Text;
use super::names::{Input, inputs, slot};
use crate::plan::Plan;
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::Part;

/// Gated tensor of which some plan reads a part.
pub struct Rows {
    /// Name of the tensor.
    pub name: String,
    /// Parts that some plan reads.
    pub parts: Vec<Input>,
}

/// Returns the gated tensors of which some plan reads a part.
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

/// Returns whether some plan reads only one part of a tensor.
///
/// The slots then depend on whether rows are whole, because a lone part takes one slot and a whole row two.
pub fn any_lone(package: &Package<'_>) -> bool {
    rows(package).iter().any(|rows| package.plans.iter().any(|plan| rows.is_lone(plan)))
}

impl Rows {
    /// Returns whether a plan reads only one part.
    pub fn is_lone(&self, plan: &Plan) -> bool {
        self.parts.iter().filter(|part| plan.inputs[part.index].is_some()).count() == 1
    }

    /// Returns the name of the first slot.
    pub fn slot(&self, package: &Package<'_>) -> String {
        if any_lone(package) {
            slot(&format!("{}.rows", self.name))
        } else {
            slot(&self.parts[0].name)
        }
    }

    /// Guards a statement so that only specialisations that read a part execute it.
    pub fn guarded(&self, statement: String) -> String {
        if self.parts.iter().any(|part| part.always) {
            return statement;
        }
        let reads: Vec<String> =
            self.parts.iter().map(|part| format!("Formula::READS_{}", slot(&part.name))).collect();
        let mut text = Text::new();
        text.block(&format!("if constexpr ({})", reads.join(" || ")), "}", |text| {
            text.line(statement);
        });
        text.finish()
    }
}
