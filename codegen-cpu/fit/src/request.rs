//! Requirements that a table has to meet.

use crate::element::Element;
use crate::grid::Index;
use crate::table::MAX_DEGREE;
use core::ops::RangeInclusive;

/// Requirements that a table has to meet.
#[derive(Clone, Debug)]
pub struct Request {
    /// Format that results are rounded to.
    pub element: Element,
    /// Number of segments, which is what one look-up holds.
    pub entries: usize,
    /// How the evaluator finds a segment.
    pub index: Index,
    /// Degrees to choose from; none is above [`MAX_DEGREE`].
    pub degrees: RangeInclusive<usize>,
    /// Largest possible error at any sample, in units in the last place of f32.
    ///
    /// It is the error of the polynomial there plus the bound of all rounding. 16-bit types do not use it, because they have a
    /// criterion of their own.
    pub target: f64,
    /// Target of values that are multiplied before they are rounded.
    ///
    /// It counts in the smallest unit that their products can have. That unit is up to half as large as the value's own. The
    /// rounding of the product adds half a unit.
    pub product: f64,
    /// Limit up to which a target that cannot be reached is raised: this value, or for `product` this factor.
    pub most: f64,
    /// True if values are multiplied before they are rounded.
    ///
    /// They then keep their digits down to the least value that the greatest number of the type brings into its range.
    pub multiplied: bool,
    /// True if the variable is a product, which can be any float, whatever format results are rounded to.
    pub of_product: bool,
    /// Cost below which a table of several functions is of use, in nanoseconds.
    ///
    /// See [`Table::cost`](crate::Table::cost).
    pub under: f64,
}

impl Request {
    /// Returns the defaults for an evaluator whose look-up holds `entries` floats.
    ///
    /// That is 32 on AVX-512, 16 or 8 elsewhere.
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
    pub(crate) fn before(&self) -> f64 {
        match self.element {
            Element::F32 => f64::INFINITY,
            _ if self.of_product => OF_PRODUCT,
            _ if self.multiplied => BEFORE,
            _ => f64::INFINITY,
        }
    }

    /// Returns true if errors count as those of products.
    ///
    /// It is false for a variable that is a product, because such values are mostly multiplied as double-floats.
    pub(crate) fn counts_products(&self) -> bool {
        self.element == Element::F32 && self.multiplied && !self.of_product
    }

    /// Largest errors, as desired and at most, in units in the last place of f32.
    ///
    /// They apply where the criterion is not a list of all inputs.
    pub(crate) fn targets(&self) -> [f64; 2] {
        let units = self.element.ulp(1.0) / Element::F32.ulp(1.0);
        match self.element {
            Element::F32 if self.counts_products() => [self.product, self.most * self.product],
            Element::F32 if self.of_product => [self.target.min(CLOSE), self.most],
            Element::F32 => [self.target, self.most],
            _ => [OF_PRODUCT * units, 2.0 * OF_PRODUCT * units],
        }
    }
}

/// Maximum error of a 16-bit value that is multiplied before it is rounded, in units in the last place.
///
/// It doubles where the product's unit is the smaller one; with the half unit of rounding, the product is off by one unit at
/// most.
pub(crate) const BEFORE: f64 = 0.25;

/// Maximum error of a 16-bit value whose input can be any float, in units in the last place.
///
/// The share of results that are not rounded correctly is twice the mean error, which is a small part of the largest: of all
/// inputs less than 0.02 %.
const OF_PRODUCT: f64 = 1.0 / 1024.0;

/// Target where values are double-floats because they are multiplied further.
///
/// The polynomial has to be as accurate.
const CLOSE: f64 = 1.3;
