//! Value and slopes of every primitive, written independently of the compiler.
//!
//! If these rules were the compiler's own, a mistake there would go unnoticed because it would agree with itself. The rules
//! do not avoid cancellation, since the caller evaluates again with more digits where they cancel.

use crate::real::{Gamma, Real};
use op_dsl_ir::Prim;
use std::cmp::Ordering::{self, Equal, Greater, Less};

/// Cubic coefficient of the tanh approximation of GELU.
const CUBIC: f64 = 0.044715;

/// Returns the value of `prim(x, y, z)`. A primitive with fewer arguments ignores the others.
pub fn value<R: Real>(prim: Prim, [x, y, z]: [&R; 3]) -> R {
    let (a, b) = (|| x.clone(), || y.clone());
    match prim {
        Prim::Neg => -a(),
        Prim::Add => a() + b(),
        Prim::Sub => a() - b(),
        Prim::Mul => a() * b(),
        Prim::Div => a() / b(),
        Prim::Mul3 => a() * b() * z.clone(),
        Prim::Min => extreme(Less, x, y),
        Prim::Max => extreme(Greater, x, y),
        Prim::Lt => truth(x, y, |o| o == Less),
        Prim::Le => truth(x, y, |o| o != Greater),
        // A number equals itself, even if it is known only up to an error.
        Prim::Eq if std::ptr::eq(x, y) => x.num(f64::from(u8::from(!x.is_nan()))),
        Prim::Eq => truth(x, y, |o| o == Equal),
        Prim::Select => chosen(x, y, z),
        Prim::WithGrad => a(),
        Prim::Clamp => extreme(Less, &extreme(Greater, x, y), z),
        Prim::Abs => x.abs(),
        Prim::Relu => extreme(Greater, x, &x.num(0.0)),
        Prim::Sign => step(x),
        Prim::Sinh => (x.expm1() - (-a()).expm1()) * x.num(0.5),
        Prim::Cosh => (x.exp() + x.neg_exp()) * x.num(0.5),
        Prim::Round => rounded(x),
        Prim::Sqrt => x.sqrt(),
        Prim::Exp => x.exp(),
        Prim::Expm1 => x.expm1(),
        Prim::Ln => x.ln(),
        Prim::Log1p => x.log1p(),
        Prim::Tanh => tanh(x),
        Prim::Sin => x.sin(),
        Prim::Cos => x.cos(),
        Prim::Atan => x.atan(),
        Prim::Pow => x.pow(y),
        Prim::Rem => remainder(x, y),
        Prim::Sigmoid => sigmoid(x),
        Prim::Erf => x.erf(),
        Prim::Erfc => x.erfc(),
        Prim::Erfinv => x.erfinv(),
        Prim::Lgamma => x.gamma(Gamma::Log),
        Prim::Digamma => x.gamma(Gamma::Digamma),
        Prim::Trigamma => x.gamma(Gamma::Trigamma),
        Prim::NormalCdf => normal_cdf(x),
        Prim::Softplus => x.exp().log1p_or(x),
        Prim::Gelu => a() * normal_cdf(x),
        Prim::GeluTanh => a() * sigmoid(&tanh_form(x)[0]),
        Prim::Silu => a() * sigmoid(x),
        Prim::GeluGrad => normal_cdf(x) + a() * normal_pdf(x),
        Prim::GeluTanhGrad => gated(x, tanh_form(x))[0].clone(),
        Prim::SiluGrad => gated(x, straight(x))[0].clone(),
    }
}

