//! Tables for 16-bit results: all inputs there are decide.
//!
//! There are 65,536. A table is good if all but a few of them come out as the function's value rounded
//! once, and those as its neighbour. So the table's model is run on all of them, and nothing is
//! estimated. Segments need no centre of their own: `d` is `z` itself, or the distance to a whole
//! multiple of the width, which leaves one look-up out.

use crate::element::Element;
use crate::grid::Index;
use crate::interval::Search;
use crate::mend::mend;
use crate::nodes::Nodes;
use crate::policy;
use crate::request::Request;
use crate::squares::Problem;
use crate::table::{Centring, Design, MAX_DEGREE, Segment, Table};
use crate::truth::{Results, Share};
use crate::view::View;
use std::collections::BTreeSet;

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
/// So many times more inputs than may be wrong can be mended.
const MANY: usize = 4;
/// So often that is tried.
const ROUNDS: usize = 3;

/// What a polynomial may be off at most, in units of f16: more is beyond hope.
pub(crate) const HOPELESS: f64 = 1.0 / 32.0;

/// The same relative to the value.
fn hopeless(element: Element) -> f64 {
    element.ulp(1.0) * if element == Element::F16 { HOPELESS } else { 0.25 }
}

/// A kind of table, and how wide its segments would be if polynomials alone decided.
pub(crate) struct Hope<'a> {
    pub(crate) cost: f64,
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
        for search in searches.flat_map(|search| search.with_pair()) {
            let width = widest.min(across(&search, FURTHEST)).min(search.widest());
            let Some(grid) = search.grid(width) else { continue };
            hopes.push(Hope { cost: search.hope(&grid), width, search });
        }
    }
    hopes
}

/// The best table of all kinds, if there is one.
pub(crate) fn best(mut hopes: Vec<Hope>, results: &Results) -> Option<Table> {
    hopes.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    policy::cheapest(&hopes, f64::INFINITY, |hope, enough| {
        let table = (hope.cost < enough).then(|| widest(&hope.search, results, hope.width))??;
        Some((policy::of(&table, hope.search.view.functions), table))
    })
}

/// The width of segments that neither side's reach exceeds this with.
fn across(search: &Search, most: f64) -> f64 {
    search.view.reach.iter().map(|r| r.to.min(most)).sum::<f64>() / search.entries as f64
}

/// The table of the widest segments that are good.
fn widest(search: &Search, results: &Results, widest: f64) -> Option<Table> {
    let promising = |width: f64| table(search, results, width, Share::Some);
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
    STEPS.iter().find_map(|step| {
        width *= step;
        table(search, results, width, Share::All)
    })
}

/// The table of a width, if no more of a share of the inputs are wrong than may be, or can be mended.
fn table(search: &Search, results: &Results, width: f64, share: Share) -> Option<Table> {
    let (view, degree) = (search.view, search.design.degree);
    let grid = search.grid(width)?;
    let centre = |i: usize| match search.design.centring {
        Centring::Equal => (grid.first + i as i32) as f32 * (1.0 / grid.scale),
        _ => 0.0,
    };
    let fitted = |i: usize| polynomial(search, &search.nodes(&grid, i), centre(i), LAWSON);
    let mut table = search.finish(grid, (0..grid.entries).map(fitted).collect(), 0.0);
    let mut wrong = results.wrong(&table, view.before, share, MANY)?;
    for _ in 0..ROUNDS {
        if results.are_few(&wrong, share) {
            break;
        }
        let last = grid.entries as i64 - 1;
        let segment =
            |(_, x): (usize, f32)| grid.segment(view.symmetry.fold(x)).clamp(0, last) as usize;
        for i in core::mem::take(&mut wrong).into_iter().map(segment).collect::<BTreeSet<_>>() {
            let (old, mut nodes) = (table.segments[i], search.nodes(&grid, i));
            let rooms = results.rooms(&table, view.before, i);
            let powers = [first(search, &nodes, old.centre), degree];
            mend(&mut nodes, &|z| old.exactly(degree, z), &rooms, powers);
            table.segments[i] = polynomial(search, &nodes, old.centre, 0);
            wrong.extend(results.wrong_in(&table, view.before, share, i)?);
        }
        table = search.finish(grid, table.segments, 0.0);
    }
    let ulp = !wrong.is_empty() as u8 as f64;
    results.are_few(&wrong, share).then_some(Table { ulp, ..table })
}

/// The lowest power of a segment's polynomial.
fn first(search: &Search, nodes: &Nodes, centre: f32) -> usize {
    let (left, right) = (nodes.left, nodes.right);
    let beside = left < 1e-12 && right > -1e-12 && centre == 0.0;
    if beside { search.view.zero[(right > 1e-12) as usize].power() } else { 0 }
}

/// The polynomial of one segment.
fn polynomial(search: &Search, nodes: &Nodes, centre: f32, lawson: usize) -> Segment {
    let mut segment = Segment { centre, ..Segment::EMPTY };
    let first = first(search, nodes, centre);
    // With the sign that leaves zeros theirs.
    segment.a[..first].fill(-0.0);
    let Design { degree, pair, .. } = search.design;
    let problem = Problem { nodes, centre: f64::from(centre), base: 0.0, first, degree, pair };
    problem.solve(lawson, |k, c| {
        segment.a[k] = c as f32;
        segment.a[k] as f64
    });
    segment
}
