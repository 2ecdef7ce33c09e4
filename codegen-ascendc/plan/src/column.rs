//! The AscendC column of the table of primitives: one row per primitive.
//!
//! A row holds everything that this target needs to know of a primitive, and depends on no operator. Arithmetic is one call. Smooth
//! primitives are sequences of calls in `float`, one row per variant. The planner uses the variant with the fewest cycles that suits
//! the element type and the required behaviour at infinity. Casts around 16-bit tensors belong to loads and stores, not to a primitive.

use crate::arch::Arch;
use crate::sequence::form::{Build, Digits, Form, Limits, Member};
use crate::sequence::forms::exponential as ex;
use crate::sequence::forms::gate::{self, Gate};
use crate::sequence::forms::{circle, odd, tails};
use crate::sequence::{Seq, Val};
use Build::{Alone, MemberOf, Odd, Tail};
use Digits::{Absolute, Fine, Relative};
use Limits::{Exact, Free};
use op_dsl_ir::{DType, Prim};

/// Everything that AscendC code needs to know of one primitive (a basic operation, such as `exp`).
struct Row {
    prim: Prim,
    /// C++ expression that computes the primitive from scalars.
    ///
    /// `{x}`, `{y}`, `{z}` stand for its arguments. `None` if only vector code can compute the primitive.
    number: Option<&'static str>,
    note: &'static str,
    forms: &'static [Form],
}

macro_rules! rows {
    ($($prim:ident $(as $number:literal)? : $note:literal
       $({ $($name:literal $dtypes:ident $limits:ident $digits:ident $build:expr;)* })?)*) => {
        const ROWS: &[Row] = &[$(Row {
            prim: Prim::$prim,
            number: rows!(@optional $($number)?),
            note: $note,
            forms: &[$($(Form { name: $name, dtypes: $dtypes, limits: $limits, digits: $digits, build: $build }),*)?],
        }),*];
    };
    (@optional) => { None };
    (@optional $number:literal) => { Some($number) };
}

const ALL: &[DType] = &DType::ALL;
/// The types of 16 bits.
const HALF: &[DType] = &[DType::F16, DType::BF16];
/// The types with the exponents of `float`.
const WIDE: &[DType] = &[DType::BF16, DType::F32];
const F16: &[DType] = &[DType::F16];
const BF16: &[DType] = &[DType::BF16];
const F32: &[DType] = &[DType::F32];

/// Half a unit in the last place of 1, in f16 and in bf16.
const HALF_UNIT: [f64; 2] = [1.0 / 2048.0, 1.0 / 256.0];

