//! One element of a tensor in f64 with its derivatives, on which formulas run as ordinary Rust.
//!
//! Values and derivatives are written here by hand and pass through none of the graph's passes, so that a formula run
//! on [`Elem`]s is an independent reference for its graphs and kernels.

use crate::dual::{self, Jet};
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// One element of a tensor: a value, and its derivatives by up to two inputs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Elem {
    /// The value.
    pub value: f64,
    /// The derivative by the first of the inputs that are differentiated by.
    pub derivative: f64,
    /// The derivative by the second of the inputs that are differentiated by, for second derivatives.
    pub other: f64,
    /// The mixed second derivative, by both of the inputs that are differentiated by.
    pub both: f64,
}

/// One element of each part of a gated tensor, which is split in two along a dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gated {
    /// The part that goes through the activation.
    pub gate: Elem,
    /// The part that the activation is multiplied by.
    pub value: Elem,
}

/// One element of a mask, a tensor of booleans.
pub type Mask = bool;

/// Parameter type of a tensor of integers whose sum is the number of rows to compute.
///
/// The other rows of the results are zeros. Formulas cannot read the number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows;

/// An attribute that names a dimension, in `[-rank, rank - 1]`.
pub type Dim = i64;

impl Elem {
    /// Returns a constant: a value whose derivatives are all 0.
    pub const fn constant(value: f64) -> Elem {
        Elem { value, derivative: 0.0, other: 0.0, both: 0.0 }
    }

    /// Returns an input that derivatives are taken by: its own derivative is 1.
    pub const fn variable(value: f64) -> Elem {
        Elem { derivative: 1.0, ..Elem::constant(value) }
    }

    /// The result of an undefined operation: NaN in the value and in all derivatives.
    const NAN: Elem =
        Elem { value: f64::NAN, derivative: f64::NAN, other: f64::NAN, both: f64::NAN };

    /// Applies a function to the element by the chain rule.
    ///
    /// The function is given by its value, first and second derivative at the element's value.
    fn through(self, (value, slope, bend): Jet) -> Elem {
        Elem {
            value,
            derivative: flow(self.derivative, slope),
            other: flow(self.other, slope),
            both: flow(self.both, slope) + flow(flow(self.derivative, self.other), bend),
        }
    }

    /// Applies a linear function `f` of two elements to their values and to each of their derivatives.
    fn linear(self, y: Elem, f: impl Fn(f64, f64) -> f64) -> Elem {
        Elem {
            value: f(self.value, y.value),
            derivative: f(self.derivative, y.derivative),
            other: f(self.other, y.other),
            both: f(self.both, y.both),
        }
    }
}

/// Returns `derivative * factor`, where a derivative of 0 stays 0 even if the factor is infinite.
fn flow(derivative: f64, factor: f64) -> f64 {
    if derivative == 0.0 { 0.0 } else { derivative * factor }
}

impl From<f64> for Elem {
    fn from(value: f64) -> Elem {
        Elem::constant(value)
    }
}

impl From<f32> for Elem {
    fn from(value: f32) -> Elem {
        Elem::constant(f64::from(value))
    }
}

impl From<i64> for Elem {
    /// Converts the integer to the nearest f32 number, as kernels do.
    fn from(value: i64) -> Elem {
        Elem::constant(f64::from(value as f32))
    }
}

impl Neg for Elem {
    type Output = Elem;
    fn neg(self) -> Elem {
        self.linear(self, |x, _| -x)
    }
}

impl Add for Elem {
    type Output = Elem;
    fn add(self, y: Elem) -> Elem {
        self.linear(y, |x, y| x + y)
    }
}

impl Sub for Elem {
    type Output = Elem;
    fn sub(self, y: Elem) -> Elem {
        self.linear(y, |x, y| x - y)
    }
}

