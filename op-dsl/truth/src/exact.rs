//! Evaluation of one element of a formula in as many bits as it takes.

use crate::compensated::Compensated;
use crate::real::Real;
use crate::tower::Tower;
use crate::walk::at;
use crate::{ball, walk, work};
use op_dsl_ir::op::Spec;

/// Precision in bits of the first attempt in this module, which is made when f64 does not suffice.
const FIRST: usize = 128;
/// Number of correct bits that a result must have, more than the 53 of f64, because it is rounded to these.
const ENOUGH: f64 = 70.0;
/// Base-2 logarithm of a magnitude that is negligible compared with every number of every element type.
pub(crate) const NOTHING: f64 = -170.0;

/// An f64 head plus a tail of any magnitude; operations have the precision of the tail.
pub(crate) type Precise = Compensated<Tower>;

/// Returns `v` without error; operations on the result are rounded to `precision` bits.
pub(crate) fn precise(v: f64, precision: usize) -> Precise {
    Compensated::exact(v, |v| Tower::exact(v, precision))
}

/// Returns the outputs of one element, each with at least [`ENOUGH`] correct bits.
///
/// If [`ball::LAST`] bits do not suffice, an output whose digits have all cancelled is 0, and any other is unknown.
pub(crate) fn exactly(spec: &Spec, streams: &[f64], scalars: &[f64]) -> Vec<Tower> {
    exactly_at(spec, scalars, |precision| at(streams, move |v| precise(v, precision)))
}

/// Returns the outputs as [`exactly`] does, for input streams of any precision.
///
/// `streams` takes a precision in bits and returns the streams' values.
pub(crate) fn exactly_at<S: Fn(usize) -> Precise>(
    spec: &Spec,
    scalars: &[f64],
    streams: impl Fn(usize) -> S,
) -> Vec<Tower> {
    let mut precision = FIRST;
    loop {
        work::add(walk::calls(spec), work::exact(precision));
        let number = |v| precise(v, precision);
        let all = walk::outputs(spec, &streams(precision), scalars, &number);
        let all: Vec<Tower> = all.iter().map(Precise::sum).collect();
        let is_done = |y: &Tower| y.has_bits(ENOUGH) || y.is_below(NOTHING);
        if all.iter().all(is_done) {
            return all;
        }
        if precision >= ball::LAST {
            let is_done = |y: &Tower| is_done(y) || y.cancels();
            return all.into_iter().map(|y| if is_done(&y) { y } else { y.unknown() }).collect();
        }
        precision *= 2;
    }
}
