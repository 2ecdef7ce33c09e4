//! The table of primitives: everything that a formula may call.
//!
//! Each row defines the primitive, its name in formulas and, for a function of one value, the function on `Elem`.
//! `docs/add-a-primitive.md` lists the places where a new primitive is written.

use crate::oracle as o;

/// Target-independent properties of a primitive.
#[derive(Debug)]
pub struct Row {
    /// The primitive.
    pub prim: Prim,
    /// Name by which formulas call the primitive.
    pub name: &'static str,
    /// Number of arguments.
    pub arity: usize,
    /// The value as readable maths, in the arguments `x`, `y` and `z`.
    pub formula: &'static str,
    /// Arguments for which the primitive is defined.
    pub domain: Interval,
    /// Interval that contains all values of the primitive.
    pub range: Interval,
    /// Reference function that computes the value in f64, accurate in both tails.
    pub oracle: fn([f64; 3]) -> f64,
    /// Notation of the primitive in printed maths.
    pub style: Style,
    /// Largest f32 error in ULP of the true value, on SIMD levels with FMA and on the baseline.
    ///
    /// For example, arithmetic is correctly rounded and has 0.5.
    pub ulp: (f32, f32),
}

/// A closed interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval(pub f64, pub f64);

impl Interval {
    /// All numbers.
    pub const ALL: Interval = Interval(f64::NEG_INFINITY, f64::INFINITY);

    /// Returns the largest magnitude of a number in the interval.
    pub fn bound(self) -> f64 {
        self.0.abs().max(self.1.abs())
    }
}

