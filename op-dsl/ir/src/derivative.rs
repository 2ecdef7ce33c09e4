//! Which operator of a table is the derivative of another, and what it is handed: for frameworks that differentiate.

use crate::op::{Kind, OpDef, Origin, Value};

/// The derivative of an operator by another one of its table.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Derivative {
    /// Where in the table the operator is that computes it.
    pub gradient: usize,
    /// What each of its inputs holds.
    pub holds: Vec<Origin>,
    /// The input that each of its outputs is the gradient of, before what was broadcast is summed.
    pub wrt: Vec<usize>,
    /// The inputs that results depend on and that it says nothing of.
    pub unknown: Vec<usize>,
    /// For each of its attributes the operator's own, if that has it.
    pub passed: Vec<Option<usize>>,
    /// Its attributes' defaults.
    defaults: Vec<Value>,
    /// The operator's attributes that it does not have, by the one value that it is right for.
    pub fixed: Vec<(usize, Value)>,
}

impl Derivative {
    /// Of several gradients in the table the first that tells of most inputs.
    pub fn of<'t>(def: &OpDef, table: impl Iterator<Item = &'t OpDef>) -> Option<Derivative> {
        let all = table.enumerate().filter_map(|(i, other)| Derivative::by(def, i, other));
        all.reduce(|best, next| if next.wrt.len() > best.wrt.len() { next } else { best })
    }

    fn by(def: &OpDef, gradient: usize, other: &OpDef) -> Option<Derivative> {
        let of = other.grad_of.as_ref().filter(|of| of.forward == def.name)?;
        let inputs = def.inputs.iter().enumerate();
        let numbers = inputs.filter(|(_, t)| matches!(t.kind, Kind::Whole | Kind::Gated));
        let numbers: Vec<_> = numbers.collect();
        // A gradient written by hand that does not tell has them in their order.
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

    /// The gradient's attributes in a call, by those of the operator in its own.
    ///
    /// # Errors
    /// The operator's attribute that the gradient does not have, and whose value is not the one it is right for.
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
