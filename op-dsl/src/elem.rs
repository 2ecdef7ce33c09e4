//! One element of a tensor, in f64 with its derivative: what formulas compute with when they run
//! as ordinary Rust.
//!
//! Values and derivatives are written here by hand and pass through none of the graph's passes, so
//! that a formula run on [`Elem`]s judges what was made of it.

use crate::dual;
use std::cmp::Ordering;
use std::f64::consts::{LN_2, LOG2_E};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// One element of a tensor: a value, and its derivative by whichever input is varied.
#[derive(Clone, Copy, Debug, Default)]
pub struct Elem {
    /// The value.
    pub value: f64,
    /// The derivative.
    pub derivative: f64,
}

/// One element of each part of a tensor that is cut in two along a dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gated {
    /// The part that goes through the activation.
    pub gate: Elem,
    /// The part that is multiplied by it.
    pub value: Elem,
}

/// One element of a mask: a tensor of truth values.
pub type Mask = bool;

/// How many rows are computed, by the sum of a tensor of integers; the rest are zeros. The formula does not see it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows;

/// An attribute that names a dimension, in `[-rank, rank - 1]`.
pub type Dim = i64;

impl Elem {
    /// A value that does not depend on the input.
    pub const fn constant(value: f64) -> Elem {
        Elem { value, derivative: 0.0 }
    }

    /// The input that is varied.
    pub const fn variable(value: f64) -> Elem {
        Elem { value, derivative: 1.0 }
    }

    /// A function of this element, by its value and its derivative there.
    fn through(self, (value, slope): (f64, f64)) -> Elem {
        Elem { value, derivative: flow(self.derivative, slope) }
    }
}

/// `derivative * factor`, where no change stays no change even at infinity.
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

impl Neg for Elem {
    type Output = Elem;
    fn neg(self) -> Elem {
        Elem { value: -self.value, derivative: -self.derivative }
    }
}

impl Add for Elem {
    type Output = Elem;
    fn add(self, y: Elem) -> Elem {
        Elem { value: self.value + y.value, derivative: self.derivative + y.derivative }
    }
}

impl Sub for Elem {
    type Output = Elem;
    fn sub(self, y: Elem) -> Elem {
        Elem { value: self.value - y.value, derivative: self.derivative - y.derivative }
    }
}

impl Mul for Elem {
    type Output = Elem;
    fn mul(self, y: Elem) -> Elem {
        let derivative = flow(self.derivative, y.value) + flow(y.derivative, self.value);
        Elem { value: self.value * y.value, derivative }
    }
}

impl Div for Elem {
    type Output = Elem;
    fn div(self, y: Elem) -> Elem {
        let value = self.value / y.value;
        let derivative = flow(self.derivative, 1.0 / y.value) - flow(y.derivative, value / y.value);
        Elem { value, derivative }
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

/// Methods on elements, and functions of the same names.
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
functions! {
    recip "1 / x" |x| 1.0 / x;
    exp2 "2^x" |x| x.through((libm::exp2(x.value), LN_2 * libm::exp2(x.value)));
    log2 "log_2 x" |x| x.through((libm::log2(x.value), LOG2_E / x.value));
}

impl Elem {
    /// The smaller of two, with half of each derivative at a tie; NaN if either is.
    pub fn min(self, y: impl Into<Elem>) -> Elem {
        self.pick(y.into(), Ordering::Less)
    }

    /// The larger of two, with half of each derivative at a tie; NaN if either is.
    pub fn max(self, y: impl Into<Elem>) -> Elem {
        self.pick(y.into(), Ordering::Greater)
    }

    /// This one where it compares so, else the other.
    fn pick(self, y: Elem, this: Ordering) -> Elem {
        match self.value.partial_cmp(&y.value) {
            None => Elem { value: f64::NAN, derivative: f64::NAN },
            Some(Ordering::Equal) => {
                Elem { derivative: 0.5 * (self.derivative + y.derivative), ..self }
            }
            Some(order) if order == this => self,
            Some(_) => y,
        }
    }

    /// Held between two bounds, with all of the derivative to a bound at it and beyond it; NaN if any
    /// is.
    pub fn clamp(self, low: impl Into<Elem>, high: impl Into<Elem>) -> Elem {
        let (low, high) = (low.into(), high.into());
        if [self, low, high].iter().any(|x| x.value.is_nan()) {
            return Elem { value: f64::NAN, derivative: f64::NAN };
        }
        let raised = if self > low { self } else { low };
        if raised < high { raised } else { high }
    }

    /// `x^y`; NaN for a negative `x` and a `y` that is not whole.
    pub fn powf(self, y: impl Into<Elem>) -> Elem {
        let y = y.into();
        let value = libm::pow(self.value, y.value);
        // Where the power is 0, the logarithm may be infinite.
        let by_y = if value == 0.0 { 0.0 } else { value * libm::log(self.value) };
        let by_x = y.value * libm::pow(self.value, y.value - 1.0);
        Elem { value, derivative: flow(self.derivative, by_x) + flow(y.derivative, by_y) }
    }

    /// `x^n`
    pub fn powi(self, n: i32) -> Elem {
        let x = self.value;
        self.through((x.powi(n), f64::from(n) * x.powi(n.saturating_sub(1))))
    }
}

/// `x^y`; NaN for a negative `x` and a `y` that is not whole.
pub fn powf(x: impl Into<Elem>, y: impl Into<Elem>) -> Elem {
    x.into().powf(y)
}

/// The smaller of two; NaN if either is.
pub fn min(x: impl Into<Elem>, y: impl Into<Elem>) -> Elem {
    x.into().min(y)
}

/// The larger of two; NaN if either is.
pub fn max(x: impl Into<Elem>, y: impl Into<Elem>) -> Elem {
    x.into().max(y)
}

/// `x` held between two bounds; NaN if any is.
pub fn clamp(x: impl Into<Elem>, low: impl Into<Elem>, high: impl Into<Elem>) -> Elem {
    x.into().clamp(low, high)
}
