//! Emits products as nodes of the new graph.

use super::poly::{Atom, Monomial, Poly};
use super::product::Product;
use super::{Kind, Pass, WHOLE, replaced};
use crate::graph::{Id, Node};
use crate::prim::Prim;
use crate::roles::is_factor;

impl Pass<'_> {
    /// Emits a product of powers of polynomials in the variant that `self.style` asks for.
    ///
    /// The variant is two-sided (by `exp(-|u|)`), by the sign of a value, or plain (numerator over denominator).
    pub(super) fn emit(&mut self, product: &Product) -> Id {
        match self.only_exponential(product) {
            Some(atom) if self.style.two_sided && !self.folded => self.two_sided(product, atom),
            _ if self.style.other_forms => {
                self.by_sign(product).unwrap_or_else(|| self.plain(product))
            }
            _ => self.plain(product),
        }
    }

    /// Emits a product separately for `x < 0` and other `x`, if one factor contains both `x` and `|x|`.
    ///
    /// For example, `x + |x|` becomes 0 for negative `x` and `2 x` otherwise. `None` if no factor contains both.
    fn by_sign(&mut self, product: &Product) -> Option<Id> {
        let (size, of) = self.atoms.iter().enumerate().find_map(|(atom, kind)| match kind {
            Kind::Abs(of)
                if product
                    .factors
                    .iter()
                    .any(|(poly, _)| poly.has(atom as Atom) && poly.has(*of)) =>
            {
                Some((atom as Atom, *of))
            }
            _ => None,
        })?;
        let [below, above] = [-1.0, 1.0].map(|sign| {
            let signed = |poly: &Poly| {
                replaced(
                    poly.clone(),
                    &Monomial::power(size, 1),
                    &Poly::term(sign, Monomial::power(of, 1)),
                )
            };
            let start = signed(&Poly::term(product.number, product.monomial.clone()));
            product.factors.iter().fold(Product::of(&start), |all, (poly, power)| {
                all.times(&Product::of(&signed(poly)).raised(*power))
            })
        });
        let x = self.atom_value(of);
        let (below, above, zero) = (self.plain(&below), self.plain(&above), self.b.num(0.0));
        let negative = self.b.call(Prim::Lt, &[x, zero]);
        Some(self.b.call(Prim::Select, &[negative, below, above]))
    }

    /// Returns the only exponential in a product, as its atom; `None` if there are no or several ones.
    ///
    /// An atom is a value that the algebra does not expand.
    fn only_exponential(&self, product: &Product) -> Option<Atom> {
        let mut all = (0..self.atoms.len() as Atom).filter(|atom| {
            let has = product.factors.iter().any(|(poly, _)| poly.has(*atom));
            let is = matches!(self.atoms[*atom as usize], Kind::Exp(_));
            is && (has || product.monomial.of(*atom) != 0)
        });
        all.next().filter(|_| all.next().is_none())
    }

    /// Emits a product that contains `exp(u)` in terms of `e = exp(-|u|)`, which never overflows.
    ///
    /// `atom` is the exponential. For negative `u`, `exp(u)` is `e`, otherwise `1 / e`.
    fn two_sided(&mut self, product: &Product, atom: Atom) -> Id {
        self.folded = true;
        let (below, above) = (self.plain(product), self.plain(&product.inverted(atom)));
        self.folded = false;
        if below == above {
            return below;
        }
        let exponent = self.exponent(atom, WHOLE);
        let zero = self.b.num(0.0);
        let negative = self.b.call(Prim::Lt, &[exponent, zero]);
        self.b.call(Prim::Select, &[negative, below, above])
    }

    /// Emits a product as its numerator divided by its denominator.
    fn plain(&mut self, product: &Product) -> Id {
        let [mut above, mut below, mut last]: [Vec<Id>; 3] = Default::default();
        let mut number = product.number;
        for (poly, power) in &product.factors {
            let value = self.factor(poly, &mut number, *power);
            let value = self.b.power(value, power.abs());
            if *power > 0 { above.push(value) } else { below.push(value) }
        }
        for (&atom, &power) in &product.monomial.0 {
            if let Kind::Exp(_) = self.atoms[atom as usize] {
                above.push(self.exponential(atom, power));
                continue;
            }
            let value = self.atom_value(atom);
            let (outer, value) = (self.is_outer(value), self.b.power(value, power.abs()));
            match (power > 0, outer) {
                (true, true) => last.push(value),
                (true, false) => above.push(value),
                (false, _) => below.push(value),
            }
        }
        let mut result = above.into_iter().reduce(|product, f| self.b.product(product, f));
        if number != 1.0 || result.is_none() {
            let c = self.b.num(number);
            result = Some(result.map_or(c, |r| self.b.product(c, r)));
        }
        let below = below.into_iter().reduce(|product, f| self.b.product(product, f));
        let result = result.unwrap_or_else(|| self.b.num(1.0));
        let result = below.map_or(result, |below| self.b.quotient(result, below));
        last.into_iter().rev().fold(result, |result, f| self.b.product(f, result))
    }

    /// Returns whether a value is a stream that only multiplies the outputs.
    ///
    /// Products multiply this stream last, after the bounded factors.
    fn is_outer(&self, value: Id) -> bool {
        matches!(self.b.node(value), Node::Stream(s) if is_factor(self.graph, s.into()))
    }

    pub(super) fn atom_value(&mut self, atom: Atom) -> Id {
        match self.atoms[atom as usize].clone() {
            Kind::Value(id) | Kind::Sqrt(_, id) | Kind::Sign(_, id) => id,
            Kind::Abs(of) => {
                let of = self.atom_value(of);
                self.b.call(Prim::Abs, &[of])
            }
            Kind::Exp(_) => self.exponential(atom, 1),
        }
    }

    /// Emits the exponent `u * power / 12` of an exponential atom to a power.
    ///
    /// An exponential atom is the twelfth root of `exp(u)`, see [`Kind::Exp`].
    fn exponent(&mut self, atom: Atom, power: i32) -> Id {
        let Kind::Exp(exponent) = self.atoms[atom as usize].clone() else { return self.b.num(0.0) };
        let scale = f64::from(power) / f64::from(WHOLE);
        let scaled = Poly::default().plus(scale, &Monomial::default(), &exponent);
        self.poly(&scaled)
    }

    /// Emits the argument of the exponential that equals an exponential atom to a power.
    ///
    /// While `self.folded` is true, the magnitude of the atom's own exponent is used: `-|u|` for a positive power and `|u|` for a
    /// negative one.
    fn folded_exponent(&mut self, atom: Atom, power: i32) -> Id {
        let exponent = self.exponent(atom, power);
        if !self.folded {
            return exponent;
        }
        let size = self.b.call(Prim::Abs, &[exponent]);
        if power > 0 { self.b.negative(size) } else { size }
    }

    fn exponential(&mut self, atom: Atom, power: i32) -> Id {
        let exponent = self.folded_exponent(atom, power);
        self.b.call(Prim::Exp, &[exponent])
    }

    /// Emits a polynomial factor of a product, with `expm1` where the polynomial would cancel.
    ///
    /// A polynomial in `e = exp(u)` that is 0 where `u` is 0 is divided by `1 - e` as often as possible. The result is a power of
    /// `expm1(u)` times the quotient. Since `expm1(u)` is `-(1 - e)`, `number` changes its sign if that power times `power`, the power
    /// of the factor in the product, is odd.
    ///
    /// For example, `1 - 2 e + e^2` with `e = exp(u)` becomes `expm1(u)^2`.
    fn factor(&mut self, poly: &Poly, number: &mut f64, power: i32) -> Id {
        let is_exp = |a: &Atom| matches!(self.atoms[*a as usize], Kind::Exp(_)) && poly.has(*a);
        let exponentials: Vec<Atom> = (0..self.atoms.len() as Atom).filter(is_exp).collect();
        let [atom] = exponentials[..] else { return self.by_conjugate(poly) };
        let step = poly.by_power(atom).keys().fold(0, |g, p| gcd(g, *p));
        // 1 - e^step
        let mut root = Poly::number(1.0);
        root.add_term(-1.0, Monomial::power(atom, step));
        let (mut rest, mut times) = (poly.clone(), 0);
        while vanishes(&rest, atom)
            && let Some(quotient) = rest.divided(&root)
        {
            rest = quotient;
            times += 1;
        }
        if times == 0 {
            return self.beside_expm1(poly, atom).unwrap_or_else(|| self.poly(poly));
        }
        let exponent = self.folded_exponent(atom, step);
        let lost = self.b.call(Prim::Expm1, &[exponent]);
        let lost = self.b.power(lost, times);
        // `expm1` is the negative of the root.
        *number *= f64::from((-1i32).pow((times * power).unsigned_abs()));
        if rest.as_number() == Some(1.0) {
            return lost;
        }
        let rest = self.poly(&rest);
        self.b.product(lost, rest)
    }

    /// Emits `e^u - 1 + v` as `expm1(u) + v`, where `e^u` is `atom` and `v` the terms with other atoms.
    ///
    /// `None` if there are no other terms, or if the terms in `e^u` alone are not 0 where `u` is 0.
    fn beside_expm1(&mut self, poly: &Poly, atom: Atom) -> Option<Id> {
        let (alone, rest) = poly.apart(|monomial| monomial.0.keys().all(|a| *a == atom));
        if !self.style.other_forms || rest.0.is_empty() || !vanishes(&alone, atom) {
            return None;
        }
        let mut number = 1.0;
        let alone = self.factor(&alone, &mut number, 1);
        let (alone, rest) = (self.b.scaled(number, alone), self.poly(&rest));
        Some(self.b.sum(alone, rest))
    }

    /// Emits `a + b q`, with a square root `q`, without cancellation.
    ///
    /// Where the two terms have opposite signs, the sum is `(a^2 - b^2 q^2) / (a - b q)`. Any other polynomial is emitted as it
    /// is.
    fn by_conjugate(&mut self, poly: &Poly) -> Id {
        let is_root = |a: &Atom| matches!(self.atoms[*a as usize], Kind::Sqrt(..)) && poly.has(*a);
        let root = (0..self.atoms.len() as Atom).find(is_root).filter(|_| self.style.other_forms);
        let Some(root) = root else { return self.poly(poly) };
        let mut parts = poly.by_power(root);
        let (Some(a), Some(b), None) = (parts.remove(&0), parts.remove(&1), parts.pop_first())
        else {
            return self.poly(poly);
        };
        let q = Monomial::power(root, 1);
        let squares = a.times(&a).plus(-1.0, &Monomial::power(root, 2), &b.times(&b));
        let squares = self.reduce(squares);
        let difference = a.clone().plus(-1.0, &q, &b);
        let [whole, squares, difference, a, b] =
            [poly, &squares, &difference, &a, &b].map(|p| self.poly(p));
        let (signs, zero) = (self.b.product(a, b), self.b.num(0.0));
        let cancels = self.b.call(Prim::Lt, &[signs, zero]);
        let quotient = self.b.quotient(squares, difference);
        self.b.call(Prim::Select, &[cancels, quotient, whole])
    }

    /// Emits a polynomial, by Horner's scheme in the first exponential that it contains.
    fn poly(&mut self, poly: &Poly) -> Id {
        let is_exp = |a: &Atom| matches!(self.atoms[*a as usize], Kind::Exp(_)) && poly.has(*a);
        let Some(atom) = (0..self.atoms.len() as Atom).find(is_exp) else {
            return self.terms(poly);
        };
        let mut result: Option<(i32, Id)> = None;
        for (power, rest) in poly.by_power(atom).into_iter().rev() {
            let rest = self.poly(&rest);
            let value = match result {
                None => rest,
                Some((last, value)) => {
                    let e = self.exponential(atom, last - power);
                    let product = self.b.product(value, e);
                    self.b.sum(product, rest)
                }
            };
            result = Some((power, value));
        }
        match result {
            Some((0, value)) => value,
            Some((power, value)) => {
                let e = self.exponential(atom, power);
                self.b.product(value, e)
            }
            None => self.b.num(0.0),
        }
    }

    /// Emits a polynomial as a sum, term by term.
    fn terms(&mut self, poly: &Poly) -> Id {
        let mut sum = None;
        for (monomial, &c) in &poly.0 {
            let mut factors = Vec::new();
            for (&atom, &power) in &monomial.0 {
                let value = self.atom_value(atom);
                factors.push(self.b.power(value, power));
            }
            let product = factors.into_iter().reduce(|product, f| self.b.product(product, f));
            let (size, subtract) = (c.abs(), c < 0.0 && sum.is_some());
            let c = if subtract { size } else { c };
            let term = match product {
                None => self.b.num(c),
                Some(product) if c == 1.0 => product,
                Some(product) => self.b.scaled(c, product),
            };
            sum = Some(match sum {
                None => term,
                Some(sum) if subtract => self.b.difference(sum, term),
                Some(sum) => self.b.sum(sum, term),
            });
        }
        sum.unwrap_or_else(|| self.b.num(0.0))
    }
}

/// Returns whether a polynomial is zero where `atom`, an exponential, is one.
fn vanishes(poly: &Poly, atom: Atom) -> bool {
    let at_one = poly.by_power(atom).into_values();
    let sum = at_one.fold(Poly::default(), |sum, c| sum.plus(1.0, &Monomial::default(), &c));
    sum.0.is_empty() && !poly.0.is_empty()
}

fn gcd(a: i32, b: i32) -> i32 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}
