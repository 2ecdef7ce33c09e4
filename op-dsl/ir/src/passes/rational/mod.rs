//! Rewrites values as one fraction each, so that terms cancel symbolically before anything is rounded.
//!
//! Everything built by `+ - * /` from atoms becomes one `Product`. For example, `1/d - x/d^2` with `d = 1 + x` becomes `1/d^2`.
//! Sigmoid and tanh are fractions of exponentials, and powers of one exponential are powers of an atom: `1 - tanh(x)^2` is
//! `4 e / (1 + e)^2` with `e = exp(2 x)`. The square of a root is its argument, and `x sign(x)` is `|x|`. Everything else is an
//! atom, whose arguments are rewritten separately.
//!
//! ```text
//! poly      sums of numbers times powers of atoms
//! product   a number times powers of atoms times powers of polynomials: the canonical form of values
//! emit      from products back to a graph
//! fraction  a function of one value as one fraction, for targets that write their own code
//! ```

mod emit;
pub mod fraction;
mod poly;
mod product;

use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;
use poly::{Atom, Monomial, Poly};
use product::Product;

/// Options for how a graph is written as fractions (sums brought to one denominator).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Writes `exp(u)` as `exp(-|u|)` with a `select` by the sign of `u`, so that it is never infinite.
    pub two_sided: bool,
    /// Writes another formula where terms cancel.
    ///
    /// For example, `ln(r)` becomes `log1p(r - 1)` near one, and `a + sqrt(b)` becomes `(a^2 - b) / (a - sqrt(b))` where `a` is
    /// negative.
    pub other_forms: bool,
}

/// Rewrites every value of a graph as a fraction, written in the given style.
pub fn run(graph: &Graph, style: Style) -> Graph {
    let mut pass = Pass {
        graph,
        style,
        forms: vec![None; graph.nodes.len()],
        atoms: Vec::new(),
        b: Builder::new(),
        folded: false,
    };
    let outputs: Vec<Id> = graph.outputs.iter().map(|o| pass.value(*o)).collect();
    pass.b.finish(&outputs)
}

/// Meaning of an atom, a value that the algebra does not expand.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    /// The value of a node of the new graph.
    Value(Id),
    /// The twelfth root of `exp(u)`, so that `exp` of `u/2`, `u/3` and `u/4` are integer powers of it.
    Exp(Poly),
    /// The square root of a polynomial, and the new graph's node that computes the root.
    Sqrt(Poly, Id),
    /// The magnitude of another atom.
    Abs(Atom),
    /// The sign of another atom, and the new graph's node that computes the sign.
    Sign(Atom, Id),
}

/// Power to which an atom [`Kind::Exp`], the twelfth root of `exp(u)`, is `exp(u)` itself.
const WHOLE: i32 = 12;

struct Pass<'g> {
    graph: &'g Graph,
    style: Style,
    /// Per node of `graph`, the canonical product that it equals; `None` until computed on demand.
    forms: Vec<Option<Product>>,
    atoms: Vec<Kind>,
    b: Builder,
    /// True while exponentials are emitted as `exp(-|u|)`.
    folded: bool,
}

