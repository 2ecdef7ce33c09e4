//! Weighted least squares, near minimax, with coefficients rounded one after another.
//!
//! The columns of the problem are powers of the distance to the centre, the highest first. Made
//! orthogonal in this order, the lowest coefficient comes out first and alone. It is rounded, and
//! the next one is what suits the rounded one best: rounding costs nothing that a higher
//! coefficient can make good (Babai's nearest plane).
//!
//! Weights are made larger where errors are (Lawson), a few times, until the largest error is near
//! the least that it can be.

use crate::nodes::{MOST, Nodes};
use crate::pair;
use crate::table::MAX_DEGREE;

const COLUMNS: usize = MAX_DEGREE + 1;
type Column = [f64; MOST];

/// `f(x) = base + sum of a[k] (x - centre)^k` for `k` from `first` to `degree`.
pub(crate) struct Problem<'a> {
    pub(crate) nodes: &'a Nodes,
    pub(crate) centre: f64,
    pub(crate) base: f64,
    pub(crate) first: usize,
    pub(crate) degree: usize,
    /// Whether the highest coefficient is the lower half of the one below it.
    pub(crate) pair: bool,
}

/// The problem with every row scaled by its weight and distances by the greatest.
struct Scaled {
    rows: usize,
    many: usize,
    /// Highest power first.
    columns: [Column; COLUMNS],
    values: Column,
}

/// Columns at right angles: `columns[k] = own + sum over later j of mix[k][j] ..`.
struct Triangle {
    many: usize,
    mix: [[f64; COLUMNS]; COLUMNS],
    values: [f64; COLUMNS],
}

#[inline]
fn dot(a: &Column, b: &Column, rows: usize) -> f64 {
    // Four sums beside each other, in the same order everywhere.
    let mut sums = [0.0; 4];
    for (a, b) in a[..rows].chunks_exact(4).zip(b[..rows].chunks_exact(4)) {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

impl Scaled {
    /// With rows of zeros up to a multiple of four.
    fn new(p: &Problem, unit: f64) -> Self {
        let many = p.degree + 1 - p.first;
        let mut s = Scaled {
            rows: p.nodes.x.len().next_multiple_of(4),
            many,
            columns: [[0.0; MOST]; COLUMNS],
            values: [0.0; MOST],
        };
        for (j, &x) in p.nodes.x.iter().enumerate() {
            let d = (x - p.centre) / unit;
            let mut power = p.nodes.weight[j];
            for _ in 0..p.first {
                power *= d;
            }
            for k in (0..many).rev() {
                s.columns[k][j] = power;
                power *= d;
            }
            s.values[j] = (p.nodes.f[j] - p.base) * p.nodes.weight[j];
        }
        s
    }

    /// By Gram and Schmidt, as modified, with the values as one more column.
    fn triangle(&self, lawson: &Column) -> Triangle {
        let mut t =
            Triangle { many: self.many, mix: [[0.0; COLUMNS]; COLUMNS], values: [0.0; COLUMNS] };
        let mut columns = self.columns;
        let mut values = self.values;
        for j in 0..self.rows {
            let root = lawson[j].sqrt();
            for column in &mut columns[..self.many] {
                column[j] *= root;
            }
            values[j] *= root;
        }
        for k in 0..self.many {
            let own = columns[k];
            let size = dot(&own, &own, self.rows);
            if size == 0.0 {
                continue;
            }
            let clear = |column: &mut Column| {
                let share = dot(&own, column, self.rows) / size;
                for (v, o) in column[..self.rows].iter_mut().zip(&own) {
                    *v -= share * o;
                }
                share
            };
            for (mix, column) in t.mix[k].iter_mut().zip(&mut columns).take(self.many).skip(k + 1) {
                *mix = clear(column);
            }
            t.values[k] = clear(&mut values);
        }
        t
    }

    /// The weighted error at every node.
    fn errors(&self, solution: &[f64; COLUMNS]) -> Column {
        let mut errors = self.values;
        for (column, c) in self.columns[..self.many].iter().zip(solution) {
            for (e, v) in errors[..self.rows].iter_mut().zip(column) {
                *e -= c * v;
            }
        }
        errors
    }
}

impl Triangle {
    /// Lowest power first, each through `round` before the next.
    fn solve(&self, mut round: impl FnMut(usize, f64) -> f64) -> [f64; COLUMNS] {
        let mut solution = [0.0; COLUMNS];
        for k in (0..self.many).rev() {
            let later = self.mix[k].iter().zip(&solution).skip(k + 1);
            let c = later.fold(self.values[k], |c, (mix, s)| c - mix * s);
            solution[k] = round(self.many - 1 - k, c);
        }
        solution
    }
}

impl Problem<'_> {
    /// Calls `round` with every power and its coefficient, from the lowest; it says what became of it.
    /// The result is the largest weighted error that there was before rounding.
    pub(crate) fn solve(&self, lawson: usize, mut round: impl FnMut(usize, f64) -> f64) -> f64 {
        if self.pair {
            return self.with_pair(lawson, &mut round);
        }
        let n = &self.nodes;
        let unit = (n.left - self.centre).abs().max((n.right - self.centre).abs());
        let scaled = Scaled::new(self, unit);
        let mut weights = [1.0; MOST];
        let mut best = (f64::INFINITY, None);
        for left in (0..=lawson).rev() {
            let triangle = scaled.triangle(&weights);
            let errors = scaled.errors(&triangle.solve(|_, c| c)).map(f64::abs);
            let most = errors.iter().fold(0.0, |a: f64, &b| a.max(b));
            if most < best.0 {
                best = (most, Some(triangle));
            }
            if left == 0 || most < 1e-13 {
                break;
            }
            for (w, e) in weights.iter_mut().zip(&errors) {
                *w *= e;
            }
            let sum: f64 = weights[..n.x.len()].iter().sum();
            weights = weights.map(|w| w * n.x.len() as f64 / sum + 1e-9);
        }
        let mut power = 1.0;
        for _ in 0..self.first {
            power *= unit;
        }
        if let Some(triangle) = best.1 {
            triangle.solve(|k, c| {
                let rounded = round(self.first + k, c / power) * power;
                power *= unit;
                rounded
            });
        }
        best.0
    }

    /// The same where the two highest coefficients are looked up as one. They have few bits, so they come first, and lower
    /// powers make good what that costs.
    fn with_pair(&self, lawson: usize, round: &mut dyn FnMut(usize, f64) -> f64) -> f64 {
        let mut all = [0.0; COLUMNS];
        let whole = Problem { pair: false, ..*self };
        whole.solve(lawson, |k, c| {
            all[k] = c;
            c
        });
        let [below, above] = pair::packed(all[self.degree - 1], all[self.degree]);
        let degree = self.degree - 2;
        let highest = |x: &f64| {
            let d = x - self.centre;
            (0..=degree).fold(above * d + below, |sum, _| sum * d)
        };
        let f = self.nodes.f.iter().zip(&self.nodes.x).map(|(f, x)| f - highest(x)).collect();
        let (x, weight) = (self.nodes.x.clone(), self.nodes.weight.clone());
        let nodes = Nodes { x, f, weight, ..*self.nodes };
        let off = Problem { nodes: &nodes, degree, ..whole }.solve(lawson, &mut *round);
        round(degree + 1, below);
        round(degree + 2, above);
        off
    }
}