#[rustfmt::skip]
rows! {
    Neg     as "(-{x})": "by -1; there is no negate"
    Abs     as "({x} < 0.0f ? -{x} : {x})": ""
    Add     as "({x} + {y})": "Adds when one side is a constant, Axpy when it is a scaled product"
    Sub     as "({x} - {y})": "Adds when the right side is a constant"
    Mul     as "({x} * {y})": "Muls when one side is a constant"
    Div     as "({x} / {y})": "never Reciprocal, which is good to 1e-4 only; by a constant: Muls"
    Mul3    as "(({x} * {y}) * {z})": "x y first, x being bounded: overflows only where x y does"
    Min     as "({x} < {y} || {x} != {x} ? {x} : {y})": "Mins when one side is a constant"
    Max     as "({x} > {y} || {x} != {x} ? {x} : {y})": "Maxs when one side is a constant"
    Round: "(|x| + 2^23) - 2^23 with the sign of x; from 2^23 on x itself"
    Sqrt: ""
    Rem: "has no sequence of calls"
    Lt      as "({x} < {y})": "Compares with a constant; counts in multiples of 256 bytes"
    Le      as "({x} <= {y})": "Compares with a constant; counts in multiples of 256 bytes"
    Eq      as "({x} == {y})": "Compares with a constant; counts in multiples of 256 bytes"
    Select  as "({x} ? {y} : {z})": "a constant first goes by repeats; may need 8 KB of reserved UB"

    Exp: "overflows to +inf above 88.7"
    Ln: ""
    Sin: "(-1)^k sin(x - k pi), a polynomial; accurate up to 65536" {
        "P9" F32  Exact Relative Alone(circle::sin::<false>);
        "P7" HALF Exact Relative Alone(circle::sin::<true>);
    }
    Cos: "sin(x + pi/2), reduced as sin is; accurate up to 65536" {
        "P9" F32  Exact Relative Alone(circle::cos::<false>);
        "P7" HALF Exact Relative Alone(circle::cos::<true>);
    }
    Atan: "a polynomial of x or of 1 / x" {
        "P17" F32  Exact Relative Alone(circle::atan::<false>);
        "P11" HALF Exact Relative Alone(circle::atan::<true>);
    }
    Pow: "e^(y ln |x|), in f32 with y ln |x| as a sum of two numbers; negative for a negative x and an odd y"
    Expm1: "e^x - 1; near 0 a polynomial, in 16 bits x itself" {
        "E"  F32  Exact Absolute Alone(ex::expm1);
        "EP" F32  Exact Relative Alone(ex::expm1_near);
        "E"  F16  Exact Relative Alone(|s, x, t| ex::near_itself(s, x, t, HALF_UNIT[0], ex::expm1));
        "E"  BF16 Exact Relative Alone(|s, x, t| ex::near_itself(s, x, t, HALF_UNIT[1], ex::expm1));
    }
    Log1p: "ln(1 + x), near 0 with what rounding of 1 + x lost; there in 16 bits x itself" {
        "L"  F32  Exact Absolute Alone(ex::log1p);
        "LD" F32  Exact Relative Alone(ex::log1p_near);
        "L"  F16  Exact Relative Alone(|s, x, t| ex::near_itself(s, x, t, HALF_UNIT[0], ex::log1p));
        "L"  BF16 Exact Relative Alone(|s, x, t| ex::near_itself(s, x, t, HALF_UNIT[1], ex::log1p));
    }
    Tanh: "1 - 2 / (e^2x + 1), x itself near 0 in 16 bits; in f16 and beside a polynomial (e - 1) / (e + 1), e = e^2x" {
        "A"  F32  Exact Absolute Alone(ex::tanh_f32);
        "BP" F32  Exact Relative Alone(ex::tanh_near);
        "BW" F32  Exact Fine     Alone(ex::tanh_fine);
        "B"  F16  Exact Absolute Alone(ex::tanh);
        "A"  F16  Exact Relative Alone(|s, x, t| ex::near_itself(s, x, t, 1.0 / 45.0, ex::tanh_f32));
        "A"  BF16 Exact Relative Alone(|s, x, t| ex::near_itself(s, x, t, 1.0 / 16.0, ex::tanh_f32));
    }
    Sigmoid: "argument held below 20; no overflow on either side" {
        "G"  ALL  Exact Relative MemberOf(gate::silu_gate, Member::Sigma);
    }
    Erf: "tanh(x P(x^2)), x held to -3.9..3.9, near 0 a polynomial; in bf16 a fraction" {
        "T6" F32  Exact Absolute Odd(&odd::ERF);
        "T6P" F32 Exact Relative Odd(&odd::ERF_NEAR);
        "T2" F16  Exact Relative Odd(&odd::ERF_F16);
        "C"  BF16 Exact Relative Odd(&odd::ERF_BF16);
    }
    Erfc: "e^(-a^2) N(a)/D(a), a = |x|; 2 - that on the left" {
        "E3" F32  Exact Relative Tail(&tails::ERFC_F32);
        "E1" F16  Exact Relative Tail(&tails::ERFC_F16);
        "E1" BF16 Exact Relative Tail(&tails::ERFC_BF16);
    }
    Erfinv: "has no sequence of calls"
    NormalCdf: "e^(-a^2/2) N(a)/D(a), a = |x|; 1 - that on the right" {
        "E3" F32  Exact Relative Tail(&tails::NORMAL_CDF_F32);
        "E1" F16  Exact Relative Tail(&tails::NORMAL_CDF_F16);
        "E1" BF16 Exact Relative Tail(&tails::NORMAL_CDF_BF16);
    }
    Softplus: "ln(1 + e^x) and what rounding lost of it; in 16 bits e^x on the left" {
        "R"  F32  Exact Relative Alone(ex::softplus);
        "A"  F16  Exact Relative Alone(|s, x, t| ex::softplus_16(s, x, t, -7.6));
        "A"  BF16 Exact Relative Alone(|s, x, t| ex::softplus_16(s, x, t, -5.5));
    }
    Gelu: "max(x, 0) - e^(-a^2/2) a N(a)/D(a), a = |x|; relative error 1.3e-6 in the tail" {
        "T2" F16  Exact Relative Tail(&tails::GELU_F16);
        "T2" BF16 Exact Relative Tail(&tails::GELU_BF16);
        "T4" F32  Exact Relative Tail(&tails::GELU_F32);
    }
    GeluTanh: "x / (1 + e^-v), v an odd cubic, with all of the tail x e^v / (e^v + 1); NaN at -inf unless x is held above -15" {
        "D"  HALF Free  Relative Alone(gate::gelu_tanh);
        "D"  F32  Free  Absolute Alone(gate::gelu_tanh);
        "D"  F16  Exact Relative Alone(gate::gelu_tanh_held);
        "D"  F32  Exact Absolute Alone(gate::gelu_tanh_held);
        "P"  WIDE Exact Relative MemberOf(gate::tanh_gate, Member::Value);
    }
    Silu: "x / (1 + e^-x), with all of the tail x e^x / (e^x + 1); NaN at -inf unless x is held above -110" {
        "D"  F32  Free  Absolute Alone(gate::silu);
        "D"  HALF Free  Relative Alone(gate::silu);
        "D"  F32  Exact Absolute Alone(gate::silu_held);
        "D"  F16  Exact Relative Alone(gate::silu_held);
        "G"  WIDE Exact Relative MemberOf(gate::silu_gate_held, Member::Value);
    }
    Lgamma: "has no sequence of calls"
    Digamma: "has no sequence of calls"
    Trigamma: "has no sequence of calls"
    GeluGrad: "g(-a) = e^(-a^2/2) N(a)/D(a), a = |x|; 1 - g(-a) on the right" {
        "T2" F16  Exact Relative Tail(&tails::GELU_GRAD_F16);
        "T2" BF16 Exact Relative Tail(&tails::GELU_GRAD_BF16);
        "T4" F32  Exact Relative Tail(&tails::GELU_GRAD_F32);
    }
    GeluTanhGrad: "s + x v' s (1 - s), s = sigmoid(v); x held to -15..6, so exact at both infinities" {
        "N"  F16  Free  Relative Alone(gate::gelu_tanh_grad_n);
        "P"  ALL  Exact Relative MemberOf(gate::tanh_gate, Member::Slope);
        "PX" F32  Exact Fine     MemberOf(gate::tanh_gate, Member::SlopeFine);
    }
    SiluGrad: "s + x (1 - s) s, x held to -110..20, so exact at both infinities" {
        "G"  ALL  Free  Relative MemberOf(gate::silu_gate, Member::Slope);
        "G"  ALL  Exact Relative MemberOf(gate::silu_gate_held, Member::Slope);
    }
}

