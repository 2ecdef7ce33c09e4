//! Interface of the numbers that the reference formulas compute with: numbers with a bound of their error.

use std::cmp::Ordering::{self, Equal, Greater, Less};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number with a bound of its error.
///
/// There are three kinds: [`Near`](crate::near::Near) in f64, which is fast, [`Ball`](crate::ball::Ball) in as many
/// bits as it takes, and [`Tower`](crate::tower::Tower) where a ball cannot represent the exponent. Each can be the
/// tail of an exact f64, [`Compensated`](crate::compensated::Compensated), and can have a derivative,
/// [`Dual`](crate::dual::Dual).
pub trait Real:
    Clone
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    /// Returns `v` without error; operations on the result have the precision of those on `self`.
    fn num(&self, v: f64) -> Self;
    /// Returns `pi`, in the precision of this number.
    fn pi(&self) -> Self;
    /// Returns whether this number is NaN, the value of an undefined result.
    fn is_nan(&self) -> bool;
    /// Returns the value if it is certainly an f64 without error, else `None`.
    fn exactly(&self) -> Option<f64>;
    /// Returns whether this number is certainly 0.
    fn is_exact_zero(&self) -> bool;
    /// Returns whether the magnitude is certainly below `2^power`; for example, 0.3 is below `2^-1`.
    fn is_below(&self, power: f64) -> bool;
    /// Compares this number with 0; `None` if its error leaves the sign undecided, or for NaN.
    fn sign(&self) -> Option<Ordering>;
    /// Returns whether this number is probably negative; its error is disregarded.
    ///
    /// Functions use this to choose between two formulas that give the same value equally well.
    fn is_negative(&self) -> bool;
    /// Returns the value rounded to f64, its error disregarded; NaN for NaN and if nothing is known.
    fn about(&self) -> f64;
    /// Returns this number with its error bound raised by `by`.
    fn within(&self, by: f64) -> Self;
    /// Returns a number of which nothing is known.
    ///
    /// An undecided comparison returns it, so that the element is evaluated with more bits.
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
    /// The number whose `erf` is `x`.
    fn erfinv(&self) -> Self;
    /// The logarithm of the gamma function, or one of its derivatives.
    fn gamma(&self, order: Gamma) -> Self;
    /// `sin x`
    fn sin(&self) -> Self;
    /// `cos x`
    fn cos(&self) -> Self;
    /// `atan x`
    fn atan(&self) -> Self;

    /// `x^y`; for a negative `x` only where `y` is known to be an integer.
    fn pow(&self, y: &Self) -> Self {
        power(self, y)
    }

    /// Compares this number with `other`; `None` if the errors leave the order undecided, or for NaN.
    fn compare(&self, other: &Self) -> Option<Ordering> {
        (self.clone() - other.clone()).sign()
    }

    /// `|x|`
    fn abs(&self) -> Self {
        if self.is_negative() { -self.clone() } else { self.clone() }
    }
}

/// The logarithm of the magnitude of the gamma function, and its derivatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gamma {
    /// `log |Gamma(x)|`
    Log,
    /// Its first derivative.
    Digamma,
    /// Its second derivative.
    Trigamma,
}

/// Returns `x^y`; for a negative `x` only where `y` is known to be an integer.
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
