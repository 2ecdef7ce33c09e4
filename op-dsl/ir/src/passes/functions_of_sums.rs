//! Applies a pass to functions of a sum of streams, such as `ln(cosh(x - t))`, as if the sum were a stream.
//!
//! Passes that find asymptotes and series look for functions of one stream. A sum that is the argument of a function becomes a stream
//! for them, and the sum again afterwards:
//!
//! ```text
//! ln(0.5 (exp(x - t) + exp(t - x)))   -> ln(0.5 (exp(u) + exp(-u)))   -> if |u| < .. { .. } else if u > .. { u - ln 2 } ..
//! ```

use crate::graph::{Builder, Graph, Id, Node};
use crate::prim::Prim;
use crate::univariate::part;

/// Maximum number of streams of a graph: [`Inputs`](crate::analysis::Inputs) has as many bits.
const MOST_STREAMS: usize = 64;

/// Applies `pass` to a graph whose functions of sums are functions of streams; `None` if it has no such function.
pub fn run(graph: &Graph, pass: impl Fn(&Graph) -> Graph) -> Option<Graph> {
    let graph = graph.oriented();
    let (sums, first) = (arguments(&graph), graph.streams());
    if sums.is_empty() || first + sums.len() > MOST_STREAMS {
        return None;
    }
    let passed = pass(&graph.rewrite_at(|b, at| match sums.iter().position(|sum| *sum == at.id) {
        Some(k) => b.stream(first + k),
        None => b.add(at.copy()),
    }));
    let mut b = Builder::new();
    let sums: Vec<Id> = sums.iter().map(|sum| b.part(&part(&graph, *sum))).collect();
    let new = passed.forward(|at| match at.node {
        Node::Stream(s) if usize::from(s) >= first => sums[usize::from(s) - first],
        _ => b.add(at.copy()),
    });
    let outputs: Vec<Id> = passed.outputs.iter().map(|output| new[output.index()]).collect();
    Some(b.finish(&outputs))
}

/// Returns whether a graph divides by the square or the size of a sum of several streams, as in `(x - t) / (1 + (x - t)^2)`.
///
/// One common denominator for all would multiply such a square out, and `x^2 - 2 x t + t^2` cancels where `x` is near `t`.
pub fn are_divisors(graph: &Graph) -> bool {
    let (read, inputs) = (squares_in_divisors(graph), graph.inputs());
    graph.ids().any(|id| read[id.index()] && inputs[id.index()].streams.count_ones() > 1)
}

/// Returns, per node, whether a divisor contains its square or its size.
fn squares_in_divisors(graph: &Graph) -> Vec<bool> {
    let (mut divides, mut is_read) =
        (vec![false; graph.nodes.len()], vec![false; graph.nodes.len()]);
    for id in graph.ids().rev() {
        match graph.nodes[id.index()] {
            Node::Call(Prim::Div, [_, below, _]) => divides[below.index()] = true,
            Node::Call(Prim::Abs, [x, ..]) if divides[id.index()] => is_read[x.index()] = true,
            Node::Call(Prim::Mul, [x, y, _]) if divides[id.index()] && x == y => {
                is_read[x.index()] = true;
            }
            _ => {}
        }
        if divides[id.index()] {
            graph.nodes[id.index()].args().iter().for_each(|arg| divides[arg.index()] = true);
        }
    }
    is_read
}

