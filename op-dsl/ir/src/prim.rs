//! The table of primitives: everything that a formula may call.
//!
//! Adding a primitive is one row here, one lowering per target (`codegen-cpu/src/lower/column.rs`,
//! `codegen-ascendc/src/column.rs`) and one line in the accuracy tests.

use crate::derive::{self, Rule};
use crate::oracle as o;

/// A primitive. Its properties are in its [`Row`].
#[allow(missing_docs)] // the rows below document them
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Prim {
    Neg,
    Abs,
    Add,
    Sub,
    Mul,
    Div,
    Mul3,
    Min,
    Max,
    Sqrt,
    Lt,
    Le,
    Eq,
    Select,
    Exp,
    Expm1,
    Ln,
    Log1p,
    Tanh,
    Sigmoid,
    Erf,
    Erfc,
    NormalCdf,
    Softplus,
    Gelu,
    GeluTanh,
    Silu,
    GeluGrad,
    GeluTanhGrad,
    SiluGrad,
}

/// What is known of a primitive independent of any target.
#[derive(Debug)]
pub struct Row {
    /// Which primitive.
    pub prim: Prim,
    /// The name a formula calls it by.
    pub name: &'static str,
    /// How many arguments it takes.
    pub arity: usize,
    /// The value as readable maths, in `x` (and `y`).
    pub formula: &'static str,
    /// Where it is defined.
    pub domain: Interval,
    /// Where its values lie.
    pub range: Interval,
    /// The value in f64, accurate in both tails.
    pub oracle: fn([f64; 3]) -> f64,
    /// The derivative, as a graph.
    pub derivative: Rule,
    /// How to show it.
    pub style: Style,
    /// Largest error in f32, in units in the last place of the true value, on levels with FMA and
    /// on the baseline. Arithmetic is correctly rounded: 0.5.
    pub ulp: (f32, f32),
}

/// A closed interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval(pub f64, pub f64);

impl Interval {
    /// All numbers.
    pub const ALL: Interval = Interval(f64::NEG_INFINITY, f64::INFINITY);

    /// The largest magnitude in it.
    pub fn bound(self) -> f64 {
        self.0.abs().max(self.1.abs())
    }
}

