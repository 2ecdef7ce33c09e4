//! A polynomial in the variable `x` and in a function `g` of it.

use crate::float::fma;

/// Number of powers of `x` and of `g` in a polynomial, beginning with the zeroth.
pub const POWERS: [usize; 2] = [4, 4];

/// A polynomial in `x` and a function `g` of `x`: `p[j][i]` is the coefficient of `x^i g^j`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Polynomial(pub [[f32; POWERS[0]]; POWERS[1]]);

/// A polynomial in `x` and `g`, in its order of evaluation.
///
/// It is evaluated by Horner in one of the variables, with coefficients that are polynomials in the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nested {
    /// True if the outer variable is `g`, and the coefficients are polynomials in `x`.
    pub by_g: bool,
    factors: [[f32; 4]; 4],
}

impl Nested {
    /// Returns the coefficients of the outer variable's powers, the highest first, without leading zeros.
    ///
    /// Each is a polynomial in the inner variable, with the lowest power first.
    pub fn powers(&self) -> impl Iterator<Item = &[f32]> {
        self.factors.iter().rev().map(|p| significant(p)).skip_while(|p| p.is_empty())
    }

    fn operations(&self) -> usize {
        let of_factor = |p: &[f32]| match p {
            [] => 0,
            [0.0, c] if c.abs() == 1.0 => 0,
            p if unit_square(p).is_some() => 1,
            p => p.len() - 1,
        };
        self.powers().map(|p| of_factor(p) + 1).sum::<usize>().saturating_sub(1)
    }
}

impl Polynomial {
    /// Returns the polynomial nested by the variable with which it takes the fewest operations.
    ///
    /// For example, `g + x (g - g^2)` takes two, `g (1 + x - g x)` three.
    pub fn nested(&self) -> Nested {
        let mut turned = [[0.0; POWERS[1]]; POWERS[0]];
        for (j, p) in self.0.iter().enumerate() {
            p.iter().enumerate().for_each(|(i, c)| turned[i][j] = *c);
        }
        let by_g = Nested { by_g: true, factors: self.0 };
        let by_x = Nested { by_g: false, factors: turned };
        if by_x.operations() < by_g.operations() { by_x } else { by_g }
    }

    /// Returns true if any coefficient of a power of `g` is not zero.
    pub(crate) fn has_g(&self) -> bool {
        self.0[1..].iter().flatten().any(|c| *c != 0.0)
    }

    /// Returns the polynomial's value by the operations, and in the order, of the generated vector code.
    pub fn at(&self, x: f32, g: f32) -> f32 {
        let nested = self.nested();
        let (outer, inner) = if nested.by_g { (g, x) } else { (x, g) };
        let mut powers = nested.powers();
        let first = powers.next().map_or(0.0, |p| horner(p, inner));
        powers.fold(first, |sum, p| match p {
            [] => sum * outer,
            p => fma(sum, outer, horner(p, inner)),
        })
    }

    /// Returns the derivative of the polynomial with respect to `g`.
    fn slope(&self, x: f64, g: f64) -> f64 {
        let by = |j: usize| self.0[j].iter().rev().fold(0.0, |sum, c| sum * x + f64::from(*c));
        (1..POWERS[1]).rev().fold(0.0, |sum, j| sum * g + j as f64 * by(j))
    }

    /// Converts an interval of changes of the polynomial's value to one of changes of `g`.
    ///
    /// `g` is the table's value from which the polynomial is computed.
    pub(crate) fn room(&self, x: f64, g: f64, [from, to]: [f64; 2]) -> [f64; 2] {
        let slope = self.slope(x, g);
        if slope < 0.0 { [to / slope, from / slope] } else { [from / slope, to / slope] }
    }

    /// Number of operations to evaluate the polynomial, nested by the variable that takes the fewest.
    pub(crate) fn operations(&self) -> usize {
        self.nested().operations()
    }
}

/// Returns the coefficients without the zeros at the end.
fn significant(p: &[f32]) -> &[f32] {
    &p[..p.iter().rposition(|c| *c != 0.0).map_or(0, |k| k + 1)]
}

/// Returns `[a, b]` if the polynomial is `a v + b v^2` and both are 1 or -1, otherwise `None`.
///
/// The polynomial then takes one operation: `(b v) v + (a v)`.
pub fn unit_square(p: &[f32]) -> Option<[f32; 2]> {
    match *p {
        [0.0, a, b] if a.abs() == 1.0 && b.abs() == 1.0 => Some([a, b]),
        _ => None,
    }
}

/// Evaluates a polynomial in `x` by Horner; it has at least one coefficient, lowest power first.
fn horner(p: &[f32], x: f32) -> f32 {
    if let Some([a, b]) = unit_square(p) {
        return fma(b * x, x, a * x);
    }
    let (last, rest) = p.split_last().unwrap_or((&0.0, &[]));
    rest.iter().rev().fold(*last, |sum, c| if *c == 0.0 { sum * x } else { fma(sum, x, *c) })
}
