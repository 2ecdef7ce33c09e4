//! Collects the terms of a sum that differ only in their coefficients: `a x + b x` becomes `(a + b) x`.
//!
//! Coefficients are products of attributes and numbers. Where they cancel, terms that are rounded one by one leave their rounding
//! errors, or `inf - inf`: `a (exp(x) - 1) - a x + b x` with `a = b` is `-a` far to the left. The sum of the coefficients is
//! computed once per call, so that nothing is left of such terms.

use crate::analysis::Inputs;
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;

/// Collects terms with the same factors that depend on streams, in sums where some coefficient contains an attribute.
pub fn run(graph: &Graph) -> Graph {
    let sums = Sums::of(graph);
    graph.rewrite_at(|b, at| {
        let mut sum = Emitter { sums: &sums, b, new: at.earlier };
        sum.collected(at.id).unwrap_or_else(|| b.add(at.copy()))
    })
}

/// The sums of a graph.
struct Sums<'g> {
    graph: &'g Graph,
    uniform: Vec<bool>,
    inputs: Vec<Inputs>,
    /// Per node, whether it is part of a sum, see [`Graph::parts_of_sums`].
    is_part: Vec<bool>,
    uses: Vec<usize>,
}

impl Sums<'_> {
    fn of(graph: &Graph) -> Sums<'_> {
        let is_part = graph.parts_of_sums();
        Sums {
            graph,
            uniform: graph.uniform(),
            inputs: graph.inputs(),
            is_part,
            uses: graph.uses(),
        }
    }

    fn node(&self, id: Id) -> Node {
        self.graph.nodes[id.index()]
    }
}

/// Returns whether a node passes the terms of its arguments on.
fn passes_on(node: Node) -> bool {
    matches!(node, Node::Call(Prim::Add | Prim::Sub | Prim::Neg, _))
}

/// A term of a sum, `sign * coefficient * factors`, by nodes of the new graph.
#[derive(Clone)]
struct Term {
    sign: f64,
    /// The term itself, without the sign.
    whole: Id,
    /// Factors that depend on no stream.
    coefficient: Vec<Id>,
    has_attribute: bool,
    /// Factors that depend on streams, in ascending order.
    factors: Vec<Id>,
    /// The old node of the only factor that depends on streams.
    sole: Option<Id>,
    is_stream: bool,
}

/// Terms with the same factors that depend on streams.
struct Group {
    terms: Vec<Term>,
    /// Whether it has terms with different coefficients, and an attribute among these.
    is_like: bool,
}

/// Emits the sums of a graph; `new` has the new node of each old one.
struct Emitter<'a, 'g> {
    sums: &'a Sums<'g>,
    b: &'a mut Builder,
    new: &'a [Id],
}

impl Emitter<'_, '_> {
    /// Emits the sum `id` with like terms collected; `None` if there are none, or if the node is no sum or a part of one.
    fn collected(&mut self, id: Id) -> Option<Id> {
        let is_sum = matches!(self.sums.node(id), Node::Call(Prim::Add | Prim::Sub, _));
        if !is_sum || self.sums.uniform[id.index()] || self.sums.is_part[id.index()] {
            return None;
        }
        let terms = self.terms(id);
        let groups = grouped(terms.clone());
        match groups.iter().any(|group| group.is_like) {
            true => self.emitted(groups),
            false => self.multiplied_out(id, &terms),
        }
    }

    /// Emits the sum `id` with products of a coefficient and a sum multiplied out, and like terms collected.
    ///
    /// That is used beyond 1 only: nearer to 0 the terms of such a sum cancel, as those of `expm1(x) - x` do. `None` if it gives no
    /// like terms.
    fn multiplied_out(&mut self, id: Id, terms: &[Term]) -> Option<Id> {
        let mut all = Vec::new();
        let mut stream = None;
        for term in terms {
            let inner = term.sole.filter(|_| term.has_attribute).and_then(|sole| {
                let stream = self.sums.inputs[sole.index()].sole_stream()?;
                let mut inner = Vec::new();
                match self.sums.node(sole) {
                    Node::Call(Prim::Expm1, [v, ..]) => self.add_exponential(v, &mut inner),
                    node if passes_on(node) && self.sums.uses[sole.index()] == 1 => {
                        inner = self.terms(sole);
                    }
                    _ => return None,
                }
                Some((stream, inner))
            });
            match inner {
                Some((s, inner)) if stream.is_none_or(|stream| stream == s) => {
                    stream = Some(s);
                    all.extend(inner.into_iter().map(|inner| self.times(term, inner)));
                }
                _ => all.push(term.clone()),
            }
        }
        let groups = grouped(all);
        let stream = stream.filter(|_| groups.iter().any(|group| group.is_like))?;
        let far = self.emitted(groups)?;
        let near = self.b.add(self.sums.node(id).map_args(self.new));
        let (x, one) = (self.b.stream(stream.into()), self.b.num(1.0));
        let size = self.b.call(Prim::Abs, &[x]);
        let is_far = self.b.call(Prim::Lt, &[one, size]);
        Some(self.b.call(Prim::Select, &[is_far, far, near]))
    }

