//! Functions of balls, with bounds of their results.
//!
//! Most come from the crate `dashu-float`; erf and erfc use a power series and a continued fraction. Each derives the
//! bound of its result from that of its argument.

use super::*;
use std::cmp::Ordering;

impl Real for Ball {
    fn num(&self, v: f64) -> Ball {
        Ball::exact(v, self.precision)
    }

    fn pi(&self) -> Ball {
        self.by(EXACT, |context, _, known| Ok(context.pi(known)))
    }

    fn is_nan(&self) -> bool {
        self.off.is_nan()
    }

    fn exactly(&self) -> Option<f64> {
        // `to_f64` rounds to odd, so that an inexact result can never equal the number.
        let value = self.to_f64();
        let same = || self.clone() - self.num(value);
        (self.off == EXACT && same().is_exact_zero()).then_some(value)
    }

    fn is_exact_zero(&self) -> bool {
        is_zero(&self.mid) && self.off == EXACT
    }

    fn is_below(&self, power: f64) -> bool {
        self.scale() < power && self.error() < power
    }

    fn sign(&self) -> Option<Ordering> {
        if self.off.is_nan() || self.off == UNKNOWN {
            return None;
        }
        if !self.mid.is_infinite() && (self.is_exact_zero() || self.straddles()) {
            let decided = self.off == EXACT || self.precision >= LAST;
            return decided.then_some(Ordering::Equal);
        }
        Some(if self.is_negative() { Ordering::Less } else { Ordering::Greater })
    }

    fn is_negative(&self) -> bool {
        !is_zero(&self.mid) && self.mid < Repr::zero()
    }

    fn about(&self) -> f64 {
        self.to_f64()
    }

    fn within(&self, by: f64) -> Ball {
        if self.off.is_nan() || self.mid.is_infinite() {
            return self.clone();
        }
        Ball { off: join(self.off, by.log2() - self.shift.to_f64().value()), ..self.clone() }
    }

    fn unknown(&self) -> Ball {
        self.with(Repr::zero(), IBig::ZERO, UNKNOWN)
    }

    fn compare(&self, other: &Ball) -> Option<Ordering> {
        // The difference of equal infinities is NaN.
        let are_equal = self.mid.is_infinite() && self.mid == other.mid;
        if are_equal { Some(Ordering::Equal) } else { (self.clone() - other.clone()).sign() }
    }

    fn sqrt(&self) -> Ball {
        match (self.undefined(self), self.sign()) {
            (Some(undefined), _) => return undefined,
            (_, Some(Ordering::Less)) => return self.nan(),
            (_, Some(Ordering::Equal)) => return self.num(0.0),
            (_, None) => return self.unknown(),
            _ if self.mid.is_infinite() => return self.clone(),
            _ => {}
        }
        let odd = (&self.shift % IBig::from(2)) != IBig::ZERO;
        let (mid, off, shift) = match odd {
            true => (shifted(&self.mid, 1), self.off + 1.0, &self.shift - IBig::ONE),
            false => (self.mid.clone(), self.off, self.shift.clone()),
        };
        let off = off - 0.5 * (top(&mid) - 1.0);
        self.rounded(self.context().sqrt(&mid), shift / IBig::from(2), off)
    }

    fn exp(&self) -> Ball {
        match self.undefined(self) {
            Some(undefined) => return undefined,
            None if self.mid.is_infinite() && self.is_negative() => return self.num(0.0),
            None if self.mid.is_infinite() => return self.clone(),
            None => {}
        }
        if !self.has_exp() || self.error() > 0.0 {
            return self.unknown();
        }
        if self.scale() > FAR {
            return self.exp_far();
        }
        let Some(x) = self.plain().filter(|x| !x.is_tiny()) else {
            let one = self.num(1.0);
            return Ball { off: join(self.scale(), self.error()) + 1.0, ..one };
        };
        let e = x.by(EXACT, |context, x, known| context.exp(x, known));
        let off = join(e.off, top(&e.mid) + x.off + 1.0);
        Ball { off, ..e }
    }

