//! A number in f64 with a bound of its error: decides most elements by itself.

use crate::real::Real;
use std::cmp::Ordering;
use std::f64::consts::{FRAC_2_SQRT_PI, PI};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The error of a function of `libm` relative to its result; these stay below one unit in the last
/// place, or half as much.
const FUNCTION: f64 = 4.0 * f64::EPSILON;
/// The rounding of a result that underflows.
const LEAST: f64 = f64::MIN_POSITIVE * f64::EPSILON;

/// The true value is within `off` of `value`. Nothing is known where `off` is infinite.
#[derive(Clone, Copy, Debug)]
pub struct Near {
    /// The value.
    pub value: f64,
    /// The bound of its error: 0 for what is exact, NaN included.
    pub off: f64,
}

impl Near {
    /// This number exactly.
    pub const fn exact(value: f64) -> Near {
        Near { value, off: 0.0 }
    }

    const UNKNOWN: Near = Near { value: 0.0, off: f64::INFINITY };

    /// The result of an operation on numbers of which nothing is infinite: off by `off` for the
    /// operands' sake, and by its own rounding.
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

    /// A result for operands of which one is infinite, undefined or unknown: as IEEE has it, if
    /// both are exact.
    fn special(self, other: Near, ieee: f64) -> Near {
        match (self.value.is_nan() || other.value.is_nan(), self.off + other.off == 0.0) {
            (true, _) => Near::exact(f64::NAN),
            (_, true) => Near::exact(ieee),
            _ => Near::UNKNOWN,
        }
    }

    /// The result of a function that comes to a limit like `e^-distance`: the limit, if that is
    /// nothing beside it (or nothing at all, where the limit is 0).
    fn or_limit(self, limit: f64, distance: f64) -> Near {
        let far = if limit == 0.0 { 720.0 } else { 40.0 };
        match distance > far {
            true => Near { value: limit, off: 4.0 * libm::exp(-distance) + LEAST },
            false => self,
        }
    }

    /// A function of this number that takes `value` here, and whose slope stays below `slope`
    /// within `reach` of here. `defined` is where it has a value.
    fn through(self, value: f64, slope: f64, reach: f64, defined: bool) -> Near {
        if !self.value.is_finite() && self.off == 0.0 {
            return Near::exact(value);
        }
        match (self.is_ordinary() && self.off <= reach, defined) {
            (true, true) => {
                let off = if self.off == 0.0 { 0.0 } else { slope * self.off };
                // At zero functions have values without a rounding.
                let exact = self.is_zero() && value == value.trunc();
                let least = if value.abs() < f64::MIN_POSITIVE { LEAST } else { 0.0 };
                Near::rounded(value, off, if exact { 0.0 } else { FUNCTION * value.abs() + least })
            }
            (true, false) if self.off == 0.0 => Near::exact(f64::NAN),
            _ => Near::UNKNOWN,
        }
    }
}

/// The square of what is positive, else nothing.
fn square(x: f64) -> f64 {
    x.max(0.0) * x.max(0.0)
}

/// What a product or quotient of this size may have lost besides its rounding as it is computed: a
/// rounding is a number itself as long as it does not underflow.
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
                // What the rounding left out, which is a number itself.
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
        // e^(2 |x| off) more at the near end.
        let slope = 2.0 * FRAC_2_SQRT_PI * libm::exp(-x * x) + LEAST;
        let result = self.through(libm::erfc(x), slope, 0.25 / x.abs().max(1.0), true);
        let result = result.or_limit(2.0, square(-x - self.off));
        result.or_limit(0.0, square(x - self.off))
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
        // Exact numbers are compared as they are, infinities among them.
        match self.off + other.off == 0.0 {
            true => self.value.partial_cmp(&other.value),
            false => (*self - *other).sign(),
        }
    }
}
