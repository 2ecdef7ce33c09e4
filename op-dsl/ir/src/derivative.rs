//! Finds the operator of a table that computes another one's gradient, for automatic differentiation.

use crate::op::{OpDef, Origin, Value};

/// Link from an operator to the operator of the same table that computes its gradient.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Derivative {
    /// Index of the gradient operator in the table of operators.
    pub gradient: usize,
    /// For each input of the gradient operator, the forward tensor or upstream gradient to pass to it.
    pub holds: Vec<Origin>,
    /// For each output of the gradient operator, the index of the forward input it is the gradient of.
    ///
    /// The output is the gradient before it is summed over the dimensions that were broadcast.
    pub wrt: Vec<usize>,
    /// Indices of forward inputs that results depend on but that the gradient operator has no output for.
    pub unknown: Vec<usize>,
    /// For each attribute of the gradient operator, the index of the forward attribute of the same name.
    ///
    /// `None` if the forward operator has no such attribute; the default is passed then.
    pub passed: Vec<Option<usize>>,
    /// Default values of the gradient operator's attributes.
    defaults: Vec<Value>,
    /// `(attribute index, value)` for each forward attribute that the gradient operator lacks.
    ///
    /// The gradient is valid only for calls in which the attribute has this value.
    pub fixed: Vec<(usize, Value)>,
}

impl Derivative {
    /// Finds the gradient operator of `def` in a table of operators; `None` if there is none.
    ///
    /// If there are several, the result is the first one that gives the most gradients. One that gives the terms of a gradient by an
    /// input that lies along a dimension ([`OpDef::along`]), not their sum, does not count.
    pub fn of<'t>(def: &OpDef, table: impl Iterator<Item = &'t OpDef>) -> Option<Derivative> {
        let all = table.enumerate().filter_map(|(i, other)| Derivative::by(def, i, other));
        all.reduce(|best, next| if next.wrt.len() > best.wrt.len() { next } else { best })
    }

    fn by(def: &OpDef, gradient: usize, other: &OpDef) -> Option<Derivative> {
        let of = other.grad_of.as_ref().filter(|of| of.forward == def.name)?;
        let inputs = def.inputs.iter().enumerate();
        let numbers = inputs.filter(|(_, t)| t.kind.is_numbers());
        let numbers: Vec<_> = numbers.collect();
        // A hand-written gradient that does not state its inputs has outputs for the numeric inputs in their order.
        let wrt = match &*of.wrt {
            [] => numbers.iter().map(|(i, _)| *i).take(other.outputs.len()).collect(),
            told => told.to_vec(),
        };
        // Terms of a sum along a dimension of its own say nothing of where they belong.
        let is_lost =
            |(output, i): (usize, &usize)| def.along(*i).is_some() && other.sum(output).is_none();
        if wrt.iter().enumerate().any(is_lost) {
            return None;
        }
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
    /// The index of a forward attribute that the gradient operator lacks and whose value is not the one in `fixed`.
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
