//! Code that shape inference and tiling share: tables of the signature, attributes, shape rules, messages.
//!
//! The messages are the same as those of the CPU.

use super::core::branching;
use crate::emit::fragment::kept;
use crate::emit::package::Package;
use crate::emit::scheme::Scheme;
use crate::emit::text::Text;
use crate::emit::type_names::ge_name;
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{Attr, AttrKind, Kind, OpDef, Tensor, Variant};
use op_dsl_ir::registered::{AttrDefault, Attribute};

/// C++ code of the checks that is the same for every operator.
const CHECKS: &str = include_str!("fragments/checks.h");

/// The `#include` directives that the C++ code of [`body`] needs.
pub const INCLUDES: &str = include_str!("fragments/includes.h");

/// Writes the C++ code of `<op>_checks.h` inside its namespace.
pub fn body(package: &Package<'_>) -> String {
    let mut text = Text::new();
    signature(&mut text, package);
    text.line(fragment(CHECKS, &package.def));
    attributes(&mut text, package);
    text.finish()
}

/// Writes C++ tables of the operator's inputs and outputs: the name of each, and whether it is gated.
///
/// A gated tensor is split in two along the split dimension.
fn signature(text: &mut Text, package: &Package<'_>) {
    let def = &package.def;
    let (has_rows, has_own) = (def.per_row().next().is_some(), has_own(def));
    let table = |tensors: &[Tensor]| {
        let row = |t: &Tensor| {
            let single = format!(", {}", t.kind == Kind::PerRow);
            let own = t.own.map_or("UNDEFINED", ge_name);
            let more = [(has_rows, single), (has_own, format!(", ge::DT_{own}"))];
            let more: String = more.into_iter().filter(|m| m.0).map(|m| m.1).collect();
            format!("{{\"{}\", {}{more}}}", t.name, t.kind == Kind::Gated)
        };
        tensors.iter().map(row).collect::<Vec<_>>().join(", ")
    };
    let lead = lead(def);
    let dim = def.split.as_ref().map(|s| format!("\"{}\"", def.attrs[s.dim].name));
    text.line(format!("constexpr const char* OP_TYPE = \"{}\";\n", def.name));
    text.line("// A tensor, and whether it is cut in two along the split dimension.");
    text.block("struct Operand", "};\n", |text| {
        text.line("const char* name;\nbool gated;");
        if has_rows {
            text.line("bool single;  // whether it has one number per row");
        }
        if has_own {
            text.line("ge::DataType own;  // the type that it has in every call, if there is one");
        }
    });
    text.line(format!("constexpr Operand INPUTS[] = {{{}}};", table(def.laid_out())));
    text.line(format!("constexpr Operand OUTPUTS[] = {{{}}};", table(&def.outputs)));
    text.line(format!("constexpr size_t INPUT_COUNT = {};", def.laid_out().len()));
    text.line(format!("constexpr size_t OUTPUT_COUNT = {};", def.outputs.len()));
    text.line("// The input that decides the others' shapes.");
    text.line(format!("constexpr size_t LEAD = {lead};"));
    text.line("// The attribute that names the split dimension; null if there is none.");
    text.line(format!("constexpr const char* DIM = {};", dim.unwrap_or_else(|| "nullptr".into())));
    text.line(format!("constexpr int64_t MIN_RANK = {};\n", u8::from(def.split.is_some())));
    sum_tables(text, def);
    along_table(text, def);
    inputs(text, def);
}

/// Writes C++ tables that say of which input's shape each sum is, and which inputs are never broadcast.
///
/// Writes nothing for operators without sums.
pub fn sum_tables(text: &mut Text, def: &OpDef) {
    if !Scheme::of(def).adds {
        return;
    }
    let of = |k: usize| def.sum(k).map_or("-1".to_string(), |input| input.to_string());
    let all: Vec<String> = (0..def.outputs.len()).map(of).collect();
    text.line("// For each output that is a sum the input whose shape it has, else -1.");
    text.line(format!("constexpr int64_t SUM_OF[] = {{{}}};", all.join(", ")));
    let wide = |k: usize| def.wide.contains(&k).to_string();
    let all: Vec<String> = (0..def.inputs.len()).map(wide).collect();
    text.line("// Which inputs are never broadcast.");
    text.line(format!("constexpr bool WIDE[] = {{{}}};\n", all.join(", ")));
}

