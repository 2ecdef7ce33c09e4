//! Nodes at which a segment's polynomial is fitted: the zeros of a Chebyshev polynomial.

use crate::float::{larger, size};
use crate::view::View;

/// Maximum number of Chebyshev nodes per segment, rounded up to a multiple of four.
pub(crate) const MOST: usize = 40;

/// Chebyshev nodes of one segment, the function's values there, and the weights of their errors.
///
/// The segment's polynomial is fitted at the nodes.
pub(crate) struct Nodes {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) x: Vec<f64>,
    pub(crate) f: Vec<f64>,
    /// Weight of the error at each node: the inverse of the value's size.
    ///
    /// Weighted errors are therefore relative, except near zeros.
    pub(crate) weight: Vec<f64>,
}

/// Returns the zeros of a Chebyshev polynomial, which lie between -1 and 1.
///
/// There are enough of them to measure the error of a fitted polynomial of `degree`.
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

    /// Returns the largest `|v - f| / |v|` over the function's values `v` at the nodes.
    ///
    /// `f` is the function's value at a centre. The smaller the result is, the less a rounding of `v - f` counts.
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