impl Pass<'_> {
    fn atom(&mut self, kind: Kind) -> Product {
        let known = self.atoms.iter().position(|k| *k == kind);
        let atom = known.unwrap_or_else(|| {
            self.atoms.push(kind);
            self.atoms.len() - 1
        });
        Product::monomial(Monomial::power(atom as Atom, 1))
    }

    /// Rewrites node `id` of the old graph, and returns the new graph's node.
    fn value(&mut self, id: Id) -> Id {
        let form = self.form(id);
        self.emit(&form)
    }

    /// Returns the canonical product that node `id` of the old graph equals.
    fn form(&mut self, id: Id) -> Product {
        if let Some(known) = &self.forms[id.index()] {
            return known.clone();
        }
        let form = match self.graph.nodes[id.index()] {
            Node::Const(c) => Product::number(c),
            Node::Call(prim, args) => {
                self.algebra(prim, args).unwrap_or_else(|| self.opaque(id, prim))
            }
            leaf => {
                let leaf = self.b.add(leaf);
                self.atom(Kind::Value(leaf))
            }
        };
        self.forms[id.index()] = Some(form.clone());
        form
    }

    /// Returns a call as a product of powers of polynomials, built from those of its arguments.
    ///
    /// `None` if the algebra does not expand the primitive. Then the call has to be an atom, an indivisible value of the algebra.
    fn algebra(&mut self, prim: Prim, [x, y, z]: [Id; 3]) -> Option<Product> {
        let minus = Product::number(-1.0);
        Some(match prim {
            Prim::Neg => self.form(x).times(&minus),
            Prim::Add => {
                let (x, y) = (self.form(x), self.form(y));
                self.sum(&x, &y)?
            }
            Prim::Sub => {
                let (x, y) = (self.form(x), self.form(y).times(&minus));
                self.sum(&x, &y)?
            }
            Prim::Mul => {
                let product = self.form(x).times(&self.form(y));
                self.reduced(product)
            }
            Prim::Mul3 => {
                let product = self.form(x).times(&self.form(y)).times(&self.form(z));
                self.reduced(product)
            }
            Prim::Div => {
                let below = Some(self.form(y)).filter(|below| below.number != 0.0)?;
                let product = self.form(x).times(&below.raised(-1));
                self.reduced(product)
            }
            Prim::Sqrt => {
                let of = self.form(x);
                let poly = of.expanded()?;
                let inner = self.emit(&of);
                let root = self.b.call(Prim::Sqrt, &[inner]);
                self.atom(Kind::Sqrt(poly, root))
            }
            Prim::Abs => {
                let of = self.form(x);
                self.each(&of, f64::abs, |_, of| Kind::Abs(of), |power| power)?
            }
            Prim::Select => {
                let of = self.form(self.sign_of([x, y, z])?);
                if let Some(of) = of.as_atom() {
                    let sign = self.copied(Node::Call(prim, [x, y, z]));
                    return Some(self.atom(Kind::Sign(of, sign)));
                }
                let sign = |pass: &mut Self, of| {
                    let value = pass.atom_value(of);
                    Kind::Sign(of, pass.b.sign(value))
                };
                self.each(&of, f64::signum, sign, i32::abs)?
            }
            Prim::Exp => self.exp(1.0, x)?,
            Prim::Expm1 => {
                let e = self.exp(1.0, x)?;
                self.sum(&e, &minus)?
            }
            Prim::Sigmoid => self.logistic(x)?,
            Prim::Silu => self.form(x).times(&self.logistic(x)?),
            // s + x s (1 - s)
            Prim::SiluGrad => {
                let s = self.logistic(x)?;
                let rest = s.clone().times(&self.exp(-1.0, x)?);
                let bend = self.form(x).times(&s).times(&rest);
                self.sum(&s, &bend)?
            }
            Prim::Tanh => {
                let e = self.exp(2.0, x)?;
                let (above, below) = (self.sum(&e, &minus)?, self.sum(&e, &Product::number(1.0))?);
                above.times(&below.raised(-1))
            }
            _ => return None,
        })
    }

    /// Returns the product of a function's values at the number and the atoms of `product`, for `|a x| = |a| |x|` and signs.
    ///
    /// `kind` is the function's value at an atom, and `raised` the power of it for that of the atom. `None` if the product has a
    /// polynomial, or an atom with a power other than 1 and -1.
    fn each(
        &mut self,
        product: &Product,
        number: fn(f64) -> f64,
        kind: impl Fn(&mut Self, Atom) -> Kind,
        raised: fn(i32) -> i32,
    ) -> Option<Product> {
        let powers = &product.monomial.0;
        if !product.factors.is_empty() || powers.is_empty() || powers.values().any(|p| p.abs() != 1)
        {
            return None;
        }
        let mut all = Product::number(number(product.number));
        for (atom, power) in powers {
            let kind = kind(self, *atom);
            all = all.times(&self.atom(kind).raised(raised(*power)));
        }
        Some(all)
    }

    /// Returns `1 / (1 + e^-x)` as a product; `None` if it has too many terms.
    fn logistic(&mut self, x: Id) -> Option<Product> {
        let e = self.exp(-1.0, x)?;
        Some(self.sum(&e, &Product::number(1.0))?.raised(-1))
    }

    /// Returns `e^(c x)` as a number times a power of an exponential atom.
    ///
    /// Exponents whose ratio is a multiple of 1/12 share one atom.
    ///
    /// For example, if `a` is the atom of `exp(x)`, then `exp(x)` is `a^12` and `exp(x/2)` is `a^6`.
    fn exp(&mut self, c: f64, x: Id) -> Option<Product> {
        let mut exponent = self.form(x).times(&Product::number(c)).expanded()?;
        let offset = exponent.0.remove(&Monomial::default()).unwrap_or(0.0);
        let number = Product::number(libm::exp(offset));
        if exponent.0.is_empty() {
            return Some(number);
        }
        for atom in 0..self.atoms.len() {
            let Kind::Exp(base) = &self.atoms[atom] else { continue };
            if let Some(ratio) = ratio(&exponent, base)
                && let Some(power) = as_integer(ratio * f64::from(WHOLE))
            {
                return Some(
                    number.times(&Product::monomial(Monomial::power(atom as Atom, power))),
                );
            }
        }
        Some(number.times(&self.atom(Kind::Exp(exponent)).raised(WHOLE)))
    }

    fn sum(&self, x: &Product, y: &Product) -> Option<Product> {
        x.plus(y, |sum| self.reduce(sum))
    }

    /// Simplifies a product's monomial by identities of its atoms, for example `sqrt(u)^2 = u`.
    ///
    /// The identities are those of [`Pass::reduce`].
    fn reduced(&self, product: Product) -> Product {
        let alone = Poly::term(product.number, product.monomial.clone());
        let reduced = self.reduce(alone.clone());
        if reduced == alone {
            return product;
        }
        let rest = Product { number: 1.0, monomial: Monomial::default(), ..product };
        Product::of(&reduced).times(&rest)
    }

    /// Simplifies a polynomial by the identities of its atoms: `sqrt(u)^2 = u` and `|x|^2 = x^2`.
    ///
    /// If `|x|` is an atom, `sign(x) x = |x|` and `sign(x) |x| = x` are applied too.
    fn reduce(&self, mut poly: Poly) -> Poly {
        for (atom, kind) in self.atoms.iter().enumerate() {
            let atom = atom as Atom;
            let power = |of: Atom| Monomial::power(of, 1);
            let square = match kind {
                Kind::Sqrt(of, _) => Some(of.clone()),
                Kind::Abs(of) => Some(Poly::term(1.0, Monomial::power(*of, 2))),
                _ => None,
            };
            if let Some(square) = square {
                poly = replaced(poly, &Monomial::power(atom, 2), &square);
            }
            if let Kind::Sign(of, _) = kind {
                let size = self.atoms.iter().position(|k| *k == Kind::Abs(*of));
                if let Some(size) = size.map(|s| s as Atom) {
                    let to_size = Poly::term(1.0, power(size));
                    poly = replaced(poly, &power(atom).times(&power(*of)), &to_size);
                    let to_number = Poly::term(1.0, power(*of));
                    poly = replaced(poly, &power(atom).times(&power(size)), &to_number);
                }
            }
        }
        poly
    }

    /// Returns `x` if a `select` with these arguments is the sign of `x`, as derivatives write it.
    ///
    /// That is `if 0 < x { 1 } else if x < 0 { -1 } else { x }`.
    fn sign_of(&self, [above, one, rest]: [Id; 3]) -> Option<Id> {
        let call = |id: Id| match self.graph.nodes[id.index()] {
            Node::Call(prim, args) => Some((prim, args)),
            _ => None,
        };
        let is = |id: Id, c: f64| self.graph.nodes[id.index()] == Node::Const(c);
        let ((Prim::Lt, [zero, x, _]), (Prim::Select, [below, minus, same])) =
            (call(above)?, call(rest)?)
        else {
            return None;
        };
        let (Prim::Lt, [y, nought, _]) = call(below)? else { return None };
        let matches = is(zero, 0.0) && is(nought, 0.0) && is(one, 1.0) && is(minus, -1.0);
        (matches && x == y && x == same).then_some(x)
    }

    /// Returns a call as an atom, a value that the algebra does not expand.
    ///
    /// The arguments of the call are rewritten separately.
    fn opaque(&mut self, id: Id, prim: Prim) -> Product {
        let Node::Call(_, args) = self.graph.nodes[id.index()] else { return Product::number(0.0) };
        if self.style.other_forms && matches!(prim, Prim::Ln | Prim::Log1p) {
            let x = self.form(args[0]);
            let one = Product::number(1.0);
            let of = if prim == Prim::Ln { Some(x) } else { self.sum(&x, &one) };
            if let Some(of) = of {
                return self.logarithm(of);
            }
        }
        let call = Node::Call(prim, args).with_args(|old| match self.graph.nodes[old.index()] {
            // Comparisons are copied as written, so that they give the same results.
            node @ Node::Call(prim, _) if prim.is_comparison() => self.copied(node),
            _ => self.value(old),
        });
        let call = self.b.add(call);
        self.atom(Kind::Value(call))
    }

    /// Emits `ln(r)`, computed as `log1p(r - 1)` where `|r - 1| < 1/2`. `of` is `r`.
    fn logarithm(&mut self, of: Product) -> Product {
        let from_one = self.sum(&of, &Product::number(-1.0));
        let whole = self.emit(&of);
        let whole = self.b.call(Prim::Ln, &[whole]);
        let value = from_one.map_or(whole, |d| {
            let d = self.emit(&d);
            let near = self.b.call(Prim::Log1p, &[d]);
            let (size, half) = (self.b.call(Prim::Abs, &[d]), self.b.num(0.5));
            let is_near = self.b.call(Prim::Lt, &[size, half]);
            self.b.call(Prim::Select, &[is_near, near, whole])
        });
        self.atom(Kind::Value(value))
    }

    /// Copies a node of the old graph unchanged, with everything that the node depends on.
    fn copied(&mut self, node: Node) -> Id {
        let copy = node.with_args(|arg| self.copied(self.graph.nodes[arg.index()]));
        self.b.add(copy)
    }
}

