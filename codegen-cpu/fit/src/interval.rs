//! The widest interval on which a degree meets its target.
//!
//! First the polynomials alone, whose error falls with a power of the width: bisection, at little cost.
//! In floats they are worse, by what cancels in the sum with `a[0]`, which falls with the width too,
//! and by bad luck. So all segments are fitted in full, and made narrower as needed (`narrow`).

use crate::element::Element;
use crate::grid::{Grid, Index};
use crate::judge::Judge;
use crate::narrow::{self, Segmented, order};
use crate::nodes::{self, Nodes};
use crate::policy;
use crate::segment::{self, Fitted};
use crate::symmetry::Symmetry;
use crate::table::{Centring, Design, End, Segment, Table};
use crate::view::View;

/// What all segments of a search have in common.
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
        // Two floats for the slope at a zero matter in f32 alone.
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
        Search { view, index, entries, design, places: nodes::places(degree) }
    }

    /// The same without two floats for the slope at simple zeros, if there are any.
    pub(crate) fn plain(&self) -> Option<Self> {
        let design = Design { power: 0, ..self.design };
        (self.design.power == 1).then(|| Search { design, ..self.clone() })
    }

    /// The same and, of a function that a line is added to, the same without the line in the last step: where the line is much
    /// larger than the table's value, both are rounded.
    pub(crate) fn with_line_last(self) -> impl Iterator<Item = Self> {
        let has_line = self.design.once && matches!(self.view.symmetry, Symmetry::Linear { .. });
        // The slope at a zero would be added to a line that has been rounded.
        let own = (!has_line || self.design.power == 0).then(|| self.clone());
        let design = Design { once: false, ..self.design };
        own.into_iter().chain(has_line.then_some(Search { design, ..self }))
    }

    /// The same and, where that may be faster and lower powers are left, the same with the two highest coefficients in one
    /// look-up.
    pub(crate) fn with_pair(self) -> impl Iterator<Item = Self> {
        let of_use =
            policy::has_pairs(self.entries) && self.design.degree >= self.view.power().max(2) + 2;
        let paired = Search { design: Design { pair: true, ..self.design }, ..self.clone() };
        [self].into_iter().chain(of_use.then_some(paired))
    }

    /// Segments of about this width, as many to either side of zero as the function has use for.
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
            // Half of them each, or what the other side leaves.
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

    /// The widest segments that there is use for.
    pub(crate) fn widest(&self) -> f64 {
        let [left, right] = self.view.reach;
        let all = if self.view.symmetric() { right.to } else { left.to + right.to };
        // Whole segments must fit in.
        let mut width = all / self.entries as f64;
        while self.grid(width).is_none() && width > all / 1024.0 {
            width *= Self::STEP;
        }
        width
    }

    pub(crate) fn nodes(&self, grid: &Grid, i: usize) -> Nodes {
        Nodes::new(self.view, &self.places, grid.start(i), grid.start(i + 1))
    }

    /// The widest segments, of those that there is use for, whose polynomials are no more than `off` from
    /// the function.
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
        // Halvings of the width that are surely enough, and surely not.
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

    /// A table with segments as wide as can be, but no wider than this, that are all within the target.
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

    /// The ends that a table has whose values are right.
    pub(crate) fn hoped(&self, grid: &Grid) -> [End; 2] {
        [0, 1].map(|side| {
            let edge = grid.start(if side == 0 { 0 } else { self.entries }).abs();
            let reach = self.view.reach[side];
            // A reach is a little more than it must be.
            match reach.limit {
                Some(_) if edge >= reach.to * 0.999 => End::Clamp,
                _ if reach.to == 0.0 => End::Unused,
                _ => End::SlowPath,
            }
        })
    }

    /// What tables on a grid cost if their values are right.
    pub(crate) fn hope(&self, grid: &Grid) -> f64 {
        let within = [grid.start(0), grid.start(self.entries)];
        policy::cost(self.entries, &self.design, within, self.hoped(grid), self.view.functions)
    }

    /// What becomes of numbers beyond an end: held inside only if the table's last value is the limit
    /// that the function has become there.
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
