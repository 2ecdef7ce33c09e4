//! Where a segment may be centred: at a zero, or at a float whose value is nearly a float, so that
//! `a[0]` needs no low part.

use crate::float::{size, ulp};
use crate::nodes::Nodes;
use crate::view::View;

/// A place, and what is known of the function there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Centre {
    pub(crate) at: f32,
    /// Its value.
    pub(crate) value: f32,
    /// The least power that the polynomial has besides `value`.
    pub(crate) first: usize,
    /// Whether the function is zero there: the leading coefficient has a high and a low part.
    pub(crate) zero: bool,
    /// Whether it is to be taken whenever it is good enough, not only if it is comfortably so.
    pub(crate) preferred: bool,
}

/// Where a centre is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// Zero, which is the segment's border: seen from the left or from the right.
    Origin(usize),
    /// At this end of the table, where the function has become its limit.
    End(f64),
    /// At this root.
    Root(f64),
    /// Near this place.
    Near(f64),
}

/// So near to a float must a centre's value be, in its units.
const CLOSE: f64 = 1.0 / 256.0;
/// The same of multiples of the other side's unit, which are few far out.
const NEAR: f64 = 1.0 / 16.0;
/// So many floats are tried, half of them at a time.
const TRIES: usize = 2048;
/// So far from a root, in widths, others are looked for beside it, where it is plain.
const BESIDE: [f64; 6] = [-3e-3, 3e-3, -6e-3, 6e-3, -9e-3, 9e-3];
/// Values are asked for by as many.
pub(crate) const COLUMN: usize = 64;

/// Which places to try, those with the least cancellation first.
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
        // Of several floats beside it one may have a slope that is nearly a float too.
        places.extend(beside.iter().map(|k| Place::Near(root + k * width)));
    }
    places.extend(ordinary(view, nodes));
    places
}

/// Nine places all over the segment.
fn ordinary(view: &View, nodes: &Nodes) -> Vec<Place> {
    let at: Vec<f64> =
        (0..9).map(|q| nodes.left + nodes.width() * (0.04 + 0.115 * q as f64)).collect();
    let mut scored: Vec<(f64, f64)> =
        view.values(&at).iter().zip(&at).map(|(&v, &x)| (nodes.cancellation(v), x)).collect();
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    scored.into_iter().map(|(_, x)| Place::Near(x)).collect()
}

impl Place {
    /// The centre there.
    /// If the other side takes part in the last step (`once`), its value is one that nothing is lost of there.
    pub(crate) fn centre(self, view: &View, nodes: &Nodes, once: bool) -> Centre {
        match self {
            Place::Origin(side) => {
                let zero = view.zero[side];
                // A sum with -0 has the sign of its other part: so f(-0) is -0 where f rises through 0.
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

/// From a place outwards, the first float whose value is close to a float, or the one that comes closest.
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

/// The float nearest to a place whose value is close to a multiple of the unit of the other side, if that is larger than the value's
/// own. Multiples are few among floats: floats are found by them, not they among floats.
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

/// The next floats from a place outwards, by steps to either side in turn; `from` of them were before.
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

/// How far a value is from the nearest float, in its units.
#[inline(always)]
pub(crate) fn off_float(v: f64) -> f64 {
    size(v - v as f32 as f64) / ulp(v)
}
