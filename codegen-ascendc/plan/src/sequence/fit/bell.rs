//! Fits `e^(-s a^2) N(a) / D(a)`, near minimax.
//!
//! The start is a problem that is linear in `N` and `D`, with residuals divided by the previous `D` (Sanathanan-Koerner). Then all
//! coefficients, and `s` if it is free, take Gauss-Newton steps, while weights grow where errors are large (Lawson).

use super::least_squares::{self, Row};

/// A sample of a function: its value at distance `a` from 0, and the weight of an error there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub a: f64,
    pub value: f64,
    pub weight: f64,
}

/// The degrees of the polynomials `N` and `D` in a fit `e^(-s a^2) N(a) / D(a)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The lowest power of `a` in `N`; 1 for a function that is 0 at 0.
    pub least: usize,
    /// The degree of `N`.
    pub n: usize,
    /// The degree of `D`.
    pub d: usize,
}

/// A fit `e^(-s a^2) N(a) / D(a)`, where `s` is `scale`.
///
/// Coefficients of `N` and `D` are in powers of `a`, from the constant on; the constant of `D` is 1.
#[derive(Clone, Debug)]
pub(super) struct Bell {
    pub scale: f64,
    pub n: Vec<f64>,
    pub d: Vec<f64>,
}

/// Number of rounds of a fit, each with new weights of the samples.
const ROUNDS: usize = 60;
/// Rounds at which a fit is given up if its error exceeds this multiple of the allowed one.
///
/// Fits that become good had at most 3.4 times the allowed error at the beginning, 1.6 after 4 rounds and 0.8 after 16 (31
/// functions in three types). A fit with a pole has an infinite error, and may lose the pole until the last of these rounds.
const SOON: [(usize, f64); 4] = [(0, 50.0), (4, 15.0), (8, 8.0), (16, 2.0)];

fn at(c: &[f64], a: f64) -> f64 {
    c.iter().rev().fold(0.0, |p, c| p * a + c)
}

/// Returns `a^k` for every power `k` from `first` to `last`.
fn powers(a: f64, first: usize, last: usize) -> impl Iterator<Item = f64> {
    let mut power = (0..first).fold(1.0, |p, _| p * a);
    (first..=last).map(move |_| {
        let own = power;
        power *= a;
        own
    })
}

impl Bell {
    /// Returns the three parts of the fit at `a`: `e^(-s a^2)`, `N(a)` and `D(a)`.
    fn parts(&self, a: f64) -> [f64; 3] {
        [libm::exp(-self.scale * a * a), at(&self.n, a), at(&self.d, a)]
    }

    /// Returns the weighted error of the fit at each sample.
    fn off(&self, places: &[Place]) -> Vec<f64> {
        let off = |p: &Place| {
            let [e, n, d] = self.parts(p.a);
            (e * n / d - p.value) * p.weight
        };
        places.iter().map(off).collect()
    }

    /// Returns the largest of the weighted errors `off`; infinite if `D` has a zero from 0 to `held`.
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

    /// Returns a first fit `e^(-s a^2) N(a) / D(a)` to samples, where `s` is `scale`.
    ///
    /// Each of six iterations solves a problem that is linear in the coefficients of `N` and `D`.
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

    /// Fits `e^(-s a^2) N(a) / D(a)` to samples: returns the largest weighted error, and the fit.
    ///
    /// Returns `None` if the error exceeds `most`. `s` begins with `scale` and is fitted too if `is_free` is true. `D` must have
    /// no zero up to `held`.
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

    /// Returns the linear least-squares problem of a Gauss-Newton step from this fit.
    ///
    /// `off` are the errors of the fit at the samples.
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

    /// Takes a Gauss-Newton step from this fit, with more damping until the weighted error decreases.
    ///
    /// Returns the new fit, its weighted errors, and the damping for the next step.
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