/// Writes a C++ table of the dimensions that inputs lie along if they have one dimension.
///
/// Writes nothing for operators without such inputs.
pub fn along_table(text: &mut Text, def: &OpDef) {
    if def.along.is_empty() {
        return;
    }
    let dim = |k: usize| def.along(k).map_or("-1".to_string(), |dim| dim.to_string());
    let all: Vec<String> = (0..def.laid_out().len()).map(dim).collect();
    text.line(
        "// For each input the dimension that it lies along if it has one dimension, else -1.",
    );
    text.line(format!("constexpr int64_t ALONG[] = {{{}}};\n", all.join(", ")));
}

/// Returns the index of the input that determines the shapes of the other inputs.
///
/// It is a gated input if there is one, otherwise the first required input.
pub fn lead(def: &OpDef) -> usize {
    let given = |i: &usize| def.presence(*i).is_none();
    let gated = def.inputs.iter().position(|t| t.kind == Kind::Gated);
    gated.unwrap_or_else(|| first_of(def, |i| given(&i) && def.inputs[i].kind != Kind::PerRow))
}

/// Returns the index of the first required input whose element type is that of the call.
///
/// All inputs must have the element type of this one, apart from masks and those with types of their own.
pub fn first(def: &OpDef) -> usize {
    let is_own = |input: &Tensor| input.own.is_some() || input.kind == Kind::Mask;
    first_of(def, |i| def.presence(i).is_none() && !is_own(&def.inputs[i]))
}

fn first_of(def: &OpDef, what: impl Fn(usize) -> bool) -> usize {
    (0..def.inputs.len()).find(|i| what(*i)).unwrap_or(0)
}

/// Writes C++ tables that say which inputs are optional and which are masks.
///
/// Also writes the functions that get the shape and description of an input from the framework.
fn inputs(text: &mut Text, def: &OpDef) {
    let any = |of: &dyn Fn(usize) -> bool| {
        let all: Vec<String> = (0..def.laid_out().len()).map(|i| of(i).to_string()).collect();
        all.join(", ")
    };
    let is_mask = |i: usize| def.inputs[i].kind == Kind::Mask;
    let is_optional = |i: usize| def.presence(i).is_some();
    if has_masks(def) {
        text.line("// Which inputs hold truth values.");
        text.line(format!("constexpr bool MASKS[] = {{{}}};\n", any(&is_mask)));
    }
    if has_optional_laid_out(def) {
        text.line("// Which inputs a call may leave out.");
        text.line(format!("constexpr bool OPTIONAL[] = {{{}}};\n", any(&is_optional)));
    }
    text.line("// An input, by its place in the signature; null if it is missing.");
    for what in ["Shape", "Desc"] {
        let get = match has_optional_laid_out(def) {
            true => format!(
                "OPTIONAL[k] ? context->GetOptionalInput{what}(k) : context->GetRequiredInput{what}(k)"
            ),
            false => format!("context->GetInput{what}(k)"),
        };
        text.line("template <typename C>");
        text.function(format!("inline auto {what}OfInput(const C* context, size_t k)"), |text| {
            text.line(format!("return {get};"));
        });
    }
    text.line("");
}

/// Returns whether some tensor of an operator has a type of its own.
fn has_own(def: &OpDef) -> bool {
    def.inputs.iter().chain(&*def.outputs).any(|tensor| tensor.own.is_some())
}

/// Returns whether an operator has inputs that are masks.
pub fn has_masks(def: &OpDef) -> bool {
    def.inputs.iter().any(|t| t.kind == Kind::Mask)
}

/// Returns whether an operator has inputs that a call may leave out.
pub fn has_optional(def: &OpDef) -> bool {
    (0..def.inputs.len()).any(|i| def.presence(i).is_some())
}

/// Returns whether an operator has optional inputs other than row counts.
fn has_optional_laid_out(def: &OpDef) -> bool {
    (0..def.laid_out().len()).any(|i| def.presence(i).is_some())
}

/// Instantiates a C++ fragment that is shared by all operators for one operator.
///
/// Lines between `@optional@` and `@end@` remain only if calls may leave inputs out, and lines after an `@else@` between the two only
/// if calls may not. `@masks@` works the same way for operators with masks, `@sums@` for those with sums, `@along@` for those with
/// inputs along a dimension, `@perrow@` for those with tensors of one number per row, `@own@` for those
/// with tensors that have a type of their own. `@first@` is replaced by the index that
/// [`first`] returns.
pub fn fragment(text: &str, def: &OpDef) -> String {
    let has = [
        ("@optional@", has_optional_laid_out(def)),
        ("@masks@", has_masks(def)),
        ("@sums@", Scheme::of(def).adds),
        ("@along@", !def.along.is_empty()),
        ("@perrow@", def.per_row().next().is_some()),
        ("@own@", has_own(def)),
    ];
    kept(text, &has).replace("@first@", &first(def).to_string())
}

