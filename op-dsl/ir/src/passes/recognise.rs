//! Recognises primitives in formulas that an author wrote out.
//!
//! For example, `0.5 * x * (1 + erf(x / sqrt(2)))` *is* `gelu(x)`, however its factors are grouped, and so is any other way to
//! write it. Instead of matching one pattern per way, the pass compares subexpressions with primitives **by value**. A node that
//! depends on its inputs only through one node `v`, and only by analytic primitives, is a function of `v`. If it agrees with a
//! primitive at 24 irregular points to 12 digits, it is that primitive, because two different elementary functions do not agree so
//! far. It is replaced by one call, which is cheaper and accurate where the parts would cancel.
//!
//! A constant that is wrong in the tenth digit gives another function, which is left as written.

use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::{Prim, Row, Style, TABLE};

/// Returns the primitives to look for in a graph, larger formulas first.
///
/// The order makes the largest match the one that is replaced. Only smooth functions of one argument are looked for, and only those
/// with enough sample points in their domain.
fn rows() -> impl Iterator<Item = &'static Row> {
    let smooth = |r: &&Row| r.arity == 1 && r.style == Style::Function && r.prim.is_smooth();
    let judged = |r: &&Row| inside(r).count() >= ENOUGH;
    TABLE.iter().rev().filter(smooth).filter(judged)
}

/// Returns the points of [`POINTS`] that lie, with either sign, inside a primitive's domain.
fn inside(row: &Row) -> impl Iterator<Item = f64> {
    let least = row.domain.0;
    POINTS.into_iter().filter(move |x| *x > least && -x > least)
}

/// Irregular sample points where none of the usual formulas cancels.
const POINTS: [f64; 24] = [
    0.7390851, -0.4812118, 1.3247179, -1.1447298, 0.1732867, -0.0915965, 2.2360679, -1.9021605,
    0.5671432, -0.3678794, 1.6180339, -1.4236067, 0.0273944, -0.6434105, 1.0986122, -0.9159655,
    2.5029078, -2.0943951, 0.3065309, -0.2078795, 1.9021605, -1.6449340, 0.8346268, -0.7642236,
];

/// Minimum number of sample points at which a candidate primitive has a value.
///
/// It is not less, because fewer points do not distinguish it from other functions.
const ENOUGH: usize = 12;

/// Largest relative difference at which the values of two formulas count as equal, far above the rounding errors of f64.
const AGREEMENT: f64 = 1e-12;

/// Replaces every subexpression that equals a primitive by a call of that primitive.
pub fn run(graph: &Graph) -> Graph {
    let mut pass = Pass { graph, new: vec![None; graph.nodes.len()], b: Builder::new() };
    let outputs: Vec<Id> = graph.outputs.iter().map(|o| pass.rebuild(*o)).collect();
    pass.b.finish(&outputs)
}

/// Returns whether two or more calls of a graph of one output equal one call of a primitive.
///
/// For example, true for `ln(sigmoid(x))`, but false for `exp(x)`, which is a call of that primitive already.
pub fn is_composite_row(graph: &Graph) -> bool {
    let pass = Pass { graph, new: Vec::new(), b: Builder::new() };
    let result = graph.outputs[0];
    let args = graph.nodes[result.index()].args();
    pass.find(result).is_some_and(|found| !args.contains(&found.variable))
}

struct Pass<'g> {
    graph: &'g Graph,
    new: Vec<Option<Id>>,
    b: Builder,
}

impl Pass<'_> {
    /// Copies a node of the old graph to the new graph, with recognised subexpressions replaced.
    ///
    /// The largest recognised subexpressions are replaced first.
    fn rebuild(&mut self, id: Id) -> Id {
        if let Some(done) = self.new[id.index()] {
            return done;
        }
        let node = self.graph.nodes[id.index()];
        let new = match self.find(id) {
            Some(found) => self.replace(found),
            None => {
                let copy = node.with_args(|arg| self.rebuild(arg));
                self.b.add(copy)
            }
        };
        self.new[id.index()] = Some(new);
        new
    }

    fn replace(&mut self, found: Found) -> Id {
        let v = self.rebuild(found.variable);
        let v = if found.mirrored { self.b.negative(v) } else { v };
        let call = self.b.call(found.prim, &[v]);
        if found.negative { self.b.negative(call) } else { call }
    }

    /// Returns the primitive that a node equals and the node of its argument; `None` if there is none.
    ///
    /// Earlier nodes are tried as the argument first, because they give larger subexpressions.
    fn find(&self, id: Id) -> Option<Found> {
        (0..id.0).map(Id).find_map(|variable| {
            let part = Part::new(self.graph, variable, id)?;
            part.identify().map(|(prim, mirrored, negative)| Found {
                prim,
                variable,
                mirrored,
                negative,
            })
        })
    }
}

/// A recognised subexpression: plus or minus `prim(variable)` or `prim(-variable)`.
struct Found {
    prim: Prim,
    variable: Id,
    mirrored: bool,
    negative: bool,
}

/// The node `result` as a function of the node `variable`.
struct Part<'g> {
    graph: &'g Graph,
    variable: Id,
    result: Id,
}

impl<'g> Part<'g> {
    /// Returns `None` if `result` depends on an input other than through `variable`, or is not smooth.
    fn new(graph: &'g Graph, variable: Id, result: Id) -> Option<Part<'g>> {
        let mut needed = vec![false; result.index() + 1];
        needed[result.index()] = true;
        for i in (0..=result.index()).rev().filter(|&i| i != variable.index()) {
            match &graph.nodes[i] {
                _ if !needed[i] => {}
                // Comparing values would reject such nodes too, but takes longer.
                Node::Stream(_) | Node::Scalar(_) => return None,
                Node::Call(prim, _) if !prim.is_smooth() => return None,
                node => node.args().iter().for_each(|a| needed[a.index()] = true),
            }
        }
        Some(Part { graph, variable, result })
    }

    fn value(&self, x: f64) -> f64 {
        let given = |id: Id, _: &Node| (id == self.variable).then_some(x);
        self.graph.values(self.result, given)[self.result.index()]
    }

    fn identify(&self) -> Option<(Prim, bool, bool)> {
        let first = self.value(POINTS[0]);
        let candidates = rows().map(|row| row.prim).flat_map(|prim| {
            [(prim, false, false), (prim, true, false), (prim, false, true), (prim, true, true)]
        });
        candidates.filter(|&(prim, m, n)| agree(first, expected(prim.row(), POINTS[0], m, n))).find(
            |&(prim, m, n)| {
                inside(prim.row()).all(|x| agree(self.value(x), expected(prim.row(), x, m, n)))
            },
        )
    }
}

fn expected(row: &Row, x: f64, mirrored: bool, negative: bool) -> f64 {
    let y = (row.oracle)([if mirrored { -x } else { x }, 0.0, 0.0]);
    if negative { -y } else { y }
}

fn agree(got: f64, want: f64) -> bool {
    (got - want).abs() <= AGREEMENT * want.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_at_one_point_is_none() {
        let mut b = Builder::new();
        let (x, offset) = (b.stream(0), b.num(POINTS[0].tanh() - POINTS[0]));
        let line = b.sum(x, offset);
        let graph = b.finish(&[line]);
        assert_eq!(run(&graph), graph);
    }
}
