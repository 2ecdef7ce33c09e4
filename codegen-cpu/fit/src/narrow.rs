//! Search for the widest segments that meet a target.
//!
//! All segments are fitted. Where one fails, the width is reduced until that one is good; then all are fitted again, that one
//! first because it is the most likely to fail.

use crate::grid::Grid;
use crate::segment::Fitted;

/// Least segment width that is tried, as a share of the width that polynomials alone allow.
///
/// Rounding is not considered in that width.
const LEAST: f64 = 0.6;

/// Total number of samples at which the segments of a finished table are judged.
///
/// They are divided evenly, so that the wide segments of tables with few entries have more.
const HEARING: usize = 16_384;

/// A table layout whose segments can be fitted one by one.
pub(crate) trait Segmented {
    /// Type of one segment.
    type Segment;

    /// Returns a grid of segments of about this width, or `None` if there is none.
    fn grid(&self, width: f64) -> Option<Grid>;

    /// A segment width that fails is multiplied by at most this factor.
    const STEP: f64;
    /// Total number of samples of all segments while a table is fitted.
    const SAMPLES: usize;
    /// True if segments far from zero are the most likely to fail, so that they are tried first.
    const OUTER_FIRST: bool;

    /// Fits segment `i` and judges it at this many samples.
    fn fit(&self, grid: &Grid, i: usize, samples: usize, target: f64) -> Fitted<Self::Segment>;

    /// Returns the largest error of a segment between the two arguments `at`.
    ///
    /// The search stops at the first error above `enough`.
    fn worst(&self, segment: &Self::Segment, at: [f64; 2], samples: usize, enough: f64) -> f64;
}

/// A grid, its segments, and their largest error in units in the last place.
pub(crate) type Found<S> = (Grid, Vec<S>, f64);

/// Fits segments that are all within the target and as wide as possible, but at most `from`.
///
/// `hot` is an argument at which a similar search failed, if any, and is set to where this search failed. Returns `None` if
/// segments would have to be narrower than a share ([`LEAST`]) of `from`.
pub(crate) fn all<S: Segmented>(
    of: &S,
    from: f64,
    target: f64,
    hot: &mut Option<f64>,
) -> Option<Found<S::Segment>> {
    let mut width = match *hot {
        Some(hot) => narrowed(of, from, from * LEAST, hot, target)?,
        None => from,
    };
    while let Some(grid) = of.grid(width) {
        match segments(of, &grid, hot.unwrap_or(0.0), target) {
            Ok((segments, ulp)) => return Some((grid, segments, ulp)),
            Err(at) => *hot = Some(at),
        }
        width = narrowed(of, width * S::STEP, from * LEAST, hot.unwrap_or(0.0), target)?;
    }
    None
}

/// Returns the largest width found between `narrow` and `wide` at which the segment that contains `hot` meets the target.
///
/// `hot` is an argument at which a table failed, so that this segment is the most likely one to fail again. Returns `None` if it
/// misses the target even at the width `narrow`.
fn narrowed<S: Segmented>(of: &S, wide: f64, narrow: f64, hot: f64, target: f64) -> Option<f64> {
    let good = |width: f64| {
        of.grid(width).is_some_and(|grid| {
            let i = at(&grid, hot);
            of.fit(&grid, i, S::SAMPLES / grid.entries, target).worst <= target
        })
    };
    if wide <= narrow || !good(narrow) {
        return None;
    }
    if good(wide) {
        return Some(wide);
    }
    let (mut enough, mut few) = (narrow, wide);
    for _ in 0..5 {
        let middle = 0.5 * (enough + few);
        if good(middle) { enough = middle } else { few = middle }
    }
    Some(enough)
}

/// Fits all segments of a grid, and returns them with their largest error.
///
/// The segment at `hot` is fitted first. Returns `Err` with the middle of a segment that misses the target.
fn segments<S: Segmented>(
    of: &S,
    grid: &Grid,
    hot: f64,
    target: f64,
) -> Result<(Vec<S::Segment>, f64), f64> {
    let place = |i: usize| [grid.start(i), grid.start(i + 1)];
    let middle = |[left, right]: [f64; 2]| 0.5 * (left + right);
    let mut segments: Vec<(usize, S::Segment)> = Vec::with_capacity(grid.entries);
    let mut order: Vec<usize> = order(grid, hot).collect();
    if S::OUTER_FIRST {
        order[1..].sort_by(|i, j| grid.start(*j).abs().total_cmp(&grid.start(*i).abs()));
    }
    for i in order {
        let fitted = of.fit(grid, i, S::SAMPLES / grid.entries, target);
        if fitted.worst > target {
            return Err(middle(place(i)));
        }
        segments.push((i, fitted.segment));
    }
    segments.sort_by_key(|(i, _)| *i);
    // The rounding error jumps where a sum reaches a power of two, which few samples may have missed.
    let mut ulp = 0.0f64;
    for (i, segment) in &segments {
        let worst = of.worst(segment, place(*i), HEARING / grid.entries, target);
        if worst > target {
            return Err(middle(place(*i)));
        }
        ulp = ulp.max(worst);
    }
    Ok((segments.into_iter().map(|(_, segment)| segment).collect(), ulp))
}

/// Returns the indices of all segments, beginning with the segment that contains `hot`.
pub(crate) fn order(grid: &Grid, hot: f64) -> impl Iterator<Item = usize> + use<> {
    let first = at(grid, hot);
    core::iter::once(first).chain((0..grid.entries).filter(move |&i| i != first))
}

/// Returns the index of the segment that contains `place`, or of the nearest one.
fn at(grid: &Grid, place: f64) -> usize {
    grid.segment(place as f32).clamp(0, grid.entries as i64 - 1) as usize
}