/// How a call is written as maths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `f(x, y)`
    Function,
    /// `-x`
    Prefix(&'static str, u8),
    /// `x + y`, with its binding strength
    Infix(&'static str, u8),
    /// `if x { y } else { z }`
    Choice,
}

const ALL: Interval = Interval::ALL;
const POSITIVE: Interval = Interval(0.0, f64::INFINITY);
const UNIT: Interval = Interval(0.0, 1.0);
const TRUTH: Interval = UNIT;

macro_rules! rows {
    ($($prim:ident $name:literal $arity:literal $formula:literal
       $domain:expr, $range:expr, $oracle:expr, $derivative:path, $style:expr, $ulp:expr;)*) => {
        /// One row per primitive, in the order of the enum.
        pub const TABLE: &[Row] = &[$(Row {
            prim: Prim::$prim,
            name: $name,
            arity: $arity,
            formula: $formula,
            domain: $domain,
            range: $range,
            oracle: $oracle,
            derivative: $derivative,
            style: $style,
            ulp: $ulp,
        }),*];
    };
}

use Style::{Choice, Function, Infix, Prefix};
const EXACT: (f32, f32) = (0.5, 0.5);

#[rustfmt::skip]
rows! {
    Neg     "neg"     1 "-x"         ALL, ALL,      |[x, ..]| -x,          derive::neg,    Prefix("-", 6), (0.0, 0.0);
    Abs     "abs"     1 "|x|"        ALL, POSITIVE, |[x, ..]| x.abs(),     derive::abs,    Function,       (0.0, 0.0);
    Add     "add"     2 "x + y"      ALL, ALL,      |[x, y, _]| x + y,     derive::add,    Infix("+", 4),  EXACT;
    Sub     "sub"     2 "x - y"      ALL, ALL,      |[x, y, _]| x - y,     derive::sub,    Infix("-", 4),  EXACT;
    Mul     "mul"     2 "x * y"      ALL, ALL,      |[x, y, _]| x * y,     derive::mul,    Infix("*", 5),  EXACT;
    Div     "div"     2 "x / y"      ALL, ALL,      |[x, y, _]| x / y,     derive::div,    Infix("/", 5),  EXACT;
    Mul3    "mul3"    3 "x * y * z, x bounded: finite in between wherever the result is" ALL, ALL, |[x, y, z]| x * y * z, derive::mul3, Function, (1.0, 1.0);
    Min     "min"     2 "the smaller of x and y; NaN if either is" ALL, ALL, o::min,       derive::min,    Function,       (0.0, 0.0);
    Max     "max"     2 "the larger of x and y; NaN if either is"  ALL, ALL, o::max,       derive::max,    Function,       (0.0, 0.0);
    Sqrt    "sqrt"    1 "x^(1/2)"    POSITIVE, POSITIVE, |[x, ..]| x.sqrt(), derive::sqrt, Function,       EXACT;
    Lt      "lt"      2 "x < y"      ALL, TRUTH,    |[x, y, _]| (x < y) as u8 as f64,  derive::zero, Infix("<", 3),  (0.0, 0.0);
    Le      "le"      2 "x <= y"     ALL, TRUTH,    |[x, y, _]| (x <= y) as u8 as f64, derive::zero, Infix("<=", 3), (0.0, 0.0);
    Eq      "eq"      2 "x == y"     ALL, TRUTH,    |[x, y, _]| (x == y) as u8 as f64, derive::zero, Infix("==", 3), (0.0, 0.0);
    Select  "select"  3 "y where x holds, else z" ALL, ALL, |[c, x, y]| if c != 0.0 { x } else { y }, derive::select, Choice, (0.0, 0.0);

    Exp     "exp"     1 "e^x"                    ALL, POSITIVE,           |[x, ..]| libm::exp(x),   derive::exp,     Function, (1.0, 1.2);
    Expm1   "expm1"   1 "e^x - 1"                ALL, Interval(-1.0, f64::INFINITY), |[x, ..]| libm::expm1(x), derive::expm1, Function, (1.3, 1.4);
    Ln      "ln"      1 "log_e x"                POSITIVE, ALL,           |[x, ..]| libm::log(x),   derive::ln,      Function, (1.6, 1.6);
    Log1p   "log1p"   1 "log_e (1 + x)"          Interval(-1.0, f64::INFINITY), ALL, |[x, ..]| libm::log1p(x), derive::log1p, Function, (1.7, 1.7);
    Tanh    "tanh"    1 "(e^x - e^-x) / (e^x + e^-x)" ALL, Interval(-1.0, 1.0), |[x, ..]| libm::tanh(x), derive::tanh, Function, (1.4, 1.4);
    Sigmoid "sigmoid" 1 "1 / (1 + e^-x)"         ALL, UNIT,               o::sigmoid,               derive::sigmoid, Function, (2.0, 2.0);
    Erf     "erf"     1 "2/sqrt(pi) * integral of e^(-t^2) from 0 to x" ALL, Interval(-1.0, 1.0), |[x, ..]| libm::erf(x), derive::erf, Function, (1.1, 1.3);
    Erfc    "erfc"    1 "1 - erf(x)"             ALL, Interval(0.0, 2.0), |[x, ..]| libm::erfc(x),  derive::erfc,    Function, (1.4, 1.9);
    NormalCdf "normal_cdf" 1 "erfc(-x / sqrt(2)) / 2" ALL, UNIT,          o::normal_cdf,            derive::normal_cdf, Function, (2.0, 2.0);
    Softplus "softplus" 1 "log_e (1 + e^x)"      ALL, POSITIVE,           o::softplus,              derive::softplus, Function, (1.9, 2.3);

    Gelu      "gelu"      1 "x * normal_cdf(x)"  ALL, Interval(-0.17, f64::INFINITY), o::gelu,      derive::gelu,      Function, (2.0, 2.0);
    GeluTanh  "gelu_tanh" 1 "x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))) / 2" ALL, Interval(-0.171, f64::INFINITY), o::gelu_tanh, derive::gelu_tanh, Function, (2.0, 2.0);
    Silu      "silu"      1 "x * sigmoid(x)"     ALL, Interval(-0.279, f64::INFINITY), o::silu,     derive::silu,      Function, (2.0, 2.0);
    GeluGrad  "gelu_grad" 1 "normal_cdf(x) + x * e^(-x^2/2) / sqrt(2 pi)" ALL, Interval(-0.13, 1.13), o::gelu_grad, derive::gelu_grad, Function, (2.0, 2.0);
    GeluTanhGrad "gelu_tanh_grad" 1 "the derivative of gelu_tanh" ALL, Interval(-0.13, 1.13), o::gelu_tanh_grad, derive::gelu_tanh_grad, Function, (2.0, 2.0);
    SiluGrad  "silu_grad" 1 "sigmoid(x) * (1 + x * (1 - sigmoid(x)))" ALL, Interval(-0.1, 1.1), o::silu_grad, derive::silu_grad, Function, (2.0, 2.0);
}

impl Prim {
    /// Its properties.
    pub fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// The primitive that a formula calls by this name.
    pub fn named(name: &str) -> Option<Prim> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.prim)
    }

    /// Whether its value is a truth value, which only `select` may read.
    pub fn is_comparison(self) -> bool {
        matches!(self, Prim::Lt | Prim::Le | Prim::Eq)
    }

    /// Whether it is analytic wherever it is finite: no kinks, no jumps.
    pub fn is_smooth(self) -> bool {
        use Prim::*;
        !matches!(self, Abs | Min | Max | Lt | Le | Eq | Select)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_enum() {
        for (i, row) in TABLE.iter().enumerate() {
            assert_eq!(row.prim as usize, i, "{}", row.name);
        }
    }

    #[test]
    fn oracles_stay_in_their_ranges() {
        for row in TABLE.iter().filter(|r| r.arity == 1) {
            for i in -4000..=4000 {
                let x = i as f64 / 100.0;
                let y = (row.oracle)([x, 0.0, 0.0]);
                if x >= row.domain.0 && x <= row.domain.1 {
                    assert!(y >= row.range.0 && y <= row.range.1, "{}({x}) = {y}", row.name);
                }
            }
        }
    }
}
