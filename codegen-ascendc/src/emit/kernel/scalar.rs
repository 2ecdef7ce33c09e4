//! Numbers that are the same for every element: constants and uniforms.
//!
//! Uniforms depend on attributes only, so that they are computed once per kernel, in `float`.

use super::names::cpp;
use crate::plan::Plan;
use crate::sequence::Scalar;
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::OpDef;
use op_dsl_ir::{DType, Graph, Id, Node};
use op_dsl_plan::column::number;

/// Returns a `float` as C++ source: the shortest digits that parse to the same number.
pub fn literal(c: f32) -> String {
    match c {
        c if c.is_nan() => "(0.0f / 0.0f)".into(),
        f32::INFINITY => "(1.0f / 0.0f)".into(),
        f32::NEG_INFINITY => "(-1.0f / 0.0f)".into(),
        c => format!("{c:?}f"),
    }
}

/// Returns a scalar as C++ source, cast to the element type of the data that it is combined with.
pub fn text(scalar: Scalar, dtype: DType) -> String {
    let value = match scalar {
        Scalar::Const(c) => literal(c),
        Scalar::Uniform(id) => format!("u{}_", id.0),
    };
    if dtype == DType::F32 { value } else { format!("static_cast<{}>({value})", cpp(dtype)) }
}

/// C++ code for uniforms: values that depend on attributes only, computed once per kernel.
#[derive(Clone, Debug, Default)]
pub struct Uniforms {
    /// Names of the class members that hold the values, without the final underscore.
    pub members: Vec<String>,
    /// C++ statements that compute the class members.
    pub lines: Vec<String>,
}

/// Returns the C++ code for the uniforms that a plan's vector calls use.
pub fn uniforms(def: &OpDef, plan: &Plan) -> Uniforms {
    let of_registers = plan
        .registers
        .iter()
        .flat_map(|r| r.ops.iter().filter_map(|op| op.scalar).chain(r.constants.iter().copied()));
    let of_tiles = plan.instrs.iter().filter_map(|i| i.scalar).chain(plan.splats.iter().copied());
    let scalars = of_registers.chain(of_tiles);
    let mut wanted: Vec<Id> =
        scalars.filter_map(|s| if let Scalar::Uniform(id) = s { Some(id) } else { None }).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let graph = &plan.graph;
    let name = |id: &Id| format!("u{}", id.0);
    let lines = wanted.iter().map(|id| format!("{}_ = {};", name(id), expression(def, graph, *id)));
    Uniforms { members: wanted.iter().map(name).collect(), lines: lines.collect() }
}

fn expression(def: &OpDef, graph: &Graph, id: Id) -> String {
    let of = |id: Id| expression(def, graph, id);
    match graph.nodes[id.index()] {
        Node::Const(c) => literal(c as f32),
        Node::Scalar(k) => {
            let names = def.scalar_names();
            format!("tiling.{}", cpp_name(names.get(k as usize).map_or("", |n| n)))
        }
        Node::Call(prim, args) if let Some(text) = number(prim) => {
            let named = ["{x}", "{y}", "{z}"].into_iter().zip(args).take(prim.row().arity);
            named.fold(text.to_string(), |text, (name, arg)| text.replace(name, &of(arg)))
        }
        other => unreachable!("the plan takes {other:?} for a number"),
    }
}
