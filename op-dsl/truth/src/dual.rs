//! A number together with its slope: what makes the derivative of a derivative.
//!
//! Computed with duals, the rules of first derivatives give second ones as well, from arithmetic and
//! the ten functions of [`Real`] alone.

use crate::real::Real;
use crate::rules;
use op_dsl_ir::Prim;
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number, and its derivative by whatever is varied.
#[derive(Clone, Debug)]
pub struct Dual<R> {
    /// The number.
    pub value: R,
    /// Its derivative; `None` where that is zero whatever the numbers are.
    pub slope: Option<R>,
}

impl<R: Real> Dual<R> {
    /// A number that stands still.
    pub fn still(value: R) -> Dual<R> {
        Dual { value, slope: None }
    }

    /// A function of this number: its value here, and its slope.
    fn through(&self, value: R, slope: impl FnOnce(&R, &R) -> R) -> Dual<R> {
        let slope = self.slope.clone().map(|own| own * slope(&self.value, &value));
        Dual { value, slope }
    }

    /// A number whose slope is a sum.
    fn with(value: R, terms: [Option<R>; 2]) -> Dual<R> {
        let slope = terms.into_iter().flatten().reduce(|sum, term| sum + term);
        Dual { value, slope }
    }
}

impl<R: Real> Neg for Dual<R> {
    type Output = Dual<R>;
    fn neg(self) -> Dual<R> {
        Dual { value: -self.value, slope: self.slope.map(|s| -s) }
    }
}

impl<R: Real> Add for Dual<R> {
    type Output = Dual<R>;
    fn add(self, y: Dual<R>) -> Dual<R> {
        Dual::with(self.value + y.value, [self.slope, y.slope])
    }
}

impl<R: Real> Sub for Dual<R> {
    type Output = Dual<R>;
    fn sub(self, y: Dual<R>) -> Dual<R> {
        self + -y
    }
}

impl<R: Real> Mul for Dual<R> {
    type Output = Dual<R>;
    fn mul(self, y: Dual<R>) -> Dual<R> {
        let terms =
            [self.slope.map(|s| s * y.value.clone()), y.slope.map(|s| self.value.clone() * s)];
        Dual::with(self.value * y.value, terms)
    }
}

impl<R: Real> Div for Dual<R> {
    type Output = Dual<R>;
    fn div(self, y: Dual<R>) -> Dual<R> {
        let ratio = self.value / y.value.clone();
        let terms = [
            self.slope.map(|s| s / y.value.clone()),
            y.slope.map(|s| -(ratio.clone() * s / y.value)),
        ];
        Dual::with(ratio, terms)
    }
}

impl<R: Real> Real for Dual<R> {
    /// What is not defined has no slope that is.
    fn num(&self, v: f64) -> Dual<R> {
        let value = self.value.num(v);
        Dual { slope: v.is_nan().then(|| value.clone()), value }
    }
    fn pi(&self) -> Dual<R> {
        Dual::still(self.value.pi())
    }
    fn is_nan(&self) -> bool {
        self.value.is_nan()
    }
    fn exactly(&self) -> Option<f64> {
        self.value.exactly()
    }
    fn sign(&self) -> Option<Ordering> {
        self.value.sign()
    }
    fn is_negative(&self) -> bool {
        self.value.is_negative()
    }
    fn unknown(&self) -> Dual<R> {
        Dual { value: self.value.unknown(), slope: Some(self.value.unknown()) }
    }
    fn compare(&self, other: &Dual<R>) -> Option<Ordering> {
        self.value.compare(&other.value)
    }

    fn sqrt(&self) -> Dual<R> {
        self.through(self.value.sqrt(), |x, y| x.num(0.5) / y.clone())
    }
    fn exp(&self) -> Dual<R> {
        self.through(self.value.exp(), |_, y| y.clone())
    }
    fn expm1(&self) -> Dual<R> {
        self.through(self.value.expm1(), |x, _| x.exp())
    }
    fn ln(&self) -> Dual<R> {
        self.through(self.value.ln(), |x, _| x.num(1.0) / x.clone())
    }
    fn log1p(&self) -> Dual<R> {
        self.through(self.value.log1p(), |x, _| x.num(1.0) / (x.num(1.0) + x.clone()))
    }
    fn erf(&self) -> Dual<R> {
        self.through(self.value.erf(), |x, _| rules::bell(x))
    }
    fn erfc(&self) -> Dual<R> {
        self.through(self.value.erfc(), |x, _| -rules::bell(x))
    }
    fn sin(&self) -> Dual<R> {
        self.through(self.value.sin(), |x, _| x.cos())
    }
    fn cos(&self) -> Dual<R> {
        self.through(self.value.cos(), |x, _| -x.sin())
    }
    fn atan(&self) -> Dual<R> {
        self.through(self.value.atan(), |x, _| x.num(1.0) / (x.num(1.0) + x.clone() * x.clone()))
    }
    fn pow(&self, y: &Dual<R>) -> Dual<R> {
        let value = self.value.pow(&y.value);
        let [by_x, by_y, _] = rules::slopes(Prim::Pow, [&self.value, &y.value, &y.value], &value);
        let term = |of: &Dual<R>, slope: Option<R>| Some(of.slope.clone()? * slope?);
        Dual::with(value, [term(self, by_x), term(y, by_y)])
    }
}
