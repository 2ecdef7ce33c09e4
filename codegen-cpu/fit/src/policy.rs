//! Which of several tables is best: the one that takes the least time on data as it is.
//!
//! Data is taken to be normal, mostly of deviation 1, at times 2 or 3. A step of 64 elements with one
//! outside the table has that one evaluated otherwise. Times are of one element on AVX-512, in
//! nanoseconds; on other levels they are larger by much the same factor.

use crate::joint::Steps;
use crate::symmetry::Symmetry;
use crate::table::{Centring, Design, End, Table};

/// Deviations and how common they are.
const DATA: [(f64, f64); 3] = [(1.0, 0.6), (2.0, 0.3), (3.0, 0.1)];
/// Elements that leave the table together.
const STEP: f64 = 64.0;
/// What it costs each of them, for each function.
const OUTSIDE: f64 = 0.75;
/// One vector operation on registers or on the table.
const OPERATION: f64 = 0.021;

/// Another kind of table is tried only if it may cost less than this share of the best so far.
const WORTH: f64 = 0.95;

/// What costs least of all that is found, if that is under a limit. `find` is given a hope and what is enough: from there
/// on nothing is of use, so nothing need be fitted that cannot cost less.
pub(crate) fn cheapest<H, T>(
    hopes: impl IntoIterator<Item = H>,
    under: f64,
    mut find: impl FnMut(H, f64) -> Option<(f64, T)>,
) -> Option<T> {
    let mut best: Option<(f64, T)> = None;
    for hope in hopes {
        let enough = best.as_ref().map_or(under, |(least, _)| least * WORTH);
        let found = find(hope, enough);
        let is_less = |(cost, _): &(f64, T)| best.as_ref().is_none_or(|(least, _)| cost < least);
        if found.as_ref().is_some_and(is_less) {
            best = found;
        }
    }
    best.map(|(_, found)| found)
}

/// What is found with the least error: a target that is beyond reach is raised by a factor, up to a limit.
pub(crate) fn raised<T>(
    [mut target, most]: [f64; 2],
    by: f64,
    mut find: impl FnMut(f64) -> Option<T>,
) -> Option<T> {
    while target <= most {
        if let Some(found) = find(target) {
            return Some(found);
        }
        target *= by;
    }
    None
}

/// Nanoseconds an element of a table of which so many functions are made.
pub(crate) fn of(table: &Table, functions: usize) -> f64 {
    cost(&table.design, [table.low.into(), table.high.into()], table.ends, functions)
}

/// Nanoseconds an element of tables of this design from `low` to `high`.
pub(crate) fn cost(design: &Design, within: [f64; 2], ends: [End; 2], functions: usize) -> f64 {
    let symmetric = design.symmetry != Symmetry::None;
    operations(many(design)) + functions as f64 * outside(symmetric, within, ends)
}

/// The same of joint tables, of two functions.
pub(crate) fn joint_cost(steps: &Steps, within: [f64; 2], ends: [End; 2]) -> f64 {
    let symmetric = steps.symmetry != Symmetry::None;
    let all = steps.operations() + steps.look_ups();
    operations(all) + 2.0 * outside(symmetric, within, ends)
}

/// Nanoseconds an element of so many operations.
pub(crate) fn operations(many: usize) -> f64 {
    OPERATION * many as f64
}

/// Nanoseconds an element that numbers outside cost, for each function.
fn outside(symmetric: bool, [low, high]: [f64; 2], ends: [End; 2]) -> f64 {
    let of = |end: End, at: f64, deviation: f64| match end {
        End::Clamp | End::Unused => 0.0,
        End::SlowPath => {
            0.5 * libm::erfc(at.max(0.0) / deviation * core::f64::consts::FRAC_1_SQRT_2)
        }
    };
    let outside = |deviation: f64| {
        if !symmetric {
            of(ends[0], -low, deviation) + of(ends[1], high, deviation)
        } else {
            2.0 * of(ends[1], high, deviation)
        }
    };
    // One less the chance that none of a step is outside.
    let leaves = |deviation: f64| -libm::expm1(STEP * libm::log1p(-outside(deviation).min(0.999)));
    let slow: f64 = DATA.iter().map(|(deviation, share)| share * leaves(*deviation)).sum();
    OUTSIDE * slow
}

/// What an evaluator does besides finding the segment.
fn many(design: &Design) -> usize {
    let centre = if design.centring == Centring::Origin { 0 } else { 2 };
    let symmetry = match design.symmetry {
        Symmetry::None => 0,
        Symmetry::Even => 1,
        Symmetry::Odd => 2,
        Symmetry::Point { .. } | Symmetry::Linear { .. } => 3,
    };
    let last = if design.power == 0 { 0 } else { 1 + design.power };
    2 * design.degree + centre + symmetry + last
}
