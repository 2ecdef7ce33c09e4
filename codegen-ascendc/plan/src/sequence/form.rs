//! A variant of a primitive: its sequence of vector calls, their accuracy, and the result at infinite inputs.

use super::forms::gate::Gate;
use super::forms::odd::Odd;
use super::forms::tail::Tail;
use super::forms::{Factors, times};
use super::{F32, Seq, Source, Step, Val};
use crate::arch::Arch;
use op_dsl_ir::DType;

/// Guarantee about the result of a sequence of vector calls at `x = ±inf`.
///
/// With either guarantee, a NaN input gives NaN, and no finite input does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Limits {
    /// No guarantee: the result may be NaN instead of the limit.
    ///
    /// NaN is also the result where a forward formula is evaluated as written.
    Free,
    /// The result is the limit of the function.
    Exact,
}

/// Accuracy class of a sequence of vector calls for a function.
///
/// The class matters in f32 near zeros of the function, and in 16 bits where a factor is large or a sum cancels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Digits {
    /// Absolute accuracy: a number of correct digits after the point.
    Absolute,
    /// Relative accuracy: a number of correct digits of the value, also near zeros.
    Relative,
    /// Relative accuracy by vector calls that round less often, for sums of several functions that cancel.
    Fine,
    /// As [`Digits::Fine`], but arguments of exponentials are double-floats.
    Compensated,
    /// The accuracy of `float`, whatever the tensors' type.
    Single,
}

impl Digits {
    /// Returns the accuracy classes for an element type, those with cheaper vector calls first.
    pub fn of(dtype: DType) -> &'static [Digits] {
        match dtype {
            DType::F32 => &[Digits::Absolute, Digits::Relative, Digits::Fine, Digits::Compensated],
            _ => &[Digits::Absolute, Digits::Relative, Digits::Single],
        }
    }

    /// Returns true if vector calls that round less often are preferred to cheaper ones.
    pub fn is_fine(self) -> bool {
        matches!(self, Digits::Fine | Digits::Compensated)
    }

    /// Returns the element type for which a sequence of vector calls must be accurate in this class.
    ///
    /// This is f32 for [`Digits::Single`], otherwise `dtype`, the type of the tensors.
    pub fn dtype(self, dtype: DType) -> DType {
        if self == Digits::Single { DType::F32 } else { dtype }
    }
}

/// The way in which the vector calls for a primitive are emitted.
#[derive(Clone, Copy, Debug)]
pub enum Build {
    /// A Rust function emits the calls, and also multiplies the primitive by the given factors.
    Alone(fn(&mut Seq, Val, Factors<'_>) -> Val),
    /// Coefficients describe the primitive as a function with a Gaussian tail.
    Tail(&'static Tail),
    /// Coefficients describe the primitive as an odd function that saturates.
    Odd(&'static Odd),
    /// A Rust function emits values that several primitives share, and an expression of these values is the primitive.
    MemberOf(fn(&mut Seq, Val) -> Gate, Member),
}

impl Build {
    /// Emits the primitive of `x`, times the factors `t`, without sharing calls with other primitives.
    pub fn build(self, s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
        match self {
            Build::Alone(build) => build(s, x, t),
            Build::Tail(tail) => tail.build(s, x, t),
            Build::Odd(odd) => odd.build(s, x, t),
            Build::MemberOf(gate, member) => {
                let gate = gate(s, x);
                let value = member.build(s, gate, member.base(gate));
                times(s, value, t)
            }
        }
    }
}

/// A primitive that is an expression of a sigmoid `sigma`, and shares it with other primitives.
///
/// `q` is `sigma`, or its complement `1 - sigma`, times a factor if there is one. `x` and `slope` are parts of the [`Gate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// The sigmoid: `q`.
    Sigma,
    /// The argument times the sigmoid: `x q`.
    Value,
    /// The derivative of `x sigma`: `slope q + q`.
    Slope,
    /// The same as `(slope + 1) q`, which rounds numbers of the size of the result, and is a call longer.
    SlopeFine,
    /// The complement `1 - sigma`, which is the sigmoid of the negation: `q`.
    Rest,
}

impl Member {
    /// Returns the shared part that a factor is multiplied by: the sigmoid or its complement.
    pub fn base(self, gate: Gate) -> Val {
        if self == Member::Rest { gate.rest } else { gate.sigma }
    }

    /// Emits the primitive from the shared parts `gate` and from `q`.
    ///
    /// `q` is the sigmoid or its complement, times a factor if there is one.
    pub fn build(self, s: &mut Seq, gate: Gate, q: Val) -> Val {
        match self {
            Member::Sigma | Member::Rest => q,
            Member::Value => s.mul(gate.x, q),
            Member::Slope => s.fused_mul_add(gate.slope, q, q),
            Member::SlopeFine => {
                let whole = s.adds(gate.slope, 1.0);
                s.mul(whole, q)
            }
        }
    }
}

/// A sequence of vector calls for a primitive, with its accuracy and its guarantee at infinite inputs.
#[derive(Debug)]
pub struct Form {
    /// Short name for tables.
    pub name: &'static str,
    /// Element types of the tensors for which these vector calls are accurate enough.
    pub dtypes: &'static [DType],
    /// Guarantee about the result at infinite inputs.
    pub limits: Limits,
    /// Accuracy class of the sequence of vector calls.
    pub digits: Digits,
    /// A sequence of vector calls for a primitive, with its accuracy and its guarantee at infinity.
    pub build: Build,
}

impl Form {
    /// Returns true if these vector calls are accurate enough and guarantee at least `limits`.
    ///
    /// They must be accurate for element type `dtype` in accuracy class `digits`.
    pub fn fits(&self, dtype: DType, limits: Limits, digits: Digits) -> bool {
        let has_digits = self.digits >= digits.min(Digits::Relative);
        self.dtypes.contains(&digits.dtype(dtype)) && self.limits >= limits && has_digits
    }

    /// Returns the cycles that the vector unit takes for these vector calls on 64 elements.
    pub fn cycles(&self, arch: &'static Arch) -> f64 {
        let (s, _, y) = built(arch, |s, x| self.build.build(s, x, &[]));
        cycles(&s, y, arch)
    }
}

/// Returns the cycles for 64 elements of all vector calls that value `out` depends on.
pub fn cycles(s: &Seq, out: Val, arch: &Arch) -> f64 {
    let cycles = |(step, uses): (&Step, usize)| match step.source {
        Source::Call(api) if uses > 0 => arch.cycles(api.name(), DType::F32.size()),
        _ => 0.0,
    };
    s.steps.iter().zip(s.uses(&[out])).rev().map(cycles).sum()
}

/// Returns the sequence that `build` emits for a loaded `float`, with the values of the load and of the result.
pub fn built(arch: &'static Arch, build: impl FnOnce(&mut Seq, Val) -> Val) -> (Seq, Val, Val) {
    let mut s = Seq::on(arch);
    let x = s.push(Source::Load(0), &[], None, F32);
    let y = build(&mut s, x);
    (s, x, y)
}
