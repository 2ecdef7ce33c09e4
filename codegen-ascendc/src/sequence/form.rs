//! What a form is: a sequence that computes a primitive, what it promises, and how it is built.

use super::forms::gate::Gate;
use super::forms::odd::Odd;
use super::forms::tail::Tail;
use super::forms::{Factors, times};
use super::{F32, Seq, Source, Val};
use crate::arch::Arch;
use op_dsl_ir::DType;

/// What is asked of a form at `x = ±inf`. NaN in is NaN out with either, and no finite number
/// makes a NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Limits {
    /// Nothing: NaN is as good as the limit, as it is where a forward formula is evaluated as
    /// written.
    Free,
    /// The limit.
    Exact,
}

/// Which digits are asked of a form: of f32 near zeros, and of 16 bits where a factor is large or a sum cancels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Digits {
    /// So many behind the point.
    Absolute,
    /// So many of the value.
    Relative,
    /// The digits of the value, by sequences that round less often where sums of several functions cancel.
    Fine,
    /// Those of `float`, whatever the tensors' type.
    Single,
}

impl Digits {
    /// What there is for an element type, the cheaper forms first.
    pub fn of(dtype: DType) -> &'static [Digits] {
        match dtype {
            DType::F32 => &[Digits::Absolute, Digits::Relative, Digits::Fine],
            _ => &[Digits::Absolute, Digits::Relative, Digits::Single],
        }
    }

    /// The element type whose forms keep them.
    pub fn dtype(self, dtype: DType) -> DType {
        if self == Digits::Single { DType::F32 } else { dtype }
    }
}

/// How a form is built.
#[derive(Clone, Copy, Debug)]
pub enum Build {
    /// By itself, times factors.
    Alone(fn(&mut Seq, Val, Factors<'_>) -> Val),
    /// By a Gaussian tail.
    Tail(&'static Tail),
    /// By an odd function that saturates.
    Odd(&'static Odd),
    /// As a member of a family that shares its parts.
    Of(fn(&mut Seq, Val) -> Gate, Member),
}

impl Build {
    /// The primitive by itself, times factors.
    pub fn build(self, s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
        match self {
            Build::Alone(build) => build(s, x, t),
            Build::Tail(tail) => tail.build(s, x, t),
            Build::Odd(odd) => odd.build(s, x, t),
            Build::Of(gate, member) => {
                let gate = gate(s, x);
                let value = member.build(s, gate, member.base(gate));
                times(s, value, t)
            }
        }
    }
}

/// What a member of a family takes from its parts, with `q` = sigma, or the rest, times a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// `q`
    Sigma,
    /// `x q`
    Value,
    /// `slope q + q`
    Slope,
    /// `q` of the rest: the sigmoid of the opposite.
    Rest,
}

impl Member {
    /// What a factor goes into.
    pub fn base(self, gate: Gate) -> Val {
        if self == Member::Rest { gate.rest } else { gate.sigma }
    }

    /// The member's value.
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
    /// Element types of the tensors whose accuracy it keeps.
    pub dtypes: &'static [DType],
    /// What it gives at infinity.
    pub limits: Limits,
    /// Which digits it keeps.
    pub digits: Digits,
    /// Its sequence.
    pub build: Build,
}

impl Form {
    /// Whether it keeps the accuracy of this type and the promises.
    pub fn fits(&self, dtype: DType, limits: Limits, digits: Digits) -> bool {
        let has_digits = self.digits >= digits.min(Digits::Relative);
        self.dtypes.contains(&digits.dtype(dtype)) && self.limits >= limits && has_digits
    }

    /// Cycles for 64 elements.
    pub fn cycles(&self, arch: &'static Arch) -> f64 {
        let mut s = Seq::on(arch);
        let x = s.push(Source::Load(0), &[], None, F32);
        let out = self.build.build(&mut s, x, &[]);
        cycles(&s, out, arch)
    }
}

/// Cycles for 64 elements of all that a value is made of.
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
