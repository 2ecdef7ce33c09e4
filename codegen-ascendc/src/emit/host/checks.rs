//! What shape inference and tiling share: the signature as tables, attributes, rules of shapes, and
//! the words of a refusal, which are those of the CPU.

use super::core::branching;
use crate::emit::package::Package;
use crate::emit::text::Text;
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{Attr, AttrKind, Kind, Tensor, Variant};

/// The part that is the same for every operator.
const CHECKS: &str = include_str!("fragments/checks.h");

/// What [`body`] includes.
pub const INCLUDES: &str = r#"#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "register/op_impl_registry.h"
#if __has_include("log/log.h")
#include "log/log.h"
#else  // a toolkit without the operators' log
#include <cstdio>
#define OP_LOGE(node, format, ...) std::fprintf(stderr, "[ERROR] %s " format "\n", node, __VA_ARGS__)
#endif
"#;

/// Everything inside the namespace.
pub fn body(package: &Package<'_>) -> String {
    let mut text = Text::new();
    signature(&mut text, package);
    text.line(CHECKS);
    attributes(&mut text, package);
    text.finish()
}

/// Names and kinds of tensors.
fn signature(text: &mut Text, package: &Package<'_>) {
    let def = &package.def;
    let table = |tensors: &[Tensor]| {
        let row = |t: &Tensor| format!("{{\"{}\", {}}}", t.name, t.kind == Kind::Gated);
        tensors.iter().map(row).collect::<Vec<_>>().join(", ")
    };
    let lead = def.inputs.iter().position(|t| t.kind == Kind::Gated).unwrap_or(0);
    let dim = def.split.as_ref().map(|s| format!("\"{}\"", def.attrs[s.dim].name));
    text.line(format!("constexpr const char* OP_TYPE = \"{}\";\n", def.name));
    text.line("// A tensor, and whether it is cut in two along the split dimension.");
    text.block("struct Operand", "};\n", |text| {
        text.line("const char* name;\nbool gated;");
    });
    text.line(format!("constexpr Operand INPUTS[] = {{{}}};", table(&def.inputs)));
    text.line(format!("constexpr Operand OUTPUTS[] = {{{}}};", table(&def.outputs)));
    text.line(format!("constexpr size_t INPUT_COUNT = {};", def.inputs.len()));
    text.line(format!("constexpr size_t OUTPUT_COUNT = {};", def.outputs.len()));
    text.line("// The input that decides the others' shapes.");
    text.line(format!("constexpr size_t LEAD = {lead};"));
    text.line("// The attribute that names the split dimension; null if there is none.");
    text.line(format!("constexpr const char* DIM = {};", dim.unwrap_or_else(|| "nullptr".into())));
    text.line(format!("constexpr int64_t MIN_RANK = {};\n", u8::from(def.split.is_some())));
}

/// The struct of attributes, and the function that reads it.
fn attributes(text: &mut Text, package: &Package<'_>) {
    let attrs = &package.def.attrs;
    if attrs.is_empty() {
        return;
    }
    text.block("struct Attributes", "};\n", |text| {
        for attr in attrs.iter() {
            text.line(format!("{} {};", ty(&attr.kind), cpp_name(&attr.name)));
        }
    });
    text.line("// Refuses values that the operator does not have.");
    let head =
        "inline ge::graphStatus ReadAttributes(const Context* context, Attributes& attributes)";
    text.function(head, |text| {
        text.line("const gert::RuntimeAttrs* values = context->GetAttrs();");
        text.block("if (values == nullptr)", "}", |text| {
            text.line("return Refuse(context, \"the attributes are missing\");");
        });
        for (index, attr) in attrs.iter().enumerate() {
            read(text, index, attr);
        }
        text.line("return ge::GRAPH_SUCCESS;");
    });
}

/// The type of an attribute in `Attributes`.
fn ty(kind: &AttrKind) -> &'static str {
    match kind {
        AttrKind::Bool | AttrKind::Given(_) => "bool",
        AttrKind::Float => "float",
        AttrKind::Dim | AttrKind::Int | AttrKind::Enum { .. } => "int64_t",
    }
}

/// Statements that read one attribute.
fn read(text: &mut Text, index: usize, attr: &Attr) {
    let (name, var) = (&attr.name, cpp_name(&attr.name));
    let (get, value) = match attr.kind {
        AttrKind::Bool => ("GetBool", "bool"),
        AttrKind::Float => ("GetFloat", "float"),
        AttrKind::Enum { wire_str: true, .. } => ("GetStr", "char"),
        _ => ("GetInt", "int64_t"),
    };
    text.line(format!("const {value}* {var} = values->{get}({index});"));
    text.block(&format!("if ({var} == nullptr)"), "}", |text| {
        text.line(format!("return RefuseValue(context, \"{name}\", \"missing\", \"a value\");"));
    });
    let AttrKind::Enum { wire_str, variants, .. } = &attr.kind else {
        text.line(format!("attributes.{var} = *{var};"));
        return;
    };
    let allowed: Vec<String> =
        variants.iter().map(|v| format!("{} ({})", v.name, v.value)).collect();
    let allowed = allowed.join(", ");
    let refuse =
        |got: String| format!("return RefuseValue(context, \"{name}\", {got}, \"{allowed}\");");
    if *wire_str {
        let arm = |(k, v): (usize, &Variant)| {
            let head = if k == 0 { "if" } else { "else if" };
            let head = format!("{head} (std::strcmp({var}, \"{}\") == 0)", v.name);
            (head, format!("attributes.{var} = {};", v.value))
        };
        let mut arms: Vec<_> = variants.iter().enumerate().map(arm).collect();
        arms.push(("else".into(), refuse(format!("Quote({var})"))));
        text.chain(&arms);
    } else {
        let none: Vec<String> = variants.iter().map(|v| format!("*{var} != {}", v.value)).collect();
        text.line(format!("attributes.{var} = *{var};"));
        text.block(&format!("if ({})", none.join(" && ")), "}", |text| {
            text.line(refuse(format!("std::to_string(*{var})")));
        });
    }
}

/// Arguments of `SelectForm`, taken from `attributes`.
pub fn form_arguments(package: &Package<'_>) -> String {
    let of = |a: usize| format!("attributes.{}", cpp_name(&package.def.attrs[a].name));
    branching(package).into_iter().map(of).collect::<Vec<_>>().join(", ")
}
