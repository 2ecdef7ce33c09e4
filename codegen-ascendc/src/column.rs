//! The AscendC column of the table of primitives: all that this target knows of one, in one row.
//!
//! Arithmetic is one call. Smooth primitives are sequences of calls in `float`, one row per form; the
//! first form that fits the element type and what is asked at infinity is taken. Casts around 16-bit
//! tensors belong to loads and stores, not to a primitive. Nothing here knows an operator.

use crate::arch::SOCS;
use crate::sequence::form::{Build, Form, Limits, Member};
use crate::sequence::forms::{self, Gate};
use crate::sequence::{F32, Seq, Source, Step, Val};
use Build::{Alone, Of};
use Limits::{Exact, Free};
use op_dsl_ir::{DType, Prim};

/// A row as it is written down.
struct Row {
    prim: Prim,
    /// Calls of arithmetic, by AscendC's names.
    calls: &'static [&'static str],
    /// C++ that computes it of scalars `{x}`, `{y}`, `{z}`; what has none is computed of vectors.
    number: Option<&'static str>,
    note: &'static str,
    forms: &'static [Form],
}

macro_rules! rows {
    ($($prim:ident [$($call:ident)*] $(as $number:literal)? : $note:literal
       $({ $($name:literal $dtypes:ident $limits:ident $build:expr;)* })?)*) => {
        const ROWS: &[Row] = &[$(Row {
            prim: Prim::$prim,
            calls: &[$(stringify!($call)),*],
            number: rows!(@optional $($number)?),
            note: $note,
            forms: &[$($(Form { name: $name, dtypes: $dtypes, limits: $limits, build: $build }),*)?],
        }),*];
    };
    (@optional) => { None };
    (@optional $number:literal) => { Some($number) };
}

const ALL: &[DType] = &DType::ALL;
const F16: &[DType] = &[DType::F16];
const BF16: &[DType] = &[DType::BF16];

#[rustfmt::skip]
rows! {
    Neg     [Muls]    as "(-{x})": "by -1; there is no negate"
    Abs     [Abs]     as "({x} < 0.0f ? -{x} : {x})": ""
    Add     [Add]     as "({x} + {y})": "Adds when one side is a constant, Axpy when it is a scaled product"
    Sub     [Sub]     as "({x} - {y})": "Adds when the right side is a constant"
    Mul     [Mul]     as "({x} * {y})": "Muls when one side is a constant"
    Div     [Div]     as "({x} / {y})": "never Reciprocal, which is good to 1e-4 only; by a constant: Muls"
    Mul3    [Mul Mul] as "(({x} * {y}) * {z})": "x y first, x being bounded: overflows only where x y does"
    Min     [Min]     as "({x} < {y} || {x} != {x} ? {x} : {y})": "Mins when one side is a constant"
    Max     [Max]     as "({x} > {y} || {x} != {x} ? {x} : {y})": "Maxs when one side is a constant"
    Sqrt    [Sqrt]: ""
    Lt      [Compare] as "({x} < {y})": "Compares with a constant; counts in multiples of 256 bytes"
    Le      [Compare] as "({x} <= {y})": "Compares with a constant; counts in multiples of 256 bytes"
    Eq      [Compare] as "({x} == {y})": "Compares with a constant; counts in multiples of 256 bytes"
    Select  [Select]  as "({x} ? {y} : {z})": "a constant first goes by repeats; may need 8 KB of reserved UB"

    Exp     [Exp]: "overflows to +inf above 88.7"
    Expm1   []: "Exp then Adds cancels near 0"
    Ln      [Ln]: ""
    Log1p   []: "Adds then Ln loses small arguments"
    Tanh    []: "Tanh of the high-level library clamps at 8.8 and needs a tile of its own"
    Sin     []: "nobody has written its reduction to a quarter turn"
    Cos     []: "nobody has written its reduction to a quarter turn"
    Atan    []: "nobody has written it"
    Pow     []: "e^(y ln x) multiplies the error of Ln by y ln x"
    Sigmoid []: "argument held below 20; no overflow on either side" {
        "G"  ALL  Exact Of(forms::silu_gate, Member::Sigma);
    }
    Erf     []: "Erf of the high-level library needs three tiles of its own"
    Erfc    []: "Erfc of the high-level library needs seven tiles of its own"
    NormalCdf []: "through gelu or gelu_grad only"
    Softplus  []: "needs log1p"

    Gelu    []: "max(x, 0) - e^(-a^2/2) a N(a)/D(a), a = |x|; relative error 1.4e-6 in the tail" {
        "R2" F16  Exact Alone(forms::gelu_f16);
        "R2" BF16 Exact Alone(forms::gelu_bf16);
        "R4" ALL  Exact Alone(forms::gelu_r);
    }
    GeluTanh []: "x / (1 + e^-v), v an odd cubic; NaN at -inf unless x is held above -15" {
        "D"  ALL  Free  Alone(forms::gelu_tanh);
        "D"  ALL  Exact Alone(forms::gelu_tanh_held);
    }
    Silu    []: "x / (1 + e^-x); NaN at -inf unless x is held above -110" {
        "D"  ALL  Free  Alone(forms::silu);
        "D"  ALL  Exact Alone(forms::silu_held);
    }
    GeluGrad []: "g(-a) = e^(-a^2/2) N(a)/D(a), 1 - g(-a) on the right; 16-bit types have shorter forms" {
        "S6" F16  Free  Alone(forms::gelu_grad_s6);
        "S6" F16  Exact Alone(forms::gelu_grad_s6_held);
        "S4" BF16 Free  Alone(forms::gelu_grad_s4);
        "S4" BF16 Exact Alone(forms::gelu_grad_s4_held);
        "R"  ALL  Exact Alone(forms::gelu_grad_r);
    }
    GeluTanhGrad []: "s + x v' s (1 - s), s = sigmoid(v); x held to -15..6, so exact at both infinities" {
        "N"  F16  Free  Alone(forms::gelu_tanh_grad_n);
        "P"  ALL  Exact Of(forms::tanh_gate, Member::Slope);
    }
    SiluGrad []: "s + x (1 - s) s, x held to -110..20, so exact at both infinities" {
        "G"  ALL  Free  Of(forms::silu_gate, Member::Slope);
        "G"  ALL  Exact Of(forms::silu_gate_held, Member::Slope);
    }
}

