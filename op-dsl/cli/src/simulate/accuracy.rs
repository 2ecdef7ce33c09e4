//! Results of a call against the graph in f64.

use super::position;
use crate::array::Array;
use crate::roles;
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::bind::Bound;
use op_dsl_ir::format::Format;
use op_dsl_ir::op::Value;
use op_dsl_ir::{DType, Graph, Id, Node, Prim};

/// Units in the last place, in the order of [`DType`].
const BUDGET: [f64; DType::COUNT] = [1.02, 1.02, 8.0];

/// In f32 the budget is so many of these: 2^-22 of what functions are multiplied by, which sequences promise wherever they are
/// at most 1.
const PROMISED: f64 = 1.0 / (1u32 << 25) as f64;

/// The largest error.
#[derive(Default)]
pub struct Accuracy {
    /// In units in the last place of the true value or, where that is smaller, of half of what
    /// comes out when the activation is 1: a function that vanishes is not asked for more. Nor is a
    /// sum whose terms cancel: those count as if they had one sign. Nor, in f32, is any for more than 2^-22 of its [`weights`].
    pub error: f64,
    pub budget: f64,
    /// Where: output stream, element, what came out, what is right.
    pub worst: Option<(String, usize, f64, f64)>,
}

impl Accuracy {
    pub fn good(&self) -> bool {
        self.error <= self.budget
    }
}

/// The magnitudes of a sum's terms, added up; of anything else its own.
fn terms(graph: &Graph, values: &[f64], id: Id) -> f64 {
    match graph.nodes[id.index()] {
        Node::Call(Prim::Add | Prim::Sub, [x, y, _]) => {
            terms(graph, values, x) + terms(graph, values, y)
        }
        _ => values[id.index()].abs(),
    }
}

/// What is left of each node where every function of the activation alone is 1, and no sum cancels: what such functions
/// are multiplied by.
fn weights(graph: &Graph, values: &[f64], activation: usize) -> Vec<f64> {
    // Whether a node reads the activation, and whether it reads another stream.
    let mut reads: Vec<[bool; 2]> = Vec::with_capacity(graph.nodes.len());
    let mut all: Vec<f64> = Vec::with_capacity(graph.nodes.len());
    for (node, value) in graph.nodes.iter().zip(values) {
        let read = match node {
            Node::Stream(s) => [usize::from(*s) == activation, usize::from(*s) != activation],
            _ => node.args().iter().fold([false; 2], |[own, other], arg| {
                let [x, y] = reads[arg.index()];
                [own || x, other || y]
            }),
        };
        let mut args = node.args().iter().map(|arg| all[arg.index()]);
        all.push(match node {
            _ if read == [true, false] => 1.0,
            Node::Call(Prim::Add | Prim::Sub, _) => args.sum(),
            Node::Call(Prim::Neg | Prim::Mul | Prim::Mul3, _) => args.product(),
            Node::Call(Prim::Select, _) => args.skip(1).fold(0.0, f64::max),
            Node::Call(Prim::Div, _) => args.next().unwrap_or(0.0) / args.next().unwrap_or(1.0),
            _ => value.abs(),
        });
        reads.push(read);
    }
    all
}

pub fn accuracy(
    op: &Operator,
    attrs: &[Value],
    bound: &Bound,
    inputs: &[Array],
    outputs: &[Array],
) -> Accuracy {
    let def = op.def();
    let graph = &def.specs[bound.spec].graph;
    let float = |v: &Value| if let Value::Float(f) = v { Some(*f) } else { None };
    let scalars: Vec<f64> = attrs.iter().filter_map(float).collect();
    let (reads, writes) = (def.input_streams(), def.output_streams());
    let activation = roles::activation(def);
    let format = Format::of(bound.dtype);
    let mut found = Accuracy { budget: BUDGET[bound.dtype as usize], ..Accuracy::default() };
    for i in 0..bound.domain.elements().unwrap_or(0) {
        let at = |s: &op_dsl_ir::op::Stream, a: &[Array]| {
            f64::from(a[s.tensor].get(position(bound, s, i)))
        };
        let mut values: Vec<f64> = reads.iter().map(|s| at(s, inputs)).collect();
        let all = graph.eval_all(&values, &scalars);
        let wanted: Vec<f64> = graph.outputs.iter().map(|o| all[o.index()]).collect();
        let weights = match bound.dtype {
            DType::F32 => weights(graph, &all, activation),
            _ => vec![0.0; all.len()],
        };
        values[activation] = 1.0;
        let all = graph.eval_all(&values, &scalars);
        let usual: Vec<f64> = graph.outputs.iter().map(|o| terms(graph, &all, *o)).collect();
        for (k, (s, &want)) in writes.iter().zip(&wanted).enumerate() {
            let promised = PROMISED * weights[graph.outputs[k].index()];
            let unit = format.ulp(usual[k] / 2.0).max(promised);
            let got = at(s, outputs);
            let error = format.error(got, want, unit);
            if error > found.error || found.worst.is_none() {
                found.error = error;
                found.worst = Some((def.output_names().swap_remove(k), i, got, want));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use op_dsl_ir::Builder;

    #[test]
    fn functions_weigh_as_much_as_what_multiplies_them() {
        let mut b = Builder::new();
        let (dy, x, dz) = (b.stream(0), b.stream(1), b.stream(2));
        let (f, g) = (b.call(Prim::Gelu, &[x]), b.call(Prim::Tanh, &[x]));
        let (first, second) = (b.product(dy, f), b.product(dz, g));
        let sum = b.difference(first, second);
        let third = b.quotient(sum, dz);
        let graph = b.finish(&[f, sum, third]);
        let all = graph.eval_all(&[-3.0, 0.1, 2.0], &[]);
        let weights = weights(&graph, &all, 1);
        let found: Vec<f64> = graph.outputs.iter().map(|o| weights[o.index()]).collect();
        assert_eq!(found, [1.0, 5.0, 2.5]);
    }
}
