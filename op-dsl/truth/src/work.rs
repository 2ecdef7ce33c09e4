//! How much evaluating has cost, counted rather than timed: the same on every machine.

use std::cell::Cell;

thread_local! {
    static DONE: Cell<u64> = const { Cell::new(0) };
}

/// What a call costs in f64, about nanoseconds; in f64 with what is missing from it; in so many bits.
pub(crate) const NEAR: u64 = 30;
pub(crate) const COMPENSATED: u64 = 150;
pub(crate) const fn exact(bits: usize) -> u64 {
    3000 + 120 * bits as u64
}

/// Counts the calls of a formula.
pub(crate) fn add(calls: usize, each: u64) {
    DONE.set(DONE.get() + calls as u64 * each);
}

/// What this thread has evaluated since it started, in units of about a nanosecond.
pub fn work() -> u64 {
    DONE.get()
}
