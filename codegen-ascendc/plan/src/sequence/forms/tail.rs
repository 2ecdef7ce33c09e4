//! Gaussian tails `G(a) = e^(-s a^2) N(a)/D(a)` with `a = |x|`, joined to the other side of 0.
//!
//! `s`, `N` and `D` are fitted together, minimax in units of the type, over both sides at once ([`fit`](crate::sequence::fit)).

use super::{Factors, choice, mask, poly, times};
use crate::sequence::{Compare, Seq, Val};
use std::borrow::Cow;

/// A function with a Gaussian tail `G(a) = e^(-s a^2) N(a)/D(a)` on one side of 0, with `a = |x|`.
///
/// Coefficients of `N` and `D` are in powers of `a`, from the constant on.
#[derive(Clone, Debug, PartialEq)]
pub struct Tail {
    /// The factor `s` in the exponent.
    pub scale: f64,
    /// The `|x|` from which on `a = |x|` is clamped, because the function has reached its limit.
    pub held: f64,
    /// Coefficients of the numerator `N` of the Gaussian tail `e^(-s a^2) N(a)/D(a)`.
    pub n: Cow<'static, [f64]>,
    /// Coefficients of the denominator `D` of the tail `e^(-s a^2) N(a)/D(a)`; the last is 1.
    pub d: Cow<'static, [f64]>,
    /// The side of 0 with the Gaussian tail, and the function on the other side.
    pub side: Side,
}

/// The side of 0 with a Gaussian tail, and the function on the other side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// True if the tail is above 0, false if it is below.
    pub above: bool,
    /// The function on the side of 0 without a Gaussian tail.
    ///
    /// It is given up to its Gaussian part.
    pub limit: Limit,
}

/// The function on the side of 0 without a tail, up to its Gaussian part `G`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// A constant `c`: the function is `c - G` on the side without a tail, and `G` in the tail.
    Number(f64),
    /// A line of slope `c`: the function is `c x - G` on the side without a tail, and `-G` in the tail.
    Line(f64),
}

impl Tail {
    /// Emits the vector calls for the function of `x`, times the factors `t`.
    pub fn build(&self, s: &mut Seq, x: Val, t: Factors<'_>) -> Val {
        let size = s.abs(x);
        let a = s.mins(size, self.held);
        let u = s.mul(a, a);
        let n = poly(s, a, u, &self.n);
        let exponent = s.muls(u, -self.scale);
        let d = poly(s, a, u, &self.d);
        let e = s.exp(exponent);
        let above = s.mul(n, e);
        let tail = s.div(above, d);
        s.named(a, "a = |x|");
        s.named(u, "a^2");
        s.named(n, "N(a)");
        s.named(d, "D(a)");
        s.named(e, "e^(-s a^2)");
        s.named(tail, "G(a)");
        let y = self.join(s, x, tail);
        s.named(y, "f(x)");
        times(s, y, t)
    }

    fn join(&self, s: &mut Seq, x: Val, tail: Val) -> Val {
        let Side { above, limit } = self.side;
        let whole = match limit {
            Limit::Line(slope) => {
                let half = if above { s.mins(x, 0.0) } else { s.maxs(x, 0.0) };
                let line = if slope == 1.0 { half } else { s.muls(half, slope) };
                return s.sub(line, tail);
            }
            Limit::Number(c) => s.splat(c),
        };
        let other = s.sub(whole, tail);
        s.named(other, "the other side");
        if s.arch().long_masks {
            let there = mask(s, x, if above { Compare::Lt } else { Compare::Gt }, 0.0);
            return choice(s, there, other, tail);
        }
        // Without masks of a whole tile, the sign selects the side: the other side is the larger value, so `max` takes it unless
        // the sign cuts it off.
        let huge = s.muls(x, if above { -1e18 } else { 1e18 });
        s.named(huge, "the sign, huge");
        let cut = s.min(huge, other);
        s.max(tail, cut)
    }
}
