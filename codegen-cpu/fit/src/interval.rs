//! Search for the widest interval on which a degree meets its target.
//!
//! First come the polynomials alone, whose error falls with a power of the width: bisection, at little cost. In floats the
//! error is larger, by the cancellation in the sum with `a[0]`, which falls with the width too, and by chance. So all segments
//! are then fitted in full, and made narrower as needed (`narrow`).

use crate::chebyshev::{self, Nodes};
use crate::cost_model;
use crate::element::Element;
use crate::grid::{Grid, Index};
use crate::judge::Judge;
use crate::narrow::{self, Segmented, order};
use crate::segment::{self, Fitted};
use crate::symmetry::Symmetry;
use crate::table::{Centring, Design, End, Segment, Table};
use crate::view::View;

/// Search for the widest segments of one table layout: the settings that all segments share.
#[derive(Clone)]
pub(crate) struct Search<'a> {
    pub(crate) view: &'a View<'a>,
    pub(crate) index: Index,
    pub(crate) entries: usize,
    pub(crate) design: Design,
    places: Vec<f64>,
}

impl<'a> Search<'a> {
    pub(crate) fn new(view: &'a View<'a>, index: Index, entries: usize, degree: usize) -> Self {
        // A double-float for the slope at a zero matters in f32 only.
        let power = match view.element {
            Element::F32 => view.power().max(!view.roots.is_empty() as usize),
            _ => 0,
        };
        let once = view.once && power <= 1;
        let design = Design {
            symmetry: view.symmetry,
            centring: Centring::Own,
            degree,
            power,
            pair: false,
            once,
        };
        Search { view, index, entries, design, places: chebyshev::places(degree) }
    }

    /// Returns the search with plain floats for slopes at zeros, instead of double-floats.
    ///
    /// Returns `None` if this search has no double-floats for the slopes at simple zeros.
    pub(crate) fn plain(&self) -> Option<Self> {
        let design = Design { power: 0, ..self.design };
        (self.design.power == 1).then(|| Search { design, ..self.clone() })
    }

    /// Returns the search and, for linear symmetry, one that adds the line `slope x` in a last step.
    ///
    /// Linear symmetry is `f(x) - f(-x) = slope x`. Where the line is much larger than the table's value, including it in the
    /// polynomial's last step rounds both. The search itself is left out if it has a double-float slope, which would be added
    /// to a rounded line.
    pub(crate) fn with_line_last(self) -> impl Iterator<Item = Self> {
        let has_line = self.design.once && matches!(self.view.symmetry, Symmetry::Linear { .. });
        // With `power` the slope at a zero would be added to a line that has been rounded already.
        let own = (!has_line || self.design.power == 0).then(|| self.clone());
        let design = Design { once: false, ..self.design };
        own.into_iter().chain(has_line.then_some(Search { design, ..self }))
    }

    /// Returns the search and, if that may be faster, one with two coefficients in one look-up.
    ///
    /// These are the two highest. Enough lower powers have to be left to correct the error that sharing an entry adds.
    pub(crate) fn with_pair(self) -> impl Iterator<Item = Self> {
        let of_use = cost_model::has_pairs(self.entries)
            && self.design.degree >= self.view.power().max(2) + 2;
        let paired = Search { design: Design { pair: true, ..self.design }, ..self.clone() };
        [self].into_iter().chain(of_use.then_some(paired))
    }

    /// Returns a grid of segments of about this width, with as many on either side of zero as needed.
    ///
    /// Returns `None` if the grid would extend further than the table may, or if a breakpoint is not on a border of segments.
    pub(crate) fn grid(&self, width: f64) -> Option<Grid> {
        let mut scale = (1.0 / width) as f32;
        if let Some(kink) = self.view.function.kinks().iter().find(|&&x| x != 0.0) {
            scale = ((scale as f64 * kink.abs()).ceil() / kink.abs()) as f32;
        }
        let entries = self.entries as i32;
        let first = if self.view.symmetric() {
            0
        } else {
            let most = |side: usize| {
                let reach = self.view.reach[side];
                let many = reach.to * scale as f64;
                (if reach.limit.is_some() { many.ceil() } else { many.floor() }) as i32
            };
            let (left, right) = (most(0), most(1));
            if left + right < entries {
                return None;
            }
            // Half of the segments on each side, or those that the other side does not need.
            -left.min((entries / 2).max(entries - right))
        };
        let grid = Grid { index: self.index, scale, first, entries: self.entries };
        let border = |&x: &f64| {
            let x = x as f32;
            let beside = (grid.segment(x.next_down()), grid.segment(x));
            x == 0.0 || !grid.holds(x) || beside.0 != beside.1
        };
        self.view.function.kinks().iter().all(border).then_some(grid)
    }

    /// Returns the greatest segment width worth trying.
    ///
    /// At this width all segments together cover the whole range that the table may cover. It is reduced if no grid with that
    /// width exists.
    pub(crate) fn widest(&self) -> f64 {
        let [left, right] = self.view.reach;
        let all = if self.view.symmetric() { right.to } else { left.to + right.to };
        // The ends have to be on borders of segments.
        let mut width = all / self.entries as f64;
        while self.grid(width).is_none() && width > all / 1024.0 {
            width *= Self::STEP;
        }
        width
    }

