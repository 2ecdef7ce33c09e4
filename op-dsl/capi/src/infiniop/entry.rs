//! An operator of infiniop: its name and the operator behind it.

use super::codes::INTERNAL_ERROR;
use crate::by_name::ByName;
use crate::refusal::{Checked, refuse};
use codegen_cpu::rt::call::Operator;

/// What the four functions of an operator are about.
#[derive(Debug)]
pub struct Entry {
    operator: ByName,
    /// infiniop's name, without prefix: `GeLUBackward`.
    pub name: &'static str,
}

impl Entry {
    /// That of an operator of a table.
    pub const fn new(
        table: &'static &'static [&'static Operator],
        operator: &'static str,
        name: &'static str,
    ) -> Entry {
        Entry { operator: ByName { table, name: operator }, name }
    }

    pub(super) fn operator(&self) -> Checked<&'static Operator> {
        self.operator.find().or_else(|missing| refuse(INTERNAL_ERROR, missing))
    }
}
