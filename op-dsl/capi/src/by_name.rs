//! Reference to an operator by name, resolved when it is called.

use codegen_cpu::rt::call::Operator;

/// Names an operator of a table; the operator is looked up when it is needed.
///
/// The table is a reference to a static, so that values that contain it can be statics too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByName {
    pub table: &'static &'static [&'static Operator],
    pub name: &'static str,
}

impl ByName {
    /// Looks up the operator that this reference names, in its table.
    ///
    /// # Errors
    /// A message if the table has no such operator.
    pub fn find(&self) -> Result<&'static Operator, String> {
        let found = self.table.iter().find(|operator| operator.name() == self.name);
        found.copied().ok_or_else(|| format!("{} is not in this library", self.name))
    }
}