    fn expm1(&self) -> Ball {
        if self.is_tiny() {
            return self.nearly_itself();
        }
        match self.plain().filter(|x| x.off.is_finite() || x.off == EXACT) {
            Some(x) if x.scale() <= 0.0 && x.off <= -1.0 => {
                x.by(x.off + 2.0, |context, x, known| context.exp_m1(x, known))
            }
            _ => self.exp() - self.num(1.0),
        }
    }

    fn ln(&self) -> Ball {
        match (self.undefined(self), self.sign()) {
            (Some(undefined), _) => return undefined,
            (_, Some(Ordering::Less)) => return self.nan(),
            (_, Some(Ordering::Equal)) => {
                return self.with(Repr::neg_infinity(), IBig::ZERO, EXACT);
            }
            (_, None) => return self.unknown(),
            _ if self.mid.is_infinite() => return self.clone(),
            _ => {}
        }
        let off = self.off - self.bottom() + 1.0;
        let value = self.by(off, |context, x, known| context.ln(x, known));
        if self.shift == IBig::ZERO {
            return value;
        }
        let shift = FBig::<HalfEven, 2>::from(self.shift.clone()).into_repr();
        value + self.with(shift, IBig::ZERO, EXACT) * self.ln2()
    }

    fn log1p(&self) -> Ball {
        if self.is_tiny() {
            return self.nearly_itself();
        }
        match self.plain().filter(|x| x.off.is_finite() || x.off == EXACT) {
            Some(x) if x.scale() <= -1.0 && x.off <= -3.0 => {
                x.by(x.off + 2.0, |context, x, known| context.ln_1p(x, known))
            }
            _ => (self.num(1.0) + self.clone()).ln(),
        }
    }

    fn erf(&self) -> Ball {
        match self.undefined(self) {
            Some(undefined) => undefined,
            None if self.scale() > 1.0 => {
                let rest = self.abs().erfc();
                let one = self.num(1.0) - rest;
                if self.is_negative() { -one } else { one }
            }
            None => erf_series(self),
        }
    }

    fn erfc(&self) -> Ball {
        match self.undefined(self) {
            Some(undefined) => undefined,
            None if self.mid.is_infinite() => self.num(if self.is_negative() { 2.0 } else { 0.0 }),
            None if self.is_negative() => self.num(2.0) - (-self.clone()).erfc(),
            None => {
                let square = 2.0 * self.scale();
                if square > (self.precision as f64).log2() - 3.0 {
                    erfc_fraction(self)
                } else {
                    erfc_series(self)
                }
            }
        }
    }

    fn erfinv(&self) -> Ball {
        erfinv(self)
    }

    fn gamma(&self, order: Gamma) -> Ball {
        if self.mid.is_infinite() {
            let special = at_special(order, f64::INFINITY * self.direction());
            return self.num(special.unwrap_or(f64::NAN));
        }
        let tangent = |k: usize| {
            let number = with_tangent(k, |v| FBig::<HalfEven, 2>::from(v.clone()).into_repr());
            self.with(number, IBig::ZERO, EXACT)
        };
        gamma(order, self, self.precision as f64, &tangent)
    }

    fn sin(&self) -> Ball {
        self.periodic(|context, x, known| context.sin(x, known))
    }

    fn cos(&self) -> Ball {
        self.periodic(|context, x, known| context.cos(x, known))
    }

    fn atan(&self) -> Ball {
        let right = || self.pi() * self.num(0.5);
        match (self.undefined(self), self.plain()) {
            (Some(undefined), _) => undefined,
            (None, Some(x)) if !x.mid.is_infinite() => {
                x.by(x.off, |context, x, known| context.atan(x, known))
            }
            _ if self.scale() < 0.0 => self.clone(),
            _ => {
                let right = right();
                let off = join(right.off, -self.scale() + 2.0);
                let right = Ball { off, ..right };
                if self.is_negative() { -right } else { right }
            }
        }
    }
}

impl Ball {
    /// Returns `e^x`, where `x` is this number; the result's binary exponent may have any size.
    fn exp_far(&self) -> Ball {
        let Some(x) = self.plain() else { return self.unknown() };
        // x = k ln 2 + rest
        let wide = Ball { precision: self.precision + self.scale().max(0.0) as usize + 8, ..x };
        let ln2 = wide.ln2();
        let ratio = wide.clone() / ln2.clone();
        let k = FBig::<HalfEven, 2>::from_repr(ratio.mid.clone(), ratio.context()).to_int().value();
        let whole = FBig::<HalfEven, 2>::from(k.clone()).into_repr();
        let rest = wide.clone() - wide.with(whole, IBig::ZERO, EXACT) * ln2;
        let rest = Ball { precision: self.precision, ..rest };
        Ball { shift: k, ..rest.exp() }
    }

