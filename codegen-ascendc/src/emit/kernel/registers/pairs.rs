//! One loop step of the vector function on interleaved gate and value, as C++.

use super::super::super::package::Package;
use super::super::super::text::Text;
use super::super::names::{cpp, inputs};
use super::call::Half;
use super::names::address;
use super::{call, step};
use crate::plan::Plan;
use crate::plan::registers::pairs::{Turn, firsts, leaves_parts, turns};
use crate::plan::registers::{Op, Register, Registers};
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{Part, Stream};

/// C++ constants (cast traits) for casts of the second of two streams that are interleaved in memory.
///
/// They are written before the classes that use them.
pub const CASTS: &str = include_str!("upper_casts.h");

/// Returns whether a plan has a variant on registers that reads gate and value interleaved.
pub fn has(plan: &Plan) -> bool {
    plan.registers.as_ref().is_some_and(|r| r.pairs)
}

/// Lists the tensors that the formula on interleaved gate and value reads and writes.
///
/// Each has a C++ name, the first of its streams, and whether it is an output.
pub fn tensors(package: &Package<'_>) -> Vec<(String, Stream, bool)> {
    let def = &package.def;
    let ins = inputs(package).into_iter().map(|i| (i.stream, false));
    let all = ins.chain(def.output_streams().into_iter().map(|s| (s, true)));
    let named = |(stream, output): (Stream, bool)| {
        let of = if output { &def.outputs } else { &def.inputs };
        (cpp_name(&of[stream.tensor].name), stream, output)
    };
    let mut tensors: Vec<(String, Stream, bool)> = all.map(named).collect();
    tensors.dedup_by(|next, one| (next.1.tensor, next.2) == (one.1.tensor, one.2));
    tensors
}

/// Writes the C++ member function `RunPairs`, the formula on interleaved gate and value.
///
/// It is a template if an attribute says which of the two comes first.
pub fn function(package: &Package<'_>, plan: &Plan, registers: &Registers, text: &mut Text) {
    let (def, ty) = (&package.def, cpp(plan.dtype));
    let truths =
        |name: &String| inputs(package).iter().any(|i| i.truths && cpp_name(&i.name) == *name);
    let typed =
        |(name, ..): (String, Stream, bool)| (if truths(&name) { "uint8_t" } else { ty }, name);
    let streams: Vec<(&str, String)> = tensors(package).into_iter().map(typed).collect();
    let head = "__aicore__ inline void RunPairs(";
    let indent = " ".repeat(head.len());
    let params: Vec<String> =
        streams.iter().map(|(ty, name)| format!("const LocalTensor<{ty}>& {name}")).collect();
    let params = params.join(&format!(",\n{indent}"));
    let sixteen = plan.dtype.is_narrow();
    text.line("").line("// The same where gate and value take turns.");
    if let [_, _] = firsts(def) {
        text.line("template <bool gateFirst>");
    }
    text.function(format!("{head}{params},\n{indent}uint32_t count)"), |text| {
        let counts = if sixteen { "uint32_t both = 2 * count;" } else { "" };
        let masks = if sixteen {
            format!("halves = MicroAPI::UpdateMask<{ty}>(both);")
        } else {
            String::new()
        };
        let ways: Vec<Vec<String>> =
            firsts(def).iter().map(|first| calls(package, plan, registers, *first)).collect();
        let data = registers.data + usize::from(leaves_parts(registers, def));
        let declared = Registers { data, ..registers.clone() };
        step(package, plan, &declared, &streams, [counts, &masks], text, |text| match &ways[..] {
            [gate_first, value_first] => either(gate_first, value_first, text),
            _ => {
                text.each(&ways[0]);
            }
        });
    });
}

/// Returns the C++ statements of one loop step on gate and value that are interleaved in memory.
///
/// `first` is the one of the two parts that comes first.
fn calls(package: &Package<'_>, plan: &Plan, registers: &Registers, first: Part) -> Vec<String> {
    let (def, sixteen) = (&package.def, plan.dtype.is_narrow());
    let input = |k: usize| cpp_name(&def.inputs[def.input_streams()[k].tensor].name);
    let output = |k: usize| cpp_name(&def.outputs[def.output_streams()[k].tensor].name);
    let register = |r: Register| call::register(registers, r);
    let call = |op: &Op, half: Half| {
        let call = call::text(package, plan, registers, op, half);
        if op.what.is_empty() { call } else { format!("{call}  // {}", op.what) }
    };
    let text = |turn: &Turn| match turn {
        Turn::Op(op) => call(op, Half::Lower),
        Turn::Upper(op) => call(op, Half::Upper),
        Turn::Load(k, pair) => {
            let function = call::name(package, call::LOAD);
            load(function, &address(&input(*k)), pair.map(register), sixteen)
        }
        Turn::Store(k, pair) => {
            let function = call::name(package, call::STORE);
            store(function, &address(&output(*k)), pair.map(register), sixteen)
        }
    };
    turns(registers, def, first).iter().map(text).collect()
}

/// Merges the C++ statements for `gate first` with those for `value first`, line by line.
///
/// Lines that are equal in both are written once; others become branches of `if constexpr (gateFirst)`.
fn either(gate_first: &[String], value_first: &[String], text: &mut Text) {
    let mut lines = gate_first.iter().zip(value_first).peekable();
    while let Some((gate, value)) = lines.next() {
        if gate == value {
            text.line(gate);
            continue;
        }
        let (mut gates, mut values) = (vec![gate.clone()], vec![value.clone()]);
        while let Some((gate, value)) = lines.next_if(|(gate, value)| gate != value) {
            gates.push(gate.clone());
            values.push(value.clone());
        }
        text.chain(&[
            ("if constexpr (gateFirst)".into(), gates.join("\n")),
            ("else".into(), values.join("\n")),
        ]);
    }
}

fn load(function: &str, at: &str, [first, second]: [String; 2], sixteen: bool) -> String {
    match sixteen {
        true => format!("MicroAPI::{function}({first}, {at} + 2 * i * FLOATS);"),
        false => format!(
            "MicroAPI::{function}<float, MicroAPI::LoadDist::DIST_DINTLV_B32>({first}, {second}, {at} + 2 * i * FLOATS);"
        ),
    }
}

fn store(function: &str, at: &str, [first, second]: [String; 2], sixteen: bool) -> String {
    let bits = |name: &str| format!("(MicroAPI::RegTensor<uint16_t>&){name}");
    match sixteen {
        true => format!(
            "MicroAPI::Or({0}, {0}, {1}, halves);\nMicroAPI::{function}({at} + 2 * i * FLOATS, {first}, halves);",
            bits(&first),
            bits(&second)
        ),
        false => format!(
            "MicroAPI::{function}<float, MicroAPI::StoreDist::DIST_INTLV_B32>({at} + 2 * i * FLOATS, {first}, {second}, lanes);"
        ),
    }
}
