//! Which of several tables is best: the one that takes the least time on data as it is.
//!
//! Data is taken to be normal, mostly of deviation 1, at times 2 or 3. A step of elements with one outside the table
//! has that one evaluated otherwise.

use crate::joint::{Joint, Steps};
use crate::symmetry::Symmetry;
use crate::table::{Design, End, Table};

/// Deviations and how common they are.
const DATA: [(f64, f64); 3] = [(1.0, 0.6), (2.0, 0.3), (3.0, 0.1)];

/// What evaluators take, in nanoseconds an element.
struct Rates {
    /// One vector operation.
    operation: f64,
    /// One look-up.
    look_up: f64,
    /// What it costs each element of a step, for each function, that one has left the table.
    outside: f64,
    /// Elements of a step.
    step: f64,
}

/// Look-ups of 32: AVX-512, where they are operations like others.
const WIDE: Rates = Rates { operation: 0.021, look_up: 0.021, outside: 0.75, step: 64.0 };
/// Look-ups of 8: AVX2, where one port of three has them all.
const NARROW: Rates = Rates { operation: 0.025, look_up: 0.05, outside: 1.6, step: 16.0 };

fn rates(entries: usize) -> &'static Rates {
    if entries >= 32 { &WIDE } else { &NARROW }
}

/// Whether two coefficients in one look-up may be of use.
pub(crate) fn has_pairs(entries: usize) -> bool {
    let rates = rates(entries);
    rates.look_up > rates.operation
}

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

impl Table {
    /// About how many nanoseconds an element takes.
    pub fn cost(&self) -> f64 {
        of(self, 1)
    }
}

impl Joint {
    /// About how many nanoseconds an element takes.
    pub fn cost(&self) -> f64 {
        let within = [self.low.into(), self.high.into()];
        joint_cost(self.grid.entries, &self.steps, within, self.ends)
    }
}

/// Nanoseconds an element of a table of which so many functions are made.
pub(crate) fn of(table: &Table, functions: usize) -> f64 {
    let within = [table.low.into(), table.high.into()];
    cost(table.grid.entries, &table.design, within, table.ends, functions)
}

/// Nanoseconds an element of tables of this design from `low` to `high`.
pub(crate) fn cost(
    entries: usize,
    design: &Design,
    within: [f64; 2],
    ends: [End; 2],
    functions: usize,
) -> f64 {
    let symmetric = design.symmetry != Symmetry::None;
    inside(entries, design.look_ups(), design.operations())
        + functions as f64 * outside(entries, symmetric, within, ends)
}

/// The same of joint tables, of two functions.
pub(crate) fn joint_cost(entries: usize, steps: &Steps, within: [f64; 2], ends: [End; 2]) -> f64 {
    let symmetric = steps.symmetry != Symmetry::None;
    inside(entries, steps.look_ups(), steps.operations())
        + 2.0 * outside(entries, symmetric, within, ends)
}

/// Nanoseconds an element of so many look-ups and operations.
pub(crate) fn inside(entries: usize, look_ups: usize, operations: usize) -> f64 {
    let rates = rates(entries);
    rates.look_up * look_ups as f64 + rates.operation * operations as f64
}

/// Nanoseconds an element that numbers outside cost, for each function.
fn outside(entries: usize, symmetric: bool, [low, high]: [f64; 2], ends: [End; 2]) -> f64 {
    let rates = rates(entries);
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
    let leaves =
        |deviation: f64| -libm::expm1(rates.step * libm::log1p(-outside(deviation).min(0.999)));
    let slow: f64 = DATA.iter().map(|(deviation, share)| share * leaves(*deviation)).sum();
    rates.outside * slow
}
