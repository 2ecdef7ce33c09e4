//! A polynomial in the variable and in a function of it.

use crate::float::fma;

/// Powers of the variable, and of `g`, from none on.
pub const POWERS: [usize; 2] = [4, 4];

/// A polynomial in `x` and `g`: `p[j][i]` is the factor of `x^i g^j`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Polynomial(pub [[f32; POWERS[0]]; POWERS[1]]);

impl Polynomial {
    /// The polynomials in `x` that powers of `g` are multiplied by, the highest first, without those that are nothing
    /// before the first.
    pub fn by_powers(&self) -> impl Iterator<Item = &[f32]> {
        self.0.iter().rev().map(|p| significant(p)).skip_while(|p| p.is_empty())
    }

    /// The value, operation for operation what an evaluator computes.
    pub fn at(&self, x: f32, g: f32) -> f32 {
        let mut powers = self.by_powers();
        let first = powers.next().map_or(0.0, |p| horner(p, x));
        powers.fold(first, |sum, p| match p {
            [] => sum * g,
            p => fma(sum, g, horner(p, x)),
        })
    }

    /// By how much it changes with `g`.
    fn slope(&self, x: f64, g: f64) -> f64 {
        let by = |j: usize| self.0[j].iter().rev().fold(0.0, |sum, c| sum * x + f64::from(*c));
        (1..POWERS[1]).rev().fold(0.0, |sum, j| sum * g + j as f64 * by(j))
    }

    /// What a table's value may change by if what is made of it may change from `from` to `to`.
    pub(crate) fn room(&self, x: f64, g: f64, [from, to]: [f64; 2]) -> [f64; 2] {
        let slope = self.slope(x, g);
        if slope < 0.0 { [to / slope, from / slope] } else { [from / slope, to / slope] }
    }

    /// How many operations it takes.
    pub(crate) fn operations(&self) -> usize {
        let of_x = |p: &[f32]| match p {
            [] => 0,
            p if p.len() == 2 && p[0] == 0.0 && p[1].abs() == 1.0 => 0,
            p => p.len() - 1,
        };
        self.by_powers().map(|p| of_x(p) + 1).sum::<usize>().saturating_sub(1)
    }
}

/// Without the zeros at the end.
fn significant(p: &[f32]) -> &[f32] {
    &p[..p.iter().rposition(|c| *c != 0.0).map_or(0, |k| k + 1)]
}

/// A polynomial in `x` that is not nothing.
fn horner(p: &[f32], x: f32) -> f32 {
    let (last, rest) = p.split_last().unwrap_or((&0.0, &[]));
    rest.iter().rev().fold(*last, |sum, c| if *c == 0.0 { sum * x } else { fma(sum, x, *c) })
}
