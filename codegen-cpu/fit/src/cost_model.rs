//! Cost model: the best of several tables is the one that takes the least time on normally distributed data.
//!
//! The standard deviation of the data is mostly 1, at times 2 or 3. If one element of a step is outside the table, that element takes
//! the slow path and the whole step waits for it.

use crate::joint::{Joint, Steps};
use crate::symmetry::Symmetry;
use crate::table::{Design, End, Table};

/// Standard deviations of normally distributed data, each with its share of the data.
const DATA: [(f64, f64); 3] = [(1.0, 0.6), (2.0, 0.3), (3.0, 0.1)];

/// Costs of evaluating a table at one width of look-ups, in nanoseconds per element.
struct Rates {
    /// Cost of one vector operation, in nanoseconds per element.
    operation: f64,
    /// Cost of looking one coefficient up in the table, in nanoseconds per element.
    look_up: f64,
    /// Cost per function and element if at least one element of a step is outside the table.
    ///
    /// A step is the elements that are computed together, which all wait for the slow path.
    outside: f64,
    /// Number of elements that are computed together (one step).
    step: f64,
}

/// Costs if a look-up has 32 entries: AVX-512, where a look-up costs the same as another operation.
const WIDE: Rates = Rates { operation: 0.021, look_up: 0.021, outside: 0.75, step: 64.0 };
/// Costs if a look-up has 8 entries: AVX2, where only one port of three executes look-ups.
const NARROW: Rates = Rates { operation: 0.025, look_up: 0.05, outside: 1.6, step: 16.0 };

fn rates(entries: usize) -> &'static Rates {
    if entries >= 32 { &WIDE } else { &NARROW }
}

/// Returns true if storing two coefficients in one table entry may save time.
///
/// `entries` is the number of floats that one look-up holds.
pub(crate) fn has_pairs(entries: usize) -> bool {
    let rates = rates(entries);
    rates.look_up > rates.operation
}

/// Another table layout is tried only if it may cost less than this share of the best so far, because costs are estimates.
const WORTH: f64 = 0.95;

/// Returns the cheapest of the results that `find` returns for the candidates `hopes`.
///
/// `find` receives a candidate and the cost below which a result is of use, so that it need not fit tables that cannot be
/// cheaper. The cost is `under` at first, then a share ([`WORTH`]) of the least cost so far. Returns `None` if there is no
/// result.
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

/// Returns the first result of `find` as its target is raised from `target` in steps up to `most`.
///
/// Each step multiplies the target by `by`. Returns `None` if no target has a result.
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
    /// Estimated cost of evaluating this table, in nanoseconds per element.
    pub fn cost(&self) -> f64 {
        table_cost(self, 1)
    }
}

impl Joint {
    /// Estimated cost of evaluating this joint table, in nanoseconds per element.
    pub fn cost(&self) -> f64 {
        let within = [self.low.into(), self.high.into()];
        joint_cost(self.grid.entries, &self.steps, within, self.ends)
    }
}

/// Cost in nanoseconds per element of a table from which `functions` functions are computed.
pub(crate) fn table_cost(table: &Table, functions: usize) -> f64 {
    let within = [table.low.into(), table.high.into()];
    cost(table.grid.entries, &table.design, within, table.ends, functions)
}

/// Cost in nanoseconds per element of a table of this design over the range `within` of its variable.
///
/// `functions` functions are computed from the table, which has `entries` segments.
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

/// Cost in nanoseconds per element of a joint table of a function and its derivative.
pub(crate) fn joint_cost(entries: usize, steps: &Steps, within: [f64; 2], ends: [End; 2]) -> f64 {
    let symmetric = steps.symmetry != Symmetry::None;
    inside(entries, steps.look_ups(), steps.operations())
        + 2.0 * outside(entries, symmetric, within, ends)
}

/// Cost in nanoseconds per element of this many look-ups and vector operations.
pub(crate) fn inside(entries: usize, look_ups: usize, operations: usize) -> f64 {
    let rates = rates(entries);
    rates.look_up * look_ups as f64 + rates.operation * operations as f64
}

/// Cost in nanoseconds per element, for each function, of data outside the table.
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
    // One minus the probability that no element of a step is outside.
    let leaves =
        |deviation: f64| -libm::expm1(rates.step * libm::log1p(-outside(deviation).min(0.999)));
    let slow: f64 = DATA.iter().map(|(deviation, share)| share * leaves(*deviation)).sum();
    rates.outside * slow
}
