//! Where a segment's polynomial is fitted: the zeros of a Chebyshev polynomial.

use crate::float::{larger, size};
use crate::view::View;

/// As many as the highest degree has.
pub(crate) const MOST: usize = 40;

/// The values at the nodes of one segment, and their weights.
pub(crate) struct Nodes {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) x: Vec<f64>,
    pub(crate) f: Vec<f64>,
    /// Errors at a node count by its weight: relative errors, save near zeros.
    pub(crate) weight: Vec<f64>,
}

/// The zeros of a Chebyshev polynomial: many enough for a degree to have its error known.
pub(crate) fn places(degree: usize) -> Vec<f64> {
    let many = (3 * degree + 8).min(MOST);
    (0..many).map(|j| libm::cos(core::f64::consts::PI * (j as f64 + 0.5) / many as f64)).collect()
}

impl Nodes {
    pub(crate) fn new(view: &View, places: &[f64], left: f64, right: f64) -> Self {
        let at = |p: f64| 0.5 * (left + right) + 0.5 * (right - left) * p;
        let x: Vec<f64> = places.iter().map(|&p| at(p)).collect();
        let f = view.values(&x);
        let weight = x.iter().zip(&f).map(|(&x, f)| 1.0 / view.size(x, *f)).collect();
        Nodes { left, right, x, f, weight }
    }

    pub(crate) fn width(&self) -> f64 {
        self.right - self.left
    }

    /// How much of the value is lost in the difference to the value `f` of a centre, at most.
    pub(crate) fn cancellation(&self, f: f64) -> f64 {
        let (values, weights) = (&self.f[..], &self.weight[..]);
        let (mut most, mut j) = (0.0, 0);
        while j < values.len() {
            most = larger(most, size(values[j] - f) * weights[j]);
            j += 1;
        }
        most
    }
}
