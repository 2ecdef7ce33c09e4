//! Phrases of documents: tensors, element types and products.

use crate::arch::Inaccurate;
use crate::emit::api::{allowed, is_mask, kind, own};
use crate::emit::host::mask_types;
use crate::emit::kernel::sums;
use crate::emit::package::Package;
use crate::emit::text::doc;
use crate::emit::type_names::{ge_name, type_names};
use crate::emit::words::{Word, Words};
use crate::plan::rows::nearest;
use op_dsl_ir::display;
use op_dsl_ir::interface::{Interface, Param};
use op_dsl_ir::op::{Attr, AttrKind, Gate, Kind, Pattern, Rule, Spec, Stage, Tensor};
use op_dsl_ir::published::{DTypes, Inputs, SignaturePart};
use op_dsl_ir::{DType, Stored};

/// Returns the first two lines of a Markdown table, which are the headings and the line below.
pub fn table(heads: &[Word]) -> String {
    format!("| {} |\n|{}", heads.join(" | "), "---|".repeat(heads.len()))
}

/// Returns the name that acl has for an element type, for example `FLOAT16`.
pub fn dtype(dtype: DType) -> &'static str {
    type_names(dtype).document
}

/// Returns the names of the package's element types, as a list in the language of the documents.
pub fn dtypes(package: &Package<'_>) -> String {
    let names: Vec<&str> = package.dtypes().into_iter().map(dtype).collect();
    names.join(package.words().signs.comma)
}

/// Returns the names of the element types that an input may have; masks and row counts have their own.
pub fn input_dtypes(package: &Package<'_>, input: usize) -> String {
    let tensor = &package.def.inputs[input];
    match tensor.kind {
        Kind::Mask => mask_types(&package.def).join(package.words().signs.comma).replace("DT_", ""),
        Kind::Rows => "INT64".into(),
        Kind::Whole | Kind::Gated | Kind::PerRow => number_dtypes(package, tensor),
    }
}

/// Returns the names of the element types that an output may have.
pub fn output_dtypes(package: &Package<'_>, output: usize) -> String {
    number_dtypes(package, &package.def.outputs[output])
}

/// Returns the names of the element types that a tensor of numbers may have: one if it has a type of its own.
fn number_dtypes(package: &Package<'_>, tensor: &Tensor) -> String {
    match tensor.own {
        Some(Stored::Number(own)) => dtype(own).into(),
        Some(own) => ge_name(own).into(),
        None => dtypes(package),
    }
}

/// Returns the Markdown table of all products, with a mark for those that the package supports.
pub fn products(package: &Package<'_>) -> String {
    let words = &package.words().products;
    let row = |(soc, family): &(&str, Word)| {
        let has = package.socs.iter().any(|s| s.name == *soc);
        format!("| {family} | `{soc}` | {} |\n", if has { words.yes } else { words.no })
    };
    let rows: String = words.families.iter().map(row).collect();
    format!("| {} |\n|---|---|:-:|\n{rows}", words.heads.join(" | "))
}

/// Returns a Markdown list of what the package's products do not support.
///
/// Empty if they support everything.
pub fn left_out(package: &Package<'_>) -> String {
    let words = package.words();
    let mut items: Vec<String> = Vec::new();
    for refusal in &package.left_out {
        let item = format!("- {}{}\n", (words.refusal)(refusal), words.signs.stop);
        // Several specialisations may have the same reason.
        if !items.contains(&item) {
            items.push(item);
        }
    }
    items.concat()
}

/// Returns the sentence that describes 16-bit results beyond the range of their type.
///
/// `None` if the results do not depend on a mode of the device.
pub fn saturation(package: &Package<'_>) -> Option<String> {
    let words = package.words();
    let has = |name: &str| package.socs.iter().any(|s| s.name == name && s.arch.saturates);
    let families = words.products.families.iter().filter(|(soc, _)| has(soc));
    let families: Vec<&str> = families.map(|(_, family)| *family).collect();
    let has_plain = package.def.outputs.iter().any(|output| output.own.is_none());
    let narrow = has_plain && package.dtypes().into_iter().any(DType::is_narrow);
    let products = families.join(words.signs.comma);
    (narrow && !families.is_empty()).then(|| (words.limits.saturation)(&products))
}

/// Returns the sentence on inputs whose infinities give NaN where the formula gives an infinity.
///
/// `None` if there are no such inputs.
pub fn infinities(package: &Package<'_>) -> Option<String> {
    let words = package.words();
    let mut inputs: Vec<String> = Vec::new();
    for plan in &package.plans {
        let names = plan.lost.iter().filter_map(|k| plan.inputs[*k].as_ref());
        for name in names.map(|name| format!("`{name}`")) {
            if !inputs.contains(&name) {
                inputs.push(name);
            }
        }
    }
    (!inputs.is_empty()).then(|| (words.limits.infinities)(&inputs.join(words.signs.comma)))
}