/// Returns the partial derivatives of `prim(x, y, z)` by its arguments.
///
/// `None` stands for a derivative that is zero everywhere.
///
/// `this` is the value of `prim(x, y, z)`.
///
/// A select has `None` for all arguments, because the caller takes the derivative of the selected branch.
pub fn slopes<R: Real>(prim: Prim, [x, y, z]: [&R; 3], this: &R) -> [Option<R>; 3] {
    let (a, b, one) = (|| x.clone(), || y.clone(), || x.num(1.0));
    let by_x = match prim {
        Prim::Lt | Prim::Le | Prim::Eq | Prim::Select => return [None, None, None],
        Prim::Add => return [Some(one()), Some(one()), None],
        Prim::Sub => return [Some(one()), Some(-one()), None],
        Prim::Mul => return [Some(b()), Some(a()), None],
        Prim::Div => return [Some(one() / b()), Some(-(this.clone() / b())), None],
        Prim::Mul3 => {
            let c = || z.clone();
            return [Some(b() * c()), Some(a() * c()), Some(a() * b())];
        }
        Prim::Min => return shares(Less, x, y),
        Prim::Max => return shares(Greater, x, y),
        Prim::Clamp => return held(x, y, z),
        // The author's own rule: the derivative of the second argument.
        Prim::WithGrad => return [None, Some(one()), None],
        Prim::Pow => {
            let by_x = b() * x.pow(&(b() - one()));
            let by_y =
                if this.sign() == Some(Equal) { this.clone() } else { this.clone() * x.ln() };
            return [Some(by_x), Some(by_y), None];
        }
        Prim::Rem if x.is_nan() || y.is_nan() => {
            return [Some(this.clone()), Some(this.clone()), None];
        }
        // Without a remainder, at infinity and for a divisor of 0, the quotient is infinite. It does not move.
        Prim::Rem if this.is_nan() => {
            return [Some(one()), Some(x.num(-(a() / b()).about())), None];
        }
        Prim::Rem => return [Some(one()), Some(-multiples(x, y)), None],
        Prim::Neg => -one(),
        Prim::Abs => step(x),
        Prim::Relu => above(x, &x.num(0.0)),
        Prim::Sign => step(x) * x.num(0.0),
        Prim::Round if x.is_nan() => x.num(f64::NAN),
        // The slope is 0 even if the argument moves infinitely fast.
        Prim::Round => return [None, None, None],
        Prim::Sinh => value(Prim::Cosh, [x, x, x]),
        Prim::Cosh => value(Prim::Sinh, [x, x, x]),
        Prim::Sqrt => x.num(0.5) / this.clone(),
        Prim::Exp => this.clone(),
        Prim::Expm1 => x.exp(),
        Prim::Ln => one() / a(),
        Prim::Log1p => one() / (one() + a()),
        Prim::Tanh => {
            // 1 / cosh^2
            let e = (a() * x.num(2.0)).abs().neg_exp();
            let rest = one() + e.clone();
            x.num(4.0) * e / (rest.clone() * rest)
        }
        Prim::Sin => x.cos(),
        Prim::Cos => -x.sin(),
        Prim::Atan => one() / (one() + a() * a()),
        Prim::Sigmoid => sigmoid(x) * sigmoid(&-a()),
        Prim::Erf => bell(x),
        Prim::Erfc => -bell(x),
        Prim::Erfinv => x.num(0.5) * x.pi().sqrt() * (this.clone() * this.clone()).exp(),
        Prim::Lgamma => x.gamma(Gamma::Digamma),
        Prim::Digamma => x.gamma(Gamma::Trigamma),
        // Formulas with the derivative of trigamma are refused.
        Prim::Trigamma => x.num(f64::NAN),
        Prim::NormalCdf => normal_pdf(x),
        Prim::Softplus => sigmoid(x),
        Prim::Gelu => value(Prim::GeluGrad, [x, x, x]),
        Prim::GeluTanh => value(Prim::GeluTanhGrad, [x, x, x]),
        Prim::Silu => value(Prim::SiluGrad, [x, x, x]),
        Prim::GeluGrad => (x.num(2.0) - a() * a()) * normal_pdf(x),
        Prim::GeluTanhGrad => gated(x, tanh_form(x))[1].clone(),
        Prim::SiluGrad => gated(x, straight(x))[1].clone(),
    };
    [Some(by_x), None, None]
}

/// Returns a term of the chain rule: `by`, the partial derivative of `prim` by an argument, times the slope of that argument.
///
/// The term is 0 for an operand that a maximum or the like does not choose, even if it moves infinitely fast.
pub fn term<R: Real>(prim: Prim, slope: R, by: R) -> R {
    let chooses = matches!(prim, Prim::Relu | Prim::Min | Prim::Max | Prim::Clamp);
    if chooses && by.is_exact_zero() { by } else { slope * by }
}

/// Returns the value of a select: `yes` if `c` is not 0, else `no`.
pub fn chosen<R: Real>(c: &R, yes: &R, no: &R) -> R {
    match c.sign() {
        _ if c.is_nan() => c.clone(),
        Some(Equal) => no.clone(),
        Some(_) => yes.clone(),
        None => c.unknown(),
    }
}

