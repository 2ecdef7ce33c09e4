//! f64 with a running bound of its error, as a compiler would evaluate a graph.

use core::ops::{Add, Div, Mul, Neg, Sub};

/// Half a unit in the last place of f64, relative.
const HALF: f64 = f64::EPSILON / 2.0;

/// A value and a bound of its error.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    pub value: f64,
    pub error: f64,
}

pub fn exact(value: f64) -> Number {
    Number { value, error: 0.0 }
}

/// A constant that is not a float, with an error of half a unit.
pub fn constant(value: f64) -> Number {
    Number { value, error: value.abs() * HALF }
}

impl Number {
    /// Returns the result of an operation whose arguments contribute an error of `error`.
    fn rounded(value: f64, error: f64) -> Self {
        Number { value, error: error + value.abs() * HALF }
    }

    /// Applies a function of libm, which is accurate to a unit and whose slope is at most `slope`.
    fn through(self, f: fn(f64) -> f64, slope: f64) -> Self {
        let value = f(self.value);
        Number { value, error: slope * self.error * (1.0 + self.error) + value.abs() * 2.0 * HALF }
    }

    pub fn exp(self) -> Self {
        self.through(libm::exp, libm::exp(self.value + self.error))
    }
    pub fn expm1(self) -> Self {
        self.through(libm::expm1, libm::exp(self.value + self.error))
    }
    pub fn log1p(self) -> Self {
        self.through(libm::log1p, 1.0 / (1.0 + self.value - self.error))
    }
    pub fn tanh(self) -> Self {
        self.through(libm::tanh, 1.0)
    }
    pub fn erf(self) -> Self {
        self.through(libm::erf, core::f64::consts::FRAC_2_SQRT_PI)
    }
    /// Requires an argument that is not far below zero.
    pub fn erfc(self) -> Self {
        let least = (self.value - self.error).max(0.0);
        self.through(libm::erfc, core::f64::consts::FRAC_2_SQRT_PI * libm::exp(-least * least))
    }
    pub fn sinh(self) -> Self {
        self.through(libm::sinh, libm::cosh(self.value.abs() + self.error))
    }
}

impl Add for Number {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self::rounded(self.value + o.value, self.error + o.error)
    }
}
impl Neg for Number {
    type Output = Self;
    fn neg(self) -> Self {
        Number { value: -self.value, ..self }
    }
}
impl Sub for Number {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self + -o
    }
}
impl Mul for Number {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        let error = self.value.abs() * o.error + o.value.abs() * self.error + self.error * o.error;
        Self::rounded(self.value * o.value, error)
    }
}
impl Div for Number {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let value = self.value / o.value;
        let least = (o.value.abs() - o.error).max(1e-300);
        Self::rounded(value, (self.error + value.abs() * o.error) / least)
    }
}
impl Add<f64> for Number {
    type Output = Self;
    fn add(self, o: f64) -> Self {
        self + exact(o)
    }
}
impl Sub<f64> for Number {
    type Output = Self;
    fn sub(self, o: f64) -> Self {
        self - exact(o)
    }
}
impl Mul<Number> for f64 {
    type Output = Number;
    fn mul(self, o: Number) -> Number {
        exact(self) * o
    }
}
impl Sub<Number> for f64 {
    type Output = Number;
    fn sub(self, o: Number) -> Number {
        exact(self) - o
    }
}
impl Div<Number> for f64 {
    type Output = Number;
    fn div(self, o: Number) -> Number {
        exact(self) / o
    }
}
