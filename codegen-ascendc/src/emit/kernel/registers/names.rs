//! Names of the C++ variables in the vector function: addresses in UB and registers.

use super::super::super::package::Package;
use super::super::names::{cpp, stream_name};
use super::super::scalar;
use crate::plan::Plan;
use crate::plan::registers::Registers;
use crate::sequence::Scalar;
use op_dsl_ir::DType;
use op_dsl_ir::names::cpp_name;

/// Returns the name of the C++ variable that holds the address of a stream in UB.
pub fn address(name: &str) -> String {
    format!("{}At", cpp_name(name))
}

/// Returns the name of the C++ variable that holds the address of an input or output stream in UB.
///
/// `stream` is the index among the input streams of the plan, or among the output streams if `output` is true.
pub fn place(package: &Package<'_>, plan: &Plan, stream: usize, output: bool) -> String {
    let def = &package.def;
    match output {
        true => address(&plan.outputs[stream]),
        false => address(&stream_name(def, def.input_streams()[stream], false)),
    }
}

/// Returns a scalar as C++ source inside a vector function, cast to an element type.
pub fn number(value: Scalar, dtype: DType) -> String {
    match (value, dtype) {
        (Scalar::Uniform(id), DType::F32) => format!("u{}", id.0),
        (Scalar::Uniform(id), _) => format!("static_cast<{}>(u{})", cpp(dtype), id.0),
        _ => scalar::text(value, dtype),
    }
}

/// Returns the name of the register that holds constant number `k` of a plan.
pub fn constant(registers: &Registers, k: usize) -> String {
    match registers.constants[k] {
        Scalar::Const(1.0) => "ones".into(),
        _ => format!("c{k}"),
    }
}