/// Returns the sums of several streams that a function is applied to, also squared, and with addends and factors that are the same
/// for all elements.
fn arguments(graph: &Graph) -> Vec<Id> {
    let (uniform, inputs) = (graph.uniform(), graph.inputs());
    let is_function = |node: Node| match node {
        Node::Call(Prim::Neg | Prim::Abs | Prim::Round, _) => false,
        Node::Call(prim, _) => prim.row().arity == 1,
        _ => false,
    };
    let scales = |node: Node| match node {
        Node::Call(Prim::Neg, _) => true,
        Node::Call(Prim::Mul, [x, y, _]) => uniform[x.index()] || uniform[y.index()],
        Node::Call(Prim::Div, [_, below, _]) => uniform[below.index()],
        _ => false,
    };
    let is_sum = |node: Node| matches!(node, Node::Call(Prim::Add | Prim::Sub, _));
    let is_shifted = |node: Node| is_sum(node) && node.args().iter().any(|x| uniform[x.index()]);
    let is_square = |node: Node| matches!(node, Node::Call(Prim::Mul, [x, y, _]) if x == y);
    let mut is_read = squares_in_divisors(graph);
    for id in graph.ids().rev() {
        let node = graph.nodes[id.index()];
        let is_within = scales(node) || is_shifted(node) || is_square(node);
        if is_function(node) || is_within && is_read[id.index()] {
            node.args().iter().for_each(|arg| is_read[arg.index()] = true);
        }
    }
    // A sum of functions is no variable of another function.
    let is_linear = graph.forward(|at| match at.node {
        Node::Stream(_) => true,
        _ if uniform[at.id.index()] => true,
        Node::Call(Prim::Add | Prim::Sub, _) => at.args().all(|is_linear| *is_linear),
        node => scales(node) && at.args().all(|is_linear| *is_linear),
    });
    let is_argument = |id: &Id| is_read[id.index()] && is_linear[id.index()];
    let is_whole = |node: Node| is_sum(node) && !is_shifted(node);
    let all = graph.ids().filter(|id| is_whole(graph.nodes[id.index()]) && is_argument(id));
    all.filter(|id| inputs[id.index()].are_several()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::rational::Style;
    use crate::passes::{limits, rational, series, simplify};

    /// Tests `ln((exp(x - t) + exp(t - x)) / 2)`, which overflows in f64.
    #[test]
    fn a_function_of_a_difference_has_its_asymptotes() {
        let mut b = Builder::new();
        let (x, t, half) = (b.stream(0), b.stream(1), b.num(0.5));
        let ends = [b.difference(x, t), b.difference(t, x)].map(|u| b.call(Prim::Exp, &[u]));
        let sum = b.sum(ends[0], ends[1]);
        let mean = b.product(half, sum);
        let y = b.call(Prim::Ln, &[mean]);
        let graph = b.finish(&[y]);
        assert_eq!(graph.eval(&[1000.0, 1.0], &[]), [f64::INFINITY]);
        let passed = run(&graph, |graph| limits::run(&series::run(graph))).expect("a function");
        let passed = simplify::run(&passed);
        for (x, t) in [(1000.0, 1.0), (-1e4, 3.0), (2.0, -1e30), (1.0, 1.25), (0.5, 0.5 + 1e-9)] {
            let u: f64 = x - t;
            let want = match u.abs() {
                small if small < 1e-3 => u * u / 2.0 - u.powi(4) / 12.0,
                size => size + (-2.0 * size).exp().ln_1p() - core::f64::consts::LN_2,
            };
            let got = passed.eval(&[x, t], &[])[0];
            assert!((got - want).abs() <= 1e-9 * want, "{x} {t}: {got} {want}");
        }
    }

    #[test]
    fn sums_that_no_function_is_applied_to_are_left_alone() {
        let mut b = Builder::new();
        let (x, t) = (b.stream(0), b.stream(1));
        let u = b.difference(x, t);
        let square = b.product(u, u);
        let graph = b.finish(&[square]);
        assert_eq!(run(&graph, Graph::clone), None);
        assert!(!are_divisors(&graph));
    }

    /// Tests `(x - t) / (1 + (x - t)^2)`, where `1 + x^2 - 2 x t + t^2` cancels.
    #[test]
    fn squares_in_divisors_are_not_multiplied_out() {
        let mut b = Builder::new();
        let (x, t, one) = (b.stream(0), b.stream(1), b.num(1.0));
        let u = b.difference(x, t);
        let square = b.product(u, u);
        let below = b.sum(one, square);
        let y = b.quotient(u, below);
        let graph = b.finish(&[y]);
        assert!(are_divisors(&graph));
        let style = Style { two_sided: false, other_forms: false };
        let alone = run(&graph, |graph| rational::run(graph, style)).expect("a function");
        let [x, t] = [3e9, 3e9 + 256.0];
        assert_eq!(alone.eval(&[x, t], &[]), [-256.0 / 65537.0]);
        assert_ne!(rational::run(&graph, style).eval(&[x, t], &[]), [-256.0 / 65537.0]);
        // An attribute that scales the difference does not hide it.
        let c = b.scalar(0);
        let scaled = b.quotient(u, c);
        let square = b.product(scaled, scaled);
        let below = b.sum(one, square);
        let y = b.quotient(scaled, below);
        assert!(run(&b.finish(&[y]), Graph::clone).is_some());
    }
}