/// Returns the minimum of `x` and `y` if `which` is `Less`, else the maximum; NaN if either is NaN.
fn extreme<R: Real>(which: Ordering, x: &R, y: &R) -> R {
    match x.compare(y) {
        _ if x.is_nan() || y.is_nan() => x.num(f64::NAN),
        Some(order) => if order == which { x } else { y }.clone(),
        None => x.unknown(),
    }
}

/// Returns the derivatives of the minimum (`which` is `Less`) or the maximum by `x` and `y`.
///
/// The derivative is 1 by the selected number and 0 by the other, and 1/2 by each if they are equal.
fn shares<R: Real>(which: Ordering, x: &R, y: &R) -> [Option<R>; 3] {
    let share = match x.compare(y) {
        _ if x.is_nan() || y.is_nan() => x.num(f64::NAN),
        Some(Equal) => x.num(0.5),
        Some(order) => x.num(f64::from(u8::from(order == which))),
        None => x.unknown(),
    };
    [Some(share.clone()), Some(x.num(1.0) - share), None]
}

/// Returns the partial derivatives of `clamp(x, low, high)` by its three arguments.
///
/// At a bound and beyond it, the derivative by that bound is 1 and the one by `x` is 0.
fn held<R: Real>(x: &R, low: &R, high: &R) -> [Option<R>; 3] {
    let one = || x.num(1.0);
    let raised = extreme(Greater, x, low);
    let (free, inside) = (above(x, low), above(high, &raised));
    let by_low = (one() - free.clone()) * inside.clone();
    [Some(free * inside.clone()), Some(by_low), Some(one() - inside)]
}

/// Returns 1 where `x` is above `bound`, else 0; NaN if either is NaN.
fn above<R: Real>(x: &R, bound: &R) -> R {
    if x.is_nan() || bound.is_nan() { x.num(f64::NAN) } else { truth(bound, x, |o| o == Less) }
}

/// Returns 1 if `holds` accepts the order of `x` relative to `y`, else 0; 0 if either is NaN.
fn truth<R: Real>(x: &R, y: &R, holds: impl Fn(Ordering) -> bool) -> R {
    match x.compare(y) {
        _ if x.is_nan() || y.is_nan() => x.num(0.0),
        Some(order) => x.num(f64::from(u8::from(holds(order)))),
        None => x.unknown(),
    }
}

/// Returns the sign of `x` as -1, 0 or 1.
fn step<R: Real>(x: &R) -> R {
    match x.sign() {
        _ if x.is_nan() => x.num(f64::NAN),
        Some(order) => x.num(f64::from(order as i8)),
        None => x.unknown(),
    }
}

/// Returns the integer nearest to `x`, the even one of two.
///
/// Where the error of `x` does not decide between two integers, the result is `x` with an error of 1/2 more.
fn rounded<R: Real>(x: &R) -> R {
    if let Some(exact) = x.exactly() {
        return x.num(exact.round_ties_even());
    }
    // Rounding to an even number takes a tie of the rest to the even integer.
    let even = 2.0 * (0.5 * x.about()).round_ties_even();
    if x.is_nan() || !even.is_finite() {
        return if x.is_nan() { x.num(f64::NAN) } else { x.within(0.5) };
    }
    let rest = x.clone() - x.num(even);
    if rest.about().abs() > 1.5 {
        // A number beyond 2^53 has more digits than f64.
        return x.num(even) + rounded(&rest);
    }
    let beside = |bound: f64| rest.compare(&x.num(bound));
    match (beside(-0.5), beside(0.5)) {
        _ if !rest.is_below(2.0) => x.within(0.5),
        // Numbers that the last attempt does not tell apart count as equal.
        (Some(Equal), Some(Equal)) => x.within(0.5),
        (Some(Greater | Equal), Some(Less | Equal)) => x.num(even),
        (_, Some(Greater)) => x.num(even + 1.0),
        (Some(Less), _) => x.num(even - 1.0),
        _ => x.within(0.5),
    }
}

/// Returns `trunc(x / y)`: the nearest integer, one nearer to 0 if its multiple of `y` is larger than `x`.
fn multiples<R: Real>(x: &R, y: &R) -> R {
    let nearest = rounded(&(x.clone() / y.clone()));
    let rest = x.clone() - nearest.clone() * y.clone();
    match (rest.sign(), x.sign(), y.sign()) {
        // An integer too large for the number's digits.
        (None, ..) | (_, None, _) | (.., None) => nearest.within(1.0),
        (Some(rest), Some(x_sign), Some(y_sign)) if rest as i8 * x_sign as i8 == -1 => {
            nearest - x.num(f64::from(x_sign as i8 * y_sign as i8))
        }
        _ => nearest,
    }
}

