//! Which operator of a table is the derivative of another, and what it is handed: for frameworks that differentiate.

use crate::Operator;
use op_dsl_ir::derivative;
use std::ops::Deref;

/// The derivative of an operator by another one of its table; what that is handed are [fields](derivative::Derivative) of this too.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Derivative {
    /// The operator that computes it.
    pub gradient: &'static Operator,
    rule: derivative::Derivative,
}

impl Derivative {
    /// Of several gradients in the table the first that tells of most inputs.
    pub fn of(operator: &Operator, table: &[&'static Operator]) -> Option<Derivative> {
        let rule = derivative::Derivative::of(operator.def(), table.iter().map(|o| o.def()))?;
        Some(Derivative { gradient: table[rule.gradient], rule })
    }
}

impl Deref for Derivative {
    type Target = derivative::Derivative;

    fn deref(&self) -> &derivative::Derivative {
        &self.rule
    }
}
