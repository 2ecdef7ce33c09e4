//! `README.md`: the operator.

use super::words;
use crate::emit::package::Package;
use crate::emit::text::{Comment, Text, header};
use crate::emit::tree::File;
use op_dsl_ir::interface::Interface;
use op_dsl_ir::op::AttrKind;

/// The page.
pub fn file(package: &Package<'_>, interface: &Interface) -> File {
    let def = &package.def;
    let mut t = Text::new();
    t.line(header(package, "an operator for ops-nn", Comment::Angle));
    t.line(format!("# {}\n", def.name));
    t.line(format!("## Products\n\n{}", words::products(package)));
    t.line(format!("## Function\n\n{}\n", def.doc.trim()));
    t.line(words::as_written(package));
    t.line(words::formulas(package).trim_end()).line("");
    t.line(format!("## Parameters\n\n{}", parameters(package)));
    t.line(format!("## Constraints\n\n{}", constraints(package)));
    t.line(format!("## Calls\n\n{}", calls(package, interface)));
    t.line(format!("## Build\n\n{}", build(package)));
    File { path: "README.md".into(), text: format!("{}\n", t.finish().trim_end()) }
}

fn parameters(package: &Package<'_>) -> String {
    let def = &package.def;
    let dtypes = words::dtypes(package);
    let mut t = Text::new();
    t.line("| Name | Kind | Meaning | Type | Format |\n|---|---|---|---|---|");
    for (i, input) in def.inputs.iter().enumerate() {
        let what = if input.used { "Read by the formula." } else { "Checked, but not read." };
        let optional = if def.presence(i).is_some() { "optional input" } else { "input" };
        let dtypes = words::input_dtypes(package, i);
        t.line(format!("| {} | {optional} | {what} | {dtypes} | ND |", input.name));
    }
    for (i, attr) in def.passed().iter().enumerate() {
        let (what, default) = (words::attribute(package, i), words::default(package, i));
        let ty = match &attr.kind {
            AttrKind::Bool => "BOOL",
            AttrKind::Float => "FLOAT",
            AttrKind::Enum { wire_str: true, .. } => "STRING",
            _ => "INT64",
        };
        t.line(format!("| {} | attribute | {what} Default: {default}. | {ty} | - |", attr.name));
    }
    for output in def.outputs.iter() {
        t.line(format!("| {} | output | Written whole. | {dtypes} | ND |", output.name));
    }
    t.finish()
}

fn constraints(package: &Package<'_>) -> String {
    let def = &package.def;
    let mut t = Text::new();
    t.line("- Tensors have at most 8 dimensions.");
    if def.split.is_some() {
        t.line(
            "- A tensor with two parts has at least one dimension, and an even split dimension.",
        );
    }
    if !def.empty {
        t.line("- No tensor may be empty.");
    }
    t.line("- Results are deterministic, and do not depend on the number of cores.");
    t.finish() + &words::left_out(package)
}

fn calls(package: &Package<'_>, interface: &Interface) -> String {
    let mut t = Text::new();
    t.line("| Call | Example | Page |\n|---|---|---|");
    for function in &interface.functions {
        let example = super::example::path(package, function);
        let example = example.map_or("-".into(), |p| format!("[{0}](./{0})", p));
        let page = super::page::path(function);
        t.line(format!("| aclnn | {example} | [{}](./{page}) |", function.name));
    }
    t.line(format!("| graph | - | [prototype](./op_graph/{}_proto.h) |", package.snake()));
    t.finish()
}

/// What the directory cannot say for itself.
fn build(package: &Package<'_>) -> String {
    let entry = super::config::path(package);
    format!(
        "Kernels leave the order of dependent vector instructions to the compiler: they need its automatic
synchronisation (`--cce-auto-sync`), which is on unless `scripts/kernel/binary_config/ascendc_config.json`
turns it off for the operator. [The operator's entry](./{entry}) takes the place of the one there.
"
    )
}
