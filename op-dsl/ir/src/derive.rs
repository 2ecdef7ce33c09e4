//! Derivatives of primitives, as graphs.

use crate::graph::{Builder, Id};
use crate::oracle::GELU_TANH_CUBIC;
use crate::prim::Prim;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI};

/// Returns the partial derivatives of `this = prim(x, y, z)` by each argument; `None` where zero.
///
/// `again` says whether the partials will be differentiated as well. If so, the derivatives of the returned graphs are
/// also 0 at breakpoints, and NaN where an argument is NaN.
pub fn partials(
    b: &mut Builder,
    prim: Prim,
    [x, y, z]: [Id; 3],
    this: Id,
    again: bool,
) -> [Option<Id>; 3] {
    let by_x = match prim {
        Prim::Lt | Prim::Le | Prim::Eq => return [None; 3],
        Prim::Add => return [Some(b.num(1.0)), Some(b.num(1.0)), None],
        Prim::Sub => return [Some(b.num(1.0)), Some(b.num(-1.0)), None],
        Prim::Mul => return [Some(y), Some(x), None],
        Prim::Mul3 => {
            return [Some(b.product(y, z)), Some(b.product(x, z)), Some(b.product(x, y))];
        }
        // 1/y and -(x/y)/y
        Prim::Div => {
            let unit = b.num(1.0);
            let by_x = b.quotient(unit, y);
            let ratio = b.quotient(this, y);
            return [Some(by_x), Some(b.negative(ratio)), None];
        }
        Prim::Min => return smaller(b, x, y, again),
        // `max` picks the argument that `min` does not, so the partials of `min` are swapped.
        Prim::Max => {
            let [by_x, by_y, _] = smaller(b, x, y, again);
            return [by_y, by_x, None];
        }
        Prim::Clamp => return clamped(b, [x, y, z], this, again),
        Prim::WithGrad => return [None, Some(b.num(1.0)), None],
        Prim::Pow => return power(b, [x, y], this),
        Prim::Rem => return remainder(b, [x, y], this, again),
        Prim::Select => {
            return [None, Some(indicator(b, x, 1.0, 0.0)), Some(indicator(b, x, 0.0, 1.0))];
        }

        Prim::Neg => b.num(-1.0),
        Prim::Abs if again => b.call(Prim::Sign, &[x]),
        Prim::Abs => b.sign(x),
        // 1 above 0, else 0.
        Prim::Relu => {
            let (zero, one, rest) = (b.num(0.0), b.num(1.0), unless_nan(b, x, again));
            let above = b.call(Prim::Lt, &[zero, x]);
            b.call(Prim::Select, &[above, one, rest])
        }
        Prim::Sign | Prim::Round => unless_nan(b, x, again),
        // 1 / (2 sqrt x)
        Prim::Sqrt => {
            let half = b.num(0.5);
            b.quotient(half, this)
        }
        Prim::Exp => this,
        Prim::Expm1 => b.call(Prim::Exp, &[x]),
        Prim::Sinh => b.call(Prim::Cosh, &[x]),
        Prim::Cosh => b.call(Prim::Sinh, &[x]),
        Prim::Ln => {
            let unit = b.num(1.0);
            b.quotient(unit, x)
        }
        Prim::Log1p => {
            let unit = b.num(1.0);
            let shifted = b.sum(unit, x);
            b.quotient(unit, shifted)
        }
        // 1 - tanh^2 x = 4 s(2x) s(-2x), which does not cancel.
        Prim::Tanh => {
            let twice = b.scaled(2.0, x);
            let slope = sigmoid_slope(b, twice);
            b.scaled(4.0, slope)
        }
        Prim::Sin => b.call(Prim::Cos, &[x]),
        Prim::Cos => {
            let sin = b.call(Prim::Sin, &[x]);
            b.negative(sin)
        }
        // 1 / (1 + x^2)
        Prim::Atan => {
            let (unit, square) = (b.num(1.0), b.product(x, x));
            let below = b.sum(unit, square);
            b.quotient(unit, below)
        }
        Prim::Sigmoid => sigmoid_slope(b, x),
        Prim::Erf => bell(b, FRAC_2_SQRT_PI, -1.0, x),
        Prim::Erfc => bell(b, -FRAC_2_SQRT_PI, -1.0, x),
        // sqrt(pi)/2 e^(this^2)
        Prim::Erfinv => bell(b, 1.0 / FRAC_2_SQRT_PI, 1.0, this),
        Prim::NormalCdf => normal_pdf(b, x),
        Prim::Softplus => b.call(Prim::Sigmoid, &[x]),
        Prim::Gelu => b.call(Prim::GeluGrad, &[x]),
        Prim::GeluTanh => b.call(Prim::GeluTanhGrad, &[x]),
        Prim::Silu => b.call(Prim::SiluGrad, &[x]),
        // (Phi + x phi)' = (2 - x^2) phi
        Prim::GeluGrad => {
            let (two, square) = (b.num(2.0), b.product(x, x));
            let factor = b.difference(two, square);
            let pdf = normal_pdf(b, x);
            b.product(factor, pdf)
        }
        Prim::GeluTanhGrad => {
            let [v, dv, ddv] = tanh_form(b, x);
            gated_second(b, x, v, dv, ddv)
        }
        Prim::SiluGrad => {
            let (unit, zero) = (b.num(1.0), b.num(0.0));
            gated_second(b, x, x, unit, zero)
        }
        Prim::Lgamma => b.call(Prim::Digamma, &[x]),
        Prim::Digamma => b.call(Prim::Trigamma, &[x]),
        // No primitive computes it: `without_derivative` finds such formulas, and the macros refuse them.
        Prim::Trigamma => b.num(f64::NAN),
    };
    [Some(by_x), None, None]
}

