//! What a joint table is fitted to, and its arrangement.

use super::{Joint, Piece, Steps};
use crate::grid::Grid;
use crate::interval::Search;
use crate::policy;
use crate::table::End;
use crate::view::View;

/// A function and its derivative, and how a table of both is to be.
pub(crate) struct Pair<'a> {
    pub(super) f: &'a View<'a>,
    /// The derivative's polynomials, whose degree is less by one.
    pub(super) search: &'a Search<'a>,
    pub(super) steps: Steps,
}

impl<'a> Pair<'a> {
    /// The function and its derivative.
    pub(super) fn views(&self) -> [&'a View<'a>; 2] {
        [self.f, self.search.view]
    }

    /// What is beyond an end.
    fn ends(&self) -> [End; 2] {
        self.search.view.reach.map(|r| if r.to == 0.0 { End::Unused } else { End::SlowPath })
    }

    /// What tables on a grid cost if their values are right.
    pub(super) fn cost(&self, grid: &Grid) -> f64 {
        let (low, high) = (grid.start(0), grid.start(grid.entries));
        policy::joint_cost(grid.entries, &self.steps, [low, high], self.ends())
    }

    /// The table of segments that were found on a grid, and of their largest error.
    pub(super) fn finish(&self, (grid, segments, ulp): (Grid, Vec<Piece>, f64)) -> Joint {
        let (low, high) = grid.ends(self.search.view.symmetric());
        Joint { steps: self.steps, grid, segments, low, high, ends: self.ends(), ulp }
    }
}
