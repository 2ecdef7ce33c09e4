//! Sequences of the smooth primitives.
//!
//! ```text
//! gate         sigmoid, silu, gelu by tanh and their derivatives, which share their parts
//! exponential  what is Exp and Ln at once: tanh, expm1, log1p, softplus
//! tail         e^(-s a^2) N(a)/D(a) beside a straight line: gelu, its derivative, normal_cdf, erfc
//! tails        the coefficients of these, as they are fitted
//! odd          x P(x^2), saturating: erf
//! near         polynomials near a zero, beside what loses its digits there
//! ```
//!
//! Each keeps its accuracy in both tails; one call is one pass of the vector unit. A derivative is
//! almost always multiplied by what comes from above. These factors are unbounded, so they come last
//! and one by one. In the middle of a sequence stands what saves a call there: a factor that relatives
//! share, `(m s + s) t = m w + w` with `w = s t`, and one of f16, which `float` can hold any product of.
//! Errors were measured in `float` with every call rounded, compound calls twice, and once more with
//! Exp, Ln, Sqrt and Div one unit off; a test of every row holds them.

pub mod exponential;
pub mod gate;
pub mod near;
pub mod odd;
pub mod tail;
#[rustfmt::skip] // made by a test, which compares the text
pub mod tails;

use super::{Api, Compare, Seq, Source, Type, Val};

/// What the result is multiplied by, in this order.
pub type Factors<'v> = &'v [Val];

/// `v t`
pub fn times(s: &mut Seq, v: Val, t: Factors<'_>) -> Val {
    t.iter().fold(v, |v, t| s.mul(v, *t))
}

/// `t / d` for a `d` of at least one.
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

/// Where `x` compares so with `c`.
fn mask(s: &mut Seq, x: Val, by: Compare, c: f64) -> Val {
    s.push(Source::Call(Api::Compares(by)), &[x], Some(c.into()), Type::Mask)
}

/// `yes` where the mask holds, else `no`.
fn choice(s: &mut Seq, mask: Val, yes: Val, no: Val) -> Val {
    s.call(Api::Select, &[mask, yes, no])
}

/// `slope x` where `|x|` is below `least`, else `y`, whose digits are lost there.
pub fn straight_near_zero(s: &mut Seq, x: Val, least: f64, slope: f64, y: Val) -> Val {
    let a = s.abs(x);
    let near = mask(s, a, Compare::Lt, least);
    let line = if slope == 1.0 { x } else { s.muls(x, slope) };
    choice(s, near, line, y)
}

/// `c[0] + c[1] a + ..` with `u = a^2`: three calls for two degrees. What begins with 1 spares one.
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