/// Returns one sentence per distinct error of a result that exceeds its budget.
///
/// Errors over the budget occur only if whoever emits the package accepts them.
pub fn errors(package: &Package<'_>) -> Vec<String> {
    let words = package.words();
    let mut found: Vec<(Inaccurate, Vec<String>)> = Vec::new();
    for plan in &package.plans {
        let Some(error) = plan.inaccurate() else { continue };
        let of = format!("{} {}", plan.soc.name, plan.dtype);
        match found.iter_mut().find(|(known, _)| *known == error) {
            Some((_, all)) => all.push(of),
            None => found.push((error, vec![of])),
        }
    }
    let sentence = |(error, of): (Inaccurate, Vec<String>)| {
        (words.limits.inaccurate)(&of.join(words.signs.comma), &error)
    };
    found.into_iter().map(sentence).collect()
}

/// Returns the formula as its author wrote it in Rust, with its source location.
pub fn as_written(package: &Package<'_>) -> String {
    let (formula, source) = (package.def.formula.trim(), &package.def.source);
    let above = (package.words().formula.as_written)(source);
    format!("{above}\n\n```rust\n{formula}\n```\n")
}

/// Returns the section on one operator in a document that describes several operators.
pub fn section(package: &Package<'_>) -> String {
    let (doc, as_written) = (doc(package), as_written(package));
    format!("\n## {}\n\n{doc}\n\n{}", package.def.name, as_written.trim_end())
}

/// Returns the formulas of all specialisations as listings, in the operator's own names.
///
/// A sentence on how gated tensors are split follows.
pub fn formulas(package: &Package<'_>) -> String {
    let (def, words) = (&package.def, package.words());
    let (inputs, scalars, outputs) = (def.input_names(), def.scalar_names(), def.output_names());
    let mut text = String::new();
    for spec in package.specs() {
        let spec = &def.specs[spec];
        let when: Vec<String> = spec
            .when
            .iter()
            .map(|(a, v)| match (&def.attrs[*a], *v) {
                (Attr { kind: AttrKind::Given(_), name, .. }, 0) => (words.formula.not_given)(name),
                (Attr { kind: AttrKind::Given(_), name, .. }, _) => (words.formula.given)(name),
                (attr, v) => format!("{} = {}", attr.name, attr.kind.text(attr.kind.value(v))),
            })
            .collect();
        if !when.is_empty() {
            text += &format!("{}\n\n", (words.formula.with)(&when));
        }
        let inputs = streams(spec, &inputs);
        let stages: String =
            spec.stages.iter().map(|s| stage(spec, s, &inputs, &scalars)).collect();
        let listing = display::listing(&spec.graph, &inputs, &scalars, &outputs);
        text += &format!("```text\n{stages}{listing}```\n\n");
    }
    text + &split(package)
}

/// Returns the names of all streams that graphs of a specialisation read: inputs, and those of stages, `r` with a number.
pub fn streams(spec: &Spec, inputs: &[String]) -> Vec<String> {
    let own = spec.stages.iter().flat_map(|s| [Some(s.value), s.rest, s.terms]).flatten();
    let count = own.fold(inputs.len(), |most, stream| most.max(stream + 1));
    let mut prefix = "r".to_string();
    while inputs.iter().any(|name| name.starts_with(&prefix) && name.len() > prefix.len()) {
        prefix.push('_');
    }
    let further = (inputs.len()..count).map(|k| format!("{prefix}{k}"));
    inputs.iter().cloned().chain(further).collect()
}

/// Describes a stage of a formula with functions of rows, on one line.
fn stage(spec: &Spec, stage: &Stage, streams: &[String], scalars: &[String]) -> String {
    let value = &streams[stage.value];
    let terms = display::expression(&nearest(spec, &stage.spec.graph), streams, scalars);
    match (stage.rule, stage.terms) {
        (Rule::Uniform, _) => format!("{value} = {terms}\n"),
        (Rule::Reduce(function), None) => format!("{value} = {}({terms})\n", function.name()),
        (Rule::Reduce(function), Some(kept)) => {
            let kept = &streams[kept];
            format!("{kept} = {terms}\n{value} = {}({kept})\n", function.name())
        }
    }
}

/// Describes how gated tensors are split into gate and value; empty if no tensor is gated.
fn split(package: &Package<'_>) -> String {
    let (def, words) = (&package.def, package.words());
    let Some(split) = &def.split else { return String::new() };
    let dim = &def.attrs[split.dim].name;
    let [one, other] = match split.pattern {
        Pattern::Halves => words.formula.halves,
        Pattern::Interleaved => words.formula.alternating,
        Pattern::InterleavedIf(_) => words.formula.either,
    };
    let mut told = match split.gate {
        Gate::Left => (words.formula.gate)(dim, one, other),
        Gate::Right => (words.formula.gate)(dim, other, one),
        Gate::LeftIf(attr) => (words.formula.gate_if)(dim, &def.attrs[attr].name, one, other),
    };
    if let Pattern::InterleavedIf(attr) = split.pattern {
        told += words.signs.gap;
        told += &(words.formula.alternating_if)(&def.attrs[attr].name);
    }
    told + "\n\n"
}

