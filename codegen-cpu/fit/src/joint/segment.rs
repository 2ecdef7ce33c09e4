//! One segment of a joint table: the derivative's polynomial, whose integral is the function's.
//!
//! Weighted least squares (`squares`) is applied to the derivative alone. The function is its value at the centre plus the
//! integral, so that its error is smaller than the derivative's. Every coefficient is rounded as one of the function's.

use super::pair::Pair;
use super::place::{Centre, Place, places};
use super::{Piece, Steps};
use crate::chebyshev::Nodes;
use crate::float::toward_zero;
use crate::judge::{Judge, Judged};
use crate::least_squares::Problem;
use crate::rounded::Rounded;
use crate::segment::{Fitted, LAWSON, best};
use crate::symmetry::Symmetry;

/// One of the two functions that a segment computes: the derivative or the function itself.
struct Half<'a, const DERIVATIVE: bool> {
    steps: &'a Steps,
    piece: &'a Piece,
}

impl<const DERIVATIVE: bool> Judged for Half<'_, DERIVATIVE> {
    fn symmetry(&self) -> Symmetry {
        let own = self.steps.symmetry;
        if DERIVATIVE { own.derivative() } else { own }
    }

    fn at(&self, z: f32) -> Rounded {
        let (f, derivative) = self.piece.own(self.steps, self.piece.distance(self.steps, z));
        if DERIVATIVE { derivative } else { f }
    }
}

/// Returns the samples at which the function and its derivative are judged in one segment.
///
/// `at` are the borders of the segment.
pub(super) fn judges<'a>(pair: &'a Pair, at: [f64; 2], samples: usize) -> [Judge<'a>; 2] {
    let [f, derivative] = pair.views();
    let judge = |view, samples| Judge::new(view, at[0], at[1], samples);
    // Half as many for the function, because its error hardly ever decides.
    [judge(f, samples / 2), judge(derivative, samples)]
}

/// Returns the largest error of the function and its derivative, in units in the last place.
///
/// The search stops at the first error above `enough`.
pub(super) fn worst(judges: &mut [Judge; 2], steps: &Steps, piece: &Piece, enough: f64) -> f64 {
    let [f, derivative] = judges;
    let first = derivative.worst(&Half::<true> { steps, piece }, enough);
    if first > enough { first } else { first.max(f.worst(&Half::<false> { steps, piece }, enough)) }
}

/// Fits a segment whose function and derivative are both within the target, if there is one.
///
/// Otherwise returns the best segment that was found, whose error is larger or infinite.
pub(super) fn fit(pair: &Pair, nodes: &Nodes, samples: usize, target: f64) -> Fitted<Piece> {
    let mut judges = judges(pair, [nodes.left, nodes.right], samples);
    let none = Fitted { segment: Piece::EMPTY, worst: f64::INFINITY };
    let at = |place: &Place| {
        let centre = place.centre(pair, nodes);
        let (piece, off) = polynomial(&pair.steps, nodes, centre);
        (piece, off, centre.preferred)
    };
    best(none, &places(pair, nodes), target, at, |piece| {
        worst(&mut judges, &pair.steps, piece, target)
    })
}

/// Fits the polynomial about a centre, with coefficients in f32.
///
/// Also returns the relative error of the derivative before coefficients are rounded.
fn polynomial(steps: &Steps, nodes: &Nodes, centre: Centre) -> (Piece, f64) {
    let Centre { at, value, slope: [slope, rest], first, flat, .. } = centre;
    // Coefficients below the first power are -0.0, because adding -0.0 keeps the sign of a zero.
    let mut piece = Piece { centre: at, slope, ..Piece::EMPTY };
    piece.a[..=first].fill(-0.0);
    (piece.a[0], piece.a[1]) = (value, rest);
    let base = f64::from(slope) + f64::from(rest);
    let centre = f64::from(at);
    let problem = Problem { nodes, centre, base, first, degree: steps.degree - 1, pair: false };
    let off = problem.solve(LAWSON, |k, c| {
        // Sign that makes the coefficient one of powers of `d` in the direction of `x`.
        let turn = if k % 2 == 1 { steps.symmetry.sign() } else { 1.0 };
        let (whole, share) = (c * turn, (k + 1) as f64);
        if k == 1 && flat && steps.has_bend() {
            piece.bend = toward_zero(whole);
        }
        let high = if k == 1 { f64::from(piece.bend) } else { 0.0 };
        piece.a[k + 1] = ((whole - high) / share) as f32;
        (high + f64::from(piece.a[k + 1]) * share) * turn
    });
    (piece, off)
}

#[cfg(test)]
mod tests {
    use crate::float::Random;
    use crate::rounded::Rounded;
    use crate::{Function, Hints, Request};

    type F = fn(f64) -> f64;

    fn sigmoid(x: f64) -> f64 {
        1.0 / (1.0 + libm::exp(-x))
    }

    fn slope(x: f64) -> f64 {
        sigmoid(x) * sigmoid(-x)
    }

    /// Covers joint tables with and without high parts of `a[1]` and of `2 a[2]`.
    #[test]
    fn rounding_does_no_more_than_its_bound_and_nearly_as_much() {
        let pairs: [[F; 2]; 3] = [
            [sigmoid, slope],
            [|x| x * sigmoid(x), |x| sigmoid(x) + x * slope(x)],
            [libm::tanh, |x| 4.0 * slope(2.0 * x)],
        ];
        for (k, pair) in pairs.into_iter().enumerate() {
            let oracles = pair.map(|f| {
                move |x: &[f64]| x.iter().map(|&x| f(x)).map(|v| (v, v.abs() * 2e-15)).collect()
            });
            let [f, derivative] = [0, 1].map(|i| Function::new(&oracles[i], Hints::default()));
            for entries in [32, 8] {
                let joint = f.fit_with(&derivative, &Request::joint(entries)).unwrap();
                let (mut random, mut most) = (Random::new(k as u64), [0.0f64; 2]);
                for (i, piece) in joint.segments.iter().enumerate() {
                    let (left, right) = (joint.grid.start(i), joint.grid.start(i + 1));
                    for _ in 0..20_000 {
                        let z = (left + (right - left) * random.next()) as f32;
                        let (f, derivative) =
                            piece.own(&joint.steps, piece.distance(&joint.steps, z));
                        for (most, of) in most.iter_mut().zip([f, derivative]) {
                            let Rounded { value, exact, bound } = of;
                            let off = (f64::from(value) - exact).abs();
                            assert!(off <= bound, "{k} on {entries}: {off:e} {bound:e} at {z:e}");
                            if bound > 0.0 {
                                *most = most.max(off / bound);
                            }
                        }
                    }
                }
                assert!(most.iter().all(|most| *most > 0.9), "{k} on {entries}: {most:?}");
            }
        }
    }
}
