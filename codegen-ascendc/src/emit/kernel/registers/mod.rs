//! The formula on registers: one vector function that processes 64 elements of every stream per step.
//!
//! A step loads them, computes, and stores every result.
//!
//! Calls have their documented names (`LoadAlign`, `StoreAlign`, `MulDstAdd`, `Compares`), which toolkits have as of 8.5. For
//! generation 8 they have their earlier names, because all toolkits of that generation still have these.

mod call;
mod names;
pub mod pairs;

use super::super::package::Package;
use super::super::text::Text;
use super::names::{Input, cpp, inputs};
use super::scalar;
use crate::plan::Plan;
use crate::plan::registers::{Call, Op, Registers};
use crate::sequence::Api;
use names::{address, constant, number};
use op_dsl_ir::DType;
use op_dsl_ir::names::cpp_name;

/// C++ constants (cast traits) that casts on registers need, to be written before the classes.
pub const CASTS: &str = include_str!("casts.h");

/// Returns whether a plan has casts on registers, which need the constants in [`CASTS`].
pub fn has_casts(plan: &Plan) -> bool {
    plan.registers.as_ref().is_some_and(|r| r.work(plan.soc.arch).casts > 0)
}

/// Returns a comment for the emitted code that counts the calls in one step of the loop.
///
/// For example, `14 vector calls, 5 casts, 3 loads and 2 stores for 64 elements`.
pub fn summary(plan: &Plan, registers: &Registers) -> String {
    let work = registers.work(plan.soc.arch);
    let many = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let (calls, casts) = (many(work.compute, "vector call"), many(work.casts, "cast"));
    let (loads, stores) = (many(work.loads, "load"), many(work.stores, "store"));
    let casts = if work.casts == 0 { String::new() } else { format!(", {casts}") };
    format!("{calls}{casts}, {loads} and {stores} for 64 elements")
}

/// Writes the body of the C++ member function `Run`, which computes the formula on registers.
pub fn body(package: &Package<'_>, plan: &Plan, registers: &Registers, text: &mut Text) {
    let ty = cpp(plan.dtype);
    let reads = |i: &Input| plan.inputs[i.index].is_some();
    let ins = inputs(package).into_iter().filter(reads);
    let ins = ins.map(|i| (if i.truths { "uint8_t" } else { ty }, i.name));
    let streams: Vec<(&str, String)> =
        ins.chain(plan.outputs.iter().map(|name| (ty, name.clone()))).collect();
    let calls = |ops: &mut dyn Iterator<Item = &Op>, text: &mut Text| {
        for op in ops {
            let call = call::text(package, plan, registers, op, call::Half::Lower);
            let what = op.what;
            text.line(if what.is_empty() { call } else { format!("{call}  // {what}") });
        }
    };
    let all = |text: &mut Text| calls(&mut registers.ops.iter(), text);
    if registers.seldom.is_empty() {
        step(package, plan, registers, &streams, ["", ""], text, all);
        return;
    }
    ahead(package, plan, &streams, "", text);
    let mut ways = [Text::new(), Text::new()];
    function(plan, registers, "", &mut ways[0], |text| calls(&mut registers.usual(), text));
    function(plan, registers, "", &mut ways[1], all);
    let [usual, seldom] = ways.map(Text::finish);
    text.chain(&[(format!("if ({})", is_usual(registers)), usual), ("else".into(), seldom)]);
}

/// Returns a C++ condition that is true if each clamping bound with an infinite default is infinite.
///
/// The calls that apply these bounds can then be skipped.
fn is_usual(registers: &Registers) -> String {
    let is_infinite = |k: &usize| {
        let Op { call, scalar, .. } = registers.ops[*k];
        let none = match call {
            Call::Plain(Api::Maxs) => f32::NEG_INFINITY,
            _ => f32::INFINITY,
        };
        scalar.map(|s| format!("{} == {}", number(s, DType::F32), scalar::literal(none)))
    };
    registers.seldom.iter().filter_map(is_infinite).collect::<Vec<_>>().join(" && ")
}

/// Writes a C++ loop over the elements of a tile on vector registers, 64 elements per step.
///
/// `calls` writes the vector calls of one step. `more` holds C++ statements for a further count of elements, and for the mask
/// made from that count; both are empty if the loop needs only the mask of `float` lanes.
fn step(
    package: &Package<'_>,
    plan: &Plan,
    registers: &Registers,
    streams: &[(&str, String)],
    more: [&str; 2],
    text: &mut Text,
    calls: impl Fn(&mut Text),
) {
    ahead(package, plan, streams, more[0], text);
    function(plan, registers, more[1], text, calls);
}

/// Writes the C++ variables that a loop on vector registers reads: addresses, uniforms and counts.
///
/// Uniforms are values that depend on attributes only. `counts` holds the statements for further counts.
fn ahead(
    package: &Package<'_>,
    plan: &Plan,
    streams: &[(&str, String)],
    counts: &str,
    text: &mut Text,
) {
    for (ty, name) in streams {
        let (at, tensor) = (address(name), cpp_name(name));
        text.line(format!("__ubuf__ {ty}* {at} = (__ubuf__ {ty}*){tensor}.GetPhyAddr();"));
    }
    for member in scalar::uniforms(&package.def, plan).members {
        text.line(format!("const float {member} = {member}_;"));
    }
    text.line("const uint16_t steps = static_cast<uint16_t>((count + FLOATS - 1) / FLOATS);");
    if !counts.is_empty() {
        text.line(counts);
    }
}

/// Writes the C++ block `__VEC_SCOPE__` that runs a loop on vector registers, 64 elements per step.
///
/// `calls` writes the vector calls of one step, and `masks` holds a C++ statement that sets a further mask.
fn function(
    plan: &Plan,
    registers: &Registers,
    masks: &str,
    text: &mut Text,
    calls: impl Fn(&mut Text),
) {
    text.function("__VEC_SCOPE__", |text| {
        declare(plan, registers, !masks.is_empty(), text);
        for (k, value) in registers.constants.iter().enumerate() {
            let (name, value) = (constant(registers, k), number(*value, DType::F32));
            text.line(format!("MicroAPI::Duplicate({name}, {value});"));
        }
        text.block("for (uint16_t i = 0; i < steps; ++i)", "}", |text| {
            text.line("lanes = MicroAPI::UpdateMask<float>(count);");
            if !masks.is_empty() {
                text.line(masks);
            }
            calls(text);
        });
    });
}

fn declare(plan: &Plan, registers: &Registers, halves: bool, text: &mut Text) {
    let numbered = |prefix: char, n: usize| (0..n).map(move |k| format!("{prefix}{k}"));
    let constants = (0..registers.constants.len()).map(|k| constant(registers, k));
    let half = cpp(plan.dtype);
    let all = |names: Vec<String>, ty: String, text: &mut Text| {
        if !names.is_empty() {
            text.line(format!("MicroAPI::{ty} {};", names.join(", ")));
        }
    };
    let floats = numbered('t', registers.data).chain(constants).collect();
    all(floats, "RegTensor<float>".into(), text);
    all(numbered('h', registers.halves).collect(), format!("RegTensor<{half}>"), text);
    all(numbered('b', registers.bytes).collect(), "RegTensor<uint8_t>".into(), text);
    let counted = ["lanes", "halves"].into_iter().take(1 + usize::from(halves)).map(String::from);
    let masks = counted.chain(numbered('m', registers.masks)).collect();
    all(masks, "MaskReg".into(), text);
}
