//! The pair of functions that a joint table is fitted to, and its evaluation order.

use super::{Joint, Piece, Steps};
use crate::cost_model;
use crate::grid::Grid;
use crate::interval::Search;
use crate::table::End;
use crate::view::View;

/// A function, its derivative, and the evaluation order of their joint table.
pub(crate) struct Pair<'a> {
    pub(super) f: &'a View<'a>,
    /// Search over the derivative's polynomials, whose degree is lower by one.
    pub(super) search: &'a Search<'a>,
    pub(super) steps: Steps,
}

impl<'a> Pair<'a> {
    /// Returns the function and its derivative, both as functions of the variable that their shared table is indexed by: `x` or `|x|`.
    pub(super) fn views(&self) -> [&'a View<'a>; 2] {
        [self.f, self.search.view]
    }

    /// Returns how arguments beyond the lower and the upper end of the joint table are treated.
    fn ends(&self) -> [End; 2] {
        self.search.view.reach.map(|r| if r.to == 0.0 { End::Unused } else { End::SlowPath })
    }

    /// Returns the cost of a joint table on this grid in nanoseconds per element, if it meets its target.
    pub(super) fn cost(&self, grid: &Grid) -> f64 {
        let (low, high) = (grid.start(0), grid.start(grid.entries));
        cost_model::joint_cost(grid.entries, &self.steps, [low, high], self.ends())
    }

    /// Builds the joint table from a grid, its segments and their largest error.
    pub(super) fn finish(&self, (grid, segments, ulp): (Grid, Vec<Piece>, f64)) -> Joint {
        let (low, high) = grid.ends(self.search.view.symmetric());
        Joint { steps: self.steps, grid, segments, low, high, ends: self.ends(), ulp }
    }
}
