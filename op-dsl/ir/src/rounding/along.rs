//! Evaluates a graph along a line of sample points, which differ in one stream only.
//!
//! Per point, only the nodes that depend on that stream are evaluated.

use super::bounded::{Arithmetic, Bounded, evaluate, evaluate_node, times};
use super::points::Point;
use crate::graph::{Graph, Id, Node};

/// Evaluator of a graph at the points of one line, which differ only in one stream.
pub struct Along<'g> {
    graph: &'g Graph,
    arithmetic: Arithmetic,
    /// Values of all nodes at one point, which hold on the whole line for nodes that do not change along it.
    nodes: Vec<Bounded>,
    /// Indices of the nodes that depend on the stream that varies along the line.
    changing: Vec<usize>,
    /// Per node, true for a product whose own rounding error does not count.
    ///
    /// Back ends compute the rounding error of such a product exactly and multiply it too, so that it is not lost. Missing entries
    /// count as false.
    kept: &'g [bool],
}

impl<'g> Along<'g> {
    /// Evaluates all nodes at one point of the line; those that do not depend on the varied stream are the same at its other
    /// points.
    fn new(graph: &'g Graph, arithmetic: Arithmetic, point: &Point, kept: &'g [bool]) -> Along<'g> {
        let nodes = evaluate(graph, arithmetic, point, graph.last());
        let varies = Node::Stream(point.varied as u16);
        let changes = graph.depends_on(|_, node| node == varies);
        let changing = (0..graph.nodes.len()).filter(|i| changes[*i]).collect();
        Along { graph, arithmetic, nodes, changing, kept }
    }

    /// Evaluates node `i` at a point; `known` returns the values of the node's arguments.
    #[inline(always)]
    fn node(&self, i: usize, point: &Point, known: impl Fn(Id) -> Option<Bounded>) -> Bounded {
        let node = &self.graph.nodes[i];
        let mut value = evaluate_node(node, self.arithmetic, point, &known);
        if self.kept.get(i) == Some(&true)
            && let [x, y, ..] = *node.args()
            && let (Some(x), Some(y)) = (known(x), known(y))
        {
            value.error = value.error.min(times(x, y));
        }
        value
    }

    /// Evaluates the nodes that change along the line at each of its points; the columns of other nodes are empty.
    ///
    /// A node is evaluated at all points before the next node, because the call targets change from node to node, which causes branch
    /// mispredictions.
    fn columns(&self, line: &[Point]) -> Vec<Vec<Bounded>> {
        let mut columns: Vec<Vec<Bounded>> = vec![Vec::new(); self.nodes.len()];
        let known = |columns: &[Vec<Bounded>], k: usize, id: Id| {
            let changed = columns.get(id.index())?.get(k);
            changed.or(self.nodes.get(id.index())).copied()
        };
        for &i in &self.changing {
            let at = |(k, point)| self.node(i, point, |id| known(&columns, k, id));
            columns[i] = line.iter().enumerate().map(at).collect();
        }
        columns
    }

    /// Returns the values of each output at the points of the line, which are those of [`outputs`](super::bounded::outputs).
    fn outputs(&self, line: &[Point]) -> Vec<Vec<Bounded>> {
        let columns = self.columns(line);
        let column = |output: &Id| match &columns[output.index()][..] {
            [] => vec![self.nodes[output.index()]; line.len()],
            column => column.to_vec(),
        };
        self.graph.outputs.iter().map(column).collect()
    }
}

/// Returns the values of each node in f64 along a line; a node that does not change has one.
pub fn values_of_nodes(graph: &Graph, line: &[Point]) -> Vec<Vec<Bounded>> {
    let Some(first) = line.first() else { return vec![Vec::new(); graph.nodes.len()] };
    let along = Along::new(graph, Arithmetic::F64, first, &[]);
    let mut columns = along.columns(line);
    let fixed = columns.iter_mut().zip(&along.nodes).filter(|(column, _)| column.is_empty());
    fixed.for_each(|(column, value)| column.push(*value));
    columns
}

