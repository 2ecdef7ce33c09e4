//! Cache of the oracle: fine polynomials that replace it, because it is slow.
//!
//! The same neighbourhoods are evaluated again and again, for every width, degree and element type. Cells are an eighth wide
//! and fitted when first needed. Beside a zero at zero, a cell is fitted to `f(x) / x^order`. Where the polynomial differs from
//! the function in digits that might matter (at a breakpoint, or near a pole), the oracle is evaluated each time.

use crate::float::size;
use crate::oracle::Values;
use crate::zero::Zero;

/// Number of cells, intervals of `x` with a polynomial each, per unit.
const FINE: f64 = 8.0;
/// Number of coefficients of a cell's polynomial.
const TERMS: usize = 16;
/// Maximum error of a cell's polynomial, relative to the largest value in the cell.
const OFF: f64 = 1e-13;
/// Maximum error of a cell's polynomial, relative to the value at the same argument.
const OFF_HERE: f64 = 1e-11;

/// State of one cell, an interval of `x`.
#[derive(Clone)]
enum Cell {
    Unknown,
    /// Coefficients of powers of `u`, which is -1 at the lower end of the cell and 1 at the upper.
    Polynomial(Box<[f64; TERMS]>),
    /// The function is not smooth enough for a polynomial, so that the oracle is evaluated each time.
    Oracle,
}

/// Cache of the oracle: cells (intervals with a polynomial each) of negative and of positive `x`.
pub(crate) struct Cells {
    cells: [Vec<Cell>; 2],
    chebyshev: Vec<f64>,
}

impl Cells {
    /// Returns a cache without any polynomials, for arguments with `|x| < far`.
    pub(crate) fn new(far: f64) -> Self {
        let empty = vec![Cell::Unknown; (far * FINE) as usize];
        let places =
            (0..TERMS).map(|j| libm::cos(core::f64::consts::PI * (j as f64 + 0.5) / TERMS as f64));
        Cells { cells: [empty.clone(), empty], chebyshev: places.collect() }
    }

    /// Returns the function's values at `x`.
    ///
    /// `zeros` describes the function at zero, from the negative and from the positive side.
    pub(crate) fn values(&mut self, x: &[f64], zeros: &[Zero; 2], oracle: &Values) -> Vec<f64> {
        let mut all = vec![0.0; x.len()];
        let values = &mut all[..];
        let mut asked = Vec::new();
        let [negative, positive] = &mut self.cells;
        let (negative, positive) = (&mut negative[..], &mut positive[..]);
        let mut j = 0;
        while j < x.len() {
            let x = x[j];
            let side = (x >= 0.0) as usize;
            let cells = if side == 0 { &mut *negative } else { &mut *positive };
            let scaled = size(x) * FINE;
            let i = scaled as usize;
            if i < cells.len() {
                let order = if i == 0 { zeros[side].power() } else { 0 };
                if matches!(cells[i], Cell::Unknown) {
                    let sign = if side == 0 { -1.0 } else { 1.0 };
                    let place = |u: f64| sign * (i as f64 + 0.5 + 0.5 * u) / FINE;
                    cells[i] = fit(&self.chebyshev, &place, order, oracle);
                }
                if let Cell::Polynomial(a) = &cells[i] {
                    let v = horner(a, 2.0 * (scaled - i as f64) - 1.0);
                    values[j] = if order == 0 { v } else { (0..order).fold(v, |v, _| v * x) };
                    j += 1;
                    continue;
                }
            }
            asked.push(j);
            j += 1;
        }
        if !asked.is_empty() {
            let places: Vec<f64> = asked.iter().map(|&j| x[j]).collect();
            for (&j, value) in asked.iter().zip(oracle(&places)) {
                values[j] = value;
            }
        }
        all
    }
}

#[inline(always)]
fn horner(a: &[f64; TERMS], u: f64) -> f64 {
    // Even and odd powers are separate chains, so that they can be computed in parallel.
    let square = u * u;
    let mut k = TERMS - 2;
    let (mut even, mut odd) = (a[k], a[k + 1]);
    while k > 0 {
        k -= 2;
        even = even * square + a[k];
        odd = odd * square + a[k + 1];
    }
    even + odd * u
}

/// Fits a polynomial to the cell from `place(-1)` to `place(1)`, if the function is smooth there.
///
/// The polynomial is of `f(x) / x^order`, where `order` is that of a zero at zero, in the cells next to 0.
fn fit(chebyshev: &[f64], place: &dyn Fn(f64) -> f64, order: usize, oracle: &Values) -> Cell {
    let reduced = |u: &[f64]| -> Vec<f64> {
        let x: Vec<f64> = u.iter().map(|&u| place(u)).collect();
        let values = oracle(&x);
        values.iter().zip(x).map(|(v, x)| (0..order).fold(*v, |v, _| v / x)).collect()
    };
    let values = reduced(chebyshev);
    // Coefficients of Chebyshev polynomials, converted to powers one after another: T' = 2 u T - T''.
    let mut powers = [0.0; TERMS];
    let (mut before, mut now) = ([0.0; TERMS], [0.0; TERMS]);
    now[0] = 1.0;
    for k in 0..TERMS {
        let share = if k == 0 { 1.0 } else { 2.0 } / TERMS as f64;
        // cos(k acos u) at the nodes, by the same recurrence.
        let at = |u: f64| {
            let (mut a, mut b) = (1.0, u);
            for _ in 0..k {
                (a, b) = (b, 2.0 * u * b - a);
            }
            a
        };
        let c: f64 = share * values.iter().zip(chebyshev).map(|(v, &u)| v * at(u)).sum::<f64>();
        for (p, t) in powers.iter_mut().zip(&now) {
            *p += c * t;
        }
        let mut next = [0.0; TERMS];
        for j in 0..TERMS {
            let shifted = if j == 0 { 0.0 } else { now[j - 1] };
            next[j] = if k == 0 { shifted } else { 2.0 * shifted - before[j] };
        }
        (before, now) = (now, next);
    }
    let most = values.iter().fold(0.0, |a: f64, v| a.max(v.abs()));
    let between = [-0.997, -0.71, -0.31, 0.17, 0.59, 0.93];
    let good = reduced(&between).into_iter().zip(between).all(|(v, u)| {
        let off = (horner(&powers, u) - v).abs();
        off <= OFF * most && (off <= OFF_HERE * v.abs() || v.abs() < 1e-3 * most)
    });
    if good { Cell::Polynomial(Box::new(powers)) } else { Cell::Oracle }
}
