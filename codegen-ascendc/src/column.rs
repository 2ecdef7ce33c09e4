//! The AscendC column of the table of primitives.
//!
//! Arithmetic is one call. Smooth primitives are sequences of calls in `float`, in the order they
//! are issued, for architecture 2201 (Atlas A2 and A3): the form that the table of sequences has
//! for f32. One call is one pass over the tile: a 256-byte repeat per cycle. Casts around 16-bit
//! tensors belong to loads and stores, not to a primitive.

use crate::sequence::table::{Build, Limits, Member, form_of};
use crate::sequence::{Seq, Source, Step, Val};
use op_dsl_ir::{DType, Prim};

/// How a primitive is computed by the vector unit.
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
    let row = ROWS.iter().find(|row| row.0 == prim);
    let (_, calls, note) = row.copied().unwrap_or((prim, &[], "nobody has written one"));
    let plain = (!calls.is_empty()).then(|| calls.to_vec());
    Lowering { prim, calls: sequence(prim).or(plain), note }
}

/// The calls of a primitive's form; those of a family's gate that it does not need left out.
fn sequence(prim: Prim) -> Option<Vec<&'static str>> {
    let is_derivative =
        matches!(form_of(prim, DType::F32, Limits::Exact)?.build, Build::Of(_, Member::Slope));
    let limits = if is_derivative { Limits::Exact } else { Limits::Free };
    let form = form_of(prim, DType::F32, limits)?;
    let mut seq = Seq::default();
    let x = seq.push(Source::Load(0), &[], None, crate::sequence::F32);
    let out = match form.build {
        Build::Alone(build) => build(&mut seq, x, None),
        Build::Of(gate, member) => {
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

macro_rules! rows {
    ($($prim:ident [$($call:ident)*] $note:literal)*) => {
        const ROWS: &[(Prim, &[&str], &str)] =
            &[$((Prim::$prim, &[$(stringify!($call)),*], $note)),*];
    };
}

#[rustfmt::skip]
rows! {
    Neg     [Muls] "by -1; there is no negate"
    Abs     [Abs] ""
    Add     [Add] "Adds when one side is a constant, Axpy when it is a scaled product"
    Sub     [Sub] "Adds when the right side is a constant"
    Mul     [Mul] "Muls when one side is a constant"
    Div     [Div] "never Reciprocal, which is good to 1e-4 only; by a constant: Muls"
    Mul3    [Mul Mul] "the second and third first: the product overflows only past 3e38"
    Min     [Min] "Mins when one side is a constant"
    Max     [Max] "Maxs when one side is a constant"
    Sqrt    [Sqrt] ""
    Lt      [Compare] "Compares with a constant; counts in multiples of 256 bytes"
    Le      [Compare] "Compares with a constant; counts in multiples of 256 bytes"
    Eq      [Compare] "Compares with a constant; counts in multiples of 256 bytes"
    Select  [Select] "needs the 8 KB of reserved UB"

    Exp     [Exp] "overflows to +inf above 88.7"
    Expm1   [] "Exp then Adds cancels near 0"
    Ln      [Ln] ""
    Log1p   [] "Adds then Ln loses small arguments"
    Tanh    [] "Tanh of the high-level library clamps at 8.8 and needs a tile of its own"
    Sigmoid [] "argument held below 20; no overflow on either side"
    Erf     [] "Erf of the high-level library needs three tiles of its own"
    Erfc    [] "Erfc of the high-level library needs seven tiles of its own"
    NormalCdf [] "through gelu or gelu_grad only"
    Softplus  [] "needs log1p"

    Gelu         [] "max(x, 0) - e^(-a^2/2) a N(a)/D(a), a = |x|; relative error 1.4e-6 in the tail"
    GeluTanh     [] "x / (1 + e^-v), v an odd cubic; NaN at -inf unless x is held above -15"
    Silu         [] "x / (1 + e^-x); NaN at -inf unless x is held above -110"
    GeluGrad     [] "g(-a) = e^(-a^2/2) N(a)/D(a), 1 - g(-a) on the right; 16-bit types have shorter forms"
    GeluTanhGrad [] "s + x v' s (1 - s), s = sigmoid(v); x held to -15..6, so exact at both infinities"
    SiluGrad     [] "s + x (1 - s) s, x held to -110..20, so exact at both infinities"
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
        for of in TABLE {
            assert_eq!(ROWS.iter().filter(|row| row.0 == of.prim).count(), 1, "{}", of.name);
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
