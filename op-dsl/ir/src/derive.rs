//! Derivatives of primitives, as graphs: one rule per row of the table.

use crate::graph::{Builder, Id};
use crate::oracle::GELU_TANH_CUBIC;
use crate::prim::Prim;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI};

/// Given a call's arguments and the call itself, the partial derivative by each argument; `None`
/// where it is zero.
pub type Rule = fn(&mut Builder, [Id; 3], Id) -> [Option<Id>; 3];

/// The partials of a function of one argument.
fn one(d: Id) -> [Option<Id>; 3] {
    [Some(d), None, None]
}

pub(crate) fn zero(_: &mut Builder, _: [Id; 3], _: Id) -> [Option<Id>; 3] {
    [None; 3]
}

pub(crate) fn neg(b: &mut Builder, _: [Id; 3], _: Id) -> [Option<Id>; 3] {
    one(b.num(-1.0))
}

pub(crate) fn add(b: &mut Builder, _: [Id; 3], _: Id) -> [Option<Id>; 3] {
    let one = b.num(1.0);
    [Some(one), Some(one), None]
}

pub(crate) fn sub(b: &mut Builder, _: [Id; 3], _: Id) -> [Option<Id>; 3] {
    [Some(b.num(1.0)), Some(b.num(-1.0)), None]
}

pub(crate) fn mul(_: &mut Builder, [x, y, _]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    [Some(y), Some(x), None]
}

pub(crate) fn mul3(b: &mut Builder, [x, y, z]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    [Some(b.product(y, z)), Some(b.product(x, z)), Some(b.product(x, y))]
}

/// `1/y` and `-(x/y)/y`
pub(crate) fn div(b: &mut Builder, [_, y, _]: [Id; 3], this: Id) -> [Option<Id>; 3] {
    let unit = b.num(1.0);
    let by_x = b.quotient(unit, y);
    let ratio = b.quotient(this, y);
    [Some(by_x), Some(b.negative(ratio)), None]
}

/// `1` where `c`, else `0`.
fn indicator(b: &mut Builder, c: Id, yes: f64, no: f64) -> Id {
    let (yes, no) = (b.num(yes), b.num(no));
    b.call(Prim::Select, &[c, yes, no])
}

/// The sign of `x`; 0 at 0, as PyTorch has it.
pub(crate) fn abs(b: &mut Builder, [x, ..]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    let zero = b.num(0.0);
    let below = b.call(Prim::Lt, &[x, zero]);
    let above = b.call(Prim::Lt, &[zero, x]);
    let (minus, plus) = (indicator(b, below, -1.0, 0.0), b.num(1.0));
    one(b.call(Prim::Select, &[above, plus, minus]))
}

/// All to `x` up to the tie, where both are the same.
pub(crate) fn min(b: &mut Builder, [x, y, _]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    let first = b.call(Prim::Le, &[x, y]);
    [Some(indicator(b, first, 1.0, 0.0)), Some(indicator(b, first, 0.0, 1.0)), None]
}

pub(crate) fn max(b: &mut Builder, [x, y, z]: [Id; 3], this: Id) -> [Option<Id>; 3] {
    // max(x, y) goes to x just where min(y, x) goes to y.
    min(b, [y, x, z], this)
}

/// `1 / (2 sqrt x)`
pub(crate) fn sqrt(b: &mut Builder, _: [Id; 3], this: Id) -> [Option<Id>; 3] {
    let half = b.num(0.5);
    one(b.quotient(half, this))
}

pub(crate) fn select(b: &mut Builder, [c, ..]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    [None, Some(indicator(b, c, 1.0, 0.0)), Some(indicator(b, c, 0.0, 1.0))]
}

pub(crate) fn exp(_: &mut Builder, _: [Id; 3], this: Id) -> [Option<Id>; 3] {
    one(this)
}

pub(crate) fn expm1(b: &mut Builder, [x, ..]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    one(b.call(Prim::Exp, &[x]))
}

pub(crate) fn ln(b: &mut Builder, [x, ..]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    let unit = b.num(1.0);
    one(b.quotient(unit, x))
}

pub(crate) fn log1p(b: &mut Builder, [x, ..]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    let unit = b.num(1.0);
    let shifted = b.sum(unit, x);
    one(b.quotient(unit, shifted))
}

/// `1 - tanh^2 x = 4 s(2x) s(-2x)`, which does not cancel.
pub(crate) fn tanh(b: &mut Builder, [x, ..]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    let twice = b.scaled(2.0, x);
    let slope = sigmoid_slope(b, twice);
    one(b.scaled(4.0, slope))
}

/// `s(x) s(-x)`
fn sigmoid_slope(b: &mut Builder, x: Id) -> Id {
    let minus = b.negative(x);
    let (s, rest) = (b.call(Prim::Sigmoid, &[x]), b.call(Prim::Sigmoid, &[minus]));
    b.product(s, rest)
}

pub(crate) fn sigmoid(b: &mut Builder, [x, ..]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    one(sigmoid_slope(b, x))
}

