//! Choice of the centre of a joint table's segment.
//!
//! It is a float where the function and its derivative are both nearly floats, or where one is zero and the other nearly a
//! float.

use super::pair::Pair;
use crate::centre::{COLUMN, off_float, outwards};
use crate::chebyshev::Nodes;
use crate::float::{larger, toward_zero};

/// A candidate for the centre of a joint table's segment: where to look for one.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// Zero, if it is a border of the segment.
    ///
    /// The field is 0 if the segment lies below zero, 1 if it lies above.
    Origin(usize),
    /// This zero of the function, or a float near it at which the derivative is nearly a float.
    Zero(f64),
    /// A float near this zero of the derivative at which the function is nearly a float.
    Flat(f64),
    /// A float near this argument at which the function and its derivative are nearly floats.
    Near(f64),
}

/// The centre of a segment, and the values of the function and its derivative there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Centre {
    pub(super) at: f32,
    pub(super) value: f32,
    /// The derivative at the centre as a high part (0 if it is a plain float) and a low part.
    pub(super) slope: [f32; 2],
    /// Lowest power of the distance from the centre that the derivative's polynomial has.
    ///
    /// Its constant does not count.
    pub(super) first: usize,
    /// True if the derivative is zero at the centre.
    pub(super) flat: bool,
    /// True if this centre is accepted as soon as its segment's error is within the target.
    ///
    /// Other centres need an error of at most 0.92 of the target if they are among the first three tried.
    pub(super) preferred: bool,
}

/// Maximum distance of function and derivative from floats at a centre, in units in the last place.
///
/// The search for a centre stops at the first argument at which both are that close to floats.
const CLOSE: f64 = 1.0 / 40.0;
/// Maximum number of floats tried around a starting point.
const TRIES: usize = 4096;
/// Floats are tried at distances of the segment's width divided by this number.
const STEPS: f64 = 16_384.0;
/// Factor on the spacing of the floats tried near a zero of the derivative.
///
/// The centre has to stay close to such a zero.
const SMALLER: f64 = 1.0 / 64.0;

/// Returns the candidates for a segment's centre, in the order in which to try them.
///
/// Zeros come first, then nine arguments spread over the segment, those with the least cancellation first.
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

/// Returns nine arguments spread over the segment, those with the least cancellation first.
///
/// The cancellation is that of `f'(x) - f'(centre)` if the argument is the centre.
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
/// Products of both parts with a number then have the same sign too. If `v` is a float, the low part is 2^-60 of it, which is
/// negligible compared with the high part.
fn split(v: f64) -> [f32; 2] {
    const NOTHING: f64 = 1.0 / (1u64 << 60) as f64;
    let high = toward_zero(v);
    let rest = v - f64::from(high);
    [high, if rest == 0.0 { v * NOTHING } else { rest } as f32]
}

impl Place {
    /// Returns the centre that this candidate leads to, with the function and its derivative there.
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

/// Returns the first float from `place` outwards at which selected values are close to floats.
///
/// `counts` says whether the function's value and the derivative's are considered. If no float qualifies, returns the one whose
/// values are closest to floats.
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