/// Primitives that share a gate when a graph applies several of them to one value.
pub type Family = &'static [(Prim, Member)];

const FAMILIES: &[Family] = &[
    &[(Prim::Sigmoid, Member::Sigma), (Prim::Silu, Member::Value), (Prim::SiluGrad, Member::Slope)],
    &[(Prim::GeluTanh, Member::Value), (Prim::GeluTanhGrad, Member::Slope)],
];

fn row(prim: Prim) -> &'static Row {
    const NONE: Row = Row {
        prim: Prim::Neg,
        calls: &[],
        number: None,
        note: "nobody has written one",
        forms: &[],
    };
    ROWS.iter().find(|row| row.prim == prim).unwrap_or(&NONE)
}

/// C++ that computes the primitive of scalars `{x}`, `{y}`, `{z}`, if scalar code can.
pub fn number(prim: Prim) -> Option<&'static str> {
    row(prim).number
}

/// The form of a primitive; `None` for arithmetic and for what has no sequence yet.
pub fn form_of(prim: Prim, dtype: DType, limits: Limits) -> Option<&'static Form> {
    row(prim).forms.iter().find(|f| f.fits(dtype, limits))
}

/// The primitives that may share a gate with this one, itself among them.
pub fn family(prim: Prim) -> Option<Family> {
    FAMILIES.iter().copied().find(|f| f.iter().any(|(p, _)| *p == prim))
}

/// The gate of a family: that of its derivative.
pub fn gate_of(family: Family, dtype: DType, limits: Limits) -> Option<fn(&mut Seq, Val) -> Gate> {
    let (prim, _) = family.iter().find(|(_, member)| *member == Member::Slope)?;
    let gate = |f: &Form| if let Of(gate, _) = f.build { Some(gate) } else { None };
    row(*prim).forms.iter().filter(|f| f.fits(dtype, limits)).find_map(gate)
}

