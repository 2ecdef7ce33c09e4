//! The rustdoc text of an operator.

use op_dsl_ir::DType;
use op_dsl_ir::op::{Attr, AttrKind, Kind, OpDef, Pattern, Tensor};
use std::fmt::Write;

/// Returns the rustdoc text of an operator: the author's doc comment, the formula, the tensors.
pub fn operator(def: &OpDef, derived: bool) -> String {
    let mut text = String::new();
    if !def.doc.is_empty() {
        let _ = writeln!(text, "{}\n", def.doc);
    }
    let of = if derived { "Derived from the formula" } else { "Formula" };
    let _ = writeln!(text, "{of}, per element:\n```text\n{}\n```\n", def.formula);
    let _ = writeln!(text, "{} -> {}", names(&def.inputs), names(&def.outputs));
    text
}

fn names(tensors: &[Tensor]) -> String {
    tensors.iter().map(|t| format!("`{}`", t.name)).collect::<Vec<_>>().join(", ")
}

/// Returns the rustdoc text of one attribute: its type or values, and its default.
pub fn attribute(attr: &Attr) -> String {
    let what = match &attr.kind {
        AttrKind::Dim => "The dimension of the split, in `[-rank, rank - 1]`".to_owned(),
        AttrKind::Bool | AttrKind::Given(_) => "A switch".to_owned(),
        AttrKind::Int => "An integer".to_owned(),
        AttrKind::Float => "A number".to_owned(),
        AttrKind::Enum { variants, .. } => {
            let names: Vec<String> =
                variants.iter().map(|v| format!("`{}` ({})", v.name, v.value)).collect();
            format!("One of {}", names.join(", "))
        }
    };
    format!("{what}; `{}` by default.", attr.kind.text(attr.default))
}

/// Returns the documentation of an operator's call in place.
pub fn call_in_place(def: &OpDef) -> String {
    let list: Vec<String> =
        def.updates.iter().map(|i| format!("`{}`", def.inputs[*i].name)).collect();
    format!(
        "Replaces {} by their new values, element by element.\n\nAs `run`, with each output written over the input that it is the \
         new value of.\n\n# Errors\nAs `run`; tensors that overlap.",
        list.join(", ")
    )
}

/// Returns the rustdoc text of an operator's `run`: shapes, element types, errors.
pub fn call(def: &OpDef) -> String {
    let mut text = String::from("Computes the outputs from the inputs.\n\n");
    let shape = if def.broadcast {
        "Shapes are broadcast against each other by NumPy's rule."
    } else {
        "All tensors have one shape."
    };
    let gated = |t: &&Tensor| t.kind == Kind::Gated;
    let tensors: Vec<Tensor> =
        def.inputs.iter().chain(def.outputs.iter()).filter(gated).cloned().collect();
    let _ = write!(text, "{shape}");
    for along in def.along.iter() {
        let name = &def.inputs[along.input].name;
        let _ =
            write!(text, " `{name}` lies along dimension {} if it has one dimension.", along.dim);
    }
    if let (Some(split), false) = (&def.split, tensors.is_empty()) {
        let dim = def.attrs.get(split.dim).map_or("dim", |a| &*a.name);
        let how = match split.pattern {
            Pattern::Halves => "its halves".into(),
            Pattern::Interleaved => "its even and odd elements".into(),
            Pattern::InterleavedIf(attr) => {
                let attr = def.attrs.get(attr).map_or("interleaved", |a| &*a.name);
                format!("its even and odd elements if `{attr}`, else its halves,")
            }
        };
        let _ = write!(
            text,
            " Along `{dim}`, {} {} twice as long: {how} are gate and value.",
            names(&tensors),
            if tensors.len() == 1 { "is" } else { "are" },
        );
    }
    let dtypes: Vec<&str> = def.dtypes.iter().copied().map(DType::name).collect();
    let same = if def.promote {
        "inputs may differ, and outputs have the promoted one"
    } else {
        "the same for all"
    };
    let _ = writeln!(text, " Ranks up to 8, any strides.\n");
    let _ = writeln!(text, "Element types: {}; {same}.\n", dtypes.join(", "));
    let is_optional = |(i, t): (usize, &Tensor)| def.presence(i).map(|_| t.clone());
    let optional: Vec<Tensor> = def.inputs.iter().enumerate().filter_map(is_optional).collect();
    if !optional.is_empty() {
        let _ = writeln!(text, "May be left out: {}.\n", names(&optional));
    }
    let masks: Vec<Tensor> = def.inputs.iter().filter(|t| t.kind == Kind::Mask).cloned().collect();
    if !masks.is_empty() {
        let _ = writeln!(
            text,
            "Truth values, as `bool`, as bytes of which 0 alone is false, or packed into bits \
             (`View::bits`): {}.\n",
            names(&masks)
        );
    }
    let per_row: Vec<Tensor> = def.per_row().cloned().collect();
    if !per_row.is_empty() {
        let _ = writeln!(text, "Of size 1 along the last dimension: {}.\n", names(&per_row));
    }
    if let Some(rows) = def.rows() {
        let _ = writeln!(
            text,
            "The sum of `{}`, a tensor of `i64` with one dimension, is how many rows are computed, of those that the \
             dimensions before the split make, or all of them if it is more; the others are zeros.\n",
            def.inputs[rows].name
        );
    }
    let empty = if def.empty { "" } else { ", an empty tensor" };
    let _ = writeln!(
        text,
        "# Errors\nShapes, element types or attributes that do not fit{empty}, or an output that \
         partly overlaps another tensor. Nothing has been written then."
    );
    text
}
