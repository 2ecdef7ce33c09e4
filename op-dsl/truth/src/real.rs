//! What rules compute with: a number that knows how far it may be off.

use std::cmp::Ordering::{self, Equal, Greater, Less};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number with a bound of its error. There are three kinds: [`Near`](crate::near::Near) in f64,
/// which is fast, [`Ball`](crate::ball::Ball) in as many bits as it takes, and
/// [`Tower`](crate::tower::Tower) where that has no exponent for it; each also beside an exact f64,
/// [`Compensated`](crate::compensated::Compensated), and with its slope, [`Dual`](crate::dual::Dual).
pub trait Real:
    Clone
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    /// An exact number, as precise as this one.
    fn num(&self, v: f64) -> Self;
    /// `pi`
    fn pi(&self) -> Self;
    /// The result of what is not defined.
    fn is_nan(&self) -> bool;
    /// The number itself, where it is known to be this one.
    fn exactly(&self) -> Option<f64>;
    /// Whether it is 0 and known to be.
    fn is_exact_zero(&self) -> bool;
    /// Whether its magnitude is known to be below a power of two.
    fn is_below(&self, power: f64) -> bool;
    /// How it stands to zero; `None` where its error leaves that open, or where it is no number.
    fn sign(&self) -> Option<Ordering>;
    /// Whether it looks negative. Formulas with one value and two accurate ways to it choose by this.
    fn is_negative(&self) -> bool;
    /// What an undecided comparison makes: to be tried with more bits.
    fn unknown(&self) -> Self;

    /// `x^(1/2)`
    fn sqrt(&self) -> Self;
    /// `e^x`
    fn exp(&self) -> Self;
    /// `e^x - 1`
    fn expm1(&self) -> Self;
    /// `log_e x`
    fn ln(&self) -> Self;
    /// `log_e (1 + x)`
    fn log1p(&self) -> Self;
    /// `2/sqrt(pi) * integral of e^(-t^2) from 0 to x`
    fn erf(&self) -> Self;
    /// `1 - erf(x)`
    fn erfc(&self) -> Self;
    /// `sin x`
    fn sin(&self) -> Self;
    /// `cos x`
    fn cos(&self) -> Self;
    /// `atan x`
    fn atan(&self) -> Self;

    /// `x^y`. Of a negative number only where `y` is known to be whole.
    fn pow(&self, y: &Self) -> Self {
        power(self, y)
    }

    /// How it stands to another number; `None` as for [`Real::sign`].
    fn compare(&self, other: &Self) -> Option<Ordering> {
        (self.clone() - other.clone()).sign()
    }

    /// `|x|`
    fn abs(&self) -> Self {
        if self.is_negative() { -self.clone() } else { self.clone() }
    }
}

/// `x^y`. Of a negative number only where `y` is known to be whole.
fn power<R: Real>(x: &R, y: &R) -> R {
    let one = || x.num(1.0);
    match (x.sign(), y.sign()) {
        (_, Some(Equal)) => one(),
        _ if x.is_nan() || y.is_nan() => x.num(f64::NAN),
        (None, _) | (Some(Equal), None) => x.unknown(),
        (Some(Equal), Some(Less)) => x.num(f64::INFINITY),
        (Some(Equal), _) => x.num(0.0),
        (Some(Greater), _) if x.compare(&one()) == Some(Equal) => one(),
        (Some(Greater), _) => (y.clone() * x.ln()).exp(),
        (Some(Less), _) => {
            let size = || power(&-x.clone(), y);
            match y.exactly() {
                None => x.unknown(),
                Some(y) if y != y.trunc() => x.num(f64::NAN),
                Some(y) if y % 2.0 == 0.0 => size(),
                Some(_) => -size(),
            }
        }
    }
}