/// Primitives that share one gate (a common subexpression) when a graph applies several to one value.
///
/// Each primitive comes with its role among them, for example the derivative. For example, `sigmoid(x)`, `silu(x)` and the
/// derivative of silu need one sigmoid in total.
pub type Family = &'static [(Prim, Member)];

const FAMILIES: &[Family] = &[
    &[(Prim::Sigmoid, Member::Sigma), (Prim::Silu, Member::Value), (Prim::SiluGrad, Member::Slope)],
    &[(Prim::GeluTanh, Member::Value), (Prim::GeluTanhGrad, Member::Slope)],
];

fn row(prim: Prim) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.prim == prim)
}

/// Returns the C++ expression that computes a primitive from scalars.
///
/// `{x}`, `{y}`, `{z}` stand for its arguments. `None` if only vector code can compute the primitive.
pub fn number(prim: Prim) -> Option<&'static str> {
    row(prim)?.number
}

/// Returns whether no sequence of vector calls computes the primitive, so that kernels that need it are refused.
pub fn is_missing(prim: Prim) -> bool {
    MISSING.contains(&prim)
}

/// Primitives that kernels do not compute.
const MISSING: &[Prim] = &[Prim::Rem, Prim::Erfinv, Prim::Lgamma, Prim::Digamma, Prim::Trigamma];

