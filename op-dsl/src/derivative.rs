//! Finds the operator of a table that computes another one's gradient, for automatic differentiation.

use crate::Operator;
use op_dsl_ir::derivative;
use std::ops::Deref;

/// The gradient operator of an operator, found in the same table of operators.
///
/// The [fields](derivative::Derivative) say what to pass to the gradient operator.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Derivative {
    /// The operator that computes the gradient.
    pub gradient: &'static Operator,
    rule: derivative::Derivative,
}

impl Derivative {
    /// Finds the gradient operator of `operator` in a table; `None` if there is none.
    ///
    /// If there are several, the result is the one that gives the most gradients.
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
