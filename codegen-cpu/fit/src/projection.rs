//! Moves a polynomial of a 16-bit table by the least change that makes all inputs round correctly.
//!
//! A value that is rounded may be anything between the two halfway points next to the correct result: its room. Few inputs of a segment
//! have values near the ends of their rooms, and least squares does not consider them. Where some are beyond, the polynomial is
//! corrected: for each such input in turn by the least change that brings it back, repeatedly, until all are within their rooms
//! (Agmon-Motzkin projection onto half-spaces). If no polynomial satisfies every constraint, the result usually violates fewer of them.

use crate::chebyshev::Nodes;
use crate::exhaustive::Room;
use crate::table::MAX_DEGREE;

/// Assumed bound of each correction, as a multiple of the largest violation.
///
/// Inputs at which the value may change by more than that impose no constraint, because the correction will not use it up.
const CHANGE: f64 = 8.0;
/// Maximum number of projection sweeps over all inputs.
const SWEEPS: usize = 100;

/// Basis functions of a polynomial's correction, evaluated at one `z`: `z^first T_k(u)`.
///
/// `T_k` are the Chebyshev polynomials, and `u` runs from -1 to 1 across the segment.
type Parts = [f64; MAX_DEGREE + 1];

/// Corrects a polynomial by the least change with which its values are in given intervals.
///
/// `present` is the polynomial before the correction. `rooms` are the intervals by which its values may change at some inputs.
/// The function's values at the nodes are replaced by those of the corrected polynomial, which has this degree and the factor
/// `z^first`.
pub(crate) fn mend(
    nodes: &mut Nodes,
    present: &dyn Fn(f64) -> f64,
    rooms: &[Room],
    [first, degree]: [usize; 2],
) {
    let (left, right) = (nodes.left, nodes.right);
    let many = degree - first + 1;
    let parts = |z: f64| -> Parts {
        let u = (2.0 * z - left - right) / (right - left);
        let scale = (0..first).fold(1.0, |power, _| power * z);
        let (mut parts, mut before, mut next) = ([0.0; MAX_DEGREE + 1], u, 1.0);
        let mut k = 0;
        while k < many {
            parts[k] = scale * next;
            (before, next) = (next, 2.0 * u * next - before);
            k += 1;
        }
        parts
    };
    let worst = rooms.iter().map(Room::left).fold(0.0, f64::min);
    let matters = |room: &&Room| room.left() < -CHANGE * worst;
    let row = |room: &Room| {
        let parts = parts(room.z);
        (*room, parts, dot(&parts, &parts, many))
    };
    let rows: Vec<(Room, Parts, f64)> = rooms.iter().filter(matters).map(row).collect();
    let rows = &rows[..];
    let mut change = [0.0; MAX_DEGREE + 1];
    for _ in 0..SWEEPS {
        let mut within = true;
        let mut next = 0;
        while next < rows.len() {
            let (room, parts, square) = &rows[next];
            next += 1;
            let now = dot(&change, parts, many);
            if now >= room.from && now <= room.to {
                continue;
            }
            within = false;
            let share = (now.clamp(room.from, room.to) - now) / square;
            let mut k = 0;
            while k < many {
                change[k] += share * parts[k];
                k += 1;
            }
        }
        if within {
            break;
        }
    }
    for (x, f) in nodes.x.iter().zip(&mut nodes.f) {
        *f = present(*x) + dot(&change, &parts(*x), many);
    }
}

#[inline(always)]
fn dot(a: &Parts, b: &Parts, many: usize) -> f64 {
    let (mut sum, mut k) = (0.0, 0);
    while k < many {
        sum += a[k] * b[k];
        k += 1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests four values, two of which have to change because zero is outside the intervals of allowed changes.
    #[test]
    fn values_are_taken_back_by_the_least_change() {
        let room = |z: f64, from: f64, to: f64| Room { z, from, to, size: 1.0 };
        let rooms = [
            room(2.1, -0.5, 1.0),
            room(2.5, 0.02, 0.3),
            room(2.9, -0.2, -0.03),
            room(3.0, -1.0, 1.0),
        ];
        let mut nodes = Nodes {
            left: 2.0,
            right: 3.0,
            x: vec![2.1, 2.5, 2.9, 3.0],
            f: vec![0.0; 4],
            weight: vec![1.0; 4],
        };
        mend(&mut nodes, &|z| z * z, &rooms, [0, 2]);
        for (room, f) in rooms.iter().zip(&nodes.f) {
            let by = f - room.z * room.z;
            assert!((room.from - 1e-12..=room.to + 1e-12).contains(&by), "{room:?}: {by}");
            assert!(by.abs() < 0.1, "{room:?}: {by}");
        }
    }

    /// Checks that a zero of the function at 0 keeps its order, because the correction has the factor `z^first`.
    #[test]
    fn a_zero_stays_one() {
        let room = Room { z: 0.5, from: 0.1, to: 0.2, size: 1.0 };
        let mut nodes = Nodes {
            left: 0.0,
            right: 1.0,
            x: vec![0.0, 0.5],
            f: vec![7.0; 2],
            weight: vec![1.0; 2],
        };
        mend(&mut nodes, &|z| z * z, &[room], [2, 3]);
        assert_eq!(nodes.f[0], 0.0);
        assert!(nodes.f[1] >= 0.35 - 1e-12, "{}", nodes.f[1]);
    }
}