/// `c e^(k x^2)`
fn bell(b: &mut Builder, c: f64, k: f64, x: Id) -> Id {
    let square = b.product(x, x);
    let exponent = b.scaled(k, square);
    let e = b.call(Prim::Exp, &[exponent]);
    b.scaled(c, e)
}

pub(crate) fn erf(b: &mut Builder, [x, ..]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    one(bell(b, FRAC_2_SQRT_PI, -1.0, x))
}

pub(crate) fn erfc(b: &mut Builder, [x, ..]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    one(bell(b, -FRAC_2_SQRT_PI, -1.0, x))
}

/// `phi(x) = e^(-x^2/2) / sqrt(2 pi)`
fn normal_pdf(b: &mut Builder, x: Id) -> Id {
    bell(b, 0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2, -0.5, x)
}

pub(crate) fn normal_cdf(b: &mut Builder, [x, ..]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    one(normal_pdf(b, x))
}

pub(crate) fn softplus(b: &mut Builder, [x, ..]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    one(b.call(Prim::Sigmoid, &[x]))
}

pub(crate) fn gelu(b: &mut Builder, [x, ..]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    one(b.call(Prim::GeluGrad, &[x]))
}

pub(crate) fn gelu_tanh(b: &mut Builder, [x, ..]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    one(b.call(Prim::GeluTanhGrad, &[x]))
}

pub(crate) fn silu(b: &mut Builder, [x, ..]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    one(b.call(Prim::SiluGrad, &[x]))
}

/// `(Phi + x phi)' = (2 - x^2) phi`
pub(crate) fn gelu_grad(b: &mut Builder, [x, ..]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    let (two, square) = (b.num(2.0), b.product(x, x));
    let factor = b.difference(two, square);
    let pdf = normal_pdf(b, x);
    one(b.product(factor, pdf))
}

/// The second derivative of `x s(v(x))`, with `q = s(v) s(-v)`:
/// `q (2 v' + x v'' + x v'^2 (s(-v) - s(v)))`
fn gated_second(b: &mut Builder, x: Id, v: Id, dv: Id, ddv: Id) -> Id {
    let minus = b.negative(v);
    let (s, rest) = (b.call(Prim::Sigmoid, &[v]), b.call(Prim::Sigmoid, &[minus]));
    let q = b.product(s, rest);
    let skew = b.difference(rest, s);
    let square = b.product(dv, dv);
    let bend = b.product(square, skew);
    let inner = b.sum(ddv, bend);
    let inner = b.product(x, inner);
    let twice = b.scaled(2.0, dv);
    let sum = b.sum(twice, inner);
    b.product(q, sum)
}

pub(crate) fn gelu_tanh_grad(b: &mut Builder, [x, ..]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    let k = 2.0 * (2.0 / PI).sqrt();
    let square = b.product(x, x);
    let cubic = b.scaled(GELU_TANH_CUBIC, square);
    let unit = b.num(1.0);
    let p = b.sum(unit, cubic);
    let px = b.product(p, x);
    let v = b.scaled(k, px);
    let triple = b.scaled(3.0, cubic);
    let dp = b.sum(unit, triple);
    let dv = b.scaled(k, dp);
    let ddv = b.scaled(6.0 * k * GELU_TANH_CUBIC, x);
    one(gated_second(b, x, v, dv, ddv))
}

pub(crate) fn silu_grad(b: &mut Builder, [x, ..]: [Id; 3], _: Id) -> [Option<Id>; 3] {
    let (unit, zero) = (b.num(1.0), b.num(0.0));
    one(gated_second(b, x, x, unit, zero))
}

#[cfg(test)]
mod tests {
    use crate::graph::Builder;
    use crate::prim::TABLE;

    /// Every rule against a central difference of the row's oracle.
    #[test]
    fn rules_agree_with_central_differences() {
        for row in TABLE.iter().filter(|r| !r.prim.is_comparison()) {
            for step in 0..60 {
                let at = [0.3 + 0.051 * step as f64, 1.7 - 0.02 * step as f64, 0.9];
                let mut b = Builder::new();
                let args: Vec<_> = (0..row.arity).map(|i| b.stream(i)).collect();
                let this = b.call(row.prim, &args);
                let mut all = [crate::graph::Id::NONE; 3];
                all[..row.arity].copy_from_slice(&args);
                let partials = (row.derivative)(&mut b, all, this);
                for k in 0..row.arity {
                    if row.name == "select" && k == 0 {
                        continue; // a truth value has no derivative
                    }
                    let h = 1e-5;
                    let (mut up, mut down) = (at, at);
                    up[k] += h;
                    down[k] -= h;
                    let want = ((row.oracle)(up) - (row.oracle)(down)) / (2.0 * h);
                    let got = partials[k].map_or(0.0, |d| b.finish(&[d]).eval(&at, &[])[0]);
                    let scale = want.abs().max(1.0);
                    assert!((got - want).abs() <= 1e-8 * scale, "{} {k} {got} {want}", row.name);
                }
            }
        }
    }
}
