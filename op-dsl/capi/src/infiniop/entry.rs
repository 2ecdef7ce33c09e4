//! An operator of infiniop: its name there, and the operator that implements it.

use super::codes::INTERNAL_ERROR;
use crate::by_name::ByName;
use crate::refusal::{Checked, refuse};
use codegen_cpu::rt::call::Operator;

/// An infiniop operator, shared by its four functions.
#[derive(Debug)]
pub struct Entry {
    operator: ByName,
    /// Name in infiniop, without prefix: `GeLUBackward`.
    pub name: &'static str,
}

impl Entry {
    /// Returns the infiniop operator `name`, implemented by the operator named `operator` in `table`.
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
