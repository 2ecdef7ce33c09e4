//! Tensors, element types and products as pages name them.

use crate::emit::host::mask_types;
use crate::emit::package::Package;
use op_dsl_ir::interface::{Interface, Param};
use op_dsl_ir::op::{Attr, AttrKind, Gate, Kind, Pattern, Value};
use op_dsl_ir::published::{DTypes, Inputs, Of};
use op_dsl_ir::show;
use op_dsl_ir::{DType, Stored};

/// As acl names an element type.
pub fn dtype(dtype: DType) -> &'static str {
    dtype.row().long
}

/// Those that the package has.
pub fn dtypes(package: &Package<'_>) -> String {
    package.dtypes().into_iter().map(dtype).collect::<Vec<_>>().join(", ")
}

/// Those that an input has: a mask has its own.
pub fn input_dtypes(package: &Package<'_>, input: usize) -> String {
    match package.def.inputs[input].kind {
        Kind::Mask => mask_types(&package.def).join(", ").replace("DT_", ""),
        _ => dtypes(package),
    }
}

/// The family of a product, as its vendor names it.
pub fn product(soc: &str) -> &'static str {
    match soc {
        "ascend910b" => "Atlas A2 training and inference products",
        "ascend910_93" => "Atlas A3 training and inference products",
        "ascend310p" => "Atlas inference products",
        "ascend950" => "Ascend 950PR, Ascend 950DT",
        "ascend910" => "Atlas training products",
        _ => "",
    }
}

/// The table of products, all of them, with a mark for those of the package.
pub fn products(package: &Package<'_>) -> String {
    let row = |soc: &crate::arch::Soc| {
        let has = package.socs.iter().any(|s| s.name == soc.name);
        format!("| {} | `{}` | {} |\n", product(soc.name), soc.name, if has { "yes" } else { "no" })
    };
    let rows: String = crate::arch::SOCS.iter().map(row).collect();
    format!("| Product | Compute unit | In this package |\n|---|---|:-:|\n{rows}")
}

/// What the document leaves out on the package's products, as a list; nothing if nothing is.
pub fn left_out(package: &Package<'_>) -> String {
    package.left_out.iter().map(|r| format!("- {r}.\n")).collect()
}

/// The formula as its author wrote it, and where.
pub fn as_written(package: &Package<'_>) -> String {
    let (formula, source) = (package.def.formula.trim(), &package.def.source);
    format!("As written in `{source}`:\n\n```rust\n{formula}\n```\n")
}

/// The formulas, one listing per specialisation, in the operator's own names.
pub fn formulas(package: &Package<'_>) -> String {
    let def = &package.def;
    let (inputs, scalars, outputs) = (def.input_names(), def.scalar_names(), def.output_names());
    let mut text = String::new();
    for spec in package.specs() {
        let spec = &def.specs[spec];
        let when: Vec<String> = spec
            .when
            .iter()
            .map(|(a, v)| match (&def.attrs[*a], *v) {
                (Attr { kind: AttrKind::Given(_), name, .. }, 0) => format!("{name} left out"),
                (Attr { kind: AttrKind::Given(_), name, .. }, _) => format!("{name} given"),
                (attr, v) => format!("{} = {}", attr.name, value(package, *a, v)),
            })
            .collect();
        if !when.is_empty() {
            text += &format!("With {}:\n\n", when.join(", "));
        }
        let listing = show::listing(&spec.graph, &inputs, &scalars, &outputs);
        text += &format!("```text\n{listing}```\n\n");
    }
    text + &split(package)
}

/// How tensors with two parts are cut; nothing where none is.
fn split(package: &Package<'_>) -> String {
    let def = &package.def;
    let Some(split) = &def.split else { return String::new() };
    let (one, other) = match split.pattern {
        Pattern::Halves => ("first half", "second half"),
        Pattern::Interleaved => ("even elements", "odd elements"),
        Pattern::InterleavedIf(_) => ("first part", "second part"),
    };
    let parts = match split.pattern {
        Pattern::InterleavedIf(attr) => {
            let name = &def.attrs[attr].name;
            format!(" Parts are even and odd elements if `{name}` is true, else halves.")
        }
        _ => String::new(),
    };
    let gate = match split.gate {
        Gate::Left => format!("the gate is the {one}, the value the {other}"),
        Gate::Right => format!("the gate is the {other}, the value the {one}"),
        Gate::LeftIf(attr) => {
            let name = &def.attrs[attr].name;
            format!(
                "the gate is the {one} if `{name}` is true, else the {other}; the value is the rest"
            )
        }
    };
    let dim = &def.attrs[split.dim].name;
    format!("Along dimension `{dim}`, {gate}.{parts}\n\n")
}

