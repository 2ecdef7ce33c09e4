//! Tables for 16-bit results, judged by all inputs.
//!
//! There are 65,536 inputs. A table is good if all but a few of them yield the function's value rounded once, and those few its
//! neighbour. So the table's model is run on all of them, and nothing is estimated. Segments need no centre of their own: `d`
//! is `z` itself, or the distance to an integer multiple of the width, which saves one look-up.

use crate::chebyshev::Nodes;
use crate::cost_model;
use crate::element::Element;
use crate::exhaustive::{Results, Share};
use crate::grid::Index;
use crate::interval::Search;
use crate::least_squares::Problem;
use crate::projection::mend;
use crate::request::{HOPELESS, Request};
use crate::table::{Centring, Design, MAX_DEGREE, Segment, Table};
use crate::view::View;
use std::collections::BTreeSet;

/// Minimum distance from zero that a table covers, unless the function reaches its limit before.
const NEAREST: f64 = 3.9;
/// Maximum distance from zero that a table covers, because hardly any data lies beyond.
const FURTHEST: f64 = 11.0;
/// Number of bisection steps between the widest and the narrowest segments.
const HALVINGS: usize = 4;
/// Factors by which the width of segments is reduced until a table passes the check of all inputs.
const STEPS: [f64; 3] = [1.0, 0.96, 0.9];
/// Number of Lawson steps, each of which adapts the weights of the least squares.
const LAWSON: usize = 3;
/// Polynomials are corrected if at most this many times the allowed number of results are wrong.
const MANY: usize = 4;
/// Maximum number of times that polynomials with wrong results are projected (corrected).
const ROUNDS: usize = 3;

/// Returns the relative error of polynomials above which no table is tried.
fn hopeless(element: Element) -> f64 {
    element.ulp(1.0) * if element.is_sparse() { 0.25 } else { HOPELESS }
}

/// A candidate table layout, and the segment width that it may have if rounding is not considered.
pub(crate) struct Hope<'a> {
    pub(crate) cost: f64,
    width: f64,
    search: Search<'a>,
}

/// Returns all candidate table layouts of a view, the function with one choice of symmetry.
pub(crate) fn hopes<'a>(view: &'a View<'a>, request: &Request) -> Vec<Hope<'a>> {
    // All polynomials are centred at zero, or the middle of a segment is at zero.
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
        // One width serves all layouts, because half a segment more or less on either side does not matter here.
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

/// Returns the cheapest table of the candidate layouts that passes the check of all inputs.
pub(crate) fn best(mut hopes: Vec<Hope>, results: &Results) -> Option<Table> {
    hopes.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    cost_model::cheapest(&hopes, f64::INFINITY, |hope, enough| {
        let table = (hope.cost < enough).then(|| widest(&hope.search, results, hope.width))??;
        Some((cost_model::table_cost(&table, hope.search.view.functions), table))
    })
}

/// Returns the segment width with which a table covers at most `most` on either side of zero.
fn across(search: &Search, most: f64) -> f64 {
    search.view.reach.iter().map(|r| r.to.min(most)).sum::<f64>() / search.entries as f64
}

/// Returns the table with the widest segments, up to `widest`, that passes the check of all inputs.
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

/// Returns the table with segments of this width, if few enough of its results are wrong.
///
/// Polynomials with wrong results are projected first. `share` says which inputs are checked.
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

/// Returns the lowest power of a segment's polynomial.
///
/// It is above 0 if the segment lies next to zero and the function is zero there.
fn first(search: &Search, nodes: &Nodes, centre: f32) -> usize {
    let (left, right) = (nodes.left, nodes.right);
    let beside = left < 1e-12 && right > -1e-12 && centre == 0.0;
    if beside { search.view.zero[(right > 1e-12) as usize].power() } else { 0 }
}

/// Fits the polynomial of one segment by weighted least squares with `lawson` Lawson steps.
fn polynomial(search: &Search, nodes: &Nodes, centre: f32, lawson: usize) -> Segment {
    let mut segment = Segment { centre, ..Segment::EMPTY };
    let first = first(search, nodes, centre);
    // Coefficients below the first power are -0.0, because adding -0.0 keeps the sign of a zero.
    segment.a[..first].fill(-0.0);
    let Design { degree, pair, .. } = search.design;
    let problem = Problem { nodes, centre: f64::from(centre), base: 0.0, first, degree, pair };
    problem.solve(lawson, |k, c| {
        segment.a[k] = c as f32;
        segment.a[k] as f64
    });
    segment
}
