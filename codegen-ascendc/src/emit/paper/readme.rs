//! `README.md`: the operator.

use super::phrases;
use crate::emit::kernel::BY_COMPILER;
use crate::emit::package::Package;
use crate::emit::text::{Text, doc, page_header};
use crate::emit::tree::File;
use op_dsl_ir::interface::Interface;
use op_dsl_ir::op::AttrKind;

/// The page.
pub fn file(package: &Package<'_>, interface: &Interface) -> File {
    let words = package.words();
    let titles = &words.titles;
    let mut t = Text::new();
    t.line(page_header(package, words.comments.readme));
    t.line(format!("# {}\n", package.def.name));
    t.line(format!("## {}\n\n{}", titles.products, phrases::products(package)));
    t.line(format!("## {}\n\n{}\n", titles.function, doc(package)));
    t.line(phrases::as_written(package));
    t.line(phrases::formulas(package).trim_end()).line("");
    t.line(format!("## {}\n\n{}", titles.parameters, parameters(package)));
    t.line(format!("## {}\n\n{}", titles.constraints, constraints(package)));
    t.line(format!("## {}\n\n{}", titles.calls, calls(package, interface)));
    // A kernel without barriers has nothing to say about them.
    if package.archs().iter().any(|arch| !arch.orders_vectors) {
        let build = (words.calls.build)(BY_COMPILER);
        t.line(format!("## {}\n\n{build}", titles.build));
    }
    File { path: "README.md".into(), text: format!("{}\n", t.finish().trim_end()) }
}

fn parameters(package: &Package<'_>) -> String {
    let (def, words) = (&package.def, package.words());
    let (kinds, tensors, gap) = (&words.kinds, &words.tensors, words.signs.gap);
    let dtypes = phrases::dtypes(package);
    let mut t = Text::new();
    t.line(phrases::table(&words.arguments.operator_heads));
    for (i, input) in def.inputs.iter().enumerate() {
        let what = if input.used { tensors.read } else { tensors.not_read };
        let kind = if def.presence(i).is_some() { kinds.optional_input } else { kinds.input };
        let dtypes = phrases::input_dtypes(package, i);
        t.line(format!("| {} | {kind} | {what} | {dtypes} | ND |", input.name));
    }
    for (i, attr) in def.passed().iter().enumerate() {
        let what = phrases::attribute(package, i);
        let default = (words.attributes.default)(&phrases::default(package, i));
        let ty = match &attr.kind {
            AttrKind::Bool => "BOOL",
            AttrKind::Float => "FLOAT",
            AttrKind::Enum { wire_str: true, .. } => "STRING",
            _ => "INT64",
        };
        t.line(format!(
            "| {} | {} | {what}{gap}{default} | {ty} | - |",
            attr.name, kinds.attribute
        ));
    }
    for output in def.outputs.iter() {
        let (name, kind, what) = (&output.name, kinds.output, tensors.written);
        t.line(format!("| {name} | {kind} | {what} | {dtypes} | ND |"));
    }
    t.finish()
}

fn constraints(package: &Package<'_>) -> String {
    let (def, words) = (&package.def, &package.words().limits);
    let mut t = Text::new();
    t.line(format!("- {}", words.dimensions));
    if def.split.is_some() {
        t.line(format!("- {}", words.parts));
    }
    if !def.empty {
        t.line(format!("- {}", words.no_empty));
    }
    t.line(format!("- {}", words.deterministic_on_all_cores));
    if let Some(line) = phrases::saturation(package) {
        t.line(format!("- {line}"));
    }
    t.finish() + &phrases::left_out(package)
}

fn calls(package: &Package<'_>, interface: &Interface) -> String {
    let words = &package.words().calls;
    let mut t = Text::new();
    t.line(phrases::table(&words.heads));
    for function in &interface.functions {
        let example = super::example::path(package, function);
        let example = example.map_or("-".into(), |p| format!("[{0}](./{0})", p));
        let page = super::page::path(function);
        t.line(format!("| {} | {example} | [{}](./{page}) |", words.aclnn, function.name));
    }
    let prototype = format!("[{}](./op_graph/{}_proto.h)", words.prototype, package.snake());
    t.line(format!("| {} | - | {prototype} |", words.graph));
    t.finish()
}
