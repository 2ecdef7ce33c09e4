//! The vector calls of a plan, and what they need once per kernel.

use super::super::package::Package;
use super::super::text::Text;
use super::names::{cpp, splat};
use super::{barrier, call, scalar};
use crate::plan::Plan;
use crate::sequence::{Api, Scalar};
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::{DType, Stored};

/// Writes C++ statements that compute uniforms and fill vectors of equal numbers, once per kernel.
pub fn start(plan: &Plan, uniforms: &scalar::Uniforms, text: &mut Text) {
    text.each(&uniforms.lines);
    for (k, value) in plan.splats.iter().enumerate() {
        let (name, value) = (splat(plan, k), scalar::text(*value, DType::F32));
        text.line(format!("pipe.InitBuffer({name}Buf_, REPEAT_BYTES);"));
        text.line(format!("Duplicate({name}Buf_.Get<float>(), {value}, FLOATS);"));
    }
}

/// Writes the vector calls of a plan as C++ statements, in a function whose parameters are named as its streams.
pub fn calls(package: &Package<'_>, plan: &Plan, text: &mut Text) {
    let ty = cpp(plan.dtype);
    for name in (0..plan.splats.len()).map(|k| splat(plan, k)) {
        text.line(format!("const LocalTensor<float> {name} = {name}Buf_.Get<float>();"));
    }
    if plan.whole_repeats() {
        let bytes = package.def.masks() == Stored::Byte;
        for (k, name) in plan.inputs.iter().enumerate() {
            let Some(name) = name.as_deref().map(cpp_name) else { continue };
            match package.def.is_mask(k) {
                false => text.line(format!("Complete({name}, count);")),
                // Bits need no completion, because they come in whole blocks, which end behind any repeat.
                true if !bytes => text,
                true => text.line(format!("CompleteTruths<{ty}>({name}, count);")),
            };
        }
        text.line(format!("count = WholeRepeats<{ty}>(count);"));
    }
    for (instr, waits) in plan.instrs.iter().zip(plan.barriers()) {
        if waits {
            text.lines(barrier::statement(package));
        }
        let call = call::text(package, plan, instr);
        let what = instr.what;
        let call = if what.is_empty() { call } else { format!("{call}  // {what}") };
        match plan.bound(instr) {
            Some(bound) => {
                let bound = scalar::text(Scalar::Uniform(bound), DType::F32);
                let (by, none) = match instr.api {
                    Api::Maxs => (">", scalar::literal(f32::NEG_INFINITY)),
                    _ => ("<", scalar::literal(f32::INFINITY)),
                };
                text.when(&format!("{bound} {by} {none}"), call)
            }
            None => text.line(call),
        };
    }
}
