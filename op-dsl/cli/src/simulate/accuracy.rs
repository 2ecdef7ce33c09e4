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

/// The largest error.
#[derive(Default)]
pub struct Accuracy {
    /// In units in the last place of the true value or, where that is smaller, of half of what
    /// comes out when the activation is 1: a function that vanishes is not asked for more. Nor is a
    /// sum whose terms cancel: those count as if they had one sign.
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
        let wanted = graph.eval(&values, &scalars);
        values[activation] = 1.0;
        let all = graph.eval_all(&values, &scalars);
        let usual: Vec<f64> = graph.outputs.iter().map(|o| terms(graph, &all, *o)).collect();
        for (k, (s, &want)) in writes.iter().zip(&wanted).enumerate() {
            let unit = format.ulp(usual[k] / 2.0);
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