/// Maximum number of zero crossings that are bisected on a line, spread evenly over all crossings.
///
/// Some suffice, because only periodic functions have more crossings, and every period loses its digits alike. Bisecting all crossings took three
/// quarters of the time in which the macros expand formulas with sines (tests/language.rs, Zen 4, 2026-11).
const MOST_CROSSINGS: usize = 32;

/// Points of a line in ascending order of the varied stream, and a graph's outputs there.
pub struct Evaluated {
    pub line: Vec<Point>,
    /// Values of the outputs with error bounds, per output and then per point.
    pub results: Vec<Vec<Bounded>>,
}

impl Evaluated {
    /// Evaluates a graph at the points of a line.
    pub fn new(graph: &Graph, arithmetic: Arithmetic, line: Vec<Point>) -> Evaluated {
        Evaluated::keeping(graph, arithmetic, line, &[])
    }

    /// Evaluates a graph at the points of a line, not counting rounding errors of `kept` products.
    ///
    /// `kept` has one entry per node; missing entries count as false.
    pub fn keeping(
        graph: &Graph,
        arithmetic: Arithmetic,
        line: Vec<Point>,
        kept: &[bool],
    ) -> Evaluated {
        let results = match line.first() {
            Some(first) => Along::new(graph, arithmetic, first, kept).outputs(&line),
            None => vec![Vec::new(); graph.outputs.len()],
        };
        Evaluated { line, results }
    }

    /// Returns copies, with `streams` set to `value`, of the points where `is_it` is true for an output.
    pub fn beside(
        &self,
        is_it: impl Fn(&Bounded) -> bool,
        streams: &[usize],
        value: f64,
    ) -> Vec<Point> {
        let is_there = |k: &usize| self.results.iter().any(|column| is_it(&column[*k]));
        let there = (0..self.line.len()).filter(is_there).map(|k| &self.line[k]);
        let with_value = |point: &Point| {
            let mut point = point.clone();
            streams.iter().for_each(|stream| point.set(*stream, value));
            point
        };
        there.map(with_value).collect()
    }

    /// Adds points around every zero crossing, by bisection down to neighbours in f32.
    ///
    /// A difference such as `(1 - y) - y` loses its digits within a few thousandths of its zero at 1/2, between two samples.
    pub fn add_crossings(&mut self, graph: &Graph, arithmetic: Arithmetic) {
        let Some(first) = self.line.first() else { return };
        let along = Along::new(graph, arithmetic, first, &[]);
        let mut crossings = self.crossings();
        let count = self.line.len();
        while !crossings.is_empty() {
            let middles: Vec<Point> = crossings.iter().map(Crossing::middle).collect();
            let results = along.outputs(&middles);
            for (k, crossing) in crossings.iter_mut().enumerate() {
                crossing.halve(results[crossing.output][k].value);
            }
            crossings.retain(|crossing| !crossing.is_done());
            self.line.extend(middles);
            self.results.iter_mut().zip(results).for_each(|(all, added)| all.extend(added));
        }
        if self.line.len() == count {
            return;
        }
        let mut order: Vec<usize> = (0..self.line.len()).collect();
        order.sort_by(|a, b| self.line[*a].x.total_cmp(&self.line[*b].x));
        self.line = order.iter().map(|k| self.line[*k].clone()).collect();
        for column in &mut self.results {
            *column = order.iter().map(|k| column[*k]).collect();
        }
    }

    /// Returns the pairs of neighbouring points between which an output crosses zero or becomes NaN.
    ///
    /// Pairs without an f32 number between them are left out.
    fn crossings(&self) -> Vec<Crossing> {
        let mut all = Vec::new();
        for (k, pair) in self.line.windows(2).enumerate() {
            let ends = [0, 1].map(|k: usize| pair[k].x);
            for (output, column) in self.results.iter().enumerate() {
                let is_one_side = column[k].value * column[k + 1].value >= 0.0;
                if ends[0] * ends[1] > 0.0 && !is_one_side {
                    let (at, sign) = (pair[0].clone(), column[k].value);
                    all.push(Crossing { at, ends, output, sign });
                }
            }
        }
        all.retain(|crossing| !crossing.is_done());
        let step = all.len().div_ceil(MOST_CROSSINGS).max(1);
        all.into_iter().step_by(step).collect()
    }
}