/// Describes the meaning and the allowed values of an attribute.
pub fn attribute(package: &Package<'_>, attr: usize) -> String {
    let (def, words) = (&package.def, &package.words().attributes);
    let split = def.split.as_ref();
    match &def.attrs[attr].kind {
        AttrKind::Dim if split.is_some_and(|s| s.dim == attr) => words.split,
        AttrKind::Dim => words.dim,
        AttrKind::Bool if split.is_some_and(|s| s.gate == Gate::LeftIf(attr)) => words.gate,
        AttrKind::Bool if split.is_some_and(|s| s.pattern == Pattern::InterleavedIf(attr)) => {
            words.alternating
        }
        AttrKind::Bool | AttrKind::Given(_) => words.bool,
        AttrKind::Int => words.int,
        AttrKind::Float => words.float,
        AttrKind::Enum { wire_str: true, .. } => {
            let allowed = allowed(package, None, attr);
            let names: Vec<String> = allowed.iter().map(|v| format!("\"{}\"", v.1)).collect();
            return (words.values)(&names);
        }
        AttrKind::Enum { wire_str: false, .. } => {
            return numbers(package.words(), &allowed(package, None, attr));
        }
    }
    .into()
}

/// Lists allowed values of an attribute, each as a number and its name.
pub fn numbers(words: &Words, values: &[(i64, String)]) -> String {
    let named = |(value, name): &(i64, String)| (words.signs.named)(&value.to_string(), name);
    (words.attributes.values)(&values.iter().map(named).collect::<Vec<_>>())
}

/// Describes the shape of a tensor argument, relative to the other tensors.
pub fn shape(package: &Package<'_>, interface: &Interface, param: &Param) -> String {
    let (def, words) = (&package.def, &package.words().tensors);
    let kind = kind(package, param).unwrap_or(Kind::Whole);
    let output = matches!(param.of, SignaturePart::Output(_));
    let along = match param.of {
        SignaturePart::Input(i) if sums::has(def) || interface.broadcast => def.along(i),
        _ => None,
    };
    if let Some(dim) = along {
        return (words.shape_along)(&dim.to_string());
    }
    if sums::has(def) {
        return match param.of {
            SignaturePart::Output(k) if def.sum(k).is_some() => {
                (words.shape_sum)(interface.input(def.sum(k).unwrap_or_default()))
            }
            SignaturePart::Input(i) if !def.wide.contains(&i) => words.shape_broadcasts.into(),
            _ => match (kind, &def.split) {
                (Kind::Gated, _) => words.shape_both.into(),
                (_, Some(_)) => words.shape_half.into(),
                (_, None) => words.shape_wide.into(),
            },
        };
    }
    match (interface.broadcast, &def.split, kind) {
        (_, _, Kind::PerRow) => words.shape_per_row,
        (true, ..) if output => words.shape_broadcast,
        (true, ..) => words.shape_broadcasts,
        (_, Some(_), Kind::Gated) => words.shape_both,
        (_, Some(_), Kind::Whole | Kind::Mask) => words.shape_half,
        _ => words.shape_same,
    }
    .into()
}

/// Returns the sentences about outputs that are sums; `None` if there are none.
pub fn about_sums(package: &Package<'_>) -> Option<String> {
    let (def, words) = (&package.def, package.words());
    let outputs = def.sums.iter().map(|sum| format!("`{}`", def.outputs[sum.output].name));
    let outputs: Vec<String> = outputs.collect();
    (!outputs.is_empty()).then(|| (words.limits.sums)(&outputs.join(words.signs.comma)))
}

/// Describes the element type of a tensor argument, relative to the other tensors.
pub fn typing(package: &Package<'_>, interface: &Interface, param: &Param) -> Word {
    let words = &package.words().tensors;
    match (interface.dtypes, param.of) {
        _ if own(package, param).is_some() => words.type_own,
        _ if is_mask(package, param) && package.def.masks() == Stored::Bit => words.bits,
        _ if is_mask(package, param) => words.bytes,
        (DTypes::SAME, _) => words.type_same,
        (DTypes { inputs: Inputs::Same, .. }, SignaturePart::Input(_)) => words.type_same_inputs,
        (_, SignaturePart::Input(_)) => words.type_promoted,
        (DTypes { cast: false, .. }, _) => words.type_of_promotion,
        (DTypes { cast: true, .. }, _) => words.type_cast,
    }
}
