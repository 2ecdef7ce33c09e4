//! Polynomials in atoms: sums of numbers times powers of atoms.

use std::collections::BTreeMap;

/// Index of an atom, a value that the algebra does not expand (for example a stream or `exp(x)`).
pub type Atom = u32;

/// A product of powers of atoms: a nonzero power per atom.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Monomial(pub BTreeMap<Atom, i32>);

impl Monomial {
    /// Returns the monomial `atom^power`.
    pub fn power(atom: Atom, power: i32) -> Monomial {
        Monomial([(atom, power)].into_iter().filter(|p| p.1 != 0).collect())
    }

    /// Returns the power of an atom, 0 if the monomial does not contain it.
    pub fn of(&self, atom: Atom) -> i32 {
        self.0.get(&atom).copied().unwrap_or(0)
    }

    /// Combines the powers of two monomials by `f`, atom by atom.
    fn zip(&self, other: &Monomial, f: impl Fn(i32, i32) -> i32) -> Monomial {
        let atoms = self.0.keys().chain(other.0.keys());
        Monomial(atoms.map(|a| (*a, f(self.of(*a), other.of(*a)))).filter(|p| p.1 != 0).collect())
    }

    /// Returns `self * other`.
    pub fn times(&self, other: &Monomial) -> Monomial {
        self.zip(other, |a, b| a + b)
    }

    /// Returns `self / other`; powers that become negative are kept.
    pub fn over(&self, other: &Monomial) -> Monomial {
        self.zip(other, |a, b| a - b)
    }

    /// Returns the common factor of two monomials: the lesser power of each atom.
    ///
    /// For example, the common factor of `x^-1` and `y` is `x^-1`.
    pub fn common(&self, other: &Monomial) -> Monomial {
        self.zip(other, i32::min)
    }

    /// Replaces an atom by its reciprocal, which negates its power.
    pub fn inverted(&self, atom: Atom) -> Monomial {
        Monomial(self.0.iter().map(|(a, p)| (*a, if *a == atom { -p } else { *p })).collect())
    }

    /// Returns `self^power`.
    pub fn raised(&self, power: i32) -> Monomial {
        self.zip(self, |a, _| a * power)
    }
}

/// A polynomial in atoms: a sum of monomials with nonzero coefficients.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Poly(pub BTreeMap<Monomial, f64>);

/// Relative bound below which a sum of coefficients counts as zero, because it is only rounding error.
const ZERO: f64 = 1e-13;

impl Poly {
    /// Splits the polynomial into the terms whose monomials satisfy `holds`, and the other terms.
    pub fn apart(&self, holds: impl Fn(&Monomial) -> bool) -> (Poly, Poly) {
        let terms = self.0.iter().map(|(m, c)| (m.clone(), *c));
        let (these, others) = terms.partition(|(m, _)| holds(m));
        (Poly(these), Poly(others))
    }

    /// Returns a polynomial that is only a constant.
    pub fn number(c: f64) -> Poly {
        Poly::term(c, Monomial::default())
    }

    /// Returns the polynomial `c * monomial`.
    pub fn term(c: f64, monomial: Monomial) -> Poly {
        Poly([(monomial, c)].into_iter().filter(|t| t.1 != 0.0).collect())
    }

    /// Adds the term `c * monomial` to this polynomial.
    pub fn add_term(&mut self, c: f64, monomial: Monomial) {
        let sum = self.0.get(&monomial).copied().unwrap_or(0.0) + c;
        if sum.abs() <= ZERO * c.abs() {
            self.0.remove(&monomial);
        } else {
            self.0.insert(monomial, sum);
        }
    }

    /// Returns `self + c * monomial * other`.
    pub fn plus(mut self, c: f64, monomial: &Monomial, other: &Poly) -> Poly {
        for (m, d) in &other.0 {
            self.add_term(c * d, m.times(monomial));
        }
        self
    }

    /// Returns `self * other`.
    pub fn times(&self, other: &Poly) -> Poly {
        self.0.iter().fold(Poly::default(), |sum, (m, c)| sum.plus(*c, m, other))
    }

