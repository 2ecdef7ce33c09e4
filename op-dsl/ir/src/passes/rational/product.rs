//! Canonical form of values: a number, times powers of atoms, times powers of polynomials.
//!
//! Powers may be negative (denominators). A sum factors out what its terms share, in numerator and denominator, and expands only
//! the rest, so that equal terms cancel before anything is rounded.

use super::poly::{Atom, Monomial, Poly};

/// Maximum number of terms of an expanded polynomial.
const MOST_TERMS: usize = 40;

/// A value in canonical form: `number * monomial * factor^power * ..`.
#[derive(Clone, Debug, PartialEq)]
pub struct Product {
    pub number: f64,
    pub monomial: Monomial,
    /// Distinct polynomials, each with a nonzero power.
    ///
    /// They have the canonical form of [`Poly::content`]: the first coefficient is 1, and the terms share no power of an atom.
    pub factors: Vec<(Poly, i32)>,
}

impl Product {
    /// Returns a product that is only a number.
    pub fn number(number: f64) -> Product {
        Product { number, monomial: Monomial::default(), factors: Vec::new() }
    }

    /// Returns a product that is only a monomial.
    pub fn monomial(monomial: Monomial) -> Product {
        Product { monomial, ..Product::number(1.0) }
    }

    /// Returns a polynomial as a product, with its number and monomial factored out.
    pub fn of(poly: &Poly) -> Product {
        let (number, monomial, rest) = poly.content();
        let mut product = Product { number, monomial, factors: Vec::new() };
        if rest.as_number().is_none() {
            product.factors.push((rest, 1));
        }
        product
    }

    /// Returns `self * other`.
    pub fn times(mut self, other: &Product) -> Product {
        self.number *= other.number;
        self.monomial = self.monomial.times(&other.monomial);
        for (poly, power) in &other.factors {
            self.multiply(poly, *power);
        }
        self
    }

    fn multiply(&mut self, poly: &Poly, power: i32) {
        match self.factors.iter_mut().find(|(known, _)| known == poly) {
            Some((_, known)) => *known += power,
            None => self.factors.push((poly.clone(), power)),
        }
        self.factors.retain(|(_, power)| *power != 0);
    }

    /// Returns `self^power`; a negative power gives the reciprocal.
    pub fn raised(&self, power: i32) -> Product {
        Product {
            number: self.number.powi(power),
            monomial: self.monomial.raised(power),
            factors: self.factors.iter().map(|(p, n)| (p.clone(), n * power)).collect(),
        }
    }

    /// Returns `self + other`; `reduce` simplifies polynomials by the identities of their atoms.
    ///
    /// `None` if the expansion of the parts that the two do not share would have too many terms.
    pub fn plus(&self, other: &Product, reduce: impl Fn(Poly) -> Poly) -> Option<Product> {
        if self.number == 0.0 {
            return Some(other.clone());
        }
        if other.number == 0.0 {
            return Some(self.clone());
        }
        let mut shared = Product::monomial(self.monomial.common(&other.monomial));
        let power = |of: &Product, poly: &Poly| {
            of.factors.iter().find(|(known, _)| known == poly).map_or(0, |(_, n)| *n)
        };
        for (poly, _) in self.factors.iter().chain(&other.factors) {
            if power(&shared, poly) == 0 {
                shared.multiply(poly, power(self, poly).min(power(other, poly)));
            }
        }
        let [a, b] = [self, other].map(|p| p.clone().times(&shared.raised(-1)).expanded());
        let sum = reduce(a?.plus(1.0, &Monomial::default(), &b?));
        Some(shared.cancelled(sum))
    }

    /// Expands this product into one polynomial.
    ///
    /// `None` if a polynomial is in the denominator, or if the result has more than [`MOST_TERMS`] terms.
    pub fn expanded(&self) -> Option<Poly> {
        let start = Poly::term(self.number, self.monomial.clone());
        self.factors
            .iter()
            .try_fold(start, |product, (poly, power)| {
                let power = u32::try_from(*power).ok()?;
                let size = product.0.len().checked_mul(poly.0.len().checked_pow(power)?)?;
                (size <= 4 * MOST_TERMS).then(|| product.times(&poly.raised(power)))
            })
            .filter(|poly| poly.0.len() <= MOST_TERMS)
    }

    /// Multiplies this product by a polynomial, and cancels the denominator's factors that divide it.
    fn cancelled(mut self, poly: Poly) -> Product {
        let (number, monomial, mut rest) = poly.content();
        if number == 0.0 {
            return Product::number(0.0);
        }
        self.number *= number;
        self.monomial = self.monomial.times(&monomial);
        for (below, power) in &mut self.factors {
            while *power < 0
                && let Some(quotient) = rest.divided(below)
            {
                rest = quotient;
                *power += 1;
            }
        }
        self.factors.retain(|(_, power)| *power != 0);
        self.times(&Product::of(&rest))
    }

    /// Returns the atom if this product is a single atom to the power 1, otherwise `None`.
    pub fn as_atom(&self) -> Option<Atom> {
        let mut atoms = self.monomial.0.iter();
        let alone = self.number == 1.0 && self.factors.is_empty() && self.monomial.0.len() == 1;
        atoms.next().filter(|(_, power)| alone && **power == 1).map(|(atom, _)| *atom)
    }

    /// Replaces an atom by its reciprocal in the whole product.
    pub fn inverted(&self, atom: Atom) -> Product {
        let mut product = Product { factors: Vec::new(), ..self.clone() };
        product.monomial = self.monomial.inverted(atom);
        for (poly, power) in &self.factors {
            let inverted = poly.0.iter().map(|(m, c)| (m.inverted(atom), *c)).collect();
            product = product.times(&Product::of(&Poly(inverted)).raised(*power));
        }
        product
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x() -> Product {
        Product::monomial(Monomial::power(0, 1))
    }

    #[test]
    fn equal_terms_meet_over_common_denominators() {
        let plus = |a: &Product, b: &Product| a.plus(b, |sum| sum).expect("few terms");
        let minus = |a: &Product, b: &Product| plus(a, &b.clone().times(&Product::number(-1.0)));
        let one = Product::number(1.0);
        let below = plus(&one, &x());
        // 1/d - x/d^2 = 1/d^2
        let slope = minus(&below.raised(-1), &x().times(&below.raised(-2)));
        assert_eq!(slope, below.raised(-2));
        // x^2/(x + 1) - 1/(x + 1) = x - 1
        let ratio = minus(&x().raised(2).times(&below.raised(-1)), &below.raised(-1));
        assert_eq!(ratio, minus(&x(), &one));
    }
}
