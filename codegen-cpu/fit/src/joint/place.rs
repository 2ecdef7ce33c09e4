//! Choice of the centre of a joint table's segment.
//!
//! It is a float where the function and its derivative are both nearly floats, or where one is zero and the other nearly a
//! float.

use super::pair::Pair;
use crate::centre::{COLUMN, off_float, outwards};
use crate::chebyshev::Nodes;
use crate::float::{larger, toward_zero};

/// Where to look for a centre.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// Zero, which is the segment's border; the side is 0 from the left, 1 from the right.
    Origin(usize),
    /// At this zero of the function.
    Zero(f64),
    /// Near this zero of the derivative.
    Flat(f64),
    /// Near this place.
    Near(f64),
}

/// A centre, and the values of the function and its derivative there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Centre {
    pub(super) at: f32,
    pub(super) value: f32,
    /// Derivative: high part, for the slope's column, and low part.
    pub(super) slope: [f32; 2],
    /// Lowest power of the derivative's polynomial besides its constant.
    pub(super) first: usize,
    /// True if the derivative is zero there.
    pub(super) flat: bool,
    /// True if the centre is taken as soon as it meets the target, without a margin.
    pub(super) preferred: bool,
}

/// Maximum distance of both values from floats, in units in the last place.
const CLOSE: f64 = 1.0 / 40.0;
/// Maximum number of floats tried.
const TRIES: usize = 4096;
/// Number of steps between tried floats across a segment's width.
const STEPS: f64 = 16_384.0;
/// Factor for the steps near a zero of the derivative, where the derivative has to stay small.
const SMALLER: f64 = 1.0 / 64.0;

/// Returns the places to try, those with the least cancellation first.
pub(super) fn places(pair: &Pair, nodes: &Nodes) -> Vec<Place> {
    let (left, right, width) = (nodes.left, nodes.right, nodes.width());
    if left.abs() < 1e-12 || right.abs() < 1e-12 {
        let side = (right > 1e-12) as usize;
        let mut places = vec![Place::Origin(side)];
        if pair.views().iter().all(|view| view.zero[side].value != 0.0) {
            places.extend(ordinary(pair, nodes));
        }
        return places;
    }
    let near = |r: &&f64| **r > left - 0.75 * width && **r < right + 0.75 * width;
    let [f, derivative] = pair.views();
    let mut places: Vec<Place> =
        derivative.roots.iter().filter(near).map(|r| Place::Flat(*r)).collect();
    places.extend(f.roots.iter().filter(near).map(|r| Place::Zero(*r)));
    places.extend(ordinary(pair, nodes));
    places
}

/// Nine places spread over the segment.
///
/// They are sorted by the cancellation of the derivative in the difference to its value there.
fn ordinary(pair: &Pair, nodes: &Nodes) -> Vec<Place> {
    let at: Vec<f64> =
        (0..9).map(|q| nodes.left + nodes.width() * (0.04 + 0.115 * q as f64)).collect();
    let slopes = pair.views()[1].values(&at);
    let mut scored: Vec<(f64, f64)> =
        slopes.iter().zip(&at).map(|(&v, &x)| (nodes.cancellation(v), x)).collect();
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    scored.into_iter().map(|(_, x)| Place::Near(x)).collect()
}

/// Splits a number into two floats of the same sign, neither zero.
///
/// Their products then have the same sign too. If the number is a float, the low part is 2^-60 of it, which does not count
/// beside it.
fn split(v: f64) -> [f32; 2] {
    const NOTHING: f64 = 1.0 / (1u64 << 60) as f64;
    let high = toward_zero(v);
    let rest = v - f64::from(high);
    [high, if rest == 0.0 { v * NOTHING } else { rest } as f32]
}

impl Place {
    /// Returns the centre at this place.
    pub(super) fn centre(self, pair: &Pair, nodes: &Nodes) -> Centre {
        let step = nodes.width() / STEPS;
        let [f, derivative] = pair.views();
        let steps = &pair.steps;
        let whole = |v: f64| [0.0, v as f32];
        let found = |at: f32, preferred: bool| {
            let (value, slope) = (f.value(at as f64) as f32, whole(derivative.value(at as f64)));
            Centre { at, value, slope, first: 1, flat: false, preferred }
        };
        match self {
            Place::Origin(side) => {
                let (zero, beside) = (f.zero[side], derivative.zero[side]);
                // A sum with -0 has the sign of its other term, so that f(-0) is -0 where f rises through 0.
                let value = if zero.value == 0.0 { -0.0 } else { zero.value as f32 };
                let slope = match beside.value == 0.0 {
                    true => [0.0, -0.0],
                    false if zero.value == 0.0 && steps.slope => split(beside.value),
                    false => whole(beside.value),
                };
                // The distance at zero has the sign of zero on the table's own side.
                let at = if steps.symmetry.sign() < 0.0 { -0.0 } else { 0.0 };
                let (first, flat) = (beside.power().max(1), beside.value == 0.0);
                Centre { at, value, slope, first, flat, preferred: true }
            }
            Place::Zero(at) if steps.slope => {
                let at = at as f32;
                let slope = split(derivative.value(f64::from(at)));
                Centre { slope, ..found(at, true) }
            }
            Place::Zero(at) => found(near(pair, step, at, [false, true]), true),
            Place::Flat(at) => {
                let at = near(pair, step * SMALLER, at, [true, false]);
                Centre { flat: true, ..found(at, true) }
            }
            Place::Near(at) => found(near(pair, step, at, [true; 2]), false),
        }
    }
}

/// Returns the first float from `place` outwards at which the values selected by `counts` are close to floats.
///
/// If there is none, returns the closest one.
fn near(pair: &Pair, step: f64, place: f64, counts: [bool; 2]) -> f32 {
    let mut best = (f64::INFINITY, place as f32);
    for from in (0..TRIES).step_by(COLUMN) {
        let floats = outwards(place, step, from);
        let mut off = [0.0; COLUMN];
        for (view, _) in pair.views().iter().zip(counts).filter(|(_, counts)| *counts) {
            let values = &view.values(&floats)[..];
            let mut k = 0;
            while k < COLUMN {
                off[k] = larger(off[k], off_float(values[k]));
                k += 1;
            }
        }
        let mut k = 0;
        while k < COLUMN {
            if off[k] < best.0 {
                best = (off[k], floats[k] as f32);
            }
            if best.0 < CLOSE {
                return best.1;
            }
            k += 1;
        }
    }
    best.1
}
