//! Choice of a segment's centre: a zero, or a float whose value is nearly a float, so that `a[0]` needs no low part.

use crate::chebyshev::Nodes;
use crate::float::{size, ulp};
use crate::view::View;

/// The point about which a segment's polynomial is expanded, and the function's properties there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Centre {
    pub(crate) at: f32,
    /// Value of the function at the centre, rounded to f32: the constant coefficient of the polynomial.
    pub(crate) value: f32,
    /// Lowest power of the distance from the centre that the polynomial has besides the constant `value`.
    pub(crate) first: usize,
    /// True if the function is zero at the centre.
    ///
    /// The leading coefficient then has a high and a low part.
    pub(crate) zero: bool,
    /// True if this centre is accepted as soon as its segment's error is within the target.
    ///
    /// Other centres need an error of at most 0.92 of the target if they are among the first three tried.
    pub(crate) preferred: bool,
}

/// A candidate for the centre of a segment's polynomial: where to look for one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// Zero, if it is a border of the segment.
    ///
    /// The field is 0 if the segment lies below zero, 1 if it lies above.
    Origin(usize),
    /// The end of the table at this argument, where the function has rounded to its limit.
    End(f64),
    /// This zero of the function, rounded to a float.
    Root(f64),
    /// A float near this argument at which the function's value is nearly a float.
    Near(f64),
}

/// Maximum distance of the function's value at a centre from a float, in units in the last place.
///
/// The search for a centre stops at the first argument whose value is that close to a float, because the constant coefficient is then
/// rounded by next to nothing.
const CLOSE: f64 = 1.0 / 256.0;
/// Maximum distance of a value from a multiple of the last place of the other side's value.
///
/// The other side is that of zero for which the table has no values, where the function follows by symmetry. The distance is in
/// units in the last place of the value, and larger than [`CLOSE`] because there are few such multiples far from zero.
const NEAR: f64 = 1.0 / 16.0;
/// Maximum number of floats tried as centres around a starting point, half of them on either side.
///
/// It is sixteen times what [`CLOSE`] needs on average, since the distance to the next float is random.
const TRIES: usize = 2048;
/// Distances from a zero of the function at which further centres are tried, in segment widths.
///
/// They are tried only where the slope at the zero is a plain float and not a double-float.
const BESIDE: [f64; 6] = [-3e-3, 3e-3, -6e-3, 6e-3, -9e-3, 9e-3];
/// Number of arguments at which the function is evaluated in one call, because oracles evaluate column by column.
pub(crate) const COLUMN: usize = 64;

/// Returns the candidates for a segment's centre, in the order in which to try them.
///
/// Zeros and ends come first, then nine arguments spread over the segment, those with the least cancellation in `f(x) - f(centre)`
/// first.
pub(crate) fn places(view: &View, nodes: &Nodes, power: usize) -> Vec<Place> {
    let (left, right, width) = (nodes.left, nodes.right, nodes.width());
    if left.abs() < 1e-12 || right.abs() < 1e-12 {
        let side = (right > 1e-12) as usize;
        let mut places = vec![Place::Origin(side)];
        if view.zero[side].value != 0.0 {
            places.extend(ordinary(view, nodes));
        }
        return places;
    }
    let mut places: Vec<Place> = Vec::new();
    let reached = |side: usize, end: f64| {
        view.reach[side].limit.is_some() && end >= view.reach[side].to * 0.999
    };
    if reached(1, right) {
        places.push(Place::End(right));
    } else if reached(0, -left) {
        places.push(Place::End(left));
    }
    let beside = if power == 0 { &BESIDE[..] } else { &[] };
    let roots = view.roots.iter().filter(|&&r| r > left - 0.75 * width && r < right + 0.75 * width);
    for &root in roots {
        places.push(Place::Root(root));
        // Several floats beside the root are tried, because the slope at one of them may be nearly a float too.
        places.extend(beside.iter().map(|k| Place::Near(root + k * width)));
    }
    places.extend(ordinary(view, nodes));
    places
}

/// Returns nine arguments spread over the segment, those with the least cancellation first.
///
/// The cancellation is that of `f(x) - f(centre)` if the argument is the centre.
fn ordinary(view: &View, nodes: &Nodes) -> Vec<Place> {
    let at: Vec<f64> =
        (0..9).map(|q| nodes.left + nodes.width() * (0.04 + 0.115 * q as f64)).collect();
    let mut scored: Vec<(f64, f64)> =
        view.values(&at).iter().zip(&at).map(|(&v, &x)| (nodes.cancellation(v), x)).collect();
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    scored.into_iter().map(|(_, x)| Place::Near(x)).collect()
}

