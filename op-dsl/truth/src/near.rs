//! A number in f64 with a bound of its error, which suffices for most elements.

use crate::gamma::{gamma, with_tangent};
use crate::inverse::erfinv;
use crate::real::{Gamma, Real};
use std::cmp::Ordering;
use std::f64::consts::{FRAC_2_SQRT_PI, PI};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Bound of the relative error of a function of `libm`.
///
/// The errors of `libm` are below one unit in the last place, for some functions below half of one.
const FUNCTION: f64 = 4.0 * f64::EPSILON;
/// Bound of the absolute rounding error of an f64 result that underflows.
const LEAST: f64 = f64::MIN_POSITIVE * f64::EPSILON;

/// A number whose exact value is within `off` of `value`. It is unknown where `off` is infinite.
#[derive(Clone, Copy, Debug)]
pub struct Near {
    /// Approximation of the exact value.
    pub value: f64,
    /// Bound of the absolute error of `value`: 0 for exact numbers, including NaN.
    pub off: f64,
}

impl Near {
    /// Returns `value` as a number without error.
    pub const fn exact(value: f64) -> Near {
        Near { value, off: 0.0 }
    }

    const UNKNOWN: Near = Near { value: 0.0, off: f64::INFINITY };

    /// Returns `value`, the f64 result of an operation on finite numbers, with a bound of its error.
    ///
    /// `off` bounds the error that the errors of the operands cause, `rounding` that of the operation itself.
    fn rounded(value: f64, off: f64, rounding: f64) -> Near {
        let off = (off + rounding.abs()) * (1.0 + 4.0 * f64::EPSILON);
        let known = value.is_finite() && off.is_finite();
        if known { Near { value, off } } else { Near::UNKNOWN }
    }

    fn is_ordinary(self) -> bool {
        self.value.is_finite() && self.off.is_finite()
    }

    fn is_zero(self) -> bool {
        self.value == 0.0 && self.off == 0.0
    }

    /// Returns the result of an operation on `self` and `other` if either is infinite, NaN or unknown.
    ///
    /// The result is NaN if either operand is NaN, else `ieee` (the IEEE result) if both are exact, else unknown.
    fn special(self, other: Near, ieee: f64) -> Near {
        match (self.value.is_nan() || other.value.is_nan(), self.off + other.off == 0.0) {
            (true, _) => Near::exact(f64::NAN),
            (_, true) => Near::exact(ieee),
            _ => Near::UNKNOWN,
        }
    }

    /// Returns `limit` instead of `self` if the difference between them is negligible.
    ///
    /// `self` is the value of a function that approaches the limit like `e^-distance`. If the limit is 0, the difference must
    /// underflow.
    fn or_limit(self, limit: f64, distance: f64) -> Near {
        let far = if limit == 0.0 { 720.0 } else { 40.0 };
        match distance > far {
            true => Near { value: limit, off: 4.0 * libm::exp(-distance) + LEAST },
            false => self,
        }
    }

    /// Returns `f(x)` with a bound of its error, where `x` is this number.
    ///
    /// `value` is `f` at the f64 `x.value`.
    ///
    /// `slope` bounds the derivative of `f` within a distance of `reach` from `x.value`. `defined` says whether `f` is defined
    /// at `x.value`.
    fn through(self, value: f64, slope: f64, reach: f64, defined: bool) -> Near {
        if !self.value.is_finite() && self.off == 0.0 {
            return Near::exact(value);
        }
        match (self.is_ordinary() && self.off <= reach, defined) {
            (true, true) => {
                let off = if self.off == 0.0 { 0.0 } else { slope * self.off };
                // At zero, integer values of functions are exact.
                let exact = self.is_zero() && value == value.trunc();
                let least = if value.abs() < f64::MIN_POSITIVE { LEAST } else { 0.0 };
                Near::rounded(value, off, if exact { 0.0 } else { FUNCTION * value.abs() + least })
            }
            (true, false) if self.off == 0.0 => Near::exact(f64::NAN),
            _ => Near::UNKNOWN,
        }
    }
}

/// Returns the square of a positive number, else 0.
fn square(x: f64) -> f64 {
    x.max(0.0) * x.max(0.0)
}

/// Returns the error that underflow may add to the rounding error of a product or quotient `value`.
///
/// It is 0 unless `value` is nearly denormal, because the rounding error is itself an f64 as long as it does not underflow.
fn underflow(value: f64) -> f64 {
    if value.abs() < f64::MIN_POSITIVE / f64::EPSILON { LEAST } else { 0.0 }
}

impl Neg for Near {
    type Output = Near;
    fn neg(self) -> Near {
        Near { value: -self.value, off: self.off }
    }
}

impl Add for Near {
    type Output = Near;
    fn add(self, y: Near) -> Near {
        let sum = self.value + y.value;
        match self.is_ordinary() && y.is_ordinary() {
            true => {
                // The rounding error of the sum, which is an f64 itself (`TwoSum`).
                let part = sum - self.value;
                let rounding = (self.value - (sum - part)) + (y.value - part);
                Near::rounded(sum, self.off + y.off, rounding)
            }
            false => self.special(y, sum),
        }
    }
}

impl Sub for Near {
    type Output = Near;
    fn sub(self, y: Near) -> Near {
        self + -y
    }
}

