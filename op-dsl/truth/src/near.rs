//! A number in f64 with a bound of its error: decides most elements by itself.

use crate::real::Real;
use std::cmp::Ordering;
use std::f64::consts::{FRAC_2_SQRT_PI, PI};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A rounding, relative to its result: twice what it can be, so that the bounds' own roundings are
/// covered.
const ROUNDING: f64 = f64::EPSILON;
/// The same of a function of `libm`, whose errors are below one unit in the last place.
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

    /// The result of an operation on numbers of which nothing is infinite.
    fn rounded(value: f64, off: f64, relative: f64) -> Near {
        if !value.is_finite() {
            return Near::UNKNOWN;
        }
        let off = off * (1.0 + ROUNDING) + relative * value.abs();
        let off = if value.abs() < f64::MIN_POSITIVE && off > 0.0 { off + LEAST } else { off };
        Near { value, off: if off.is_nan() { f64::INFINITY } else { off } }
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

    /// A function of this number that takes `value` here, and whose slope stays below `slope`
    /// within `reach` of here. `defined` is where it has a value.
    fn through(self, value: f64, slope: f64, reach: f64, defined: bool) -> Near {
        if !self.value.is_finite() && self.off == 0.0 {
            return Near::exact(value);
        }
        match (self.is_ordinary() && self.off <= reach, defined) {
            (true, true) => {
                let off = if self.off == 0.0 { 0.0 } else { slope * self.off };
                // Zeros of functions are at exact places.
                let at_zero = self.is_zero() && value == value.trunc();
                Near::rounded(value, off, if at_zero { 0.0 } else { FUNCTION })
            }
            (true, false) if self.off == 0.0 => Near::exact(f64::NAN),
            _ => Near::UNKNOWN,
        }
    }
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
            // Sums do not underflow, and a sum with zero is exact.
            true if self.is_zero() || y.is_zero() => Near { value: sum, off: self.off + y.off },
            true => Near::rounded(sum, self.off + y.off, ROUNDING),
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
                Near::rounded(product, off + LEAST, ROUNDING)
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
                Near::rounded(ratio, off * (1.0 + ROUNDING) + LEAST, ROUNDING)
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
        Near { value: PI, off: ROUNDING * PI }
    }

    fn is_nan(&self) -> bool {
        self.value.is_nan()
    }

    fn exactly(&self) -> Option<f64> {
        (self.off == 0.0).then_some(self.value)
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
        // A result that underflows is off by the least number.
        let result = self.through(e, 2.0 * e, 1.0, true);
        if e < f64::MIN_POSITIVE { Near { off: result.off + LEAST, ..result } } else { result }
    }

    fn expm1(&self) -> Near {
        self.through(libm::expm1(self.value), 2.0 * libm::exp(self.value), 1.0, true)
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
        let slope = 2.0 / from_pole * (1.0 + FUNCTION);
        self.through(libm::log1p(self.value), slope, 0.25 * from_pole, from_pole > 0.0)
    }

    fn erf(&self) -> Near {
        self.through(libm::erf(self.value), FRAC_2_SQRT_PI, f64::MAX, true)
    }

    fn erfc(&self) -> Near {
        let x = self.value;
        // e^(2 |x| off) more at the near end.
        let slope = 2.0 * FRAC_2_SQRT_PI * libm::exp(-x * x) + LEAST;
        let result = self.through(libm::erfc(x), slope, 0.25 / x.abs().max(1.0), true);
        if result.value < f64::MIN_POSITIVE {
            Near { off: result.off + LEAST, ..result }
        } else {
            result
        }
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
