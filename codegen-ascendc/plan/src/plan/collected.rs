//! Rewrites sums whose terms cancel near 0: collects the terms that have the same attribute as a factor.
//!
//! `a expm1(x) + (b - a) x` has a zero that moves with `a` and `b`. Near that zero the rounding errors of terms are large compared
//! with the sum. `a (expm1(x) - x) + b x` has smaller terms there, and `expm1(x) - x` is a polynomial near 0. Farther out the sum
//! stays as written, because that has the right limits, and its terms are no larger than the collected ones.

use super::cancelling::{in_terms_of, polynomial};
use super::repeated::terms;
use crate::sequence::forms::near::Near;
use op_dsl_ir::{Builder, Graph, Id, Node, Prim};

/// Largest number of terms of a sum that is collected, because coefficients are multiplied out, which multiplies their numbers of terms.
const MOST: usize = 8;

/// Smallest ratio of a group to its largest term at which the sum stays as written.
///
/// The group cancels below it. The ratio is larger than the 0.2 for a sum that stands alone, because other terms of the sum cancel
/// the group once more, which costs further digits.
const LEFT: f64 = 0.45;

/// A number times factors, sorted.
type Product = (f64, Vec<Id>);

/// Terms of a sum that share the same attributes as factors; `terms` has them without these factors.
struct Group {
    attributes: Vec<Id>,
    terms: Vec<Product>,
}

/// Returns the graph with sums collected by attributes near 0; the same graph if nothing cancels there.
pub(super) fn run(graph: &Graph) -> Graph {
    let (uses, uniform) = (graph.uses(), graph.uniform());
    let mut is_inner = vec![false; graph.nodes.len()];
    for node in graph.nodes.iter().filter(|node| is_sum(node)) {
        node.args().iter().for_each(|id| is_inner[id.index()] |= uses[id.index()] == 1);
    }
    let collected = |id: Id| {
        let is_outer = is_sum(&graph.nodes[id.index()]) && !is_inner[id.index()];
        let is_candidate = is_outer && !uniform[id.index()];
        let groups = if is_candidate { groups(graph, &uses, &uniform, id) } else { None };
        collected(graph, id, groups?)
    };
    let all: Vec<Option<Collected>> = graph.ids().map(collected).collect();
    let far = |of: &Collected| of.far(graph, &uses).collect::<Vec<Id>>();
    let far: Vec<Id> = all.iter().flatten().flat_map(far).collect();
    graph.rewrite_at(|b, at| {
        let value = match at.node {
            Node::Call(prim, [x, ..]) if far.contains(&at.id) => plain(b, prim, at[x]),
            _ => b.add(at.copy()),
        };
        match &all[at.id.index()] {
            Some(collected) => collected.choose(b, at.earlier, value),
            None => value,
        }
    })
}

/// Emits a function without its special accuracy near 0, for example `exp(x) - 1` for `expm1(x)`.
fn plain(b: &mut Builder, prim: Prim, x: Id) -> Id {
    let one = b.num(1.0);
    match prim {
        Prim::Expm1 => {
            let e = b.call(Prim::Exp, &[x]);
            b.difference(e, one)
        }
        Prim::Log1p => {
            let sum = b.sum(one, x);
            b.call(Prim::Ln, &[sum])
        }
        _ => b.call(prim, &[x]),
    }
}

fn is_sum(node: &Node) -> bool {
    matches!(node, Node::Call(Prim::Add | Prim::Sub, _))
}

/// Returns the terms of a sum by their attributes; `None` if all have the same, or if there are too many.
fn groups(graph: &Graph, uses: &[usize], uniform: &[bool], sum: Id) -> Option<Vec<Group>> {
    let mut groups: Vec<Group> = Vec::new();
    let mut count = 0;
    for (sign, term) in terms(graph, uses, sum) {
        let factors = graph.factors(term, |id| uses[id.index()] == 1);
        let (of_attributes, mut own): (Vec<Id>, Vec<Id>) =
            factors.into_iter().partition(|id| uniform[id.index()]);
        own.sort();
        let one = vec![(f64::from(sign), Vec::new())];
        let expanded = of_attributes.iter().fold(one, |all, id| times(&all, &expanded(graph, *id)));
        count += expanded.len();
        if count > MOST {
            return None;
        }
        for (times, attributes) in expanded {
            let term = (times, own.clone());
            match groups.iter_mut().find(|group| group.attributes == attributes) {
                Some(group) => group.terms.push(term),
                None => groups.push(Group { attributes, terms: vec![term] }),
            }
        }
    }
    (groups.len() > 1).then_some(groups)
}