/// Returns whether host code reads attributes, or optional inputs that select a specialisation.
pub fn has_attributes(def: &OpDef) -> bool {
    !def.passed().is_empty() || has_optional_laid_out(def)
}

/// Writes the C++ struct `Attributes` and the function `ReadAttributes`, which fills it in.
fn attributes(text: &mut Text, package: &Package<'_>) {
    if !has_attributes(&package.def) {
        return;
    }
    let rows = package.def.rows().map(AttrKind::Given);
    // Leaving out the row counts selects no specialisation of the formula.
    let attrs =
        || package.def.attrs.iter().enumerate().filter(|(_, a)| Some(&a.kind) != rows.as_ref());
    text.block("struct Attributes", "};\n", |text| {
        for (_, attr) in attrs() {
            text.line(format!("{} {};", ty(&attr.kind), cpp_name(&attr.name)));
        }
    });
    text.line("// Refuses values that the operator does not have.");
    let head =
        "inline ge::graphStatus ReadAttributes(const Context* context, Attributes& attributes)";
    text.function(head, |text| {
        if !package.def.passed().is_empty() {
            text.line("const gert::RuntimeAttrs* values = context->GetAttrs();");
            text.when(
                "values == nullptr",
                "return Refuse(context, \"the attributes are missing\");",
            );
        }
        for (index, attr) in attrs() {
            read(text, index, attr);
        }
        let definition = package.def.published.and_then(|p| p.definition);
        let more = definition.map_or(&[][..], |d| d.more_attrs);
        for (index, attr) in (package.def.passed().len()..).zip(more) {
            only_default(text, index, attr);
        }
        text.line("return ge::GRAPH_SUCCESS;");
    });
}

/// Returns the C++ expression of an attribute, given its index, in a function that has read the attributes.
pub fn attribute(def: &OpDef, attr: usize) -> String {
    format!("attributes.{}", cpp_name(&def.attrs[attr].name))
}

/// Returns the C++ type of an attribute's field in the struct `Attributes`.
fn ty(kind: &AttrKind) -> &'static str {
    match kind {
        AttrKind::Bool | AttrKind::Given(_) => "bool",
        AttrKind::Float => "float",
        AttrKind::Dim | AttrKind::Int | AttrKind::Enum { .. } => "int64_t",
    }
}

/// Writes C++ statements that read one attribute and refuse values that the operator does not have.
///
/// `index` is the attribute's position in the framework's list of attributes.
fn read(text: &mut Text, index: usize, attr: &Attr) {
    let (name, var) = (&attr.name, cpp_name(&attr.name));
    if let AttrKind::Given(input) = attr.kind {
        text.line(format!("attributes.{var} = DescOfInput(context, {input}) != nullptr;"));
        return;
    }
    let (get, value) = match attr.kind {
        AttrKind::Bool => ("GetBool", "bool"),
        AttrKind::Float => ("GetFloat", "float"),
        AttrKind::Enum { wire_str: true, .. } => ("GetStr", "char"),
        _ => ("GetInt", "int64_t"),
    };
    text.line(format!("const {value}* {var} = values->{get}({index});"));
    text.when(
        &format!("{var} == nullptr"),
        format!("return RefuseValue(context, \"{name}\", \"missing\", \"a value\");"),
    );
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
        text.when(&none.join(" && "), refuse(format!("std::to_string(*{var})")));
    }
}

/// Writes C++ statements that refuse a call in which an attribute does not have its default.
///
/// They accept a call without the attribute, because an interface may leave it out.
fn only_default(text: &mut Text, index: usize, attr: &Attribute) {
    let (name, var) = (attr.name, cpp_name(attr.name));
    let (get, ty, got) = match attr.default {
        AttrDefault::Int(_) => ("GetInt", "int64_t", format!("std::to_string(*{var})")),
        AttrDefault::Float(_) => ("GetFloat", "float", format!("std::to_string(*{var})")),
        AttrDefault::Bool(_) => ("GetBool", "bool", format!("*{var} ? \"true\" : \"false\"")),
        // No operator has such an attribute.
        AttrDefault::Text(_) | AttrDefault::Required(_) => return,
    };
    let value = attr.default.value().unwrap_or_default();
    text.line(format!("const {ty}* {var} = values->{get}({index});"));
    text.when(
        &format!("{var} != nullptr && *{var} != {value}"),
        format!("return RefuseValue(context, \"{name}\", {got}, \"{value}\");"),
    );
}

/// Returns the C++ arguments for `SelectForm`: the attributes that select the specialisation.
pub fn form_arguments(package: &Package<'_>) -> String {
    let of = |a| attribute(&package.def, a);
    branching(package).into_iter().map(of).collect::<Vec<_>>().join(", ")
}
