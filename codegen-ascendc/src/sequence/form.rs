//! What a form is: a sequence that computes a primitive, what it promises, and how it is built.

use super::forms::{Factors, Gate};
use super::{Seq, Val};
use op_dsl_ir::DType;

/// What is asked of a form at `x = ±inf`. NaN in is NaN out with either, and no finite number
/// makes a NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limits {
    /// Nothing: NaN is as good as the limit, as it is where a forward formula is evaluated as
    /// written.
    Free,
    /// The limit.
    Exact,
}

/// How a form is built.
#[derive(Clone, Copy, Debug)]
pub enum Build {
    /// By itself, times factors.
    Alone(fn(&mut Seq, Val, Factors<'_>) -> Val),
    /// As a member of a family that shares its parts.
    Of(fn(&mut Seq, Val) -> Gate, Member),
}

/// What a member of a family takes from its parts, with `q` = sigma times a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// `q`
    Sigma,
    /// `x q`
    Value,
    /// `slope q + q`
    Slope,
}

impl Member {
    /// The member's value.
    pub fn build(self, s: &mut Seq, gate: Gate, q: Val) -> Val {
        match self {
            Member::Sigma => q,
            Member::Value => s.mul(gate.x, q),
            Member::Slope => s.fused_mul_add(gate.slope, q, q),
        }
    }
}

/// One form of a primitive.
#[derive(Debug)]
pub struct Form {
    /// Short name for tables.
    pub name: &'static str,
    /// Element types of the tensors whose accuracy it keeps.
    pub dtypes: &'static [DType],
    /// What it gives at infinity.
    pub limits: Limits,
    /// Its sequence.
    pub build: Build,
}

impl Form {
    /// Whether it keeps the accuracy of this type and the promise.
    pub fn fits(&self, dtype: DType, limits: Limits) -> bool {
        self.dtypes.contains(&dtype) && self.limits >= limits
    }
}
