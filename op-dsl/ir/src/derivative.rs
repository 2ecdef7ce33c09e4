//! Finds the operator of a table that computes another one's gradient, for automatic differentiation.

use crate::op::{Kind, OpDef, Origin, Value};

/// The link from an operator to the one of its table that computes its gradient.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Derivative {
    /// Index of the gradient operator in the table.
    pub gradient: usize,
    /// Contents of each input of the gradient operator.
    pub holds: Vec<Origin>,
    /// Input that each output of the gradient operator is the gradient of.
    ///
    /// That is the gradient before it is summed over the dimensions that were broadcast.
    pub wrt: Vec<usize>,
    /// Inputs that results depend on and that the gradient operator has no gradient for.
    pub unknown: Vec<usize>,
    /// For each attribute of the gradient operator, the operator's own attribute, if it has that.
    pub passed: Vec<Option<usize>>,
    /// Default values of the gradient operator's attributes.
    defaults: Vec<Value>,
    /// Attributes that the gradient operator lacks, each with the one value that the gradient is valid for.
    pub fixed: Vec<(usize, Value)>,
}

impl Derivative {
    /// Returns the gradient operator of `def`: of several in the table, the first with the most gradients.
    pub fn of<'t>(def: &OpDef, table: impl Iterator<Item = &'t OpDef>) -> Option<Derivative> {
        let all = table.enumerate().filter_map(|(i, other)| Derivative::by(def, i, other));
        all.reduce(|best, next| if next.wrt.len() > best.wrt.len() { next } else { best })
    }

    fn by(def: &OpDef, gradient: usize, other: &OpDef) -> Option<Derivative> {
        let of = other.grad_of.as_ref().filter(|of| of.forward == def.name)?;
        let inputs = def.inputs.iter().enumerate();
        let numbers = inputs.filter(|(_, t)| matches!(t.kind, Kind::Whole | Kind::Gated));
        let numbers: Vec<_> = numbers.collect();
        // A hand-written gradient that does not state its inputs has outputs for the numeric inputs in their order.
        let wrt = match &*of.wrt {
            [] => numbers.iter().map(|(i, _)| *i).take(other.outputs.len()).collect(),
            told => told.to_vec(),
        };
        let unknown = numbers.iter().filter(|(i, t)| t.used && !wrt.contains(i)).map(|(i, _)| *i);
        let index = |name| def.passed().iter().position(|a| a.name == name);
        let has = |name| other.passed().iter().any(|a| a.name == name);
        let own = def.passed().iter().enumerate().filter(|(_, a)| !has(&*a.name));
        Some(Derivative {
            gradient,
            holds: of.inputs.to_vec(),
            unknown: unknown.collect(),
            wrt,
            passed: other.passed().iter().map(|a| index(&*a.name)).collect(),
            defaults: other.passed().iter().map(|a| a.default).collect(),
            fixed: own.map(|(i, a)| (i, a.default)).collect(),
        })
    }

    /// Returns the attributes for a call of the gradient operator, from those of the forward call.
    ///
    /// # Errors
    /// The index of an attribute that the gradient operator lacks and whose value is not the one in `fixed`.
    pub fn attributes(&self, of: &[Value]) -> Result<Vec<Value>, usize> {
        if let Some((i, _)) = self.fixed.iter().find(|(i, value)| of.get(*i) != Some(value)) {
            return Err(*i);
        }
        let both = self.passed.iter().zip(&self.defaults);
        Ok(both
            .map(|(own, default)| own.and_then(|i| of.get(i).copied()).unwrap_or(*default))
            .collect())
    }
}
