//! Every element of what a kernel gave, held against the graph.

use super::common::*;
use super::program::{Program, Ran};
use op_dsl::ir::format::Format;
use op_dsl::ir::graph::{Graph, Node};
use op_dsl::ir::op::{Stream, Value};
use op_dsl::ir::{DType, Prim};

/// Infinity, where a formula as it is written is NaN there: its limit is as good.
const FAR: f64 = 1e30;

/// Panics on the first element that is too far off.
pub fn judge(p: &Program, attrs: &[Value], ins: &[Tensor], domain: &[usize], ran: &Ran) {
    let op = p.op;
    let dtype = ins[0].dtype();
    let graph = graph(op, attrs);
    let scalars = scalars(attrs);
    let budget = if dtype == DType::F32 { 16.0 } else { 1.5 };
    let inputs = placed(p, attrs, domain, &op.def().input_streams());
    let outputs = placed(p, attrs, domain, &op.def().output_streams());
    for i in 0..domain.iter().product() {
        let at = |tensors: &[Tensor], (t, places): &(usize, Places)| tensors[*t].at(places.of(i));
        let x: Vec<f64> = inputs.iter().map(|s| at(ins, s)).collect();
        let values = graph.eval_all(&x, &scalars);
        let magnitudes = magnitudes(graph, &values);
        let far: Vec<f64> =
            x.iter().map(|x| if x.is_infinite() { FAR.copysign(*x) } else { *x }).collect();
        let limits = graph.eval(&far, &scalars);
        for (k, (stream, node)) in outputs.iter().zip(graph.outputs.iter()).enumerate() {
            let (got, want) = (at(&ran.outputs, stream), values[node.index()]);
            let error = (got - want).abs() / ulp(dtype, want, magnitudes[node.index()]);
            // A limit beyond a type's largest number is reached there.
            let largest = Format::of(dtype).max();
            let is_limit = |limit: f64| {
                let is_large = got * limit.signum() >= limit.abs().min(largest);
                limit.abs() > 1e15 && is_large
                    || (got - limit).abs() <= budget * ulp(dtype, limit, limit)
            };
            let same = got == want || want.is_nan() && (got.is_nan() || is_limit(limits[k]));
            assert!(
                same || error <= budget,
                "{} {attrs:?} {domain:?} {dtype}: output {k} of element {i}, {:?}, is {got}, not \
                 {want}: {error} ulp\n{x:?}\n{:?}",
                op.name(),
                (stream.0, stream.1.of(i)),
                ran.tiling
            );
        }
    }
}

/// Values of the attributes that a formula reads.
fn scalars(attrs: &[Value]) -> Vec<f64> {
    let float = |v: &Value| if let Value::Float(v) = v { Some(f64::from(*v as f32)) } else { None };
    attrs.iter().filter_map(float).collect()
}

/// Tensors of streams, and where elements lie there.
fn placed(
    p: &Program,
    attrs: &[Value],
    domain: &[usize],
    streams: &[Stream],
) -> Vec<(usize, Places)> {
    streams.iter().map(|s| (s.tensor, Places::new(p.op, attrs, *s, domain))).collect()
}

/// How large what every node is made of is: errors are counted in ulps of that. Sums cancel, and a
/// function that vanishes somewhere is not asked for more digits there than beside it.
fn magnitudes(graph: &Graph, values: &[f64]) -> Vec<f64> {
    let mut all: Vec<f64> = Vec::with_capacity(values.len());
    for (node, value) in graph.nodes.iter().zip(values) {
        let of = |k: usize| all[node.args()[k].index()];
        let is = |k: usize| values[node.args()[k].index()];
        all.push(match node {
            Node::Call(Prim::Neg | Prim::Abs, _) => of(0),
            Node::Call(Prim::Add | Prim::Sub, _) => of(0) + of(1),
            Node::Call(Prim::Mul, _) => of(0) * of(1),
            Node::Call(Prim::Mul3, _) => of(0) * of(1) * of(2),
            Node::Call(Prim::Div, _) => of(0) / is(1).abs(),
            Node::Call(Prim::Select, _) => {
                if is(0) != 0.0 {
                    of(1)
                } else {
                    of(2)
                }
            }
            Node::Call(Prim::Min | Prim::Max, _) => {
                if *value == is(0) {
                    of(0)
                } else {
                    of(1)
                }
            }
            // Approximated, to so many digits of where it is of the order of one.
            Node::Call(prim, _) if prim.row().ulp.0 > 0.5 => value.abs().max(0.5),
            _ => value.abs(),
        });
    }
    all
}
