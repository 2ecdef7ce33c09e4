//! Fits `e^(-s a^2) N(a) / D(a)`, near minimax.
//!
//! The start is a problem that is linear in `N` and `D`, with residuals divided by the previous `D` (Sanathanan-Koerner). Then all
//! coefficients, and `s` if it is free, take Gauss-Newton steps, while weights grow where errors are large (Lawson).

use super::least_squares::{self, Row};

/// A sample: a value at `a`, and the weight of an error there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub a: f64,
    pub value: f64,
    pub weight: f64,
}

/// The number of coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The least power of `N`; 1 for a function that is 0 at 0.
    pub least: usize,
    /// The degree of `N`.
    pub n: usize,
    /// The degree of `D`.
    pub d: usize,
}

/// Coefficients from `a^0` on; `D` begins with 1.
#[derive(Clone, Debug)]
pub(super) struct Bell {
    pub scale: f64,
    pub n: Vec<f64>,
    pub d: Vec<f64>,
}

/// Number of rounds of reweighting.
const ROUNDS: usize = 60;
/// Rounds after which a fit whose error is this multiple of the allowed one is given up.
///
/// Fits that become good had at most 3.4 times the allowed error at the beginning, 1.6 after 4 rounds and .8 after 16 (31 functions
/// in three types). A fit with a pole has an infinite error, and may lose the pole until the last of these rounds.
const SOON: [(usize, f64); 4] = [(0, 50.0), (4, 15.0), (8, 8.0), (16, 2.0)];

fn at(c: &[f64], a: f64) -> f64 {
    c.iter().rev().fold(0.0, |p, c| p * a + c)
}

/// Returns `a^k` for every power from the first to the last.
fn powers(a: f64, first: usize, last: usize) -> impl Iterator<Item = f64> {
    let mut power = (0..first).fold(1.0, |p, _| p * a);
    (first..=last).map(move |_| {
        let own = power;
        power *= a;
        own
    })
}

impl Bell {
    /// Returns `e^(-s a^2)`, `N` and `D` at `a`.
    fn parts(&self, a: f64) -> [f64; 3] {
        [libm::exp(-self.scale * a * a), at(&self.n, a), at(&self.d, a)]
    }

    /// Returns the weighted errors.
    fn off(&self, places: &[Place]) -> Vec<f64> {
        let off = |p: &Place| {
            let [e, n, d] = self.parts(p.a);
            (e * n / d - p.value) * p.weight
        };
        places.iter().map(off).collect()
    }

    /// Returns the largest weighted error; infinite if `D` vanishes before `held`.
    fn worst(&self, off: &[f64], held: f64) -> f64 {
        if !self.has_no_pole(held) {
            return f64::INFINITY;
        }
        let larger =
            |most: f64, off: &f64| if off.is_nan() { f64::INFINITY } else { most.max(off.abs()) };
        off.iter().fold(0.0, larger)
    }

    fn has_no_pole(&self, held: f64) -> bool {
        (0..=64).all(|k| at(&self.d, held * f64::from(k) / 64.0) > 0.0)
    }

    fn changed(&self, shape: Shape, by: &[f64]) -> Bell {
        let mut next = self.clone();
        let (n, rest) = by.split_at(shape.n + 1 - shape.least);
        let (d, scale) = rest.split_at(shape.d);
        next.n[shape.least..].iter_mut().zip(n).for_each(|(c, by)| *c += by);
        next.d[1..].iter_mut().zip(d).for_each(|(c, by)| *c += by);
        scale.iter().for_each(|by| next.scale += by);
        next
    }

