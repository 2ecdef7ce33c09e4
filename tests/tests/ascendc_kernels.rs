//! Emitted AscendC kernels on the host model: right by the graph in f64, no finding of the model,
//! no more vector calls than planned, and little more traffic than the tensors' size.
#![allow(missing_docs)]

mod common;
#[path = "ascendc_kernels/program.rs"]
mod program;

use common::*;
use op_dsl::Operator;
use op_dsl::ir::DType;
use op_dsl::ir::op::{Part, Value};
use ops_glu_grad::OPERATORS;
use program::Program;

fn operator(name: &str) -> &'static Operator {
    OPERATORS.iter().find(|o| o.name() == name).expect("an operator")
}

/// Runs a call and holds every element against the graph.
fn check(p: &Program, attrs: &[Value], domain: &[usize], dtype: DType, cores: u32) -> program::Ran {
    let op = p.op;
    let mut random = Random(domain.iter().sum::<usize>() as u64);
    let ins = inputs(op, attrs, domain, dtype, |_| random.normal(2.0));
    let ran = p.run(attrs, &ins, cores);
    let graph = graph(op, attrs);
    let streams = op.def.input_streams();
    let budget = if dtype == DType::F32 { 8.0 } else { 1.5 };
    for i in 0..domain.iter().product() {
        let x = element(op, attrs, &ins, domain, i);
        let want = graph.eval(&x, &[]);
        let factors = streams.iter().zip(&x).filter(|(s, _)| {
            let name = &op.def.inputs[s.tensor].name;
            let saved = ["x", "input", "gelu", "y"].contains(&&**name);
            s.part == Part::Value || (s.part == Part::Whole && !saved)
        });
        let least = factors.map(|(_, v)| v.abs()).product::<f64>().min(1e3) / 2.0;
        for (k, stream) in op.def.output_streams().into_iter().enumerate() {
            let got = ran.outputs[stream.tensor].at(place(op, attrs, stream, domain, i));
            let error = (got - want[k]).abs() / ulp(dtype, want[k], least);
            assert!(
                error <= budget,
                "{} {attrs:?} {domain:?} {dtype} on {cores} cores: output {k} of element {i}, \
                 {x:?}, is {got}, not {}: {error} ulp\n{:?}",
                op.name(),
                want[k],
                ran.tiling
            );
        }
    }
    ran
}

#[test]
fn first() {
    let p = Program::new(operator("GeGluGradV2"), "ascend910b");
    for attrs in attribute_values(p.op) {
        for dtype in DType::ALL {
            let ran = check(&p, &attrs, &[23, 12, 64], dtype, 40);
            println!("{attrs:?} {dtype} {:?} calls {} traffic {}", ran.tiling, ran.number("tile", "vector_calls"), ran.traffic());
        }
    }
}
