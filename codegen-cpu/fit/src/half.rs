//! Tables for 16-bit results: all inputs there are decide.
//!
//! There are 65,536. A table is good if all but a few of them come out as the function's value rounded
//! once, and those as its neighbour. So the table's model is run on all of them, and nothing is
//! estimated. Segments need no centre of their own: `d` is `z` itself, or the distance to a whole
//! multiple of the width, which leaves one look-up out.

use crate::element::Element;
use crate::function::Function;
use crate::grid::Index;
use crate::interval::Search;
use crate::nodes::Nodes;
use crate::policy;
use crate::request::{Request, WORTH};
use crate::squares::Problem;
use crate::table::{Centring, Design, MAX_DEGREE, Segment, Table};
use crate::view::View;

/// So many of all inputs may come out as a neighbour of the right result: 99.98 % are right.
const WRONG: usize = 13;
/// Halfway between two numbers, up to this part of a unit, either is right.
const TIE: f64 = 1e-8;
/// Inputs of this size are looked at first.
const NEAR: core::ops::Range<f32> = 1.0 / 512.0..64.0;
/// A table reaches so far at least, or to where the function has become its limit.
const NEAREST: f64 = 3.9;
/// More than this is of little use.
const FURTHEST: f64 = 11.0;
/// Widths between the widest and the narrowest are halved so often.
const HALVINGS: usize = 4;
/// A width that turns out not to be good is made smaller by these.
const STEPS: [f64; 3] = [1.0, 0.96, 0.9];
/// So often are weights adapted.
const LAWSON: usize = 3;

/// All inputs of a type, and what the function is there.
pub(crate) struct Truth {
    /// A share of those where tables mostly fail, and the others, those of the same sizes first.
    some: Vec<(f32, f64)>,
    rest: Vec<(f32, f64)>,
    element: Element,
}

impl Truth {
    pub(crate) fn new(function: &Function, element: Element) -> Self {
        let mut inputs = element.inputs();
        inputs.retain(|&x| function.covers(x as f64));
        let values = function.values(&inputs.iter().map(|&x| x as f64).collect::<Vec<_>>());
        let mut truth = Truth { some: Vec::new(), rest: Vec::new(), element };
        let mut far = Vec::new();
        for (j, known) in inputs.into_iter().zip(values).enumerate() {
            // Odd ones: values at round numbers are often all but halfway, for every table alike.
            let odd = (j + 1).is_multiple_of(thinned(element).0);
            match NEAR.contains(&known.0.abs()) {
                true if odd => truth.some.push(known),
                true => truth.rest.push(known),
                false => far.push(known),
            }
        }
        truth.rest.append(&mut far);
        truth
    }

    /// Whether some of the inputs show that a table is not good.
    fn doubts(&self, table: &Table, before: f64) -> bool {
        self.wrong(table, before, &self.some, thinned(self.element).1).is_none()
    }

    /// The largest error of a table that is good, in units in the last place: zero or one.
    fn judge(&self, table: &Table, before: f64) -> Option<f64> {
        let some = self.wrong(table, before, &self.some, WRONG)?;
        let rest = self.wrong(table, before, &self.rest, WRONG - some)?;
        Some((some + rest > 0) as u8 as f64)
    }

    /// How many come out as a neighbour of the right result: none if too many, or as something else, or if some is off
    /// by more than `before` units before it is rounded.
    fn wrong(
        &self,
        table: &Table,
        before: f64,
        inputs: &[(f32, f64)],
        most: usize,
    ) -> Option<usize> {
        let mut wrong = 0;
        for &(x, want) in inputs {
            let Some(got) = table.eval(x) else { continue };
            let (ulp, right) = (self.element.ulp(want), self.element.round(want));
            // Just below 1 the unit is that of 1, as where a function has become its limit.
            if (f64::from(got) - want).abs() > before * self.element.ulp(right) {
                return None;
            }
            let got = self.element.round(f64::from(got));
            let off = (got - want).abs();
            if off <= ulp * (0.5 + TIE) || got == right {
                continue;
            }
            wrong += 1;
            if wrong > most || off > ulp {
                return None;
            }
        }
        Some(wrong)
    }
}

/// Of so many inputs one is looked at first, and so many of these may be wrong: bf16 has few where it
/// matters, f16 has as many elsewhere that every table gets wrong.
fn thinned(element: Element) -> (usize, usize) {
    if element == Element::F16 { (4, 3) } else { (1, WRONG) }
}