/// Returns a uniform node as a sum of products.
fn expanded(graph: &Graph, id: Id) -> Vec<Product> {
    let negated = |mut of: Vec<Product>| {
        of.iter_mut().for_each(|(times, _)| *times = -*times);
        of
    };
    match graph.nodes[id.index()] {
        Node::Const(c) => vec![(c, Vec::new())],
        Node::Call(Prim::Neg, [x, ..]) => negated(expanded(graph, x)),
        Node::Call(Prim::Add, [x, y, _]) => [expanded(graph, x), expanded(graph, y)].concat(),
        Node::Call(Prim::Sub, [x, y, _]) => {
            [expanded(graph, x), negated(expanded(graph, y))].concat()
        }
        Node::Call(Prim::Mul, [x, y, _]) => times(&expanded(graph, x), &expanded(graph, y)),
        _ => vec![(1.0, vec![id])],
    }
}

/// Returns the product of two sums of products.
fn times(x: &[Product], y: &[Product]) -> Vec<Product> {
    let product = |(a, of): &Product, (b, other): &Product| {
        let mut factors = [&of[..], other].concat();
        factors.sort();
        (a * b, factors)
    };
    x.iter().flat_map(|x| y.iter().map(move |y| product(x, y))).collect()
}

/// A sum whose terms are collected by attributes, for the values of a variable near 0.
struct Collected {
    variable: Id,
    groups: Vec<Group>,
    /// For each group, the polynomial that replaces it, if its terms cancel near 0.
    near: Vec<Option<Near>>,
}

/// Returns the collected form of the sum `id`; `None` if the terms of no group cancel near 0.
fn collected(graph: &Graph, id: Id, groups: Vec<Group>) -> Option<Collected> {
    let (variable, near) = (0..id.0).map(Id).find_map(|variable| {
        let near = groups.iter().map(|group| group.near(graph, variable));
        let near: Vec<Option<Near>> = near.collect();
        near.iter().any(Option::is_some).then_some((variable, near))
    })?;
    Some(Collected { variable, groups, near })
}

impl Group {
    /// Returns the polynomial that replaces the sum of the terms where `variable` is near 0; `None` if the terms do not cancel
    /// there.
    fn near(&self, graph: &Graph, variable: Id) -> Option<Near> {
        if self.terms.len() < 2 {
            return None;
        }
        let mut b = Builder::new();
        let mut terms = Vec::with_capacity(self.terms.len());
        for (times, factors) in &self.terms {
            let mut term = b.num(*times);
            for factor in factors {
                let factor = b.part(&in_terms_of(graph, *factor, variable)?);
                term = b.product(term, factor);
            }
            terms.push(term);
        }
        let sum = terms.iter().copied().reduce(|x, y| b.sum(x, y))?;
        let [sum, all] = [&[sum][..], &terms].map(|outputs| b.finish(outputs));
        let left = |x: f64| {
            let terms = all.eval(&[x], &[]);
            sum.eval(&[x], &[])[0].abs() / terms.iter().fold(0.0, |size, term| term.abs().max(size))
        };
        polynomial(&sum, &left, LEFT)
    }
}

