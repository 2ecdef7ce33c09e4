//! Types and scalars of a plan's calls, as text.

use codegen_ascendc::plan::Plan;
use codegen_ascendc::sequence::{Scalar, Type};
use op_dsl_ir::display;
use op_dsl_ir::op::OpDef;

/// Formats the types of a call's first argument and result, for example `f16 -> f32`.
pub fn change(from: Type, to: Type) -> String {
    let name = |ty| match ty {
        Type::Data(dtype) => dtype.name(),
        Type::Byte => "byte",
        Type::Mask => "mask",
    };
    match from == to {
        true => name(to).to_string(),
        false => format!("{} -> {}", name(from), name(to)),
    }
}

/// Formats a scalar operand of a call: a number, or an expression of the operator's attributes.
pub fn scalar(def: &OpDef, plan: &Plan, scalar: Scalar) -> String {
    match scalar {
        Scalar::Const(c) if c != 0.0 && !(1e-4..1e7).contains(&c.abs()) => format!("{c:e}"),
        Scalar::Const(c) => c.to_string(),
        Scalar::Uniform(id) => {
            let graph =
                op_dsl_ir::Graph { nodes: plan.graph.nodes.clone(), outputs: vec![id].into() };
            display::expression(&graph, &def.input_names(), &def.scalar_names())
        }
    }
}
