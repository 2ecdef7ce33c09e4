//! Every element of what a kernel gave, held against the graph.

use super::common::*;
use super::more;
use super::program::{Program, Ran};
use op_dsl::ir::DType;
use op_dsl::ir::op::{Part, Stream, Value};

/// Elements of a column: few enough for a column of each node to stay in the cache.
const AT_ONCE: usize = 1024;

/// Panics on the first element that is too far off.
pub fn judge(p: &Program, attrs: &[Value], ins: &[Tensor], domain: &[usize], ran: &Ran) {
    let op = p.op;
    let dtype = ins[0].dtype();
    let graph = graph(op, attrs);
    let float = |v: &Value| if let Value::Float(v) = v { Some(*v) } else { None };
    let scalars: Vec<f64> = attrs.iter().filter_map(float).collect();
    let budget = if dtype == DType::F32 { 16.0 } else { 1.5 };
    let streams = op.def().input_streams();
    let inputs = placed(p, attrs, domain, &streams);
    let outputs = placed(p, attrs, domain, &op.def().output_streams());
    let all: usize = domain.iter().product();
    for first in (0..all).step_by(AT_ONCE) {
        let elements = first..all.min(first + AT_ONCE);
        let column = |tensors: &[Tensor], (tensor, places): &(usize, Places)| -> Vec<f64> {
            elements.clone().map(|i| tensors[*tensor].at(places.of(i))).collect()
        };
        let x: Vec<Vec<f64>> = inputs.iter().map(|s| column(ins, s)).collect();
        let want = graph.eval_columns(&x, &scalars, elements.len());
        let least = least(p, &streams, &x, elements.len());
        for (k, (stream, want)) in outputs.iter().zip(&want).enumerate() {
            let got = column(&ran.outputs, stream);
            for (i, ((got, want), least)) in got.iter().zip(want).zip(&least).enumerate() {
                let error = (got - want).abs() / ulp(dtype, *want, *least);
                assert!(
                    error <= budget,
                    "{} {attrs:?} {domain:?} {dtype}: output {k} of element {}, {:?}, is {got}, \
                     not {want}: {error} ulp\n{:?}",
                    op.name(),
                    first + i,
                    x.iter().map(|x| x[i]).collect::<Vec<f64>>(),
                    ran.tiling
                );
            }
        }
    }
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

/// Per element the size below which errors are not relative any more.
fn least(p: &Program, streams: &[Stream], x: &[Vec<f64>], len: usize) -> Vec<f64> {
    // Sums cancel: errors are counted in ulps of what is summed.
    let sums = more::ops::OPERATORS.iter().any(|o| o.name() == p.op.name());
    let is_factor = |s: &Stream| {
        let name = &p.op.def().inputs[s.tensor].name;
        let saved = ["x", "input", "gelu", "y"].contains(&&**name);
        s.part == Part::Value || (s.part == Part::Whole && !saved)
    };
    let mut least = vec![1.0; len];
    for (_, x) in streams.iter().zip(x).filter(|(s, _)| sums || is_factor(s)) {
        for (least, x) in least.iter_mut().zip(x) {
            *least *= if sums { x.abs().max(1.0) } else { x.abs() };
        }
    }
    if !sums {
        least.iter_mut().for_each(|v| *v = v.min(1e3) / 2.0);
    }
    least
}