impl Place {
    /// Returns the centre that this candidate leads to, with the function's properties there.
    ///
    /// If `once`, the symmetry is part of the polynomial's last step. A centre is then preferred whose value loses no digits in
    /// the sum that gives the function on the other side of zero.
    pub(crate) fn centre(self, view: &View, nodes: &Nodes, once: bool) -> Centre {
        match self {
            Place::Origin(side) => {
                let zero = view.zero[side];
                // A sum with -0 has the sign of its other term, so that f(-0) is -0 where f rises through 0.
                let value = if zero.value == 0.0 { -0.0 } else { zero.value as f32 };
                let (at, first) = (0.0, zero.power().max(1));
                Centre { at, value, first, zero: zero.value == 0.0, preferred: true }
            }
            Place::End(end) => {
                let at = end as f32;
                let value = view.value(end) as f32;
                Centre { at, value, first: 1, zero: false, preferred: true }
            }
            Place::Root(root) => {
                let at = root as f32;
                let value = view.value(at as f64) as f32;
                Centre { at, value, first: 1, zero: true, preferred: true }
            }
            Place::Near(place) => {
                let turned = once.then(|| near_multiple(view, nodes, place)).flatten();
                turned.unwrap_or_else(|| near(view, nodes, place))
            }
        }
    }
}

/// Returns the first float from `place` outwards at which the function's value is close to a float.
///
/// If no value is within [`CLOSE`], returns the argument whose value is closest to a float.
fn near(view: &View, nodes: &Nodes, place: f64) -> Centre {
    let step = nodes.width() / 16_384.0;
    let mut best = (f64::INFINITY, place as f32, 0.0);
    for from in (0..TRIES).step_by(COLUMN) {
        let floats = outwards(place, step, from);
        let values = &view.values(&floats)[..];
        let mut k = 0;
        while k < COLUMN {
            let value = values[k] as f32;
            let off = off_float(values[k]);
            if off < best.0 {
                best = (off, floats[k] as f32, value);
            }
            if best.0 < CLOSE {
                break;
            }
            k += 1;
        }
        if best.0 < CLOSE {
            break;
        }
    }
    Centre { at: best.1, value: best.2, first: 1, zero: false, preferred: false }
}

/// Returns a float near `place` at which the function is close to a multiple of a coarser unit.
///
/// That unit is the unit in the last place of the sum that gives the function on the other side of zero by symmetry. Returns
/// `None` if that unit is not larger than the value's own, or if no float is within [`NEAR`]. Few floats qualify, so that they
/// are found by solving for multiples, not by trying floats.
fn near_multiple(view: &View, nodes: &Nodes, place: f64) -> Option<Centre> {
    let step = nodes.width() / 64.0;
    let around = view.values(&[place - step, place, place + step]);
    let (value, slope) = (around[1], (around[2] - around[0]) / (2.0 * step));
    let unit = view.turned_unit(nodes.right, value);
    if unit <= ulp(value) || slope == 0.0 {
        return None;
    }
    let mut best: Option<(f64, f32, f32)> = None;
    let middle = (value / unit).round() * unit;
    for from in (0..TRIES / 4).step_by(COLUMN) {
        let multiples = outwards(middle, unit, from);
        let mut floats = multiples.map(|multiple| place + (multiple - value) / slope);
        for _ in 0..3 {
            let values = view.values(&floats);
            for k in 0..COLUMN {
                floats[k] += (multiples[k] - values[k]) / slope;
            }
        }
        let floats = floats.map(|x| x as f32 as f64);
        let values = view.values(&floats);
        for k in 0..COLUMN {
            let off = size(values[k] - multiples[k]) / ulp(values[k]);
            let is_inside = floats[k] > nodes.left && floats[k] < nodes.right;
            if is_inside && best.is_none_or(|(least, ..)| off < least) {
                best = Some((off, floats[k] as f32, multiples[k] as f32));
            }
        }
        if best.is_some_and(|(off, ..)| off < CLOSE) {
            break;
        }
    }
    let (_, at, value) = best.filter(|(off, ..)| *off < NEAR)?;
    Some(Centre { at, value, first: 1, zero: false, preferred: false })
}

/// Returns `COLUMN` floats in steps of `step` around `place`, beginning with the one of index `from`.
///
/// They alternate between both sides: for example, `place`, `place - step`, `place + step` if `from` is 0.
pub(crate) fn outwards(place: f64, step: f64, from: usize) -> [f64; COLUMN] {
    let mut floats = [0.0; COLUMN];
    let mut k = 0;
    while k < COLUMN {
        let j = from + k;
        let away = ((j + 1) >> 1) as f64 * if j & 1 == 0 { step } else { -step };
        floats[k] = (place + away) as f32 as f64;
        k += 1;
    }
    floats
}

/// Returns the distance of `v` from the nearest f32, in units in the last place of f32.
#[inline(always)]
pub(crate) fn off_float(v: f64) -> f64 {
    size(v - v as f32 as f64) / ulp(v)
}
