//! What is asked of a table.

use crate::element::Element;
use crate::grid::Index;
use crate::table::MAX_DEGREE;
use core::ops::RangeInclusive;

/// What is asked of a table.
#[derive(Clone, Debug)]
pub struct Request {
    /// What results are rounded to.
    pub element: Element,
    /// Segments: what one look-up holds.
    pub entries: usize,
    /// How the evaluator finds a segment.
    pub index: Index,
    /// Degrees that may be taken; none is above [`MAX_DEGREE`].
    pub degrees: RangeInclusive<usize>,
    /// The largest error that is possible at any sample, in units in the last place of f32: what the polynomial is off there,
    /// and all that rounding can do. Nothing for 16 bits, which have a criterion of their own.
    pub target: f64,
    /// The target of values that are multiplied before they are rounded, in the least units that their products have, which are
    /// half as large as their own can be. The product's rounding is half a unit more.
    pub product: f64,
    /// If a target is beyond reach, it may be raised to this, or by this factor.
    pub most: f64,
    /// Whether something multiplies values before they are rounded. Then they keep their digits as far down as the
    /// greatest number of the type brings products into its range.
    pub multiplied: bool,
    /// Whether the variable is a product, which is any float, whatever results are rounded to.
    pub of_product: bool,
    /// What several functions are looked up by together is of use if it costs less than this: in nanoseconds, see
    /// [`Table::cost`](crate::Table::cost).
    pub under: f64,
}

impl Request {
    /// With what suits evaluators whose look-ups hold so many floats: 32 on AVX-512, 16 or 8 elsewhere.
    pub fn new(element: Element, entries: usize) -> Self {
        let wide = entries >= 32;
        Request {
            element,
            entries,
            index: if wide { Index::Down } else { Index::Product },
            degrees: if element == Element::F32 { 3..=MAX_DEGREE } else { 1..=9 },
            // Wide segments lose more: a table that reaches far enough is worth a third of a unit.
            target: if wide { 1.3 } else { 1.6 },
            // Measured: no degree more than values need that are not multiplied, and no table ends much earlier.
            product: if wide { 1.8 } else { 2.0 },
            most: 2.2,
            multiplied: false,
            of_product: false,
            under: f64::INFINITY,
        }
    }

    /// What values may be off before they are rounded, in units in the last place.
    pub(crate) fn before(&self) -> f64 {
        match self.element {
            Element::F32 => f64::INFINITY,
            _ if self.of_product => OF_PRODUCT,
            _ if self.multiplied => BEFORE,
            _ => f64::INFINITY,
        }
    }

    /// Whether errors count as those of products do. Values of a variable that is a product are mostly multiplied as two floats.
    pub(crate) fn counts_products(&self) -> bool {
        self.element == Element::F32 && self.multiplied && !self.of_product
    }

    /// Where no list of inputs decides: the largest errors, as wished and at most, in units in the last place of f32.
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

/// What is multiplied before it is rounded may be off by this part of a unit of 16 bits: doubled where the product's
/// unit is the smaller one, and rounded, it is off by one at most.
pub(crate) const BEFORE: f64 = 0.25;

/// Values of 16 bits at any float may be off by this part of a unit. The share of results that are not rounded
/// correctly is twice the mean error, which is a small part of the largest: of all inputs less than 0.02 %.
const OF_PRODUCT: f64 = 1.0 / 1024.0;

/// The target where values are asked for as two floats, for what else they are multiplied by: polynomials must be as near.
const CLOSE: f64 = 1.3;
