//! One element of a tensor in f64, on which formulas run as ordinary Rust.
//!
//! Values are computed here by hand and pass through none of the graph's passes, so that a formula run on [`Elem`]s is
//! an independent reference for its graphs and kernels.

use crate::functions;
use op_dsl_ir::row::RowFunction;
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

/// One element of a tensor.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Elem(pub f64);

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

/// One number per row, which all elements along the last dimension of the results share: the tensor has size 1 there.
pub type PerRow = Elem;

/// Parameter type of a tensor of integers whose sum is the number of rows to compute.
///
/// The other rows of the results are zeros. Formulas cannot read the number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows;

/// An attribute that names a dimension, in `[-rank, rank - 1]`.
pub type Dim = i64;

impl From<f64> for Elem {
    fn from(value: f64) -> Elem {
        Elem(value)
    }
}

impl From<f32> for Elem {
    fn from(value: f32) -> Elem {
        Elem(value.into())
    }
}

impl From<i64> for Elem {
    /// Converts the integer to the nearest f32 number, as kernels do.
    fn from(value: i64) -> Elem {
        Elem::from(value as f32)
    }
}

impl Neg for Elem {
    type Output = Elem;
    fn neg(self) -> Elem {
        Elem(-self.0)
    }
}

macro_rules! arithmetic {
    ($($op:ident $f:ident),*) => {$(
        impl $op for Elem {
            type Output = Elem;
            fn $f(self, y: Elem) -> Elem {
                Elem(self.0.$f(y.0))
            }
        }
        impl $op<f64> for Elem {
            type Output = Elem;
            fn $f(self, y: f64) -> Elem {
                Elem(self.0.$f(y))
            }
        }
        impl $op<Elem> for f64 {
            type Output = Elem;
            fn $f(self, y: Elem) -> Elem {
                Elem(self.$f(y.0))
            }
        }
    )*};
}
arithmetic!(Add add, Sub sub, Mul mul, Div div, Rem rem);

impl PartialEq<f64> for Elem {
    fn eq(&self, y: &f64) -> bool {
        self.0 == *y
    }
}

impl PartialEq<Elem> for f64 {
    fn eq(&self, y: &Elem) -> bool {
        *self == y.0
    }
}

impl PartialOrd<f64> for Elem {
    fn partial_cmp(&self, y: &f64) -> Option<Ordering> {
        self.0.partial_cmp(y)
    }
}

impl PartialOrd<Elem> for f64 {
    fn partial_cmp(&self, y: &Elem) -> Option<Ordering> {
        self.partial_cmp(&y.0)
    }
}

/// Defines functions of one element, such as `exp`, as methods of `Elem` and as free functions.
macro_rules! functions {
    ($($f:ident $formula:literal;)*) => {
        impl Elem {
            $(#[doc = concat!("`", $formula, "`")]
            pub fn $f(self) -> Elem {
                Elem(functions::$f(self.0))
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
    pub fn min(self, y: impl Into<Elem>) -> Elem {
        self.pick(y.into(), Ordering::Less)
    }

    /// Returns the larger of two elements; NaN if either is NaN.
    pub fn max(self, y: impl Into<Elem>) -> Elem {
        self.pick(y.into(), Ordering::Greater)
    }

    /// Returns this element if it equals `y` or its ordering against `y` is `this`, else `y`; NaN if either is NaN.
    fn pick(self, y: Elem, this: Ordering) -> Elem {
        match self.partial_cmp(&y) {
            None => Elem(f64::NAN),
            Some(order) if order == this || order.is_eq() => self,
            Some(_) => y,
        }
    }

    /// Clamps the element to `[low, high]`; NaN if any argument is NaN.
    pub fn clamp(self, low: impl Into<Elem>, high: impl Into<Elem>) -> Elem {
        high.into().min(low.into().max(self))
    }

    /// Returns the element. In formulas its derivative is that of `surrogate`.
    pub fn with_grad(self, surrogate: impl Into<Elem>) -> Elem {
        let _ = surrogate.into();
        self
    }

    /// `x^y`; NaN for a negative `x` and a `y` that is not an integer.
    pub fn powf(self, y: impl Into<Elem>) -> Elem {
        Elem(libm::pow(self.0, y.into().0))
    }

    /// The remainder `x - y trunc(x / y)`, exactly, with the sign of `x`; the operator `%` is the same.
    #[allow(
        clippy::should_implement_trait,
        reason = "formulas call it without the trait, on numbers too"
    )]
    pub fn rem(self, y: impl Into<Elem>) -> Elem {
        Elem(libm::fmod(self.0, y.into().0))
    }

    /// `x^n`
    pub fn powi(self, n: i32) -> Elem {
        Elem(self.0.powi(n))
    }
}

/// The largest number of f32. Formulas compute with real numbers, and larger ones count as infinite.
const LARGEST: f64 = f32::MAX as f64;

impl Elem {
    /// Returns whether the value is NaN.
    pub fn is_nan(self) -> bool {
        self.0.is_nan()
    }

    /// Returns whether the magnitude of the value is beyond the largest number of f32.
    pub fn is_inf(self) -> bool {
        self.0.abs() > LARGEST
    }

    /// Returns whether the value is neither NaN nor in magnitude beyond the largest number of f32.
    pub fn is_finite(self) -> bool {
        self.0.abs() <= LARGEST
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

/// The remainder `x - y trunc(x / y)`, exactly, with the sign of `x`.
pub fn rem(x: impl Into<Elem>, y: impl Into<Elem>) -> Elem {
    x.into().rem(y)
}

/// Defines functions of a row, as methods of `Elem` and as free functions.
macro_rules! row_functions {
    ($($f:ident $function:ident $doc:literal)*) => {
        impl Elem {
            $(#[doc = $doc]
            #[doc = ""]
            #[doc = "Rust code that calls the formula on one element computes a row of this element."]
            pub fn $f(self) -> Elem {
                Elem(RowFunction::$function.of(&[self.0]))
            })*
        }
        $(#[doc = $doc]
        #[doc = ""]
        #[doc = "Rust code that calls the formula on one element computes a row of this element."]
        pub fn $f(x: impl Into<Elem>) -> Elem {
            x.into().$f()
        })*
    };
}
row_functions! {
    row_sum Sum "Sum over the row, that is over the last dimension of the results."
    row_mean Mean "Mean over the row, that is over the last dimension of the results."
    row_max Max "Maximum over the row, that is over the last dimension of the results."
}

/// Returns the smaller of two elements; NaN if either is NaN.
pub fn min(x: impl Into<Elem>, y: impl Into<Elem>) -> Elem {
    x.into().min(y)
}

/// Returns the larger of two elements; NaN if either is NaN.
pub fn max(x: impl Into<Elem>, y: impl Into<Elem>) -> Elem {
    x.into().max(y)
}

/// Returns `value`. In formulas its derivative is that of `surrogate`.
pub fn with_grad(value: impl Into<Elem>, surrogate: impl Into<Elem>) -> Elem {
    value.into().with_grad(surrogate)
}

/// Clamps `x` to `[low, high]`; NaN if any argument is NaN.
pub fn clamp(x: impl Into<Elem>, low: impl Into<Elem>, high: impl Into<Elem>) -> Elem {
    x.into().clamp(low, high)
}