    /// Returns the terms of a sum.
    fn terms(&self, id: Id) -> Vec<Term> {
        let all = self.sums.graph.addends(id, |id| self.sums.is_part[id.index()]);
        all.into_iter().map(|(id, sign)| self.term(id, sign)).collect()
    }

    /// Adds the terms of `exp(v) - 1`.
    fn add_exponential(&mut self, v: Id, terms: &mut Vec<Term>) {
        let (e, one) = (self.b.call(Prim::Exp, &[self.new[v.index()]]), self.b.num(1.0));
        let term = |sign, whole, factors| Term {
            sign,
            whole,
            coefficient: Vec::new(),
            has_attribute: false,
            factors,
            sole: None,
            is_stream: false,
        };
        terms.extend([term(1.0, e, vec![e]), term(-1.0, one, Vec::new())]);
    }

    fn term(&self, id: Id, sign: f64) -> Term {
        let new = |ids: &[Id]| ids.iter().map(|id| self.new[id.index()]).collect::<Vec<Id>>();
        let all = self.sums.graph.factors(id, |_| true);
        let (coefficient, factors): (Vec<Id>, Vec<Id>) =
            all.into_iter().partition(|factor| self.sums.uniform[factor.index()]);
        let is_number = |id: &Id| self.sums.graph.as_const(*id).is_some();
        let mut sorted = new(&factors);
        sorted.sort();
        Term {
            sign,
            whole: self.new[id.index()],
            coefficient: new(&coefficient),
            has_attribute: !coefficient.iter().all(is_number),
            factors: sorted,
            sole: factors.first().copied().filter(|_| factors.len() == 1),
            is_stream: matches!(self.sums.node(id), Node::Stream(_)),
        }
    }

    /// Returns the product of a term's coefficient and an inner term.
    fn times(&mut self, term: &Term, inner: Term) -> Term {
        let coefficient: Vec<Id> =
            term.coefficient.iter().chain(&inner.coefficient).copied().collect();
        let all = coefficient.iter().chain(&inner.factors);
        let whole = all.copied().reduce(|product, factor| self.b.product(product, factor));
        let whole = whole.unwrap_or_else(|| self.b.num(1.0));
        let (sign, has_attribute) = (term.sign * inner.sign, true);
        Term { sign, whole, coefficient, has_attribute, is_stream: false, ..inner }
    }

    /// Emits a sum with one term for each group of like terms.
    fn emitted(&mut self, groups: Vec<Group>) -> Option<Id> {
        let mut sum = None;
        for Group { terms, is_like } in groups {
            let factors = terms[0].factors.clone();
            let mut coefficient = None;
            for term in terms {
                if is_like {
                    let all = term.coefficient.into_iter();
                    let one = all.reduce(|product, factor| self.b.product(product, factor));
                    let one = one.unwrap_or_else(|| self.b.num(1.0));
                    coefficient = Some(self.b.plus(coefficient, one, term.sign));
                } else {
                    sum = Some(self.b.plus(sum, term.whole, term.sign));
                }
            }
            if let Some(coefficient) = coefficient {
                let product =
                    factors.into_iter().reduce(|product, factor| self.b.product(product, factor));
                let term =
                    product.map_or(coefficient, |product| self.b.product(coefficient, product));
                sum = Some(self.b.plus(sum, term, 1.0));
            }
        }
        sum
    }
}