/// Returns `x - y trunc(x / y)`; NaN for an infinite `x` and for `y = 0`.
fn remainder<R: Real>(x: &R, y: &R) -> R {
    match (x.exactly(), y.exactly()) {
        // The remainder of two f64 numbers is an f64 number.
        (Some(x_value), Some(y_value)) => x.num(x_value % y_value),
        _ if x.is_nan() || y.is_nan() || x.about().is_infinite() => x.num(f64::NAN),
        _ if y.about().is_infinite() => x.clone(),
        _ => x.clone() - multiples(x, y) * y.clone(),
    }
}

/// Shared building blocks such as `e^-x`, for readable formulas.
trait Shapes: Real {
    fn neg_exp(&self) -> Self {
        (-self.clone()).exp()
    }

    /// Returns `log(1 + e^x)`, where `self` is `e^x`, from whichever of `e^x` and `e^-x` is small.
    fn log1p_or(&self, x: &Self) -> Self {
        if x.is_negative() { self.log1p() } else { x.clone() + x.neg_exp().log1p() }
    }
}
impl<R: Real> Shapes for R {}

fn tanh<R: Real>(x: &R) -> R {
    if x.is_exact_zero() {
        return x.clone(); // with its sign, which decides at a pole
    }
    let m = (x.abs() * x.num(-2.0)).expm1();
    let positive = -m.clone() / (x.num(2.0) + m);
    if x.is_negative() { -positive } else { positive }
}

fn sigmoid<R: Real>(x: &R) -> R {
    let e = x.abs().neg_exp();
    let whole = x.num(1.0) + e.clone();
    if x.is_negative() { e / whole } else { x.num(1.0) / whole }
}

fn normal_cdf<R: Real>(x: &R) -> R {
    (-x.clone() / x.num(2.0).sqrt()).erfc() * x.num(0.5)
}

/// Returns the standard normal density `e^(-x^2/2) / sqrt(2 pi)`.
fn normal_pdf<R: Real>(x: &R) -> R {
    (x.clone() * x.clone() * x.num(-0.5)).exp() / (x.pi() * x.num(2.0)).sqrt()
}

/// Returns `2/sqrt(pi) e^(-x^2)`, the derivative of `erf(x)`.
fn bell<R: Real>(x: &R) -> R {
    (-(x.clone() * x.clone())).exp() * x.num(2.0) / x.pi().sqrt()
}

/// Returns `2 sqrt(2/pi) (x + 0.044715 x^3)` with its first and second derivative.
///
/// The tanh approximation of GELU is `x * sigmoid(..)` of this value.
fn tanh_form<R: Real>(x: &R) -> [R; 3] {
    let k = (x.num(8.0) / x.pi()).sqrt();
    let cubic = x.num(CUBIC) * x.clone() * x.clone();
    let one = || x.num(1.0);
    [
        k.clone() * x.clone() * (one() + cubic.clone()),
        k.clone() * (one() + x.num(3.0) * cubic),
        k * x.num(6.0 * CUBIC) * x.clone(),
    ]
}

/// Returns `x` with its first and second derivative, 1 and 0.
///
/// With this as the `v(x)` of [`gated`], `x * sigmoid(v(x))` is SiLU.
fn straight<R: Real>(x: &R) -> [R; 3] {
    [x.clone(), x.num(1.0), x.num(0.0)]
}

/// Returns the first and second derivative of `x * sigmoid(v(x))`.
///
/// `v`, `dv` and `ddv` are the value of `v(x)`, its first and its second derivative.
fn gated<R: Real>(x: &R, [v, dv, ddv]: [R; 3]) -> [R; 2] {
    let (s, rest) = (sigmoid(&v), sigmoid(&-v));
    let q = s.clone() * rest.clone();
    let first = s.clone() + x.clone() * q.clone() * dv.clone();
    let bend = ddv + dv.clone() * dv.clone() * (rest - s);
    let second = q * (x.num(2.0) * dv + x.clone() * bend);
    [first, second]
}
