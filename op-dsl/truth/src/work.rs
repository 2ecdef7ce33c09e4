//! Cost of evaluations, counted rather than timed so that it is the same on every machine.

use std::cell::Cell;

thread_local! {
    static DONE: Cell<u64> = const { Cell::new(0) };
}

/// Cost of evaluating one primitive in f64, in units of about a nanosecond.
///
/// [`COMPENSATED`] is the cost in compensated f64, and [`exact`] the cost in a number of bits.
pub(crate) const NEAR: u64 = 30;
pub(crate) const COMPENSATED: u64 = 150;
pub(crate) const fn exact(bits: usize) -> u64 {
    3000 + 120 * bits as u64
}

/// Adds the cost of `calls` evaluations of a primitive, `each` units apiece, to this thread's total.
pub(crate) fn add(calls: usize, each: u64) {
    DONE.set(DONE.get() + calls as u64 * each);
}

/// Returns the total cost of this thread's evaluations so far, in units of about a nanosecond.
pub fn work() -> u64 {
    DONE.get()
}