/// Groups terms by their factors that depend on streams.
fn grouped(terms: Vec<Term>) -> Vec<Group> {
    // Terms beside a stream itself, which is exact, stay in the author's order: `(x - a) + b` is `b` at `a`.
    let has_streams = terms.iter().any(|term| term.is_stream);
    let mut groups: Vec<Group> = Vec::new();
    for term in terms {
        match groups.iter_mut().find(|group| group.terms[0].factors == term.factors) {
            Some(group) => group.terms.push(term),
            None => groups.push(Group { terms: vec![term], is_like: false }),
        }
    }
    for Group { terms, is_like } in &mut groups {
        let is_free = !terms[0].factors.is_empty() || !has_streams;
        // Equal terms cannot cancel.
        let differs =
            |term: &Term| (term.sign, &term.coefficient) != (terms[0].sign, &terms[0].coefficient);
        *is_like =
            is_free && terms.iter().any(differs) && terms.iter().any(|term| term.has_attribute);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::simplify;

    /// Tests `a expm1(x) - a x + c x` and its derivative `a exp(x) - a + c`.
    #[test]
    fn coefficients_are_added_first() {
        let mut b = Builder::new();
        let (x, a, c) = (b.stream(0), b.scalar(0), b.scalar(1));
        let e = b.call(Prim::Expm1, &[x]);
        let [bent, first, second] = [(a, e), (a, x), (c, x)].map(|(a, x)| b.product(a, x));
        let sum = b.difference(bent, first);
        let value = b.sum(sum, second);
        let e = b.call(Prim::Exp, &[x]);
        let slope = b.product(e, a);
        let slope = b.difference(slope, a);
        let slope = b.sum(slope, c);
        let graph = b.finish(&[value, slope]);
        let collected = simplify::run(&run(&graph));
        let at = |x: f64, c: f64| collected.eval(&[x], &[0.5, c]);
        assert_eq!(at(-1e30, 0.5)[0], -0.5);
        assert_eq!(at(-60.0, 0.5)[1], 0.5 * (-60f64).exp());
        let want = graph.eval(&[0.25], &[0.5, 3.0]);
        assert!(at(0.25, 3.0).iter().zip(want).all(|(got, want)| (got / want - 1.0).abs() < 1e-14));
    }

    /// Tests `a (expm1(x) - x) + c x` and its derivative `a expm1(x) + c`.
    #[test]
    fn products_are_multiplied_out_far_from_zero() {
        let mut b = Builder::new();
        let (x, a, c) = (b.stream(0), b.scalar(0), b.scalar(1));
        let e = b.call(Prim::Expm1, &[x]);
        let bent = b.difference(e, x);
        let [bent, line, slope] = [(a, bent), (c, x), (a, e)].map(|(a, x)| b.product(a, x));
        let (value, slope) = (b.sum(bent, line), b.sum(slope, c));
        let graph = b.finish(&[value, slope]);
        let collected = simplify::run(&run(&graph));
        let at = |x: f64, c: f64| collected.eval(&[x], &[0.5, c]);
        assert_eq!(at(-1e30, 0.5)[0], -0.5);
        assert_eq!(at(-60.0, 0.5)[1], 0.5 * (-60f64).exp());
        assert_eq!(at(1e-30, 0.0)[1], 0.5e-30);
        for x in [0.25, -2.5] {
            let want = graph.eval(&[x], &[0.5, 3.0]);
            let is_near = |(got, want): (f64, f64)| (got / want - 1.0).abs() < 1e-14;
            assert!(at(x, 3.0).into_iter().zip(want).all(is_near), "{x}");
        }
    }

    /// Tests `x - a + c`, `2 x - x`, `a x + a x` and `a x + c y`.
    #[test]
    fn other_sums_stay() {
        let mut b = Builder::new();
        let ([x, y], [a, c]) = ([0, 1].map(|k| b.stream(k)), [0, 1].map(|k| b.scalar(k)));
        let near = b.difference(x, a);
        let near = b.sum(near, c);
        let twice = b.scaled(2.0, x);
        let numbers = b.difference(twice, x);
        let (first, second) = (b.product(a, x), b.product(c, y));
        let others = b.sum(first, second);
        let equal = b.sum(first, first);
        let graph = b.finish(&[near, numbers, equal, others]);
        assert_eq!(run(&graph), graph);
    }
}