    /// Returns `self^power`.
    pub fn raised(&self, power: u32) -> Poly {
        (0..power).fold(Poly::number(1.0), |product, _| product.times(self))
    }

    /// Returns the value if this polynomial is a constant, otherwise `None`.
    pub fn as_number(&self) -> Option<f64> {
        match self.0.iter().next() {
            None => Some(0.0),
            Some((m, c)) if self.0.len() == 1 && m.0.is_empty() => Some(*c),
            _ => None,
        }
    }

    /// Factors this polynomial into a number, a monomial and a primitive polynomial.
    ///
    /// The primitive polynomial has the first coefficient 1, and its terms share no power of an atom. For example, `6 x^2 + 3 x`
    /// is `3 * x * (1 + 2 x)`.
    pub fn content(&self) -> (f64, Monomial, Poly) {
        let mut shared: Option<Monomial> = None;
        for m in self.0.keys() {
            shared = Some(shared.map_or(m.clone(), |s| s.common(m)));
        }
        let shared = shared.unwrap_or_default();
        let rest = |scale: f64| -> Poly {
            Poly(self.0.iter().map(|(m, c)| (m.over(&shared), c / scale)).collect())
        };
        let scale = rest(1.0).0.values().next().copied().unwrap_or(0.0);
        let rest = rest(scale);
        (scale, shared, rest)
    }

    /// Returns the quotient `self / by`, or `None` if `by` does not divide this polynomial.
    pub fn divided(&self, by: &Poly) -> Option<Poly> {
        let (lead, c) = by.0.last_key_value()?;
        let (mut rest, mut quotient) = (self.clone(), Poly::default());
        for _ in 0..64 {
            let Some((m, d)) = rest.0.last_key_value() else { return Some(quotient) };
            let (m, d) = (m.over(lead), d / c);
            if m.0.values().any(|p| *p < 0) {
                return None;
            }
            rest = rest.plus(-d, &m, by);
            quotient.add_term(d, m);
        }
        None
    }

    /// Returns the coefficient of each power of `atom`: the polynomial as one in that atom alone.
    pub fn by_power(&self, atom: Atom) -> BTreeMap<i32, Poly> {
        let mut all: BTreeMap<i32, Poly> = BTreeMap::new();
        for (m, c) in &self.0 {
            let power = m.of(atom);
            let rest = m.over(&Monomial::power(atom, power));
            all.entry(power).or_default().add_term(*c, rest);
        }
        all
    }

    /// Returns whether an atom occurs in the polynomial.
    pub fn has(&self, atom: Atom) -> bool {
        self.0.keys().any(|m| m.of(atom) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns `a + b x + c y`, for atoms `x` and `y` and coefficients `[a, b, c]`.
    fn poly(terms: [f64; 3]) -> Poly {
        let monomials = [Monomial::default(), Monomial::power(0, 1), Monomial::power(1, 1)];
        let sum = |mut sum: Poly, (m, c): (Monomial, f64)| {
            sum.add_term(c, m);
            sum
        };
        monomials.into_iter().zip(terms).fold(Poly::default(), sum)
    }

    #[test]
    fn a_product_is_divided_by_its_factors_alone() {
        let (a, b) = (poly([1.0, 2.0, -3.0]), poly([-0.5, 0.0, 4.0]));
        let product = a.times(&b);
        assert_eq!(product.divided(&a), Some(b.clone()));
        assert_eq!(product.divided(&b), Some(a));
        assert_eq!(product.divided(&poly([1.0, 1.0, 1.0])), None);
    }

    #[test]
    fn content_is_what_all_terms_share() {
        let x = Monomial::power(0, -2);
        let p = Poly::default().plus(6.0, &x, &poly([0.0, 0.5, 1.0]));
        let (c, m, rest) = p.content();
        assert_eq!(Poly::default().plus(c, &m, &rest), p);
        assert!(rest.0.values().next() == Some(&1.0) && m == x, "{c} {m:?} {rest:?}");
    }
}