/// Notation of a call in printed maths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `f(x, y)`
    Function,
    /// `-x`: the sign and its binding strength.
    Prefix(&'static str, u8),
    /// `x + y`: the sign and its binding strength.
    Infix(&'static str, u8),
    /// `if x { y } else { z }`
    Choice,
}

const ALL: Interval = Interval::ALL;
const POSITIVE: Interval = Interval(0.0, f64::INFINITY);
const UNIT: Interval = Interval(0.0, 1.0);
const TRUTH: Interval = UNIT;

/// Defines the enum [`Prim`], its table, and a macro that lists the primitives with a single argument.
///
/// `$d` is a `$`, because the macro that is defined has a parameter of its own.
macro_rules! rows {
    (($d:tt)
     operations {$(
         $op:ident $op_name:ident $arity:literal $op_formula:literal
         $op_domain:expr, $op_range:expr, $op_oracle:expr, $style:expr, $op_ulp:expr;
     )*}
     functions {$(
         $f:ident $name:ident $formula:literal
         $domain:expr, $range:expr, $oracle:expr, $ulp:expr;
     )*}) => {
        /// A primitive. Its properties are in its [`Row`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Prim {
            $(#[doc = $op_formula] $op,)*
            $(#[doc = $formula] $f,)*
        }

        /// One row per primitive, in the order of the enum.
        pub const TABLE: &[Row] = &[
            $(Row {
                prim: Prim::$op,
                name: stringify!($op_name),
                arity: $arity,
                formula: $op_formula,
                domain: $op_domain,
                range: $op_range,
                oracle: $op_oracle,
                style: $style,
                ulp: $op_ulp,
            },)*
            $(Row {
                prim: Prim::$f,
                name: stringify!($name),
                arity: 1,
                formula: $formula,
                domain: $domain,
                range: $range,
                oracle: $oracle,
                style: Style::Function,
                ulp: $ulp,
            },)*
        ];

        /// Passes all functions of one value to a macro: `make! { exp "e^x"; expm1 "e^x - 1"; .. }`.
        #[macro_export]
        macro_rules! functions_of_one_value {
            ($d make:ident) => { $d make! { $($name $formula;)* } };
        }
    };
}

use Style::{Choice, Function, Infix, Prefix};
/// Error bounds in ULP of primitives that round correctly.
const EXACT: (f32, f32) = (0.5, 0.5);
/// Error bounds in ULP of primitives that are evaluated in f64 and rounded once.
///
/// Their results are correctly rounded but for one value in a million.
const ROUNDED: (f32, f32) = (0.501, 0.501);
/// Error bounds in ULP of primitives that round nothing: they only compare, select or negate.
const MOVED: (f32, f32) = (0.0, 0.0);

const fn above(least: f64) -> Interval {
    Interval(least, f64::INFINITY)
}

#[rustfmt::skip]
rows! { ($)
    operations {
        Neg    neg    1 "-x"     ALL, ALL,   |[x, ..]| -x,                         Prefix("-", 6), MOVED;
        Add    add    2 "x + y"  ALL, ALL,   |[x, y, _]| x + y,                    Infix("+", 4),  EXACT;
        Sub    sub    2 "x - y"  ALL, ALL,   |[x, y, _]| x - y,                    Infix("-", 4),  EXACT;
        Mul    mul    2 "x * y"  ALL, ALL,   |[x, y, _]| x * y,                    Infix("*", 5),  EXACT;
        Div    div    2 "x / y"  ALL, ALL,   |[x, y, _]| x / y,                    Infix("/", 5),  EXACT;
        Mul3   mul3   3 "x * y * z, x bounded: finite in between wherever the result is" ALL, ALL, |[x, y, z]| x * y * z, Function, (1.0, 1.0);
        Min    min    2 "the smaller of x and y; NaN if either is" ALL, ALL, o::min, Function, MOVED;
        Max    max    2 "the larger of x and y; NaN if either is"  ALL, ALL, o::max, Function, MOVED;
        Clamp  clamp  3 "min(max(x, y), z); NaN if any is" ALL, ALL, o::clamp, Function, MOVED;
        Pow    powf   2 "x^y"    POSITIVE, ALL, |[x, y, _]| libm::pow(x, y),        Function,          ROUNDED;
        Rem    rem    2 "x - y trunc(x / y), exactly" ALL, ALL, |[x, y, _]| x % y,      Function,          MOVED;
        Lt     lt     2 "x < y"  ALL, TRUTH, |[x, y, _]| (x < y) as u8 as f64,     Infix("<", 3),  MOVED;
        Le     le     2 "x <= y" ALL, TRUTH, |[x, y, _]| (x <= y) as u8 as f64,    Infix("<=", 3), MOVED;
        Eq     eq     2 "x == y" ALL, TRUTH, |[x, y, _]| (x == y) as u8 as f64,    Infix("==", 3), MOVED;
        Select select 3 "y where x holds, else z" ALL, ALL, |[c, x, y]| if c != 0.0 { x } else { y }, Choice, MOVED;
        WithGrad with_grad 2 "x, with the derivative of y" ALL, ALL, |[x, ..]| x,   Function,          MOVED;
    }
    // Each function comes after those in its formula, because recognition prefers the last matching row as the
    // largest.
    functions {
        Abs          abs            "|x|"                         ALL,           POSITIVE,       |[x, ..]| x.abs(),        MOVED;
        Relu         relu           "max(x, 0)"                   ALL,           POSITIVE,       |[x, ..]| o::max([x, 0.0, 0.0]), MOVED;
        Sign         sign           "-1, 0 or 1 as x is below, at or above 0" ALL, Interval(-1.0, 1.0), o::sign, MOVED;
        Round        round          "the integer nearest to x, the even one of two" ALL, ALL,    |[x, ..]| x.round_ties_even(), MOVED;
        Sqrt         sqrt           "x^(1/2)"                     POSITIVE,      POSITIVE,       |[x, ..]| x.sqrt(),       EXACT;
        Exp          exp            "e^x"                         ALL,           POSITIVE,       |[x, ..]| libm::exp(x),   (1.0, 1.2);
        Expm1        expm1          "e^x - 1"                     ALL,           above(-1.0),    |[x, ..]| libm::expm1(x), (1.3, 1.4);
        Sinh         sinh           "(e^x - e^-x) / 2"            ALL,           ALL,            |[x, ..]| libm::sinh(x),  (2.5, 2.5);
        Cosh         cosh           "(e^x + e^-x) / 2"            ALL,           above(1.0),     |[x, ..]| libm::cosh(x),  (2.5, 2.5);
        Ln           ln             "log_e x"                     POSITIVE,      ALL,            |[x, ..]| libm::log(x),   (1.6, 1.6);
        Log1p        log1p          "log_e (1 + x)"               above(-1.0),   ALL,            |[x, ..]| libm::log1p(x), (1.7, 1.7);
        Tanh         tanh           "(e^x - e^-x) / (e^x + e^-x)" ALL,           Interval(-1.0, 1.0), |[x, ..]| libm::tanh(x), (1.4, 1.4);
        Sin          sin            "sin x"                       ALL,           Interval(-1.0, 1.0), |[x, ..]| libm::sin(x),   ROUNDED;
        Cos          cos            "cos x"                       ALL,           Interval(-1.0, 1.0), |[x, ..]| libm::cos(x),   ROUNDED;
        Atan         atan           "the angle whose tangent is x" ALL,          Interval(-1.571, 1.571), |[x, ..]| libm::atan(x), ROUNDED;
        Sigmoid      sigmoid        "1 / (1 + e^-x)"              ALL,           UNIT,           o::sigmoid,               ROUNDED;
        Erf          erf            "2/sqrt(pi) * integral of e^(-t^2) from 0 to x" ALL, Interval(-1.0, 1.0), |[x, ..]| libm::erf(x), (1.1, 1.3);
        Erfc         erfc           "1 - erf(x)"                  ALL,           Interval(0.0, 2.0), |[x, ..]| libm::erfc(x), (1.4, 1.9);
        Erfinv       erfinv         "the number whose erf is x"   Interval(-1.0, 1.0), ALL,      o::erfinv,                ROUNDED;
        NormalCdf    normal_cdf     "erfc(-x / sqrt(2)) / 2"      ALL,           UNIT,           o::normal_cdf,            ROUNDED;
        Softplus     softplus       "log_e (1 + e^x)"             ALL,           POSITIVE,       o::softplus,              (1.9, 2.3);
        Gelu         gelu           "x * normal_cdf(x)"           ALL,           above(-0.17),   o::gelu,                  ROUNDED;
        GeluTanh     gelu_tanh      "x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))) / 2" ALL, above(-0.171), o::gelu_tanh, ROUNDED;
        Silu         silu           "x * sigmoid(x)"              ALL,           above(-0.279),  o::silu,                  ROUNDED;
        GeluGrad     gelu_grad      "normal_cdf(x) + x * e^(-x^2/2) / sqrt(2 pi)" ALL, Interval(-0.13, 1.13), o::gelu_grad, ROUNDED;
        GeluTanhGrad gelu_tanh_grad "the derivative of gelu_tanh" ALL,           Interval(-0.13, 1.13), o::gelu_tanh_grad, ROUNDED;
        SiluGrad     silu_grad      "sigmoid(x) * (1 + x * (1 - sigmoid(x)))" ALL, Interval(-0.1, 1.1), o::silu_grad,      ROUNDED;
        Lgamma       lgamma         "log_e |Gamma(x)|"            ALL,           ALL,            o::lgamma,                ROUNDED;
        Digamma      digamma        "the derivative of lgamma"    ALL,           ALL,            o::digamma,               ROUNDED;
        Trigamma     trigamma       "the second derivative of lgamma" ALL,       POSITIVE,       o::trigamma,              ROUNDED;
    }
}

impl Prim {
    /// Returns the properties of the primitive.
    pub fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// Returns the primitive that formulas call by this name; `None` if there is none.
    pub fn named(name: &str) -> Option<Prim> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.prim)
    }

    /// Returns whether the primitive compares, so that its result is a mask, which only `select` may read.
    pub fn is_comparison(self) -> bool {
        matches!(self, Prim::Lt | Prim::Le | Prim::Eq)
    }

    /// Returns whether the primitive is expanded into others before a target sees it.
    pub fn is_composed(self) -> bool {
        use Prim::*;
        matches!(self, Relu | Clamp | Sign | Sinh | Cosh | WithGrad)
    }

    /// Returns whether the primitive is non-decreasing on all numbers.
    pub fn is_increasing(self) -> bool {
        use Prim::*;
        matches!(
            self,
            Relu | Sign | Round | Exp | Expm1 | Sinh | Tanh | Sigmoid | Erf | NormalCdf | Softplus
        )
    }

    /// Returns whether the primitive is analytic wherever it is finite: it has no breakpoints and no jumps.
    pub fn is_smooth(self) -> bool {
        use Prim::*;
        !matches!(
            self,
            Abs | Relu | Sign | Round | Rem | Clamp | Min | Max | Lt | Le | Eq | Select | WithGrad
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
