//! An operator of infiniop: its name and the operator behind it.

use super::codes::INTERNAL_ERROR;
use crate::refusal::{Checked, refuse};
use codegen_cpu::rt::call::Operator;

/// The operator that four functions are about.
#[derive(Debug)]
pub struct Function {
    table: &'static &'static [&'static Operator],
    operator: &'static str,
    /// infiniop's name, without prefix: `GeLUBackward`.
    pub name: &'static str,
}

impl Function {
    /// The functions of an operator of a table.
    pub const fn new(
        table: &'static &'static [&'static Operator],
        operator: &'static str,
        name: &'static str,
    ) -> Function {
        Function { table, operator, name }
    }

    pub(super) fn operator(&self) -> Checked<&'static Operator> {
        match self.table.iter().find(|o| o.name() == self.operator) {
            Some(operator) => Ok(operator),
            None => refuse(INTERNAL_ERROR, format!("{} is not in this library", self.operator)),
        }
    }
}
