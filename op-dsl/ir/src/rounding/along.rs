//! Evaluates a graph along a line: each point once, and of each point only what the varied stream reaches.

use super::{Arithmetic, Bounded, Point, evaluate_node, times};
use crate::graph::{Graph, Id, Node};

/// A graph at the points of one line, which differ in the varied stream alone.
pub struct Along<'g> {
    graph: &'g Graph,
    arithmetic: Arithmetic,
    /// All nodes at the last point.
    nodes: Vec<Bounded>,
    /// Indices of the nodes that the varied stream reaches.
    changing: Vec<usize>,
    /// Whether nodes are products whose rounding errors are kept and multiplied; false where it is shorter.
    kept: &'g [bool],
}

impl<'g> Along<'g> {
    /// Evaluates all nodes at a point of the line.
    fn new(graph: &'g Graph, arithmetic: Arithmetic, point: &Point, kept: &'g [bool]) -> Along<'g> {
        let last = Id(graph.nodes.len().saturating_sub(1) as u32);
        let nodes = super::evaluate(graph, arithmetic, point, last);
        let mut is_reached: Vec<bool> = Vec::with_capacity(graph.nodes.len());
        for node in graph.nodes.iter() {
            is_reached.push(match node {
                Node::Stream(stream) => usize::from(*stream) == point.varied,
                _ => node.args().iter().any(|arg| is_reached[arg.index()]),
            });
        }
        let changing = (0..graph.nodes.len()).filter(|i| is_reached[*i]).collect();
        Along { graph, arithmetic, nodes, changing, kept }
    }

    /// Returns what [`outputs`](super::outputs) does for a point of the line.
    pub fn outputs(&mut self, point: &Point) -> Vec<Bounded> {
        for &i in &self.changing {
            let node = &self.graph.nodes[i];
            self.nodes[i] = evaluate_node(node, self.arithmetic, point, &self.nodes);
            if self.kept.get(i) == Some(&true) {
                let [x, y] = [0, 1].map(|k| self.nodes[node.args()[k].index()]);
                self.nodes[i].error = self.nodes[i].error.min(times(x, y));
            }
        }
        self.graph.outputs.iter().map(|output| self.nodes[output.index()]).collect()
    }
}

/// Points with the results of a graph there, in ascending order of the varied stream.
pub struct Evaluated {
    pub line: Vec<Point>,
    /// By point, then by output.
    pub results: Vec<Vec<Bounded>>,
}

impl Evaluated {
    /// Evaluates a graph at the points of a line.
    pub fn new(graph: &Graph, arithmetic: Arithmetic, line: Vec<Point>) -> Evaluated {
        Evaluated::keeping(graph, arithmetic, line, &[])
    }

    /// The same where rounding errors of products of two factors are `kept`.
    pub fn keeping(
        graph: &Graph,
        arithmetic: Arithmetic,
        line: Vec<Point>,
        kept: &[bool],
    ) -> Evaluated {
        let Some(first) = line.first() else { return Evaluated { line, results: Vec::new() } };
        let mut along = Along::new(graph, arithmetic, first, kept);
        let results = line.iter().map(|point| along.outputs(point)).collect();
        Evaluated { line, results }
    }

    /// Returns the points where some result is one that `is_it` holds for, beside another value of some streams.
    pub fn beside(
        &self,
        is_it: impl Fn(&Bounded) -> bool,
        streams: &[usize],
        value: f64,
    ) -> Vec<Point> {
        let is_there = |results: &[Bounded]| results.iter().any(&is_it);
        let there = self.line.iter().zip(&self.results).filter(|(_, results)| is_there(results));
        let with_value = |point: &Point| {
            let mut point = point.clone();
            streams.iter().for_each(|stream| point.streams[*stream] = value);
            point
        };
        there.map(|(point, _)| with_value(point)).collect()
    }

    /// Adds points around every zero crossing, by bisection down to neighbours in f32.
    ///
    /// A difference such as `(1 - y) - y` loses its digits within a few thousandths of its zero at 1/2, between two samples.
    pub fn add_crossings(&mut self, graph: &Graph, arithmetic: Arithmetic) {
        let Some(first) = self.line.first() else { return };
        let mut along = Along::new(graph, arithmetic, first, &[]);
        let mut added = Vec::new();
        for (pair, results) in self.line.windows(2).zip(self.results.windows(2)) {
            let x = |p: &Point| p.streams[p.varied];
            for (output, low_end) in results[0].iter().enumerate() {
                let [mut low, mut high] = [x(&pair[0]), x(&pair[1])];
                let sign = low_end.value;
                if low * high <= 0.0 || sign * results[1][output].value >= 0.0 {
                    continue;
                }
                loop {
                    let middle = f64::from((0.5 * (low + high)) as f32);
                    if middle <= low || middle >= high {
                        break;
                    }
                    let mut point = pair[0].clone();
                    point.streams[point.varied] = middle;
                    let results = along.outputs(&point);
                    if results[output].value * sign > 0.0 {
                        low = middle
                    } else {
                        high = middle
                    }
                    added.push((point, results));
                }
            }
        }
        if added.is_empty() {
            return;
        }
        let line = std::mem::take(&mut self.line);
        let mut all: Vec<(Point, Vec<Bounded>)> =
            line.into_iter().zip(std::mem::take(&mut self.results)).chain(added).collect();
        all.sort_by(|(a, _), (b, _)| a.streams[a.varied].total_cmp(&b.streams[b.varied]));
        (self.line, self.results) = all.into_iter().unzip();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Builder;
    use crate::prim::Prim;
    use crate::rounding::{lines, outputs};

    /// Two streams that vary, an attribute, a constant, a zero crossing.
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
                for (point, results) in evaluated.line.iter().zip(&evaluated.results) {
                    let bits = |all: &[Bounded]| -> Vec<[u64; 2]> {
                        all.iter().map(|b| [b.value, b.error].map(f64::to_bits)).collect()
                    };
                    assert_eq!(bits(results), bits(&outputs(&graph, arithmetic, point)));
                    points += 1;
                }
            }
        }
        assert!(points > 5000, "{points}");
    }
}