/// How a primitive is computed by the vector unit, for readers: of `float` on the first target. One
/// call is one pass over the tile: a 256-byte repeat per cycle.
#[derive(Debug)]
pub struct Lowering {
    /// Which primitive.
    pub prim: Prim,
    /// Names of the calls in order; `None` if no sequence keeps the primitive's accuracy yet.
    pub calls: Option<Vec<&'static str>>,
    /// What the sequence relies on, or why there is none.
    pub note: &'static str,
}

impl Lowering {
    /// Vector calls, which is passes over the tile.
    pub fn count(&self) -> Option<usize> {
        self.calls.as_ref().map(Vec::len)
    }
}

/// The row of a primitive.
pub fn column(prim: Prim) -> Lowering {
    let Row { calls, note, .. } = *row(prim);
    let plain = (!calls.is_empty()).then(|| calls.to_vec());
    Lowering { prim, calls: sequence(prim).or(plain), note }
}

/// The calls of a primitive's form; those of a family's gate that it does not need left out.
fn sequence(prim: Prim) -> Option<Vec<&'static str>> {
    let is_derivative = matches!(form_of(prim, DType::F32, Exact)?.build, Of(_, Member::Slope));
    let limits = if is_derivative { Exact } else { Free };
    let form = form_of(prim, DType::F32, limits)?;
    let mut seq = Seq::on(SOCS[0].arch);
    let x = seq.push(Source::Load(0), &[], None, F32);
    let out = match form.build {
        Alone(build) => build(&mut seq, x, &[]),
        Of(gate, member) => {
            let gate = gate(&mut seq, x);
            member.build(&mut seq, gate, gate.sigma)
        }
    };
    let mut needed = vec![false; seq.steps.len()];
    needed[out.0] = true;
    for i in (0..seq.steps.len()).rev().filter(|&i| i <= out.0) {
        if needed[i] {
            seq.steps[i].args.iter().for_each(|Val(a)| needed[*a] = true);
        }
    }
    let call = |s: &Step| if let Source::Call(api) = s.source { Some(api.name()) } else { None };
    let live = seq.steps.iter().zip(needed).filter(|(_, needed)| *needed);
    Some(live.filter_map(|(s, _)| call(s)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::prim::TABLE;

    /// Memory-vector calls that the documentation of architecture 2201 lists for `float`.
    #[rustfmt::skip]
    const KNOWN: &[&str] = &[
        "Abs", "Add", "Adds", "Axpy", "Compare", "Compares", "Div", "Exp", "FusedMulAdd", "Ln",
        "Max", "Maxs", "Min", "Mins", "Mul", "Muls", "Select", "Sqrt", "Sub",
    ];

    #[test]
    fn one_row_per_primitive() {
        for of in TABLE.iter().filter(|row| !row.prim.is_composed()) {
            assert_eq!(ROWS.iter().filter(|r| r.prim == of.prim).count(), 1, "{}", of.name);
        }
    }

    #[test]
    fn only_calls_that_exist() {
        for call in TABLE.iter().filter_map(|row| column(row.prim).calls).flatten() {
            assert!(KNOWN.contains(&call), "{call}");
        }
    }

    #[test]
    fn a_row_without_calls_says_why() {
        for row in TABLE.iter().filter(|row| column(row.prim).calls.is_none()) {
            assert!(!column(row.prim).note.is_empty(), "{:?}", row.prim);
        }
    }

    /// As many places for arguments as there are, in every text.
    #[test]
    fn numbers_take_every_argument() {
        for row in ROWS {
            let Some(text) = row.number else { continue };
            let has = ["{x}", "{y}", "{z}"].map(|a| text.contains(a));
            let of = row.prim.row();
            assert_eq!(has, [0, 1, 2].map(|k| k < of.arity), "{}", of.name);
        }
    }

    /// The counts that the operators' budgets of vector calls are made of.
    #[test]
    fn counts_of_the_seed_operators() {
        let counts = [
            (Prim::GeluGrad, 21),
            (Prim::GeluTanhGrad, 12),
            (Prim::SiluGrad, 7),
            (Prim::Gelu, 20),
            (Prim::GeluTanh, 7),
            (Prim::Silu, 4),
        ];
        for (prim, count) in counts {
            assert_eq!(column(prim).count(), Some(count), "{prim:?}");
        }
    }
}