    /// Returns `f` of this number, where `f` is the library's sine or cosine.
    ///
    /// The result is unknown for very large arguments.
    fn periodic(
        &self,
        f: impl Fn(&Context<HalfEven>, &Repr<2>, Option<&mut ConstCache>) -> Computed,
    ) -> Ball {
        match (self.undefined(self), self.plain()) {
            (Some(undefined), _) => undefined,
            _ if self.mid.is_infinite() => self.nan(),
            (None, Some(x)) if x.scale() < GREATEST => x.by(x.off, f),
            _ => self.unknown(),
        }
    }
}

/// Returns `erf(x) = 2/sqrt(pi) e^(-x^2) sum of 2^n x^(2n+1) / (1 3 5 .. (2n+1))`.
///
/// The sum does not cancel, since all terms have the same sign.
fn erf_series(x: &Ball) -> Ball {
    let square = x.clone() * x.clone();
    let twice = x.num(2.0) * square.clone();
    let (mut term, mut sum) = (x.clone(), x.clone());
    let mut n = 1.0;
    // Once each term is at most half of the one before, the remainder is less than twice the next term.
    while !is_zero(&term.mid)
        && (term.scale() > sum.scale() - x.precision as f64 || n < 4.0 * square.to_f64())
    {
        term = term * twice.clone() / x.num(2.0 * n + 1.0);
        sum = sum + term.clone();
        n += 1.0;
    }
    let rest = if is_zero(&term.mid) { EXACT } else { term.scale() + 1.0 };
    let sum = Ball { off: join(sum.off, rest - sum.shift.to_f64().value()), ..sum };
    x.num(2.0) / x.pi().sqrt() * (-square).exp() * sum
}

/// Returns `1 - erf(x)` for `x >= 0`, computed with as many additional bits as the subtraction cancels.
fn erfc_series(x: &Ball) -> Ball {
    let lost = 1.5 * x.to_f64().powi(2) + 16.0;
    let wide = Ball { precision: x.precision + lost as usize, ..x.clone() };
    let value = wide.num(1.0) - erf_series(&wide);
    Ball { precision: x.precision, ..value }
}

/// Returns `e^(-x^2) / sqrt(pi) / (x + (1/2) / (x + (2/2) / (x + (3/2) / ..` for large `x`.
///
/// Convergents are alternately above and below the value. Two neighbours differ by the product of all numerators over
/// both denominators.
fn erfc_fraction(x: &Ball) -> Ball {
    // Numerators and denominators of two neighbouring convergents.
    let one = x.num(1.0);
    let (mut a, mut b) = ([x.num(0.0), one.clone()], [one, x.clone()]);
    // Logarithm of the product of numerators.
    let mut product = 0.0;
    let mut n = 0.5;
    let value = loop {
        let next = |[before, last]: [Ball; 2]| {
            let new = x.clone() * last.clone() + x.num(n) * before;
            [last, new]
        };
        (a, b) = (next(a), next(b));
        product += f64::log2(n);
        n += 0.5;
        // A quotient takes longer than everything else in the loop, so that quotients are formed only when the estimate
        // is small.
        let estimate = product - b[0].scale() - a[1].scale();
        if estimate > -(x.precision as f64) && n <= 8192.0 {
            continue;
        }
        let [before, last] = [0, 1].map(|i| a[i].clone() / b[i].clone());
        let apart = before - last.clone();
        let close = apart.scale() < last.scale() - x.precision as f64;
        if close || apart.off == UNKNOWN || n > 8192.0 {
            let off = join(last.off, apart.scale() - last.shift.to_f64().value());
            break Ball { off: join(off, apart.error() - last.shift.to_f64().value()), ..last };
        }
    };
    (-(x.clone() * x.clone())).exp() / x.pi().sqrt() * value
}
