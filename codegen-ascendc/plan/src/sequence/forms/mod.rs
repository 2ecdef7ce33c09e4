//! Sequences of the smooth primitives.
//!
//! ```text
//! circle       sine, cosine and arctangent
//! gate         sigmoid, silu, gelu by tanh and their derivatives, which share their parts
//! exponential  functions close to Exp and Ln: tanh, expm1, log1p, softplus
//! power        x^y
//! tail         e^(-s a^2) N(a)/D(a) beside a straight line: gelu, its derivative, normal_cdf, erfc
//! tails        the fitted coefficients of these
//! odd          x P(x^2), saturating: erf
//! near         polynomials near a zero, where another sequence loses its digits
//! ```
//!
//! Each keeps its accuracy in both tails. One call is one pass of the vector unit. A derivative is almost always multiplied by the
//! incoming gradient. Such factors are unbounded, so they come last and one by one. Two kinds are multiplied in the middle of a
//! sequence, because that saves a call: a factor that primitives with the same sigmoid share, `(m s + s) t = m w + w` with `w = s t`,
//! and a factor of type f16, since `float` can represent any product of it. Errors were measured in `float` with every call rounded,
//! compound calls twice, and once more with Exp, Ln, Sqrt and Div one unit off; a test checks every row of the table.

pub mod circle;
pub mod exponential;
pub mod gate;
pub mod near;
pub mod odd;
pub mod power;
pub mod tail;
#[rustfmt::skip] // made by a test, which compares the text
pub mod tails;

use super::{Api, Compare, Seq, Source, Type, Val};

/// The factors that a function is multiplied by, in this order.
pub type Factors<'v> = &'v [Val];

/// Emits `v` times all factors `t`.
pub fn times(s: &mut Seq, v: Val, t: Factors<'_>) -> Val {
    t.iter().fold(v, |v, t| s.mul(v, *t))
}

/// Emits the product of the factors `t`, divided by `d`, where `d` is at least 1.
///
/// The first factor is divided, and the quotient multiplied by the others. Without factors the result is `1 / d`.
fn over(s: &mut Seq, t: Factors<'_>, d: Val) -> Val {
    let (first, rest) = match t {
        [first, rest @ ..] => (*first, rest),
        [] => (s.splat(1.0), t),
    };
    let q = s.div(first, d);
    times(s, q, rest)
}

fn clamp(s: &mut Seq, x: Val, low: f64, high: f64) -> Val {
    let x = s.maxs(x, low);
    s.mins(x, high)
}

/// Emits a mask that is set where `x` compares with `c` as `by` says; for example, `x < c`.
fn mask(s: &mut Seq, x: Val, by: Compare, c: f64) -> Val {
    s.push(Source::Call(Api::Compares(by)), &[x], Some(c.into()), Type::Mask)
}

/// Emits a select: `yes` where `mask` is set, `no` elsewhere.
fn choice(s: &mut Seq, mask: Val, yes: Val, no: Val) -> Val {
    s.call(Api::Select, &[mask, yes, no])
}

/// `1.5 * 2^23`: adding this number to a `float` of magnitude below `2^22` and subtracting it again rounds the `float` to the nearest
/// integer.
///
/// Sums have no digits behind the point there, and are rounded to the even integer where two are as near.
const ROUND: f64 = 12_582_912.0;

/// Emits the integer nearest to `x`, the even one of two; `|x|` is below `2^22`.
fn nearest_integer(s: &mut Seq, x: Val) -> Val {
    let up = s.adds(x, ROUND);
    s.adds(up, -ROUND)
}

/// Emits the integer nearest to `x`, the even one of two; infinities and NaN stay.
///
/// From `2^23` on all numbers are integers. Below, adding `2^23` to the magnitude leaves the sum no digits behind the point.
///
/// On architectures 2201 and 3510 `Cast` from `float` to `float` with `CAST_RINT` is one call for these eight (asc-devkit 9.1);
/// 1001 and 2002 have no such cast. Quantisers wait for GM either way.
pub fn round(s: &mut Seq, x: Val) -> Val {
    const WHOLE: f64 = (1 << 23) as f64;
    let size = s.abs(x);
    let up = s.adds(size, WHOLE);
    let rounded = s.adds(up, -WHOLE);
    let minus = s.muls(rounded, -1.0);
    let is_negative = mask(s, x, Compare::Lt, 0.0);
    let signed = choice(s, is_negative, minus, rounded);
    let is_short = mask(s, size, Compare::Lt, WHOLE);
    let y = choice(s, is_short, signed, x);
    s.named(rounded, "round |x|");
    s.named(y, "round x")
}

/// Emits `(-1)^k` for an integer `k`, as `1 - 8 d^2`, where `d = k/2 - round(k/2)` is 0 or ±1/2.
fn sign_of_parity(s: &mut Seq, k: Val) -> Val {
    let half = s.muls(k, 0.5);
    let even = nearest_integer(s, half);
    let d = s.sub(half, even);
    let square = s.mul(d, d);
    let sign = s.muls(square, -8.0);
    s.adds(sign, 1.0)
}

/// Emits `slope x` where `|x|` is below `least`, and elsewhere `y`, which loses its digits near 0.
pub fn straight_near_zero(s: &mut Seq, x: Val, least: f64, slope: f64, y: Val) -> Val {
    let a = s.abs(x);
    let near = mask(s, a, Compare::Lt, least);
    let line = if slope == 1.0 { x } else { s.muls(x, slope) };
    choice(s, near, line, y)
}

/// Emits the polynomial `c[0] + c[1] a + c[2] a^2 + ..`, where `u` is `a^2`.
///
/// Two degrees take three vector calls. A polynomial whose leading coefficient is 1 saves a call.
fn poly(s: &mut Seq, a: Val, u: Val, c: &[f64]) -> Val {
    let n = c.len() - 1;
    let plus = |s: &mut Seq, p: Val, c: f64| if c == 0.0 { p } else { s.adds(p, c) };
    let is_monic = c[n] == 1.0;
    let (mut p, mut k) = match (n % 2, is_monic) {
        (0, true) if n == 2 => (s.axpy(u, a, c[1]), 2),
        (0, true) => {
            let p = s.adds(a, c[n - 1]);
            (s.mul(p, a), n)
        }
        (0, false) => {
            let p = s.muls(u, c[n]);
            (s.axpy(p, a, c[n - 1]), n)
        }
        (_, true) => (a, n + 1),
        (_, false) => (s.muls(a, c[n]), n + 1),
    };
    p = plus(s, p, c[k - 2]);
    k -= 2;
    while k > 0 {
        p = s.mul(p, u);
        p = s.axpy(p, a, c[k - 1]);
        p = plus(s, p, c[k - 2]);
        k -= 2;
    }
    p
}

/// Emits the polynomial in `u` with coefficients `c`, the constant first.
///
/// More than four coefficients use `u^2` as well, because that saves a call.
fn horner(s: &mut Seq, u: Val, c: &[f64]) -> Val {
    if c.len() > 4 {
        let square = s.mul(u, u);
        return poly(s, u, square, c);
    }
    let (last, rest) = c.split_last().unwrap_or((&0.0, &[]));
    let (mut p, mut is_one) = (u, *last == 1.0);
    for (k, c) in rest.iter().rev().enumerate() {
        p = match (k, is_one) {
            (0, true) => u,
            (0, false) => s.muls(u, *last),
            _ => s.mul(p, u),
        };
        is_one = false;
        p = s.adds(p, *c);
    }
    p
}