/// What a polynomial may be off at most, relative to the value: more is beyond hope.
fn hopeless(element: Element) -> f64 {
    element.ulp(1.0) * if element == Element::F16 { 1.0 / 32.0 } else { 0.25 }
}

/// A kind of table, and how wide its segments would be if polynomials alone decided.
pub(crate) struct Hope<'a> {
    cost: f64,
    width: f64,
    search: Search<'a>,
}

/// All kinds of tables of a view.
pub(crate) fn hopes<'a>(view: &'a View<'a>, request: &Request) -> Vec<Hope<'a>> {
    // With all of them about zero, or with the middle of a segment at zero.
    let mut layouts = vec![(Centring::Origin, request.index)];
    if view.function.smooth() {
        layouts.push((Centring::Equal, Index::Nearest));
    }
    let mut hopes = Vec::new();
    let degrees = view.power().max(1)..=MAX_DEGREE;
    for degree in request.degrees.clone().filter(|degree| degrees.contains(degree)) {
        let searches = layouts.iter().map(|&(centring, index)| {
            let mut search = Search::new(view, index, request.entries, degree);
            search.design = Design { centring, power: 0, ..search.design };
            search
        });
        // Half a segment more or less on either side is of no account here.
        let widest =
            searches.clone().next().and_then(|s| s.widest_polynomials(hopeless(view.element)));
        let Some(widest) = widest else { continue };
        for search in searches {
            let width = widest.min(across(&search, FURTHEST)).min(search.widest());
            let Some(grid) = search.grid(width) else { continue };
            hopes.push(Hope { cost: search.hope(&grid), width, search });
        }
    }
    hopes
}

/// The best table of all kinds, if there is one.
pub(crate) fn best(mut hopes: Vec<Hope>) -> Option<Table> {
    hopes.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let mut best: Option<(f64, Table)> = None;
    for hope in &hopes {
        if best.as_ref().is_some_and(|(cost, _)| cost * WORTH <= hope.cost) {
            break;
        }
        let Some(table) = widest(&hope.search, hope.width) else { continue };
        let cost = policy::of(&table);
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, table));
        }
    }
    best.map(|(_, table)| table)
}

/// The width of segments that neither side's reach exceeds this with.
fn across(search: &Search, most: f64) -> f64 {
    search.view.reach.iter().map(|r| r.to.min(most)).sum::<f64>() / search.entries as f64
}

/// The table of the widest segments that are good.
fn widest(search: &Search, widest: f64) -> Option<Table> {
    let before = search.view.before;
    let truth = search.view.function.truth(search.view.element);
    let promising = |width: f64| table(search, width).filter(|table| !truth.doubts(table, before));
    let narrowest = across(search, NEAREST).min(widest);
    let mut width = widest;
    if promising(widest).is_none() {
        promising(narrowest)?;
        let (mut enough, mut few) = (narrowest, widest);
        for _ in 0..HALVINGS {
            let middle = (enough * few).sqrt();
            if promising(middle).is_some() { enough = middle } else { few = middle }
        }
        width = enough;
    }
    for step in STEPS {
        width *= step;
        if let Some(table) = table(search, width)
            && let Some(ulp) = truth.judge(&table, before)
        {
            return Some(Table { ulp, ..table });
        }
    }
    None
}

/// The table of a width.
fn table(search: &Search, width: f64) -> Option<Table> {
    let grid = search.grid(width)?;
    let back = 1.0 / grid.scale;
    let segments = (0..grid.entries).map(|i| {
        let centre = match search.design.centring {
            Centring::Equal => (grid.first + i as i32) as f32 * back,
            _ => 0.0,
        };
        polynomial(search, &search.nodes(&grid, i), centre)
    });
    let segments = segments.collect();
    Some(search.finish(grid, segments, 0.0))
}

/// The polynomial of one segment.
fn polynomial(search: &Search, nodes: &Nodes, centre: f32) -> Segment {
    let mut segment = Segment { centre, ..Segment::EMPTY };
    let (left, right) = (nodes.left, nodes.right);
    let beside = left < 1e-12 && right > -1e-12 && centre == 0.0;
    let first = if beside { search.view.zero[(right > 1e-12) as usize].power() } else { 0 };
    // With the sign that leaves zeros theirs.
    segment.a[..first].fill(-0.0);
    let problem =
        Problem { nodes, centre: centre as f64, base: 0.0, first, degree: search.design.degree };
    problem.solve(LAWSON, |k, c| {
        segment.a[k] = c as f32;
        segment.a[k] as f64
    });
    segment
}
