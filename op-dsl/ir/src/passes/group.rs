//! Orders the factors of products and quotients so that those of one stream stand together.
//!
//! `dy * x * exp(-x * x)` is `dy * (x * exp(-x * x))`: the function of `x` becomes a node, whose
//! limits can be found, and which `dy` multiplies last. In f64 any order will do: no product of
//! three numbers of f32 leaves its range.

use super::products::{Sole, sole_streams};
use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;

/// Regroups every product and quotient that is not itself a factor.
pub fn run(graph: &Graph) -> Graph {
    let sole = sole_streams(graph);
    let mut uses = vec![0; graph.nodes.len()];
    for a in graph.nodes.iter().flat_map(Node::args).chain(graph.outputs.iter()) {
        uses[a.index()] += 1;
    }
    let mut b = Builder::new();
    let mut new: Vec<Id> = Vec::with_capacity(graph.nodes.len());
    for (i, node) in graph.nodes.iter().enumerate() {
        let mut factors = Factors::default();
        factors.collect(graph, &uses, Id(i as u32), false, true);
        let id = match factors.by_stream(&sole) {
            Some(groups) => factors.product(&mut b, &groups, &new),
            None => b.add(node.map_args(&new)),
        };
        new.push(id);
    }
    let outputs: Vec<Id> = graph.outputs.iter().map(|o| new[o.index()]).collect();
    b.finish(&outputs)
}

/// A product of factors, some of them below the line.
#[derive(Default)]
struct Factors {
    all: Vec<(Id, bool)>,
    negative: bool,
}

impl Factors {
    fn collect(&mut self, graph: &Graph, uses: &[usize], id: Id, below: bool, first: bool) {
        let inner = first || uses[id.index()] == 1;
        match graph.nodes[id.index()] {
            Node::Call(prim @ (Prim::Mul | Prim::Mul3 | Prim::Div | Prim::Neg), _) if inner => {
                self.negative ^= prim == Prim::Neg;
                for (k, a) in graph.nodes[id.index()].args().iter().enumerate() {
                    let below = below ^ (prim == Prim::Div && k == 1);
                    self.collect(graph, uses, *a, below, false);
                }
            }
            _ => self.all.push((id, below)),
        }
    }

    /// The streams that factors depend on alone, in the order met; `None` where grouping changes
    /// nothing. What depends on several stands last.
    fn by_stream(&self, sole: &[Sole]) -> Option<Vec<Vec<(Id, bool)>>> {
        let mut groups: Vec<(Sole, Vec<(Id, bool)>)> = Vec::new();
        for &(id, below) in &self.all {
            let of = sole[id.index()];
            match groups.iter_mut().find(|(known, _)| *known == of) {
                Some((_, group)) => group.push((id, below)),
                None => groups.push((of, vec![(id, below)])),
            }
        }
        if groups.len() < 2 || groups.iter().all(|(_, group)| group.len() == 1) {
            return None;
        }
        groups.sort_by_key(|(of, _)| *of);
        Some(groups.into_iter().map(|(_, group)| group).collect())
    }

    fn product(&self, b: &mut Builder, groups: &[Vec<(Id, bool)>], new: &[Id]) -> Id {
        let of = |group: &[(Id, bool)], below: bool, b: &mut Builder| {
            let chosen = group.iter().filter(|f| f.1 == below).map(|f| new[f.0.index()]);
            chosen.reduce(|product, f| b.product(product, f))
        };
        let mut result = None;
        for group in groups {
            let (above, below) = (of(group, false, b), of(group, true, b));
            // What is only below the line divides what is above it already.
            let part = match (above, below, result) {
                (None, Some(below), Some(result)) => Some(b.quotient(result, below)),
                _ => None,
            };
            result = part.or_else(|| {
                let above = above.unwrap_or_else(|| b.num(1.0));
                let part = below.map_or(above, |below| b.quotient(above, below));
                Some(result.map_or(part, |result| b.product(result, part)))
            });
        }
        let result = result.unwrap_or_else(|| b.num(1.0));
        if self.negative { b.negative(result) } else { result }
    }
}