/// Adds a `select` that is `yes` where the mask `c` is true, else `no`.
fn indicator(b: &mut Builder, c: Id, yes: f64, no: f64) -> Id {
    let (yes, no) = (b.num(yes), b.num(no));
    b.call(Prim::Select, &[c, yes, no])
}

/// Returns the partial derivatives of `min(x, y)` by `x` and `y`.
///
/// They are 1 for the smaller argument, 1/2 each at a tie, and NaN where either is NaN. `again` says whether they will be
/// differentiated as well.
fn smaller(b: &mut Builder, x: Id, y: Id, again: bool) -> [Option<Id>; 3] {
    let (first, second) = (b.call(Prim::Lt, &[x, y]), b.call(Prim::Lt, &[y, x]));
    let tie = b.call(Prim::Eq, &[x, y]);
    let (one, half, zero, neither) = (b.num(1.0), b.num(0.5), b.num(0.0), b.sum(x, y));
    let neither = nan(b, neither, again);
    let rest = b.call(Prim::Select, &[tie, half, neither]);
    let mut by = |if_first, if_second| {
        let others = b.call(Prim::Select, &[second, if_second, rest]);
        Some(b.call(Prim::Select, &[first, if_first, others]))
    };
    [by(one, zero), by(zero, one), None]
}

/// Returns the partials of `clamp(x, low, high)`; NaN where any argument is NaN.
///
/// Strictly inside the bounds the partial by `x` is 1. At and beyond a bound the partial by that bound is 1.
fn clamped(b: &mut Builder, [x, low, high]: [Id; 3], this: Id, again: bool) -> [Option<Id>; 3] {
    let (one, rest) = (b.num(1.0), unless_nan(b, this, again));
    let raised = b.call(Prim::Max, &[x, low]);
    let mut where_both = |p: (Prim, Id, Id), q: (Prim, Id, Id)| {
        let [p, q] = [p, q].map(|(prim, x, y)| b.call(prim, &[x, y]));
        let inner = b.call(Prim::Select, &[q, one, rest]);
        Some(b.call(Prim::Select, &[p, inner, rest]))
    };
    let by_x = where_both((Prim::Lt, low, x), (Prim::Lt, x, high));
    let by_low = where_both((Prim::Le, x, low), (Prim::Lt, low, high));
    let above = b.call(Prim::Le, &[high, raised]);
    [by_x, by_low, Some(b.call(Prim::Select, &[above, one, rest]))]
}

/// Returns the partials of `x^y`: `y x^(y - 1)` and `x^y log x`.
///
/// The partial by `y` is 0 where `x^y` is 0, because that is its limit; `0 * log 0` would be NaN.
fn power(b: &mut Builder, [x, y]: [Id; 2], this: Id) -> [Option<Id>; 3] {
    let (unit, zero) = (b.num(1.0), b.num(0.0));
    let less = b.difference(y, unit);
    let lower = b.call(Prim::Pow, &[x, less]);
    let by_x = b.product(y, lower);
    let log = b.call(Prim::Ln, &[x]);
    let product = b.product(this, log);
    let vanished = b.call(Prim::Eq, &[this, zero]);
    [Some(by_x), Some(b.call(Prim::Select, &[vanished, zero, product])), None]
}