impl Collected {
    /// Returns functions of the variable that are evaluated only where it is not near 0.
    fn far<'a>(&'a self, graph: &'a Graph, uses: &'a [usize]) -> impl Iterator<Item = Id> + 'a {
        let groups = self.groups.iter().zip(&self.near).filter(|(_, near)| near.is_some());
        let factors = groups.flat_map(|(group, _)| &group.terms).flat_map(|(_, factors)| factors);
        factors.copied().filter(|id| {
            let of_variable = [Prim::Expm1, Prim::Log1p]
                .map(|prim| Node::Call(prim, [self.variable, Id::NONE, Id::NONE]));
            uses[id.index()] == 1 && of_variable.contains(&graph.nodes[id.index()])
        })
    }

    /// Adds the collected sum where the variable is near 0, and `far` elsewhere; `new` holds the nodes of `b`.
    fn choose(&self, b: &mut Builder, new: &[Id], far: Id) -> Id {
        let x = new[self.variable.index()];
        let product = |b: &mut Builder, factors: &[Id]| {
            factors.iter().map(|id| new[id.index()]).reduce(|x, y| b.product(x, y))
        };
        let mut terms: Vec<(f64, Option<Id>)> = Vec::new();
        for (group, near) in self.groups.iter().zip(&self.near) {
            let attributes = product(b, &group.attributes);
            if let Some(near) = near {
                let near = near.polynomial(b, x);
                terms.push((1.0, Some(attributes.map_or(near, |of| b.product(of, near)))));
                continue;
            }
            for (times, factors) in &group.terms {
                let own = product(b, factors);
                let factors = attributes.into_iter().chain(own);
                terms.push((*times, factors.reduce(|x, y| b.product(x, y))));
            }
        }
        let term = |b: &mut Builder, (times, factors): (f64, Option<Id>)| match factors {
            Some(factors) if times == 1.0 => factors,
            Some(factors) => b.scaled(times, factors),
            None => b.num(times),
        };
        // A positive term comes first, if there is any, so that no negation is needed.
        let first = terms.iter().position(|(times, _)| *times > 0.0).unwrap_or(0);
        terms[..=first].rotate_right(1);
        let mut terms = terms.into_iter();
        let first = terms.next().map_or(far, |first| term(b, first));
        let near = terms.fold(first, |sum, (times, factors)| {
            let term = term(b, (times.abs(), factors));
            if times < 0.0 { b.difference(sum, term) } else { b.sum(sum, term) }
        });
        let least = self.near.iter().flatten().min_by(|a, b| a.least.total_cmp(&b.least));
        least.map_or(far, |least| least.select(b, x, near, far))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_of_one_attribute_cancel_before_they_are_multiplied() {
        let mut b = Builder::new();
        let (x, dy) = (b.stream(0), b.stream(1));
        let (p, q) = (b.scalar(0), b.scalar(1));
        let e = b.call(Prim::Expm1, &[x]);
        let rest = b.difference(q, p);
        let (first, second) = (b.product(p, e), b.product(rest, x));
        let sum = b.sum(first, second);
        // The other sum does not cancel near 0.
        let (one, two) = (b.product(p, dy), b.product(rest, x));
        let plain = b.sum(one, two);
        let graph = b.finish(&[sum, plain]);
        let found = run(&graph);
        for x in [-30.0, -2.0, -0.2, 1e-6, 0.3, 1.39, 1.41, 5.0] {
            let (got, want) =
                (found.eval(&[x, 0.7], &[5.2, 0.5]), graph.eval(&[x, 0.7], &[5.2, 0.5]));
            assert!((got[0] - want[0]).abs() <= 1e-7 * x.abs(), "{x}: {got:?}, not {want:?}");
            assert_eq!(got[1], want[1]);
        }
        let count = |prim: Prim| {
            found.nodes.iter().filter(|n| matches!(n, Node::Call(p, _) if *p == prim)).count()
        };
        // Beyond the polynomial, `expm1(x)` needs no digits near 0.
        assert_eq!((count(Prim::Select), count(Prim::Expm1), count(Prim::Exp)), (1, 0, 1));
        // Close to the zero, terms are ten times smaller than `5.2 expm1(x)`.
        let rounded = |graph: &Graph, x: f64| {
            let mut values: Vec<f64> = Vec::new();
            for node in graph.nodes.iter() {
                let value = match *node {
                    Node::Stream(0) => x,
                    Node::Stream(_) => 0.7,
                    Node::Scalar(k) => [5.2, 0.5][usize::from(k)],
                    Node::Const(c) => c,
                    Node::Call(prim, args) => {
                        let mut of = [f64::NAN; 3];
                        let args = args.iter().take(prim.row().arity);
                        of.iter_mut().zip(args).for_each(|(of, arg)| *of = values[arg.index()]);
                        (prim.row().oracle)(of)
                    }
                };
                values.push((value as f32).into());
            }
            values[graph.outputs[0].index()]
        };
        let x = -0.205_688_48_f32;
        let want = graph.eval(&[x.into(), 0.7], &[f64::from(5.2f32), 0.5])[0];
        let [before, after] = [&graph, &found].map(|graph| (rounded(graph, x.into()) - want).abs());
        assert!(after < 0.3 * before, "{after:e}, {before:e}");
    }
}
