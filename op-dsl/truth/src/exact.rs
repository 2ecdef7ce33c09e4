//! One element through a formula, in as many bits as it takes.

use crate::tower::Tower;
use crate::walk::at;
use crate::{ball, walk};
use op_dsl_ir::op::Spec;

/// Bits of the first attempt in more than f64.
const FIRST: usize = 128;
/// Bits of a result that are asked for.
const ENOUGH: f64 = 70.0;
/// The logarithm of what is nothing beside every number of every element type.
pub(crate) const NOTHING: f64 = -170.0;

/// The outputs with [`ENOUGH`] bits; those that no precision decides stay unknown.
pub(crate) fn exactly(spec: &Spec, streams: &[f64], scalars: &[f64]) -> Vec<Tower> {
    exactly_at(spec, scalars, FIRST, |precision| at(streams, move |v| Tower::exact(v, precision)))
}

/// The same of streams that hold numbers of any precision.
pub(crate) fn exactly_at<S: Fn(usize) -> Tower>(
    spec: &Spec,
    scalars: &[f64],
    first: usize,
    streams: impl Fn(usize) -> S,
) -> Vec<Tower> {
    let mut precision = first;
    loop {
        let number = |v| Tower::exact(v, precision);
        let all = walk::outputs(spec, &streams(precision), scalars, &number);
        let done = |y: &Tower| y.has_bits(ENOUGH) || y.is_below(NOTHING);
        if precision >= ball::LAST || all.iter().all(done) {
            return all;
        }
        precision *= 2;
    }
}