impl Mul for Near {
    type Output = Near;
    fn mul(self, y: Near) -> Near {
        let product = self.value * y.value;
        match self.is_ordinary() && y.is_ordinary() {
            true if self.is_zero() || y.is_zero() => Near::exact(0.0),
            true => {
                let off = self.off * (y.value.abs() + y.off) + self.value.abs() * y.off;
                let rounding = self.value.mul_add(y.value, -product);
                Near::rounded(product, off, rounding.abs() + underflow(product))
            }
            false => self.special(y, product),
        }
    }
}

impl Div for Near {
    type Output = Near;
    fn div(self, y: Near) -> Near {
        let ratio = self.value / y.value;
        match self.is_ordinary() && y.is_ordinary() {
            true if y.is_zero() => self.special(y, ratio),
            true if y.off >= 0.5 * y.value.abs() => Near::UNKNOWN,
            true if self.is_zero() => Near::exact(0.0),
            true => {
                let off = (self.off + ratio.abs() * y.off) / (y.value.abs() - y.off);
                let rounding = ratio.mul_add(-y.value, self.value) / y.value;
                Near::rounded(ratio, off, 2.0 * rounding.abs() + underflow(ratio))
            }
            false => self.special(y, ratio),
        }
    }
}

impl Real for Near {
    fn num(&self, v: f64) -> Near {
        Near::exact(v)
    }

    fn pi(&self) -> Near {
        Near { value: PI, off: f64::EPSILON }
    }

    fn is_nan(&self) -> bool {
        self.value.is_nan()
    }

    fn exactly(&self) -> Option<f64> {
        (self.off == 0.0).then_some(self.value)
    }

    fn is_exact_zero(&self) -> bool {
        self.is_zero()
    }

    fn is_below(&self, power: f64) -> bool {
        self.value.abs() + self.off < power.exp2()
    }

    fn sign(&self) -> Option<Ordering> {
        let known = self.off == 0.0 || self.value.abs() > self.off;
        if known { self.value.partial_cmp(&0.0) } else { None }
    }

    fn is_negative(&self) -> bool {
        self.value < 0.0
    }

    fn about(&self) -> f64 {
        if self.off.is_finite() { self.value } else { f64::NAN }
    }

    fn within(&self, by: f64) -> Near {
        if self.is_ordinary() { Near::rounded(self.value, self.off, by) } else { *self }
    }

    fn unknown(&self) -> Near {
        Near::UNKNOWN
    }

    fn sqrt(&self) -> Near {
        let (x, root) = (self.value, self.value.sqrt());
        self.through(root, 1.0 / root, 0.5 * x, x >= 0.0)
    }

    fn exp(&self) -> Near {
        let e = libm::exp(self.value);
        self.through(e, 2.0 * e, 1.0, true).or_limit(0.0, -(self.value + self.off))
    }

    fn expm1(&self) -> Near {
        let e = libm::exp(self.value);
        let result = self.through(libm::expm1(self.value), 2.0 * e, 1.0, true);
        result.or_limit(-1.0, -(self.value + self.off))
    }

    fn ln(&self) -> Near {
        let x = self.value;
        if self.is_zero() {
            return Near::exact(f64::NEG_INFINITY);
        }
        let result = self.through(libm::log(x), 2.0 / x, 0.5 * x, x > 0.0);
        if x == 1.0 && self.off == 0.0 { Near::exact(0.0) } else { result }
    }

    fn log1p(&self) -> Near {
        let from_pole = 1.0 + self.value;
        if from_pole == 0.0 && self.off == 0.0 {
            return Near::exact(f64::NEG_INFINITY);
        }
        let slope = 2.0 / from_pole;
        self.through(libm::log1p(self.value), slope, 0.25 * from_pole, from_pole > 0.0)
    }

    fn erf(&self) -> Near {
        let x = self.value;
        let result = self.through(libm::erf(x), FRAC_2_SQRT_PI, f64::MAX, true);
        result.or_limit(1f64.copysign(x), square(x.abs() - self.off))
    }

    fn erfc(&self) -> Near {
        let x = self.value;
        // The slope is up to `e^(2 |x| off)` larger at the end nearer to zero.
        let slope = 2.0 * FRAC_2_SQRT_PI * libm::exp(-x * x) + LEAST;
        let result = self.through(libm::erfc(x), slope, 0.25 / x.abs().max(1.0), true);
        let result = result.or_limit(2.0, square(-x - self.off));
        result.or_limit(0.0, square(x - self.off))
    }

    fn erfinv(&self) -> Near {
        erfinv(self)
    }

    fn gamma(&self, order: Gamma) -> Near {
        /// Digits beyond those of f64, which the series need not have.
        const BITS: f64 = 58.0;
        // Tangent numbers are rounded to the nearest f64.
        let tangent = |k: usize| {
            let value = with_tangent(k, |v| v.to_f64().value());
            Near { value, off: value * f64::EPSILON }
        };
        gamma(order, self, BITS, &tangent)
    }

    fn sin(&self) -> Near {
        self.through(libm::sin(self.value), 1.0, f64::MAX, true)
    }

    fn cos(&self) -> Near {
        self.through(libm::cos(self.value), 1.0, f64::MAX, true)
    }

    fn atan(&self) -> Near {
        self.through(libm::atan(self.value), 1.0, f64::MAX, true)
    }

    fn compare(&self, other: &Near) -> Option<Ordering> {
        // Exact numbers are compared directly, including infinities.
        match self.off + other.off == 0.0 {
            true => self.value.partial_cmp(&other.value),
            false => (*self - *other).sign(),
        }
    }
}
