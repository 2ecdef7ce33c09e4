//! `README.md`: the document of an operator.

use super::phrases;
use crate::emit::kernel::BY_COMPILER;
use crate::emit::package::Package;
use crate::emit::text::{Text, doc, page_header};
use crate::emit::tree::File;
use op_dsl_ir::interface::Function;
use op_dsl_ir::op::{AttrKind, Kind};

/// Returns the README of an operator that has these aclnn functions.
pub fn file(package: &Package<'_>, functions: &[Function]) -> File {
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
    t.line(format!("## {}\n\n{}", titles.calls, calls(package, functions)));
    if let Some(registration) = registration(package) {
        t.line(format!("## {}\n\n{registration}", titles.registration));
    }
    if let Some(directory) = directory(package) {
        t.line(format!("## {}\n\n{directory}", titles.directory));
    }
    // A kernel without barriers needs no section on them.
    if package.archs().iter().any(|arch| !arch.orders_vectors) {
        let build = (words.calls.build)(BY_COMPILER);
        t.line(format!("## {}\n\n{build}", titles.build));
    }
    File { path: "README.md".into(), text: format!("{}\n", t.finish().trim_end()) }
}

fn parameters(package: &Package<'_>) -> String {
    let (def, words) = (&package.def, package.words());
    let (kinds, tensors, gap) = (&words.kinds, &words.tensors, words.signs.gap);
    let mut t = Text::new();
    t.line(phrases::table(&words.arguments.operator_heads));
    for (i, input) in def.inputs.iter().enumerate() {
        let what = match (input.kind, input.used) {
            (Kind::Rows, _) => tensors.counts,
            (_, true) => tensors.read,
            (_, false) => tensors.not_read,
        };
        let kind = if def.presence(i).is_some() { kinds.optional_input } else { kinds.input };
        let dtypes = phrases::input_dtypes(package, i);
        t.line(format!("| {} | {kind} | {what} | {dtypes} | ND |", input.name));
    }
    for (i, attr) in def.passed().iter().enumerate() {
        let what = phrases::attribute(package, i);
        let default = (words.attributes.default)(&attr.kind.text(attr.default));
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
    for (k, output) in def.outputs.iter().enumerate() {
        let (name, kind, what) = (&output.name, kinds.output, tensors.written);
        let dtypes = phrases::output_dtypes(package, k);
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
    let more =
        [phrases::about_sums(package), phrases::saturation(package), phrases::infinities(package)];
    for line in more.into_iter().flatten().chain(phrases::errors(package)) {
        t.line(format!("- {line}"));
    }
    t.finish() + &phrases::left_out(package)
}

/// Returns a Markdown list of how prototype and definition differ from those in ops-nn.
///
/// `None` if ops-nn has no such operator.
fn registration(package: &Package<'_>) -> Option<String> {
    let (words, published) = (&package.words().registration, package.def.published?);
    let (definition, comma) = (published.definition?, package.words().signs.comma);
    let mut items = Vec::new();
    match published.prototype {
        Some(prototype) => {
            let tensors =
                format!("{} -> {}", prototype.inputs.join(", "), prototype.outputs.join(", "));
            items.push((words.prototype)(&tensors));
            let passed = package.def.passed();
            let defined = |name: &str| {
                passed.iter().any(|a| a.name == name)
                    || definition.more_attrs.iter().any(|a| a.name == name)
            };
            let alone = prototype.attrs.iter().filter(|a| !defined(a.name));
            let alone: Vec<String> = alone.map(|a| format!("`{}`", a.name)).collect();
            if !alone.is_empty() {
                items.push((words.prototype_only)(&alone.join(comma)));
            }
        }
        None => items.push(words.no_prototype.into()),
    }
    let differences = items.len();
    for attr in definition.more_attrs {
        items.push((words.at_default)(attr.name, &attr.default.value().unwrap_or_default()));
    }
    if !definition.more_types.is_empty() {
        items.push((words.types)(&definition.more_types.join(comma)));
    }
    if definition.mixed {
        items.push(words.mixed.into());
    }
    if !definition.more_socs.is_empty() {
        items.push((words.socs)(&definition.more_socs.join(comma)));
    }
    if items.len() == differences {
        items.push(words.definition.into());
    }
    if definition.required {
        items.push(words.required.into());
    }
    if published.aclnn.is_none() {
        items.push(words.no_function.into());
    }
    Some(items.iter().map(|item| format!("- {item}\n")).collect())
}

/// Returns a Markdown list of what the files replace in the directory of ops-nn, and what stays.
///
/// `None` if ops-nn has no such directory.
fn directory(package: &Package<'_>) -> Option<String> {
    let words = &package.words().registration;
    let definition = package.def.published.and_then(|p| p.definition)?;
    let listed = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        (!names.is_empty()).then(|| names.join(package.words().signs.comma))
    };
    let items = [
        Some(words.replaced.to_string()),
        listed(definition.beside).map(|paths| (words.stays)(&paths)),
        listed(definition.functions).map(|names| (words.functions)(&names)),
        listed(definition.more_types).map(|types| (words.tests)(&types)),
    ];
    Some(items.into_iter().flatten().map(|item| format!("- {item}\n")).collect())
}

fn calls(package: &Package<'_>, functions: &[Function]) -> String {
    let words = &package.words().calls;
    let mut t = Text::new();
    t.line(phrases::table(&words.heads));
    for function in functions {
        let example = super::example::path(package, function);
        let example = example.map_or("-".into(), |p| format!("[{0}](./{0})", p));
        let page = super::page::path(function);
        t.line(format!("| {} | {example} | [{}](./{page}) |", words.aclnn, function.name));
    }
    let prototype = format!("[{}](./op_graph/{}_proto.h)", words.prototype, package.snake());
    t.line(format!("| {} | - | {prototype} |", words.graph));
    t.finish()
}