/// Returns `x / y` if that quotient is a constant, otherwise `None`.
fn ratio(x: &Poly, y: &Poly) -> Option<f64> {
    let same = x.0.len() == y.0.len() && x.0.keys().eq(y.0.keys());
    let mut ratios = x.0.values().zip(y.0.values()).filter(|_| same).map(|(a, b)| a / b);
    let first = ratios.next()?;
    ratios.all(|r| (r - first).abs() <= 1e-14 * first.abs()).then_some(first)
}

/// Returns `x` as an integer; `None` if it is none, or one of magnitude above 1200.
fn as_integer(x: f64) -> Option<i32> {
    let whole = x.round();
    ((x - whole).abs() <= 1e-12 * x.abs() && whole.abs() <= 1200.0).then_some(whole as i32)
}

/// Replaces `monomial` by the polynomial `by`, as often as it divides a term of `poly`.
fn replaced(mut poly: Poly, monomial: &Monomial, by: &Poly) -> Poly {
    // Every round lowers one power in one term; both are few.
    for _ in 0..16 {
        let divides = |m: &Monomial| monomial.0.iter().all(|(atom, power)| m.of(*atom) >= *power);
        let Some((m, c)) = poly.0.iter().find(|(m, _)| divides(m)).map(|(m, c)| (m.clone(), *c))
        else {
            break;
        };
        poly.0.remove(&m);
        poly = poly.plus(c, &m.over(monomial), by);
    }
    poly
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The derivative of `v / (1 + |v|)` is `1 / (1 + |v|)^2`, whatever product or quotient `v` is: `v sign(v)` is `|v|`.
    #[test]
    fn sizes_of_products_cancel() {
        let variables: [fn(&mut Builder, Id, Id) -> Id; 3] =
            [|b, x, t| b.product(t, x), |b, x, t| b.quotient(x, t), |b, x, _| b.scaled(-3.0, x)];
        let style = Style { two_sided: false, other_forms: false };
        for (k, variable) in variables.into_iter().enumerate() {
            let mut b = Builder::new();
            let (x, t) = (b.stream(0), b.stream(1));
            let v = variable(&mut b, x, t);
            let (size, sign, one) = (b.call(Prim::Abs, &[v]), b.sign(v), b.num(1.0));
            let below = b.sum(one, size);
            let (first, once) = (b.quotient(one, below), b.quotient(v, below));
            let twice = b.quotient(once, below);
            let second = b.product(sign, twice);
            let slope = b.difference(first, second);
            let graph = b.finish(&[slope]);
            let found = run(&graph, style);
            for (x, t) in [(1e12, 0.5), (-1e12, 2.0), (3.0, -4.0), (-1e-3, 0.25)] {
                let v = [x * t, x / t, -3.0 * x][k];
                let (got, want) = (found.eval(&[x, t], &[])[0], (1.0 + f64::abs(v)).powi(-2));
                assert!(
                    (got - want).abs() <= 1e-14 * want,
                    "{k} at {x}, {t}: {got:e}, not {want:e}"
                );
            }
        }
    }
}