/// A zero crossing of an output between two inputs of the same sign.
struct Crossing {
    /// A sample point on this line, which gives the values of the streams that do not vary.
    at: Point,
    ends: [f64; 2],
    output: usize,
    /// The output's value at the lower input; its sign tells the two sides of the crossing apart.
    sign: f64,
}

impl Crossing {
    /// Returns the f32 number in the middle between the two ends.
    fn between(&self) -> f64 {
        f64::from((0.5 * (self.ends[0] + self.ends[1])) as f32)
    }

    /// Returns whether no f32 number lies between the two ends, so that bisection is finished.
    fn is_done(&self) -> bool {
        let middle = self.between();
        middle <= self.ends[0] || middle >= self.ends[1]
    }

    fn middle(&self) -> Point {
        self.at.with_x(self.between())
    }

    /// Narrows the interval to the half that contains the crossing.
    ///
    /// `value` is the output in the middle of the interval.
    fn halve(&mut self, value: f64) {
        let is_before = value * self.sign > 0.0;
        self.ends[usize::from(!is_before)] = self.between();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Builder;
    use crate::prim::Prim;
    use crate::rounding::{lines, outputs};

    /// Tests a graph with two varying streams, an attribute, a constant and a zero crossing.
    #[test]
    fn points_of_a_line_are_those_of_whole_evaluations() {
        let mut b = Builder::new();
        let [x, y, alpha] = [b.stream(0), b.stream(1), b.scalar(0)];
        let (third, scaled) = (b.num(1.0 / 3.0), b.product(alpha, x));
        let (t, s) = (b.call(Prim::Tanh, &[scaled]), b.call(Prim::Sigmoid, &[y]));
        let apart = b.difference(t, third);
        let product = b.call(Prim::Mul, &[apart, s]);
        let graph = b.finish(&[product, s]);
        let mut points = 0;
        for line in lines(&graph, &[]) {
            for arithmetic in [Arithmetic::F32, Arithmetic::F64] {
                let mut evaluated = Evaluated::new(&graph, arithmetic, line.clone());
                evaluated.add_crossings(&graph, arithmetic);
                assert!(evaluated.line.len() >= line.len());
                for (k, point) in evaluated.line.iter().enumerate() {
                    let bits = |b: &Bounded| [b.value, b.error].map(f64::to_bits);
                    let whole = outputs(&graph, arithmetic, point);
                    let column = |column: &Vec<Bounded>| bits(&column[k]);
                    let results: Vec<[u64; 2]> = evaluated.results.iter().map(column).collect();
                    assert_eq!(results, whole.iter().map(bits).collect::<Vec<_>>());
                    points += 1;
                }
            }
        }
        assert!(points > 5000, "{points}");
    }

    /// Tests `sin(x)`, which crosses zero between most sample points, and `x - 1`, which crosses it once.
    #[test]
    fn few_crossings_of_a_periodic_function_are_bisected() {
        let of = |build: &dyn Fn(&mut Builder, Id) -> Id| {
            let mut b = Builder::new();
            let x = b.stream(0);
            let y = build(&mut b, x);
            let graph = b.finish(&[y]);
            let line = lines(&graph, &[]).next().expect("a line");
            Evaluated::new(&graph, Arithmetic::F64, line).crossings().len()
        };
        let periodic = of(&|b, x| b.call(Prim::Sin, &[x]));
        assert!((MOST_CROSSINGS / 2..=MOST_CROSSINGS).contains(&periodic), "{periodic}");
        let once = of(&|b, x| {
            let one = b.num(1.0);
            b.difference(x, one)
        });
        assert_eq!(once, 1);
    }
}
