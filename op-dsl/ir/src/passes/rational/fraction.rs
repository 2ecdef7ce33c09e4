//! Fraction of a variable and one exponential, for targets that write their own code for it.

use super::poly::{Atom, Monomial, Poly};
use super::{Kind, Pass, Style};
use crate::graph::{Builder, Graph, Node};

/// The function `number * x^a * e^b * P^m * ..` of a variable `x`, with `e = exp(k x)`.
///
/// Each `P` is a polynomial in `x` and `e`.
#[derive(Clone, Debug, PartialEq)]
pub struct Fraction {
    /// Rate `k` of the exponential `e = exp(k x)`.
    pub rate: f64,
    /// Constant factor `number`.
    pub number: f64,
    /// Power `a` of the variable `x`.
    pub x: i32,
    /// Power `b` of the exponential `e`.
    pub e: i32,
    /// Polynomials `P` in `x` and `e` as sums of terms, each with its power `m`.
    ///
    /// The power is negative for polynomials in the denominator.
    pub factors: Vec<(Vec<Term>, i32)>,
}

/// One term `c x^a e^b` of a polynomial in a variable `x` and an exponential `e`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// Power `a` of the variable `x`.
    pub x: i32,
    /// Power `b` of the exponential `e`.
    pub e: i32,
    /// Coefficient `c` of the term.
    pub c: f64,
}

/// Writes a graph of one output and one stream as a fraction of the stream and one exponential of it.
///
/// `None` unless the output is computed by `+ - * /` from the stream and from exponentials whose exponents are multiples of the
/// stream.
pub fn of(graph: &Graph) -> Option<Fraction> {
    let mut pass = Pass {
        graph,
        style: Style::default(),
        forms: vec![None; graph.nodes.len()],
        atoms: Vec::new(),
        b: Builder::new(),
        folded: false,
    };
    let form = pass.form(graph.outputs[0]);
    let used = |atom: Atom| {
        form.monomial.of(atom) != 0 || form.factors.iter().any(|(poly, _)| poly.has(atom))
    };
    let (mut x, mut exp) = (None, None);
    for (atom, kind) in pass.atoms.iter().enumerate() {
        let atom = atom as Atom;
        match kind {
            Kind::Value(id) if matches!(pass.b.node(*id), Node::Stream(_)) => x = Some(atom),
            Kind::Exp(of) if used(atom) && exp.is_none() => exp = Some((atom, of.clone())),
            _ if used(atom) => return None,
            _ => {}
        }
    }
    let (x, (e, of)) = (x?, exp?);
    let line = Monomial::power(x, 1);
    let twelfth = *of.0.get(&line).filter(|_| of.0.len() == 1)?;
    // The greatest common divisor of the atom's powers gives the one exponential to compute.
    let of_e = |poly: &Poly| poly.0.keys().map(|m| m.of(e)).collect::<Vec<_>>();
    let all = form.factors.iter().flat_map(|(poly, _)| of_e(poly)).chain([form.monomial.of(e)]);
    let step = all.fold(0, gcd);
    if step == 0 {
        return None;
    }
    let term = |(m, c): (&Monomial, &f64)| Term { x: m.of(x), e: m.of(e) / step, c: *c };
    let terms = |(poly, power): &(Poly, i32)| (poly.0.iter().map(term).collect(), *power);
    Some(Fraction {
        rate: twelfth * f64::from(step) / f64::from(super::WHOLE),
        number: form.number,
        x: form.monomial.of(x),
        e: form.monomial.of(e) / step,
        factors: form.factors.iter().map(terms).collect(),
    })
}

fn gcd(a: i32, b: i32) -> i32 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prim::Prim;

    #[test]
    fn the_derivative_of_silu_over_its_denominator() {
        let mut b = Builder::new();
        let x = b.stream(0);
        let s = b.call(Prim::Sigmoid, &[x]);
        let minus = b.negative(x);
        let rest = b.call(Prim::Sigmoid, &[minus]);
        let slope = b.product(s, rest);
        let bend = b.product(slope, x);
        let y = b.sum(s, bend);
        let fraction = of(&b.finish(&[y])).expect("a fraction");
        let at = |x: f64| {
            let e = (fraction.rate * x).exp();
            let term = |t: &Term| t.c * x.powi(t.x) * e.powi(t.e);
            let poly = |(terms, power): &(Vec<Term>, i32)| {
                terms.iter().map(term).sum::<f64>().powi(*power)
            };
            let factors: f64 = fraction.factors.iter().map(poly).product();
            fraction.number * x.powi(fraction.x) * e.powi(fraction.e) * factors
        };
        let exact = |x: f64| {
            let s = 1.0 / (1.0 + (-x).exp());
            s + x * s * (1.0 - s)
        };
        for x in [-3.0, -0.5, 0.0, 1.25, 6.0] {
            assert!((at(x) - exact(x)).abs() < 1e-14, "{x}: {fraction:?}");
        }
        let logarithm = |b: &mut Builder, x| b.call(Prim::Ln, &[x]);
        let mut b = Builder::new();
        let x = b.stream(0);
        let (l, e) = (logarithm(&mut b, x), b.call(Prim::Exp, &[x]));
        let y = b.product(l, e);
        assert_eq!(of(&b.finish(&[y])), None);
    }
}
