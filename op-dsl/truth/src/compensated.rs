//! A number as an exact f64 head and a tail with the rest.
//!
//! `1 - sigmoid(x)` is `e^-x` far to the right, and no precision shows it where `e^-x` is `2^-60000`, because 1 absorbs
//! it. Stored as a tail next to the head 1, it remains when the 1 cancels.
//!
//! Error-free transformations give the rounding errors of sums, products and quotients of f64 as f64, so that digits
//! that cancel rarely need another evaluation in more bits.

use crate::inverse::erfinv;
use crate::real::{Gamma, Real};
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Magnitude below which the rounding error of a product or quotient may underflow.
const SAFE: f64 = 1e-250;

/// `head + tail`, where the tail is less than half of a non-zero head.
#[derive(Clone, Debug)]
pub struct Compensated<R> {
    /// The leading part, always finite.
    head: f64,
    tail: R,
}

/// Returns the binary exponent of `v`, so that `|v|` is at least `2^exponent`; for example, 1 for 3.
fn exponent(v: f64) -> f64 {
    f64::from(((v.to_bits() >> 52) & 0x7ff) as i32 - 1023)
}

/// Returns `a + b` rounded to f64, and the rounding error of that sum (`TwoSum`).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

impl<R: Real> Compensated<R> {
    /// Returns `v` without error; `number` converts an f64 to the type and precision of the tail.
    pub fn exact(v: f64, number: impl Fn(f64) -> R) -> Compensated<R> {
        match v.is_finite() && v != 0.0 {
            true => Compensated { head: v, tail: number(0.0) },
            false => Compensated { head: 0.0, tail: number(v) },
        }
    }

    fn plain(tail: R) -> Compensated<R> {
        Compensated { head: 0.0, tail }
    }

    /// Returns `head + tail`, where the tail may be larger than the head.
    fn of(head: f64, tail: R) -> Compensated<R> {
        let sum = |tail: &R| tail.num(head) + tail.clone();
        Compensated::of_or(head, tail, sum)
    }

    /// Returns `head + tail` in two parts if the tail is known to be small, else `whole(tail)` as one.
    ///
    /// `whole` returns the sum in the type of the tail. The caller computes it in its own way, because two tails that vanish
    /// next to the head may be too close to each other to be added.
    fn of_or(head: f64, tail: R, whole: impl FnOnce(&R) -> R) -> Compensated<R> {
        let is_small = || tail.is_exact_zero() || tail.is_below(exponent(head) - 1.0);
        match head == 0.0 || is_small() {
            true => Compensated { head, tail },
            false => Compensated::plain(whole(&tail)),
        }
    }

    /// Returns the value of this number, `head + tail`, as one number of the tail's type.
    pub fn sum(&self) -> R {
        match (self.head == 0.0, self.tail.is_exact_zero()) {
            (true, _) => self.tail.clone(),
            (false, true) => self.tail.num(self.head),
            (false, false) => self.tail.num(self.head) + self.tail.clone(),
        }
    }

    /// Returns whether this number certainly lies between `least` and `most`.
    fn is_between(&self, least: f64, most: f64) -> bool {
        let than = |bound: f64| self.compare(&self.num(bound));
        than(least) == Some(Ordering::Greater) && than(most) == Some(Ordering::Less)
    }

    /// Returns the function value `f(head + tail)` as a number with the head 0, whose value is in the tail alone.
    fn by(&self, f: impl Fn(&R) -> R) -> Compensated<R> {
        Compensated::plain(f(&self.sum()))
    }
}

/// Returns `sum + factor * tail`, without any arithmetic if `tail` is 0.
fn plus<R: Real>(sum: R, factor: f64, tail: &R) -> R {
    match tail.is_exact_zero() {
        true => sum,
        false if factor == 1.0 => sum + tail.clone(),
        false => sum + tail.num(factor) * tail.clone(),
    }
}

impl<R: Real> Neg for Compensated<R> {
    type Output = Compensated<R>;
    fn neg(self) -> Compensated<R> {
        // The sign of a zero is that of its tail.
        let head = if self.head == 0.0 { 0.0 } else { -self.head };
        Compensated { head, tail: -self.tail }
    }
}

impl<R: Real> Add for Compensated<R> {
    type Output = Compensated<R>;
    fn add(self, y: Compensated<R>) -> Compensated<R> {
        let (head, rest) = two_sum(self.head, y.head);
        if !head.is_finite() {
            return Compensated::plain(self.sum() + y.sum());
        }
        let tails = match (self.tail.is_exact_zero(), y.tail.is_exact_zero()) {
            (true, _) => y.tail.clone(),
            (_, true) => self.tail.clone(),
            _ => self.tail.clone() + y.tail.clone(),
        };
        let tail = if rest == 0.0 { tails } else { tails.num(rest) + tails };
        Compensated::of_or(head, tail, |_| self.sum() + y.sum())
    }
}

impl<R: Real> Sub for Compensated<R> {
    type Output = Compensated<R>;
    fn sub(self, y: Compensated<R>) -> Compensated<R> {
        self + -y
    }
}

impl<R: Real> Mul for Compensated<R> {
    type Output = Compensated<R>;
    fn mul(self, y: Compensated<R>) -> Compensated<R> {
        let (a, b) = (self.head, y.head);
        let head = a * b;
        if !(head.is_finite() && head.abs() > SAFE) {
            return Compensated::plain(self.sum() * y.sum());
        }
        let tail = plus(self.tail.num(a.mul_add(b, -head)), a, &y.tail);
        let tail = plus(tail, b, &self.tail);
        let both = !self.tail.is_exact_zero() && !y.tail.is_exact_zero();
        let tail = if both { tail + self.tail.clone() * y.tail.clone() } else { tail };
        Compensated::of_or(head, tail, |_| self.sum() * y.sum())
    }
}

