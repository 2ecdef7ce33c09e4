//! A form: a sequence that computes a primitive, with its promises and the way it is built.

use super::forms::gate::Gate;
use super::forms::odd::Odd;
use super::forms::tail::Tail;
use super::forms::{Factors, times};
use super::{F32, Seq, Source, Val};
use crate::arch::Arch;
use op_dsl_ir::DType;

/// The promise of a form at `x = ±inf`.
///
/// With either, NaN in gives NaN out, and no finite number gives NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Limits {
    /// None: NaN is as good as the limit, as it is where a forward formula is evaluated as written.
    Free,
    /// The form gives the limit.
    Exact,
}

/// Accuracy class of forms.
///
/// It matters in f32 near zeros, and in 16 bits where a factor is large or a sum cancels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Digits {
    /// Absolute accuracy: digits behind the point.
    Absolute,
    /// Relative accuracy: digits of the value, also near zeros.
    Relative,
    /// Relative accuracy by sequences that round less often, for sums of several functions that cancel.
    Fine,
    /// The accuracy of `float`, whatever the tensors' type.
    Single,
}

impl Digits {
    /// Returns the accuracy classes for an element type, the cheaper forms first.
    pub fn of(dtype: DType) -> &'static [Digits] {
        match dtype {
            DType::F32 => &[Digits::Absolute, Digits::Relative, Digits::Fine],
            _ => &[Digits::Absolute, Digits::Relative, Digits::Single],
        }
    }

    /// Returns the element type whose forms have this accuracy.
    pub fn dtype(self, dtype: DType) -> DType {
        if self == Digits::Single { DType::F32 } else { dtype }
    }
}

/// How a form is built.
#[derive(Clone, Copy, Debug)]
pub enum Build {
    /// By a function of its own, with the factors that the result is multiplied by.
    Alone(fn(&mut Seq, Val, Factors<'_>) -> Val),
    /// By a Gaussian tail.
    Tail(&'static Tail),
    /// By an odd function that saturates.
    Odd(&'static Odd),
    /// As a member of a family whose parts are shared.
    SignaturePart(fn(&mut Seq, Val) -> Gate, Member),
}

impl Build {
    /// Emits the primitive on its own, times factors.
    pub fn build(self, s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
        match self {
            Build::Alone(build) => build(s, x, t),
            Build::Tail(tail) => tail.build(s, x, t),
            Build::Odd(odd) => odd.build(s, x, t),
            Build::SignaturePart(gate, member) => {
                let gate = gate(s, x);
                let value = member.build(s, gate, member.base(gate));
                times(s, value, t)
            }
        }
    }
}

/// A member of a family, as an expression of `q`: sigma, or its complement, times a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// `q`
    Sigma,
    /// `x q`
    Value,
    /// `slope q + q`
    Slope,
    /// `q` of the complement: the sigmoid of the negation.
    Rest,
}

impl Member {
    /// Returns the part that a factor is multiplied by: the sigmoid or its complement.
    pub fn base(self, gate: Gate) -> Val {
        if self == Member::Rest { gate.rest } else { gate.sigma }
    }

    /// Emits the member's value.
    pub fn build(self, s: &mut Seq, gate: Gate, q: Val) -> Val {
        match self {
            Member::Sigma | Member::Rest => q,
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
    /// Element types of the tensors for which it is accurate enough.
    pub dtypes: &'static [DType],
    /// Its promise at infinity.
    pub limits: Limits,
    /// Its accuracy class.
    pub digits: Digits,
    /// How its sequence is built.
    pub build: Build,
}

impl Form {
    /// Returns true if it is accurate enough for this type and keeps these promises.
    pub fn fits(&self, dtype: DType, limits: Limits, digits: Digits) -> bool {
        let has_digits = self.digits >= digits.min(Digits::Relative);
        self.dtypes.contains(&digits.dtype(dtype)) && self.limits >= limits && has_digits
    }

    /// Returns the cycles for 64 elements.
    pub fn cycles(&self, arch: &'static Arch) -> f64 {
        let mut s = Seq::on(arch);
        let x = s.push(Source::Load(0), &[], None, F32);
        let out = self.build.build(&mut s, x, &[]);
        cycles(&s, out, arch)
    }
}

/// Returns the cycles for 64 elements of all calls that a value depends on.
pub fn cycles(s: &Seq, out: Val, arch: &Arch) -> f64 {
    let mut needed = vec![false; s.steps.len()];
    needed[out.0] = true;
    let mut cycles = 0.0;
    for (i, step) in s.steps.iter().enumerate().rev() {
        if !needed[i] {
            continue;
        }
        step.args.iter().for_each(|a| needed[a.0] = true);
        if let Source::Call(api) = step.source {
            cycles += arch.cycles(api.name(), DType::F32.size());
        }
    }
    cycles
}
