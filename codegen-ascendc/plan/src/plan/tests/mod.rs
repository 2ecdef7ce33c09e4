//! Tests with fixed limits for the seed operators: calls, tiles, accuracy.

mod accuracy;
mod barriers;
mod counts;
mod forms;
mod fractions;
mod near;
mod powers;
mod registers;
mod relatives;
mod rounded_arguments;
mod rules;
mod tails;

use super::*;
use crate::arch::SOCS;
use crate::sequence::form::Digits;
use crate::sequence::{Api, Overload, Scalar, Type};
use op_dsl_ir::op::{Attr, AttrKind, Gate, GradOf, List, Pattern, Spec, Split, Tensor, Value};
use op_dsl_ir::{Builder, Graph, Id, Prim};

pub fn soc(name: &str) -> &'static Soc {
    Soc::named(name).expect("a target")
}

/// Returns one product of each architecture: products of one architecture have the same plans.
fn architectures() -> impl Iterator<Item = &'static Soc> {
    let is_first = |(k, soc): &(usize, &Soc)| {
        SOCS[..*k].iter().all(|other| other.arch.number != soc.arch.number)
    };
    SOCS.iter().enumerate().filter(is_first).map(|(_, soc)| soc)
}

fn tensors(names: &[&'static str]) -> Vec<Tensor> {
    // A star marks a gated tensor.
    let kind = |n: &str| if n.ends_with('*') { Kind::Gated } else { Kind::Whole };
    let tensor = |n: &&'static str| Tensor {
        name: n.trim_end_matches('*').into(),
        kind: kind(n),
        own: None,
        used: true,
    };
    names.iter().map(tensor).collect()
}

/// Returns an operator with one graph.
pub fn operator(
    name: &'static str,
    inputs: &[&'static str],
    outputs: &[&'static str],
    grad: bool,
    build: impl Fn(&mut Builder, &[Id]) -> Vec<Id>,
) -> OpDef {
    let (inputs, outputs) = (tensors(inputs), tensors(outputs));
    let streams: usize = inputs.iter().map(|t| 1 + (t.kind == Kind::Gated) as usize).sum();
    let mut b = Builder::new();
    let ids: Vec<Id> = (0..streams).map(|k| b.stream(k)).collect();
    let outs = build(&mut b, &ids);
    let graph: Graph = b.finish(&outs);
    let gated = inputs.iter().any(|t| t.kind == Kind::Gated);
    let attr =
        |name: &'static str, kind, default| Attr { name: name.into(), kind, default, any: false };
    let attrs = vec![
        attr("dim", AttrKind::Dim, Value::Int(-1)),
        attr("approximate", AttrKind::Bool, Value::Bool(false)),
    ];
    OpDef {
        name: name.into(),
        inputs: inputs.into(),
        outputs: outputs.into(),
        attrs: attrs.into(),
        split: gated.then_some(Split { dim: 0, gate: Gate::Left, pattern: Pattern::Halves }),
        dtypes: DType::ALL.to_vec().into(),
        empty: true,
        specs: vec![Spec::of(graph)].into(),
        grad_of: grad.then(|| GradOf {
            forward: "Forward".into(),
            inputs: List::default(),
            wrt: List::default(),
        }),
        ..OpDef::default()
    }
}

/// `dx.gate = mul3(g(gate), dy, value)`, `dx.value = dy gelu`
pub fn ge_glu_grad(g: Prim) -> OpDef {
    operator("GeGluGradV2", &["dy", "x*", "gelu"], &["dx*"], true, |b, s| {
        let slope = b.call(g, &[s[1]]);
        vec![b.call(Prim::Mul3, &[slope, s[0], s[2]]), b.product(s[0], s[3])]
    })
}

pub fn gelu_grad(g: Prim) -> OpDef {
    operator("GeluGradV2", &["dy", "x"], &["z"], true, |b, s| {
        let slope = b.call(g, &[s[1]]);
        vec![b.product(s[0], slope)]
    })
}

pub fn swi_glu_grad() -> OpDef {
    operator("SwiGluGrad", &["y_grad", "x*"], &["x_grad*"], true, |b, s| {
        let slope = b.call(Prim::SiluGrad, &[s[1]]);
        let silu = b.call(Prim::Silu, &[s[1]]);
        vec![b.call(Prim::Mul3, &[slope, s[0], s[2]]), b.product(s[0], silu)]
    })
}

pub fn ge_glu(g: Prim) -> OpDef {
    operator("GeGluV2", &["x*"], &["y", "gelu"], false, |b, s| {
        let gelu = b.call(g, &[s[0]]);
        vec![b.product(s[1], gelu), gelu]
    })
}

pub fn swi_glu() -> OpDef {
    operator("SwiGlu", &["x*"], &["y"], false, |b, s| {
        let low = b.num(-((1u64 << 40) as f64));
        let held = b.call(Prim::Max, &[s[0], low]);
        let silu = b.call(Prim::Silu, &[held]);
        vec![b.product(silu, s[1])]
    })
}

pub fn planned(def: &OpDef, dtype: DType) -> Plan {
    plan(def, 0, dtype, soc("ascend910b")).expect("a plan")
}