impl Mul for Elem {
    type Output = Elem;
    fn mul(self, y: Elem) -> Elem {
        let (one, two) = (flow(self.derivative, y.other), flow(y.derivative, self.other));
        Elem {
            value: self.value * y.value,
            derivative: flow(self.derivative, y.value) + flow(y.derivative, self.value),
            other: flow(self.other, y.value) + flow(y.other, self.value),
            both: flow(self.both, y.value) + flow(y.both, self.value) + one + two,
        }
    }
}

impl Div for Elem {
    type Output = Elem;
    fn div(self, y: Elem) -> Elem {
        let value = self.value / y.value;
        let slope = |x: f64, by: f64| flow(x, 1.0 / y.value) - flow(by, value / y.value);
        let derivative = slope(self.derivative, y.derivative);
        let other = slope(self.other, y.other);
        let mixed = flow(y.derivative, other) + flow(y.other, derivative);
        let both = slope(self.both, y.both) - flow(mixed, 1.0 / y.value);
        Elem { value, derivative, other, both }
    }
}

macro_rules! with_numbers {
    ($($op:ident $f:ident),*) => {$(
        impl $op<f64> for Elem {
            type Output = Elem;
            fn $f(self, y: f64) -> Elem {
                self.$f(Elem::constant(y))
            }
        }
        impl $op<Elem> for f64 {
            type Output = Elem;
            fn $f(self, y: Elem) -> Elem {
                Elem::constant(self).$f(y)
            }
        }
    )*};
}
with_numbers!(Add add, Sub sub, Mul mul, Div div);

impl PartialEq for Elem {
    fn eq(&self, y: &Elem) -> bool {
        self.value == y.value
    }
}

impl PartialEq<f64> for Elem {
    fn eq(&self, y: &f64) -> bool {
        self.value == *y
    }
}

impl PartialEq<Elem> for f64 {
    fn eq(&self, y: &Elem) -> bool {
        *self == y.value
    }
}

impl PartialOrd for Elem {
    fn partial_cmp(&self, y: &Elem) -> Option<Ordering> {
        self.value.partial_cmp(&y.value)
    }
}

impl PartialOrd<f64> for Elem {
    fn partial_cmp(&self, y: &f64) -> Option<Ordering> {
        self.value.partial_cmp(y)
    }
}

impl PartialOrd<Elem> for f64 {
    fn partial_cmp(&self, y: &Elem) -> Option<Ordering> {
        self.partial_cmp(&y.value)
    }
}

/// Defines functions of one element, such as `exp`, as methods of `Elem` and as free functions.
macro_rules! functions {
    ($($f:ident $formula:literal;)*) => {
        functions! { $($f $formula |x| x.through(dual::$f(x.value));)* }
    };
    ($($f:ident $formula:literal |$x:ident| $value:expr;)*) => {
        impl Elem {
            $(#[doc = concat!("`", $formula, "`")]
            pub fn $f(self) -> Elem {
                let $x = self;
                $value
            })*
        }
        $(#[doc = concat!("`", $formula, "`")]
        pub fn $f(x: impl Into<Elem>) -> Elem {
            x.into().$f()
        })*
    };
}
op_dsl_ir::functions_of_one_value!(functions);
impl Elem {
    /// Returns the smaller of two elements; NaN if either is NaN.
    ///
    /// If the values are equal, the derivatives are the mean of both.
    pub fn min(self, y: impl Into<Elem>) -> Elem {
        self.pick(y.into(), Ordering::Less)
    }

    /// Returns the larger of two elements; NaN if either is NaN.
    ///
    /// If the values are equal, the derivatives are the mean of both.
    pub fn max(self, y: impl Into<Elem>) -> Elem {
        self.pick(y.into(), Ordering::Greater)
    }

    /// Returns this element if its ordering against `y` is `this`, else `y`; NaN if either is NaN.
    ///
    /// If the values are equal, the derivatives are the mean of both.
    fn pick(self, y: Elem, this: Ordering) -> Elem {
        match self.value.partial_cmp(&y.value) {
            None => Elem::NAN,
            Some(Ordering::Equal) => {
                Elem { value: self.value, ..self.linear(y, |x, y| 0.5 * (x + y)) }
            }
            Some(order) if order == this => self,
            Some(_) => y,
        }
    }