/// A value of an attribute, by name where it has one.
fn value(package: &Package<'_>, attr: usize, value: i64) -> String {
    match &package.def.attrs[attr].kind {
        AttrKind::Enum { variants, .. } => variants
            .iter()
            .find(|v| v.value == value)
            .map_or_else(|| value.to_string(), |v| v.name.to_string()),
        AttrKind::Bool => (value != 0).to_string(),
        _ => value.to_string(),
    }
}

/// The default of an attribute.
pub fn default(package: &Package<'_>, attr: usize) -> String {
    match package.def.attrs[attr].default {
        Value::Int(v) => value(package, attr, v),
        Value::Bool(b) => b.to_string(),
        Value::Float(x) => x.to_string(),
    }
}

/// What an attribute means.
pub fn attribute(package: &Package<'_>, attr: usize) -> String {
    let def = &package.def;
    let split = def.split.as_ref();
    match &def.attrs[attr].kind {
        AttrKind::Dim if split.is_some_and(|s| s.dim == attr) => {
            "The dimension that is cut in two, in [-rank, rank - 1].".into()
        }
        AttrKind::Dim => "A dimension, in [-rank, rank - 1].".into(),
        AttrKind::Bool if split.is_some_and(|s| s.gate == Gate::LeftIf(attr)) => {
            "Whether the first part is the gate.".into()
        }
        AttrKind::Bool if split.is_some_and(|s| s.pattern == Pattern::InterleavedIf(attr)) => {
            "Whether parts are even and odd elements, else halves.".into()
        }
        AttrKind::Bool | AttrKind::Given(_) => "true or false.".into(),
        AttrKind::Int => "An integer.".into(),
        AttrKind::Float => "A number, the same for every element.".into(),
        AttrKind::Enum { wire_str, .. } => {
            let allowed = crate::emit::api::allowed(package, None, attr);
            let one = |(value, name): &(i64, String)| match wire_str {
                true => format!("\"{name}\""),
                false => format!("{value} ({name})"),
            };
            let words: Vec<String> = allowed.iter().map(one).collect();
            format!("{}.", words.join(" or "))
        }
    }
}

/// The shape of a tensor argument, relative to the others.
pub fn shape(package: &Package<'_>, interface: &Interface, param: &Param) -> String {
    let def = &package.def;
    let kind = match param.of {
        Of::Input(i) => def.inputs[i].kind,
        Of::Output(i) => def.outputs[i].kind,
        _ => Kind::Whole,
    };
    let output = matches!(param.of, Of::Output(_));
    match (interface.broadcast, &def.split, kind) {
        (true, ..) if output => "The shape to which the inputs broadcast.".into(),
        (true, ..) => "Broadcasts with the other inputs.".into(),
        (_, Some(_), Kind::Gated) => "Both parts: even along the split dimension.".into(),
        (_, Some(_), Kind::Whole) => {
            "Half of a tensor with both parts along the split dimension.".into()
        }
        _ => "The same for all tensors.".into(),
    }
}

/// The element type of a tensor argument, relative to the others.
pub fn typing(package: &Package<'_>, interface: &Interface, param: &Param) -> &'static str {
    match (interface.dtypes, param.of) {
        (_, Of::Input(i)) if package.def.inputs[i].kind == Kind::Mask => {
            match package.def.masks() {
                Stored::Bit => "Truth values, eight to a byte, the first in the lowest bit.",
                _ => "Truth values: what is not 0 is true.",
            }
        }
        (DTypes::SAME, _) => "The same element type for all tensors.",
        (DTypes { inputs: Inputs::Same, .. }, Of::Input(_)) => {
            "The same element type for all inputs."
        }
        (_, Of::Input(_)) => "Promoted with the other inputs.",
        (DTypes { cast: false, .. }, _) => "The element type that the inputs promote to.",
        (DTypes { cast: true, .. }, _) => "The result is cast to its element type.",
    }
}
