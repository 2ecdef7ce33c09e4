//! One segment of an f32 table: centres are tried until one is good enough.

use crate::centre::{self, Centre};
use crate::chebyshev::Nodes;
use crate::float::toward_zero;
use crate::judge::{Judge, Judged};
use crate::least_squares::Problem;
use crate::rounded::Rounded;
use crate::symmetry::Symmetry;
use crate::table::{Design, Segment};
use crate::view::View;

/// Returns the maximum relative error of a polynomial before rounding, for a target in ulps.
///
/// For small targets it is two fifths of a unit in the last place, because rounding takes the rest; for large targets it is
/// most of the target.
pub(crate) fn off(target: f64) -> f64 {
    (0.5 * (target - 1.5)).max(0.4) / 16_777_216.0
}

/// Number of Lawson steps, each of which adapts the weights of the least squares.
pub(crate) const LAWSON: usize = 5;

/// Maximum number of centres tried per segment.
const CENTRES: usize = 10;

/// Factor by which a segment's error may exceed the target until the search for a centre stops.
///
/// It applies from the fourth centre on, because others will then not meet the target either.
const HOPELESS: f64 = 1.3;

/// A fitted segment with its error.
#[derive(Clone, Copy)]
pub(crate) struct Fitted<S> {
    pub(crate) segment: S,
    /// Largest error of the segment, in units in the last place.
    pub(crate) worst: f64,
}

impl Judged for (&Design, &Segment) {
    fn symmetry(&self) -> Symmetry {
        self.0.symmetry
    }

    fn at(&self, z: f32) -> Rounded {
        self.1.rounded(self.0, z - self.1.centre)
    }

    fn other(&self, z: f32, at: Rounded) -> Rounded {
        match self.0.once {
            true => self.1.rounded_other(self.0, z),
            false => self.0.symmetry.rounded(z, at),
        }
    }
}

/// Returns the relative error of the best polynomial of this degree on one segment.
///
/// Rounding is not considered.
pub(crate) fn approximation(view: &View, degree: usize, nodes: &Nodes) -> f64 {
    let side = (nodes.right > 1e-12) as usize;
    let beside = nodes.left.abs() < 1e-12 || nodes.right.abs() < 1e-12;
    let (centre, first) = match view.zero[side].power() {
        first @ 1.. if beside => (0.0, first),
        _ => (0.5 * (nodes.left + nodes.right), 0),
    };
    Problem { nodes, centre, base: 0.0, first, degree, pair: false }.solve(1, |_, c| c)
}

/// Fits a segment whose error is within the target, if there is one.
///
/// Otherwise returns the best segment that was found. Its error is infinite if no polynomial can be fitted.
pub(crate) fn fit(
    view: &View,
    design: &Design,
    nodes: &Nodes,
    samples: usize,
    target: f64,
) -> Fitted<Segment> {
    let mut judge = Judge::new(view, nodes.left, nodes.right, samples);
    let none = Fitted { segment: Segment::EMPTY, worst: f64::INFINITY };
    let places = centre::places(view, nodes, design.power);
    best(
        none,
        &places,
        target,
        |place| {
            let centre = place.centre(view, nodes, design.once);
            let (segment, off) = polynomial(design, nodes, centre);
            (segment, off, centre.preferred)
        },
        |segment| judge.worst(&(design, segment), target),
    )
}

/// Fits segments about several centres, and returns the first that is good enough or the best.
///
/// `at` fits a segment at a candidate for the centre; it returns the segment, the error of its polynomial before rounding, and whether
/// the centre is accepted without a margin. `judge` returns the error of the segment in floats. `none` is returned if no segment has a
/// finite error.
pub(crate) fn best<S, P>(
    none: Fitted<S>,
    places: &[P],
    target: f64,
    mut at: impl FnMut(&P) -> (S, f64, bool),
    mut judge: impl FnMut(&S) -> f64,
) -> Fitted<S> {
    let most = self::off(target);
    let mut best = none;
    for (tried, place) in places.iter().take(CENTRES).enumerate() {
        let (segment, off, preferred) = at(place);
        // Just below a power of two a relative error is half as many units as just above it. The half is the rounding of the
        // result.
        let known = 0.5 + off * 8_388_608.0;
        // Between samples the error of a polynomial may be as large as at a node, so that bound has to hold as well.
        let worst = if off > most { f64::INFINITY } else { known.max(judge(&segment)) };
        if worst < best.worst {
            best = Fitted { segment, worst };
        }
        let comfortable = if preferred || tried > 2 { 1.0 } else { 0.92 };
        let enough = worst <= target * comfortable;
        let hopeless = off > 4.0 * most
            || (tried > 2 && best.worst.is_finite() && best.worst > HOPELESS * target);
        if enough || hopeless {
            break;
        }
    }
    best
}

/// Fits the polynomial about a centre, with coefficients in f32.
///
/// Also returns its relative error before coefficients are rounded.
fn polynomial(design: &Design, nodes: &Nodes, centre: Centre) -> (Segment, f64) {
    let Centre { at, value, first, zero, .. } = centre;
    // Coefficients below the first power are -0.0, because adding -0.0 keeps the sign of a zero.
    let mut segment = Segment { centre: at, ..Segment::EMPTY };
    segment.a[..first].fill(-0.0);
    segment.a[0] = value;
    let split = zero && design.power == first;
    let (centre, base) = (f64::from(at), f64::from(value));
    let Design { degree, pair, .. } = *design;
    let problem = Problem { nodes, centre, base, first, degree, pair };
    let off = problem.solve(LAWSON, |k, c| {
        if !split || k != first {
            segment.a[k] = c as f32;
            return segment.a[k] as f64;
        }
        // Both parts have the same sign, and so have their products.
        segment.high = toward_zero(c);
        segment.a[k] = (c - segment.high as f64) as f32;
        segment.high as f64 + segment.a[k] as f64
    });
    (segment, off)
}
