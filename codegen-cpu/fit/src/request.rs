//! Requirements that a table has to meet.

use crate::element::Element;
use crate::grid::Index;
use crate::symmetry::Symmetry;
use crate::table::MAX_DEGREE;
use core::ops::RangeInclusive;

/// Requirements that a table has to meet.
#[derive(Clone, Debug)]
pub struct Request {
    /// Format that results are rounded to.
    pub element: Element,
    /// Number of segments, which is the number of floats that one look-up holds.
    pub entries: usize,
    /// How vector code finds the segment of a number.
    pub index: Index,
    /// Degrees to choose from; none is above [`MAX_DEGREE`].
    pub degrees: RangeInclusive<usize>,
    /// Largest possible error at any sample, in units in the last place of f32.
    ///
    /// It is the error of the polynomial there plus the bound of all rounding. 16-bit types have a criterion of their own
    /// instead.
    pub target: f64,
    /// As `target`, for values that are multiplied before they are rounded.
    ///
    /// Errors are counted in the smallest unit in the last place that products of the value can have. That unit is up to half
    /// as large as the value's own. The rounding of the product adds half a unit.
    pub product: f64,
    /// Limit up to which a target that cannot be reached is raised.
    ///
    /// `target` is raised to at most this value, `product` by at most this factor.
    pub most: f64,
    /// True if values are multiplied before they are rounded.
    ///
    /// Values are then accurate down to the least one that a factor of the element type can bring into the range of that type.
    pub multiplied: bool,
    /// True if the function's variable is a product, which can be any float for all element types.
    pub of_product: bool,
    /// Cost below which a table of several functions is of use, in nanoseconds per element.
    ///
    /// See [`Table::cost`](crate::Table::cost).
    pub under: f64,
}

impl Request {
    /// Returns the default requirements for vector code whose look-up holds `entries` floats.
    ///
    /// A look-up holds 32 floats on AVX-512, 16 or 8 elsewhere.
    pub fn new(element: Element, entries: usize) -> Self {
        let wide = entries >= 32;
        Request {
            element,
            entries,
            index: if wide { Index::Down } else { Index::Product },
            degrees: if element == Element::F32 { 3..=MAX_DEGREE } else { 1..=9 },
            // With fewer, wider segments the target is a third of a unit larger, because more is lost and a table has to reach
            // far enough.
            target: if wide { 1.3 } else { 1.6 },
            // Measured: with these no degree is higher than for values that are not multiplied, and no table ends much earlier.
            product: if wide { 1.8 } else { 2.0 },
            most: 2.2,
            multiplied: false,
            of_product: false,
            under: f64::INFINITY,
        }
    }

    /// Maximum error of values before they are rounded, in units in the last place.
    ///
    /// It is infinite where only the rounded result counts.
    pub(crate) fn before(&self) -> f64 {
        match self.element {
            Element::F32 => f64::INFINITY,
            _ if self.of_product => OF_PRODUCT,
            _ if self.multiplied => BEFORE,
            _ => f64::INFINITY,
        }
    }

    /// Returns true if errors are counted in ULPs of a product of the function's value, not of the value itself.
    ///
    /// It is false if the argument of the function is a product, because the value is then mostly kept as a double-float until it
    /// is multiplied.
    pub(crate) fn counts_products(&self) -> bool {
        self.element == Element::F32 && self.multiplied && !self.of_product
    }

    /// Returns true if values on one side of a symmetry, which follow from the other side, are to be rounded only once.
    ///
    /// That takes one more operation for a symmetry about a point. If the argument is a product (two floats), it is possible for
    /// such a symmetry only, because the evaluation of a line does not use the argument's low part. It is then left out in tables
    /// of 32 segments, because it would improve their results too little.
    pub(crate) fn rounds_once(&self, symmetry: Symmetry) -> bool {
        let is_point = matches!(symmetry, Symmetry::Point { .. });
        let is_product = self.element == Element::F32 && self.multiplied && self.of_product;
        self.counts_products() && symmetry.once() || is_product && is_point && self.entries < 32
    }

    /// Returns the desired and the greatest allowed error, in units in the last place of f32.
    ///
    /// `is_zero` says that the function is 0 at 0. They do not apply to 16-bit tables that are judged by all inputs.
    pub(crate) fn targets(&self, is_zero: bool) -> [f64; 2] {
        let units = self.element.ulp(1.0) / Element::F32.ulp(1.0);
        let product = if is_zero { self.product.min(PRODUCT_AT_ZERO) } else { self.product };
        match self.element {
            Element::F32 if self.counts_products() => [product, self.most * product],
            Element::F32 if self.of_product => [self.target.min(CLOSE), self.most],
            Element::F32 => [self.target, self.most],
            _ => [OF_PRODUCT * units, 2.0 * OF_PRODUCT * units],
        }
    }
}

/// Maximum error of a 16-bit value that is multiplied before it is rounded, in units in the last place.
///
/// The error doubles where the product's unit is the smaller one; with the half unit of rounding, the product is off by one unit at
/// most.
pub(crate) const BEFORE: f64 = 0.25;

/// Maximum error of a 16-bit value whose input can be any float, in units in the last place.
///
/// The share of results that are not rounded correctly is twice the mean error, which is a small part of the largest error. It
/// is less than 0.02 % of all inputs.
const OF_PRODUCT: f64 = 1.0 / 1024.0;

/// Target for values that are double-floats because they are multiplied further.
///
/// It is an error in units in the last place, and the polynomial has to be as accurate.
const CLOSE: f64 = 1.3;

/// Target for values that are multiplied, in tables of functions that are 0 at 0.
///
/// Near the zero such a value is rounded twice before it is multiplied. With 2 as the target, products of the derivative of
/// `x tanh(x / 2)` were 2.01 units off in tables of 8 segments.
const PRODUCT_AT_ZERO: f64 = 1.85;

/// Maximum error of a polynomial in units in the last place of f16; no table is tried above it.
pub(crate) const HOPELESS: f64 = 1.0 / 32.0;