impl<R: Real> Div for Compensated<R> {
    type Output = Compensated<R>;
    fn div(self, y: Compensated<R>) -> Compensated<R> {
        let (a, b) = (self.head, y.head);
        let head = a / b;
        if b == 0.0 || !(head.is_finite() && head.abs() > SAFE && a.abs() > SAFE) {
            return Compensated::plain(self.sum() / y.sum());
        }
        // (a + s) / (b + t) = h + (a - h b + s - h t) / (b + t)
        let rest = (-head).mul_add(b, a);
        let rest = plus(plus(self.tail.num(rest), 1.0, &self.tail), -head, &y.tail);
        let tail = if rest.is_exact_zero() { rest } else { rest / y.sum() };
        Compensated::of_or(head, tail, |_| self.sum() / y.sum())
    }
}

impl<R: Real> Real for Compensated<R> {
    fn num(&self, v: f64) -> Compensated<R> {
        Compensated::exact(v, |v| self.tail.num(v))
    }
    fn pi(&self) -> Compensated<R> {
        Compensated::plain(self.tail.pi())
    }
    fn is_nan(&self) -> bool {
        self.tail.is_nan()
    }
    fn exactly(&self) -> Option<f64> {
        match self.head == 0.0 {
            true => self.tail.exactly(),
            false => self.tail.is_exact_zero().then_some(self.head),
        }
    }
    fn is_exact_zero(&self) -> bool {
        self.head == 0.0 && self.tail.is_exact_zero()
    }
    fn is_below(&self, power: f64) -> bool {
        match self.head == 0.0 {
            true => self.tail.is_below(power),
            false => exponent(self.head) + 2.0 <= power,
        }
    }
    fn sign(&self) -> Option<Ordering> {
        if self.head == 0.0 { self.tail.sign() } else { self.head.partial_cmp(&0.0) }
    }
    fn is_negative(&self) -> bool {
        if self.head == 0.0 { self.tail.is_negative() } else { self.head < 0.0 }
    }
    fn about(&self) -> f64 {
        self.head + self.tail.about()
    }
    fn within(&self, by: f64) -> Compensated<R> {
        Compensated::of(self.head, self.tail.within(by))
    }
    fn unknown(&self) -> Compensated<R> {
        Compensated::plain(self.tail.unknown())
    }
    fn compare(&self, other: &Compensated<R>) -> Option<Ordering> {
        match self.head == 0.0 && other.head == 0.0 {
            // Infinities are only in tails, which are compared directly.
            true => self.tail.compare(&other.tail),
            false => (self.clone() - other.clone()).sign(),
        }
    }

    fn sqrt(&self) -> Compensated<R> {
        let head = self.head.sqrt();
        if self.head <= SAFE {
            return self.by(R::sqrt);
        }
        // sqrt(a + s) = h + (a - h^2 + s) / (h + sqrt(a + s))
        let rest = (-head).mul_add(head, self.head);
        let rest = plus(self.tail.num(rest), 1.0, &self.tail);
        let whole = self.tail.num(head) + self.sum().sqrt();
        Compensated::of(head, if rest.is_exact_zero() { rest } else { rest / whole })
    }

    fn exp(&self) -> Compensated<R> {
        match self.is_below(-1.0) {
            true => Compensated::of(1.0, self.sum().expm1()),
            false => self.by(R::exp),
        }
    }

    fn expm1(&self) -> Compensated<R> {
        let is_far = self.compare(&self.num(-1.0)) == Some(Ordering::Less);
        if is_far { Compensated::of(-1.0, self.sum().exp()) } else { self.by(R::expm1) }
    }

    fn ln(&self) -> Compensated<R> {
        match (0.5..=2.0).contains(&self.head) {
            // `head - 1` is exact in f64.
            true => Compensated::plain((self.num(-1.0) + self.clone()).sum().log1p()),
            false => self.by(R::ln),
        }
    }

    fn log1p(&self) -> Compensated<R> {
        match self.is_below(-1.0) {
            true => self.by(R::log1p),
            false => (self.num(1.0) + self.clone()).ln(),
        }
    }

    fn erf(&self) -> Compensated<R> {
        if self.is_below(0.0) {
            return self.by(R::erf);
        }
        match self.sign() {
            None => self.by(R::erf),
            Some(Ordering::Less) => -(-self.clone()).erf(),
            Some(_) => Compensated::of(1.0, -self.sum().erfc()),
        }
    }

    fn erfc(&self) -> Compensated<R> {
        let is_far = self.compare(&self.num(-1.0)) == Some(Ordering::Less);
        match is_far {
            true => Compensated::of(2.0, -(-self.sum()).erfc()),
            false => self.by(R::erfc),
        }
    }

    fn erfinv(&self) -> Compensated<R> {
        erfinv(self)
    }

    fn gamma(&self, order: Gamma) -> Compensated<R> {
        self.by(|x| x.gamma(order))
    }

    fn sin(&self) -> Compensated<R> {
        self.by(R::sin)
    }

    fn cos(&self) -> Compensated<R> {
        if !self.is_between(-1.0, 1.0) {
            return self.by(R::cos);
        }
        let half = (self.sum() * self.tail.num(0.5)).sin();
        Compensated::of(1.0, half.num(-2.0) * half.clone() * half)
    }

    fn atan(&self) -> Compensated<R> {
        self.by(R::atan)
    }
}