/// Returns a note on the sequences of vector calls that compute a primitive.
///
/// The note says what they assume.
pub fn note(prim: Prim) -> &'static str {
    row(prim).map_or("", |row| row.note)
}

/// Returns the sequence of vector calls (form) with the fewest cycles that computes a primitive.
///
/// Only forms for the element type, the behaviour at infinity and the accuracy that are asked for are considered. If `digits`
/// is `Fine`, forms with this accuracy are preferred even if they take more cycles. `None` for arithmetic and for primitives
/// without a form.
pub fn form_of(
    prim: Prim,
    dtype: DType,
    limits: Limits,
    digits: Digits,
    arch: &'static Arch,
) -> Option<&'static Form> {
    let fit = row(prim)?.forms.iter().filter(|f| f.fits(dtype, limits, digits));
    let is_plain = |form: &Form| digits.is_fine() && form.digits != Fine;
    let by_cycles = |a: &Form, b: &Form| a.cycles(arch).total_cmp(&b.cycles(arch));
    fit.min_by(|a, b| is_plain(a).cmp(&is_plain(b)).then(by_cycles(a, b)))
}

/// Returns the primitives that may share a gate with `prim`, including `prim` itself.
///
/// A gate is a common subexpression, such as the sigmoid in silu and its derivative. `None` if no other primitive shares a gate
/// with `prim`.
pub fn family(prim: Prim) -> Option<Family> {
    FAMILIES.iter().copied().find(|f| f.iter().any(|(p, _)| *p == prim))
}

/// Returns the function that writes the gate (the common subexpression) of a family of primitives.
///
/// It is taken from the sequence of vector calls for the family's derivative, because all members follow from that gate. For
/// example, with `q = sigmoid(x)`, silu is `x q` and its derivative is `s q + q`, where `s = x (1 - q)`. `None` if no sequence
/// with a gate fits the element type, the behaviour at infinity and the accuracy.
pub fn gate_of(
    family: Family,
    dtype: DType,
    limits: Limits,
    digits: Digits,
) -> Option<fn(&mut Seq, Val) -> Gate> {
    let (prim, _) = family.iter().find(|(_, member)| *member == Member::Slope)?;
    let gate = |f: &Form| if let MemberOf(gate, _) = f.build { Some(gate) } else { None };
    row(*prim)?.forms.iter().filter(|f| f.fits(dtype, limits, digits)).find_map(gate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::prim::TABLE;

    #[test]
    fn one_row_per_primitive() {
        for of in TABLE.iter().filter(|row| !row.prim.is_composed()) {
            assert_eq!(ROWS.iter().filter(|r| r.prim == of.prim).count(), 1, "{}", of.name);
        }
    }

    /// Checks that the C++ text of every primitive has one placeholder per argument.
    #[test]
    fn numbers_take_every_argument() {
        for row in ROWS {
            let Some(text) = row.number else { continue };
            let has = ["{x}", "{y}", "{z}"].map(|a| text.contains(a));
            let of = row.prim.row();
            assert_eq!(has, [0, 1, 2].map(|k| k < of.arity), "{}", of.name);
        }
    }
}
