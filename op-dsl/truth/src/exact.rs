//! One element through a formula, in as many bits as it takes.

use crate::compensated::Compensated;
use crate::real::Real;
use crate::tower::Tower;
use crate::walk::at;
use crate::{ball, walk, work};
use op_dsl_ir::op::Spec;

/// Bits of the first attempt in more than f64.
const FIRST: usize = 128;
/// Bits of a result that are asked for.
const ENOUGH: f64 = 70.0;
/// The logarithm of what is nothing beside every number of every element type.
pub(crate) const NOTHING: f64 = -170.0;

/// A number of any size in as many bits as its tail has.
pub(crate) type Precise = Compensated<Tower>;

/// This number, to be computed with in so many bits.
pub(crate) fn precise(v: f64, precision: usize) -> Precise {
    Compensated::exact(v, |v| Tower::exact(v, precision))
}

/// The outputs with [`ENOUGH`] bits. Of those that no precision decides, sums without a digit are 0, and others
/// unknown.
pub(crate) fn exactly(spec: &Spec, streams: &[f64], scalars: &[f64]) -> Vec<Tower> {
    exactly_at(spec, scalars, |precision| at(streams, move |v| precise(v, precision)))
}

/// The same of streams that hold numbers of any precision.
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
