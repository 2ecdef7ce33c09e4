//! Weighted least squares, near minimax, with coefficients rounded one after another.
//!
//! The columns of the problem are powers of the distance to the centre, the highest first. Orthogonalised in this order, the
//! lowest coefficient comes out first and does not depend on the others. It is rounded, and the next one is then optimal for
//! the rounded one, so that rounding costs nothing that a higher coefficient can correct (Babai rounding).
//!
//! Lawson weights grow where errors are large, for a few steps, until the largest error is near its minimum.

use crate::chebyshev::{MOST, Nodes};
use crate::float::{larger, size};
use crate::pair;
use crate::table::MAX_DEGREE;

const COLUMNS: usize = MAX_DEGREE + 1;
type Column = [f64; MOST];

/// Least-squares problem `f(x) = base + sum of a[k] (x - centre)^k`, `k` from `first` to `degree`.
///
/// The coefficients `a[k]` are wanted.
pub(crate) struct Problem<'a> {
    pub(crate) nodes: &'a Nodes,
    pub(crate) centre: f64,
    pub(crate) base: f64,
    pub(crate) first: usize,
    pub(crate) degree: usize,
    /// True if the highest coefficient is stored in the lower 16 bits of the next lower one.
    pub(crate) pair: bool,
}

/// The least-squares problem with every row (a Chebyshev node) multiplied by its weight.
///
/// Distances from the centre are divided by the greatest.
struct Scaled {
    rows: usize,
    many: usize,
    /// Powers of the distance from the centre at the nodes, highest power first.
    columns: [Column; COLUMNS],
    values: Column,
}

/// Triangular system that remains after the columns have been orthogonalised.
///
/// `mix[k][j]` is the share of column `k` that was subtracted from the later column `j`, and `values[k]` the share that was
/// subtracted from the function's values.
struct Triangle {
    many: usize,
    mix: [[f64; COLUMNS]; COLUMNS],
    values: [f64; COLUMNS],
}

#[inline(always)]
fn dot(a: &Column, b: &Column, rows: usize) -> f64 {
    // Four partial sums in a fixed order, so that the result is the same on every machine.
    let (mut s0, mut s1, mut s2, mut s3) = (0.0, 0.0, 0.0, 0.0);
    let mut j = 0;
    while j < rows {
        s0 += a[j] * b[j];
        s1 += a[j + 1] * b[j + 1];
        s2 += a[j + 2] * b[j + 2];
        s3 += a[j + 3] * b[j + 3];
        j += 4;
    }
    (s0 + s1) + (s2 + s3)
}

/// Subtracts a multiple of one column from another.
#[inline(always)]
fn take(from: &mut Column, share: f64, column: &Column, rows: usize) {
    let mut j = 0;
    while j < rows {
        from[j] -= share * column[j];
        j += 1;
    }
}

impl Scaled {
    /// Sets up the scaled problem, padded with rows of zeros to a multiple of four.
    ///
    /// `unit` is the greatest distance from the centre.
    fn new(p: &Problem, unit: f64) -> Self {
        let many = p.degree + 1 - p.first;
        let mut s = Scaled {
            rows: p.nodes.x.len().next_multiple_of(4),
            many,
            columns: [[0.0; MOST]; COLUMNS],
            values: [0.0; MOST],
        };
        let (x, f, weight) = (&p.nodes.x[..], &p.nodes.f[..], &p.nodes.weight[..]);
        let mut j = 0;
        while j < x.len() {
            let d = (x[j] - p.centre) / unit;
            let mut power = weight[j];
            let mut k = 0;
            while k < p.first {
                power *= d;
                k += 1;
            }
            k = many;
            while k > 0 {
                k -= 1;
                s.columns[k][j] = power;
                power *= d;
            }
            s.values[j] = (f[j] - p.base) * weight[j];
            j += 1;
        }
        s
    }

    /// Orthogonalises the columns by modified Gram-Schmidt, with Lawson weights on the rows.
    ///
    /// The function's values are one more column.
    fn triangle(&self, lawson: &Column) -> Triangle {
        let (many, rows) = (self.many, self.rows);
        let mut t = Triangle { many, mix: [[0.0; COLUMNS]; COLUMNS], values: [0.0; COLUMNS] };
        let mut columns = self.columns;
        let mut values = self.values;
        let mut j = 0;
        while j < rows {
            let root = lawson[j].sqrt();
            let mut k = 0;
            while k < many {
                columns[k][j] *= root;
                k += 1;
            }
            values[j] *= root;
            j += 1;
        }
        let mut k = 0;
        while k < many {
            let own = columns[k];
            let size = dot(&own, &own, rows);
            if size != 0.0 {
                let mut later = k + 1;
                while later < many {
                    let share = dot(&own, &columns[later], rows) / size;
                    take(&mut columns[later], share, &own, rows);
                    t.mix[k][later] = share;
                    later += 1;
                }
                t.values[k] = dot(&own, &values, rows) / size;
                take(&mut values, t.values[k], &own, rows);
            }
            k += 1;
        }
        t
    }

    /// Returns the absolute weighted error of a solution at every node.
    fn errors(&self, solution: &[f64; COLUMNS]) -> Column {
        let mut errors = self.values;
        let mut k = 0;
        while k < self.many {
            take(&mut errors, solution[k], &self.columns[k], self.rows);
            k += 1;
        }
        let mut j = 0;
        while j < self.rows {
            errors[j] = size(errors[j]);
            j += 1;
        }
        errors
    }
}

impl Triangle {
    /// Solves for the coefficients by back substitution, the lowest power first.
    ///
    /// Each coefficient is replaced by the result of `round` before the next one is computed.
    fn solve(&self, mut round: impl FnMut(usize, f64) -> f64) -> [f64; COLUMNS] {
        let mut solution = [0.0; COLUMNS];
        for k in (0..self.many).rev() {
            let mut c = self.values[k];
            let mut later = k + 1;
            while later < self.many {
                c -= self.mix[k][later] * solution[later];
                later += 1;
            }
            solution[k] = round(self.many - 1 - k, c);
        }
        solution
    }
}

fn largest(errors: &Column) -> f64 {
    let (mut most, mut j) = (0.0, 0);
    while j < MOST {
        most = larger(most, errors[j]);
        j += 1;
    }
    most
}

/// Multiplies the Lawson weights by the errors, and normalises them to 1 on average over `rows`.
fn adapt(weights: &mut Column, errors: &Column, rows: usize) {
    let (mut sum, mut j) = (0.0, 0);
    while j < MOST {
        weights[j] *= errors[j];
        sum += if j < rows { weights[j] } else { 0.0 };
        j += 1;
    }
    j = 0;
    while j < MOST {
        weights[j] = weights[j] * rows as f64 / sum + 1e-9;
        j += 1;
    }
}

impl Problem<'_> {
    /// Solves the problem and passes each power with its coefficient to `round`, from the lowest.
    ///
    /// `lawson` is the number of Lawson steps. `round` returns the coefficient to use. Returns the largest weighted error
    /// before rounding.
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
            let errors = scaled.errors(&triangle.solve(|_, c| c));
            let most = largest(&errors);
            if most < best.0 {
                best = (most, Some(triangle));
            }
            if left == 0 || most < 1e-13 {
                break;
            }
            adapt(&mut weights, &errors, n.x.len());
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

    /// Solves the problem with the two highest coefficients in one table entry.
    ///
    /// These two are determined first because they have few bits, so that the lower powers can correct their error.
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