    pub(crate) fn nodes(&self, grid: &Grid, i: usize) -> Nodes {
        Nodes::new(self.view, &self.places, grid.start(i), grid.start(i + 1))
    }

    /// Returns the greatest segment width at which polynomials have a relative error of at most `off`.
    ///
    /// Rounding is not considered. Returns `None` if a 32nd of the greatest width worth trying is still too wide.
    pub(crate) fn widest_polynomials(&self, off: f64) -> Option<f64> {
        let mut hot = 0.0;
        let mut good = |width: f64| {
            let Some(grid) = self.grid(width) else { return false };
            let bad = order(&grid, hot).find(|&i| {
                segment::approximation(self.view, self.design.degree, &self.nodes(&grid, i)) > off
            });
            if let Some(i) = bad {
                hot = 0.5 * (grid.start(i) + grid.start(i + 1));
            }
            bad.is_none()
        };
        let widest = self.widest();
        if good(widest) {
            return Some(widest);
        }
        // Numbers of halvings of the width: one that is enough, and one that is not.
        let (mut enough, mut few) = (5.0, 0.0);
        if !good(widest / 32.0) {
            return None;
        }
        for _ in 0..8 {
            let middle: f64 = 0.5 * (enough + few);
            if good(widest * libm::exp2(-middle)) { enough = middle } else { few = middle }
        }
        Some(widest * libm::exp2(-enough))
    }

    /// Returns a table whose segments are within the target and as wide as possible, but at most `from`.
    ///
    /// `from` is a width, and `target` an error in units in the last place. Returns `None` if no width is narrow enough.
    pub(crate) fn table(&self, from: f64, target: f64) -> Option<Table> {
        let (grid, segments, ulp) = narrow::all(self, from, target, &mut None)?;
        Some(self.finish(grid, segments, ulp))
    }

    pub(crate) fn finish(&self, grid: Grid, segments: Vec<Segment>, ulp: f64) -> Table {
        let mut design = self.design;
        if segments.iter().all(|s| s.high == 0.0) {
            design.power = 0;
        }
        let (low, high) = grid.ends(self.view.symmetric());
        let ends = [End::Clamp; 2];
        let mut table = Table { design, grid, segments, low, high, ends, ulp };
        table.ends = [0, 1].map(|side| self.end(&table, side));
        table
    }

    /// Returns how arguments beyond the ends of a table on this grid would be treated.
    ///
    /// The table's values are assumed to be correct.
    pub(crate) fn hoped(&self, grid: &Grid) -> [End; 2] {
        [0, 1].map(|side| {
            let edge = grid.start(if side == 0 { 0 } else { self.entries }).abs();
            let reach = self.view.reach[side];
            // A reach is slightly larger than necessary.
            match reach.limit {
                Some(_) if edge >= reach.to * 0.999 => End::Clamp,
                _ if reach.to == 0.0 => End::Unused,
                _ => End::SlowPath,
            }
        })
    }

    /// Returns the cost of a table on this grid in nanoseconds per element, if its values are correct.
    pub(crate) fn hope(&self, grid: &Grid) -> f64 {
        let within = [grid.start(0), grid.start(self.entries)];
        cost_model::cost(self.entries, &self.design, within, self.hoped(grid), self.view.functions)
    }

    /// Returns how arguments beyond one end of a table are treated.
    ///
    /// `side` is 0 for the lower end and 1 for the upper. Arguments are clamped only if the table's last value rounds to the
    /// limit that the function has reached there.
    fn end(&self, table: &Table, side: usize) -> End {
        let (view, last) = (self.view, [table.low, table.high.next_down()][side]);
        let rounded = |v: f64| view.element.round(v);
        let there = |x: f32, want: Option<f64>| {
            let got = table.eval(x).map(|v| rounded(v as f64));
            want.is_none_or(|want| got == Some(rounded(want)))
        };
        match (self.hoped(&table.grid)[side], view.reach[side].limit) {
            (End::Clamp, Some(limit)) => {
                let own = last * view.symmetry.sign() as f32;
                let good =
                    there(own, Some(limit)) && there(-own, view.symmetry.other(limit, last as f64));
                if good { End::Clamp } else { End::SlowPath }
            }
            (end, _) => end,
        }
    }
}

impl Segmented for Search<'_> {
    type Segment = Segment;
    const STEP: f64 = 0.985;
    const SAMPLES: usize = 8192;
    const OUTER_FIRST: bool = false;

    fn grid(&self, width: f64) -> Option<Grid> {
        self.grid(width)
    }

    fn fit(&self, grid: &Grid, i: usize, samples: usize, target: f64) -> Fitted<Segment> {
        segment::fit(self.view, &self.design, &self.nodes(grid, i), samples, target)
    }

    fn worst(&self, segment: &Segment, at: [f64; 2], samples: usize, enough: f64) -> f64 {
        let [left, right] = at;
        Judge::new(self.view, left, right, samples).worst(&(&self.design, segment), enough)
    }
}