    /// Clamps the element to `[low, high]`; NaN if any argument is NaN.
    ///
    /// At a bound and beyond it, the result has the derivative of that bound.
    pub fn clamp(self, low: impl Into<Elem>, high: impl Into<Elem>) -> Elem {
        let (low, high) = (low.into(), high.into());
        if [self, low, high].iter().any(|x| x.value.is_nan()) {
            return Elem::NAN;
        }
        let raised = if self > low { self } else { low };
        if raised < high { raised } else { high }
    }

    /// `x^y`; NaN for a negative `x` and a `y` that is not an integer.
    pub fn powf(self, y: impl Into<Elem>) -> Elem {
        let y = y.into();
        let ([a, n], power) =
            ([self.value, y.value], |less: f64| libm::pow(self.value, y.value - less));
        let value = power(0.0);
        // The logarithm may be infinite where the power is 0, and `0 * log 0` would be NaN.
        let log = |power: f64| if power == 0.0 { 0.0 } else { power * libm::log(a) };
        let by_x =
            Elem { value, ..self.through((value, n * power(1.0), n * (n - 1.0) * power(2.0))) };
        let by_y = y.through((0.0, log(value), log(log(value))));
        let mixed = flow(self.derivative, y.other) + flow(y.derivative, self.other);
        let both = flow(mixed, power(1.0) + n * log(power(1.0)));
        let sum = by_x + by_y;
        Elem { both: sum.both + both, ..sum }
    }

    /// `x^n`
    pub fn powi(self, n: i32) -> Elem {
        let (x, m) = (self.value, f64::from(n));
        let power = |less: i32| x.powi(n.saturating_sub(less));
        self.through((power(0), m * power(1), m * (m - 1.0) * power(2)))
    }
}

/// The largest number of f32. Formulas compute with real numbers, and larger ones count as infinite.
const LARGEST: f64 = f32::MAX as f64;

impl Elem {
    /// Returns whether the value is NaN.
    pub fn is_nan(self) -> bool {
        self.value.is_nan()
    }

    /// Returns whether the magnitude of the value is beyond the largest number of f32.
    pub fn is_inf(self) -> bool {
        self.value.abs() > LARGEST
    }

    /// Returns whether the value is neither NaN nor in magnitude beyond the largest number of f32.
    pub fn is_finite(self) -> bool {
        self.value.abs() <= LARGEST
    }
}

/// Returns whether `x` is NaN.
pub fn is_nan(x: impl Into<Elem>) -> bool {
    x.into().is_nan()
}

/// Returns whether the magnitude of `x` is beyond the largest number of f32.
pub fn is_inf(x: impl Into<Elem>) -> bool {
    x.into().is_inf()
}

/// Returns whether `x` is neither NaN nor in magnitude beyond the largest number of f32.
pub fn is_finite(x: impl Into<Elem>) -> bool {
    x.into().is_finite()
}

/// `x^y`; NaN for a negative `x` and a `y` that is not an integer.
pub fn powf(x: impl Into<Elem>, y: impl Into<Elem>) -> Elem {
    x.into().powf(y)
}

/// Returns the smaller of two elements; NaN if either is NaN.
pub fn min(x: impl Into<Elem>, y: impl Into<Elem>) -> Elem {
    x.into().min(y)
}

/// Returns the larger of two elements; NaN if either is NaN.
pub fn max(x: impl Into<Elem>, y: impl Into<Elem>) -> Elem {
    x.into().max(y)
}

/// Clamps `x` to `[low, high]`; NaN if any argument is NaN.
pub fn clamp(x: impl Into<Elem>, low: impl Into<Elem>, high: impl Into<Elem>) -> Elem {
    x.into().clamp(low, high)
}