    /// Returns the solution of the linear problem, after six iterations.
    fn begun(places: &[Place], shape: Shape, scale: f64) -> Bell {
        let (n, d) = (vec![0.0; shape.n + 1], vec![0.0; shape.d + 1]);
        let mut bell = Bell { scale, n, d };
        bell.d[0] = 1.0;
        let empty = bell.clone();
        for _ in 0..6 {
            let row = |p: &Place| {
                let [e, _, d] = bell.parts(p.a);
                let weight = p.weight / d.abs().max(1e-3);
                let above = powers(p.a, shape.least, shape.n).map(|a| weight * e * a);
                let below = powers(p.a, 1, shape.d).map(|a| -weight * p.value * a);
                let factors = above.chain(below).collect();
                Row { factors, sum: weight * p.value, weight: 1.0 }
            };
            let rows: Vec<Row> = places.iter().map(row).collect();
            bell = empty.changed(shape, &least_squares::solve(&rows, 1e-12));
        }
        bell
    }

    /// Returns the best fit found and its largest weighted error; `None` if that exceeds `most`.
    pub(super) fn fitted(
        places: &[Place],
        shape: Shape,
        scale: f64,
        is_free: bool,
        held: f64,
        most: f64,
    ) -> Option<(f64, Bell)> {
        let mut bell = Bell::begun(places, shape, scale);
        let mut off = bell.off(places);
        let mut best = (bell.worst(&off, held), bell.clone());
        let mut weights = vec![1.0; places.len()];
        let mut damping = 1e-6;
        for round in 0..ROUNDS {
            let is_far = |(soon, times): &(usize, f64)| {
                let has_time = best.0.is_infinite() && *soon < SOON[SOON.len() - 1].0;
                round == *soon && best.0 > times * most && !has_time
            };
            if SOON.iter().any(is_far) {
                return None;
            }
            // All samples have equal weights in the first rounds.
            if round > 4 {
                weights.iter_mut().zip(&off).for_each(|(weight, off)| *weight *= off.abs() + 1e-12);
                let mean = weights.iter().sum::<f64>() / weights.len() as f64;
                weights.iter_mut().for_each(|w| *w = *w / mean + 1e-7);
            }
            let rows = bell.rows(places, &weights, &off, shape, is_free);
            (bell, off, damping) = bell.step(places, &rows, off, shape, held, damping);
            let worst = bell.worst(&off, held);
            if worst < best.0 {
                best = (worst, bell.clone());
            }
        }
        (best.0 <= most).then_some(best)
    }

    /// Returns the linear least-squares problem of a Gauss-Newton step.
    fn rows(
        &self,
        places: &[Place],
        weights: &[f64],
        off: &[f64],
        shape: Shape,
        is_free: bool,
    ) -> Vec<Row> {
        let row = |((p, weight), off): ((&Place, &f64), &f64)| {
            let [e, n, d] = self.parts(p.a);
            let unit = p.weight * e / d;
            let above = powers(p.a, shape.least, shape.n).map(|a| unit * a);
            let below = powers(p.a, 1, shape.d).map(|a| -unit * n / d * a);
            let scale = is_free.then_some(-unit * n * p.a * p.a);
            let factors = above.chain(below).chain(scale).collect();
            Row { factors, sum: -off, weight: *weight }
        };
        places.iter().zip(weights).zip(off).map(row).collect()
    }

    /// Takes one step, with more damping until it descends; also returns its errors and the damping.
    fn step(
        &self,
        places: &[Place],
        rows: &[Row],
        off: Vec<f64>,
        shape: Shape,
        held: f64,
        mut damping: f64,
    ) -> (Bell, Vec<f64>, f64) {
        let sum = |off: &[f64]| -> f64 {
            rows.iter().zip(off).map(|(row, off)| row.weight * off * off).sum()
        };
        let now = sum(&off);
        for _ in 0..8 {
            let next = self.changed(shape, &least_squares::solve(rows, damping));
            if next.has_no_pole(held) {
                let later = next.off(places);
                if sum(&later) <= now || !self.has_no_pole(held) {
                    return (next, later, (0.2 * damping).max(1e-12));
                }
            }
            damping = (10.0 * damping).min(1e3);
        }
        (self.clone(), off, damping)
    }
}
