//! Which sequence a primitive takes: one row per form, the first that fits is taken.
//!
//! Any operator whose graph contains the primitive gets the form; nothing here knows an operator.

use super::forms::{self, Factor, Gate};
use super::{Seq, Val};
use op_dsl_ir::{DType, Prim};

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
    /// By itself, times a factor.
    Alone(fn(&mut Seq, Val, Factor) -> Val),
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
    /// Which primitive.
    pub prim: Prim,
    /// Short name for tables.
    pub name: &'static str,
    /// Element types of the tensors whose accuracy it keeps.
    pub dtypes: &'static [DType],
    /// What it gives at infinity.
    pub limits: Limits,
    /// Its sequence.
    pub build: Build,
}

const ALL: &[DType] = &DType::ALL;
const F16: &[DType] = &[DType::F16];
const BF16: &[DType] = &[DType::BF16];

use Build::{Alone, Of};
use Limits::{Exact, Free};

#[rustfmt::skip]
const FORMS: &[Form] = &[
    form(Prim::GeluTanhGrad, "N",  F16,  Free,  Alone(forms::gelu_tanh_grad_n)),
    form(Prim::GeluTanhGrad, "P",  ALL,  Exact, Of(forms::tanh_gate, Member::Slope)),
    form(Prim::GeluGrad,     "S6", F16,  Free,  Alone(forms::gelu_grad_s6)),
    form(Prim::GeluGrad,     "S6", F16,  Exact, Alone(forms::gelu_grad_s6_held)),
    form(Prim::GeluGrad,     "S4", BF16, Free,  Alone(forms::gelu_grad_s4)),
    form(Prim::GeluGrad,     "S4", BF16, Exact, Alone(forms::gelu_grad_s4_held)),
    form(Prim::GeluGrad,     "R",  ALL,  Exact, Alone(forms::gelu_grad_r)),
    form(Prim::SiluGrad,     "G",  ALL,  Free,  Of(forms::silu_gate, Member::Slope)),
    form(Prim::SiluGrad,     "G",  ALL,  Exact, Of(forms::silu_gate_held, Member::Slope)),
    form(Prim::Sigmoid,      "G",  ALL,  Exact, Of(forms::silu_gate, Member::Sigma)),
    form(Prim::Silu,         "D",  ALL,  Free,  Alone(forms::silu)),
    form(Prim::Silu,         "D",  ALL,  Exact, Alone(forms::silu_held)),
    form(Prim::GeluTanh,     "D",  ALL,  Free,  Alone(forms::gelu_tanh)),
    form(Prim::GeluTanh,     "D",  ALL,  Exact, Alone(forms::gelu_tanh_held)),
    form(Prim::Gelu,         "R2", F16,  Exact, Alone(forms::gelu_f16)),
    form(Prim::Gelu,         "R2", BF16, Exact, Alone(forms::gelu_bf16)),
    form(Prim::Gelu,         "R4", ALL,  Exact, Alone(forms::gelu_r)),
];

const fn form(
    prim: Prim,
    name: &'static str,
    dtypes: &'static [DType],
    limits: Limits,
    build: Build,
) -> Form {
    Form { prim, name, dtypes, limits, build }
}

/// Families: primitives that share a gate when a graph applies several of them to one value.
const FAMILIES: &[&[(Prim, Member)]] = &[
    &[(Prim::Sigmoid, Member::Sigma), (Prim::Silu, Member::Value), (Prim::SiluGrad, Member::Slope)],
    &[(Prim::GeluTanh, Member::Value), (Prim::GeluTanhGrad, Member::Slope)],
];

/// The form of a primitive; `None` for arithmetic and for what has no sequence yet.
pub fn form_of(prim: Prim, dtype: DType, limits: Limits) -> Option<&'static Form> {
    let fits = |f: &&Form| f.prim == prim && f.dtypes.contains(&dtype) && f.limits >= limits;
    FORMS.iter().find(fits)
}

/// The primitives that may share a gate with this one, itself among them.
pub fn family(prim: Prim) -> Option<&'static [(Prim, Member)]> {
    FAMILIES.iter().copied().find(|f| f.iter().any(|(p, _)| *p == prim))
}

/// The gate of a family: that of its derivative.
pub fn gate_of(
    family: &[(Prim, Member)],
    dtype: DType,
    limits: Limits,
) -> Option<fn(&mut Seq, Val) -> Gate> {
    let of = |(prim, member): &(Prim, Member)| {
        let is_gate = |f: &&Form| {
            f.prim == *prim
                && f.dtypes.contains(&dtype)
                && f.limits >= limits
                && matches!(f.build, Of(..))
        };
        let form = FORMS.iter().find(is_gate).filter(|_| *member == Member::Slope)?;
        if let Of(gate, _) = form.build { Some(gate) } else { None }
    };
    family.iter().find_map(of)
}
