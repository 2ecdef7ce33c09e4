//! The AscendC column of the table of primitives.
//!
//! Each row is a sequence of memory-vector calls in `float`, in the order they are issued, for
//! architecture 2201 (Atlas A2 and A3). One call is one pass over the tile: a 256-byte repeat per
//! cycle. Casts around 16-bit tensors belong to loads and stores, not to a primitive.

use op_dsl_ir::Prim;

/// How a primitive is computed by the vector unit.
#[derive(Debug)]
pub struct Lowering {
    /// Which primitive.
    pub prim: Prim,
    /// Names of the calls in order; `None` if no sequence keeps the primitive's accuracy yet.
    pub calls: Option<&'static [&'static str]>,
    /// What the sequence relies on, or why there is none.
    pub note: &'static str,
}

impl Lowering {
    /// Vector calls, which is passes over the tile.
    pub fn count(&self) -> Option<usize> {
        self.calls.map(<[_]>::len)
    }
}

/// The row of a primitive.
pub fn column(prim: Prim) -> &'static Lowering {
    &COLUMN[prim as usize]
}

macro_rules! rows {
    ($($prim:ident [$($call:ident)*] $note:literal)*) => {
        const COLUMN: &[Lowering] = &[$(Lowering {
            prim: Prim::$prim,
            calls: sequence(&[$(stringify!($call)),*]),
            note: $note,
        }),*];
    };
}

const fn sequence(calls: &'static [&'static str]) -> Option<&'static [&'static str]> {
    if calls.is_empty() { None } else { Some(calls) }
}

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
    Sigmoid [Mins Exp Adds Div] "argument held below 20; no overflow on either side"
    Erf     [] "Erf of the high-level library needs three tiles of its own"
    Erfc    [] "Erfc of the high-level library needs seven tiles of its own"
    NormalCdf [] "through gelu or gelu_grad only"
    Softplus  [] "needs log1p"

    Gelu         [Maxs Abs Mins Mul Muls Axpy Adds Mul Axpy Adds Mul Adds Mul Axpy Adds Muls Exp
                  Mul Div Sub]
        "max(x, 0) - e^(-a^2/2) a N(a)/D(a), a = |x|; relative error 1.4e-6 in the tail"
    GeluTanh     [Mul Muls Adds Mul Exp Adds Div]
        "x / (1 + e^-v), v an odd cubic; NaN at -inf unless x is held above -15"
    Silu         [Muls Exp Adds Div] "x / (1 + e^-x); NaN at -inf unless x is held above -110"
    GeluGrad     [Compares Abs Mins Mul Muls Axpy Adds Mul Axpy Adds Adds Mul Axpy Adds Div Muls
                  Exp Mul Sub Select]
        "g(-a) = e^(-a^2/2) N(a)/D(a), 1 - g(-a) on the right; 16-bit types have shorter forms"
    GeluTanhGrad [Maxs Mins Muls Mul Mul Axpy Exp Axpy Adds Div Div FusedMulAdd]
        "s + x v' s (1 - s), s = sigmoid(v); x held to -15..6, so exact at both infinities"
    SiluGrad     [Mins Exp Adds Div Div FusedMulAdd]
        "s + x (1 - s) s, x held below 20; NaN at -inf unless also held above -110"
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
    fn one_row_per_primitive_in_the_order_of_the_enum() {
        assert_eq!(COLUMN.len(), TABLE.len());
        for (row, of) in COLUMN.iter().zip(TABLE) {
            assert_eq!(row.prim, of.prim, "{}", of.name);
        }
    }

    #[test]
    fn only_calls_that_exist() {
        for call in COLUMN.iter().filter_map(|row| row.calls).flatten() {
            assert!(KNOWN.contains(call), "{call}");
        }
    }

    #[test]
    fn a_row_without_calls_says_why() {
        for row in COLUMN.iter().filter(|row| row.calls.is_none()) {
            assert!(!row.note.is_empty(), "{:?}", row.prim);
        }
    }

    /// The counts that the operators' budgets of vector calls are made of.
    #[test]
    fn counts_of_the_seed_operators() {
        let counts = [
            (Prim::GeluGrad, 20),
            (Prim::GeluTanhGrad, 12),
            (Prim::SiluGrad, 6),
            (Prim::Gelu, 20),
            (Prim::GeluTanh, 7),
            (Prim::Silu, 4),
        ];
        for (prim, count) in counts {
            assert_eq!(column(prim).count(), Some(count), "{prim:?}");
        }
    }
}