/// Returns the partials of `x - y trunc(x / y)`: 1 and `-trunc(x / y)`; NaN where an argument is NaN.
///
/// `this - x` is `-y trunc(x / y)`, so that its quotient by `y` is the integer but for rounding errors. The quotient of `x` by `y`
/// may be rounded up to the next integer. It serves where there is no remainder, for an infinite `x` and for `y = 0`, as the limit.
fn remainder(b: &mut Builder, [x, y]: [Id; 2], this: Id, again: bool) -> [Option<Id>; 3] {
    let (one, no_x, no_y) = (b.num(1.0), nan(b, x, again), nan(b, y, again));
    let [x_known, y_known, known] = [x, y, this].map(|v| b.call(Prim::Eq, &[v, v]));
    let unless_y = b.call(Prim::Select, &[y_known, one, no_y]);
    let by_x = b.call(Prim::Select, &[x_known, unless_y, no_x]);
    let (multiple, all) = (b.difference(this, x), b.negative(x));
    let multiple = b.call(Prim::Select, &[known, multiple, all]);
    let ratio = b.quotient(multiple, y);
    [Some(by_x), Some(b.call(Prim::Round, &[ratio])), None]
}

/// Adds a node that is 0, or NaN where `x` is NaN; `again` says whether it will be differentiated.
fn unless_nan(b: &mut Builder, x: Id, again: bool) -> Id {
    let (known, zero, nan) = (b.call(Prim::Eq, &[x, x]), b.num(0.0), nan(b, x, again));
    b.call(Prim::Select, &[known, zero, nan])
}

/// Adds a node that is NaN where `x` is NaN; `again` says whether it will be differentiated.
///
/// If so, the node is `x * x`, since the derivative of `x * x` is also NaN where `x` is, whereas that of `x` would be
/// 1.
fn nan(b: &mut Builder, x: Id, again: bool) -> Id {
    if again { b.product(x, x) } else { x }
}

/// Adds `s(x) s(-x)`, the derivative of the sigmoid `s`.
fn sigmoid_slope(b: &mut Builder, x: Id) -> Id {
    let minus = b.negative(x);
    let (s, rest) = (b.call(Prim::Sigmoid, &[x]), b.call(Prim::Sigmoid, &[minus]));
    b.product(s, rest)
}

/// Adds `c e^(k x^2)`, a bell curve in `x` if `k` is negative.
fn bell(b: &mut Builder, c: f64, k: f64, x: Id) -> Id {
    let square = b.product(x, x);
    let exponent = b.scaled(k, square);
    let e = b.call(Prim::Exp, &[exponent]);
    b.scaled(c, e)
}

/// `e^(-x^2/2) / sqrt(2 pi)`, the density of the standard normal distribution.
fn normal_pdf(b: &mut Builder, x: Id) -> Id {
    bell(b, 0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2, -0.5, x)
}

/// Returns the second derivative of `x s(v)`, where `s` is the sigmoid and `v` a function of `x`.
///
/// It is `q (2 v' + x v'' + x v'^2 (s(-v) - s(v)))` with `q = s(v) s(-v)`. `dv` is `v'` and `ddv` is `v''`.
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

/// Returns `v = 2 sqrt(2/pi) (x + 0.044715 x^3)` with its first and second derivative.
///
/// The tanh form of GELU is `x sigmoid(v)`.
fn tanh_form(b: &mut Builder, x: Id) -> [Id; 3] {
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
    [v, dv, b.scaled(6.0 * k * GELU_TANH_CUBIC, x)]
}

#[cfg(test)]
mod tests {
    use crate::graph::Builder;
    use crate::prim::{Prim, TABLE};

    /// Compares every rule with a central difference of the primitive's oracle.
    #[test]
    fn rules_agree_with_central_differences() {
        let others = [Prim::WithGrad, Prim::Trigamma];
        let is_judged = |prim: Prim| !prim.is_comparison() && !others.contains(&prim);
        for row in TABLE.iter().filter(|r| is_judged(r.prim)) {
            for step in 0..60 {
                let at = [0.3 + 0.051 * step as f64, 1.7 - 0.02 * step as f64, 0.9];
                if at[0] > 0.9 * row.domain.1 {
                    continue;
                }
                let mut b = Builder::new();
                let args: Vec<_> = (0..row.arity).map(|i| b.stream(i)).collect();
                let this = b.call(row.prim, &args);
                let mut all = [crate::graph::Id::NONE; 3];
                all[..row.arity].copy_from_slice(&args);
                let partials = super::partials(&mut b, row.prim, all, this, false);
                for k in 0..row.arity {
                    if row.name == "select" && k == 0 {
                        continue; // a mask has no derivative
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
