//! `list`: shows the operators and what they take.

use super::args::{List, ListFormat};
use super::lookup::Operators;
use super::table::Table;
use op_dsl_ir::op::{Attr, AttrKind, Kind, OpDef, Tensor, Value};
use serde_json::{Value as Json, json};

/// Returns the operators with tensors, attributes and element types, as a table or as JSON.
pub fn list(operators: Operators, args: &List) -> String {
    match args.format {
        ListFormat::Table => table(operators),
        ListFormat::Json => as_json(operators),
    }
}

fn table(operators: Operators) -> String {
    let mut table = Table::new(&["operator", "inputs", "outputs", "attributes", "dtypes"]);
    for op in operators {
        let def = op.def();
        let attrs: Vec<String> = def.passed().iter().map(attribute).collect();
        let dtypes: Vec<&str> = def.dtypes.iter().map(|d| d.name()).collect();
        table.row([
            op.name(),
            &tensors(&def.inputs, |i| def.presence(i).is_some()),
            &tensors(&def.outputs, |_| false),
            &attrs.join(", "),
            &dtypes.join(" "),
        ]);
    }
    let legend = "\nx*  is cut in two along `dim`: a gate and a value.   \
                  m?  is a mask.   r_  has one number per row.   n#  counts rows.   [t]  may be left out.   (y)  is checked but not read.   =  default, {} allowed.\n";
    table.to_text() + legend
}

fn tensors(tensors: &[Tensor], optional: impl Fn(usize) -> bool) -> String {
    let show = |(i, t): (usize, &Tensor)| {
        let mark = match t.kind {
            Kind::Whole => "",
            Kind::Gated => "*",
            Kind::Mask => "?",
            Kind::PerRow => "_",
            Kind::Rows => "#",
        };
        let name = format!("{}{mark}", t.name);
        match (t.used, optional(i)) {
            (false, _) => format!("({name})"),
            (true, true) => format!("[{name}]"),
            (true, false) => name,
        }
    };
    tensors.iter().enumerate().map(show).collect::<Vec<_>>().join(", ")
}

/// Formats an attribute with its default and its variants, for example `approximate=tanh {none, tanh}`.
pub fn attribute(attr: &Attr) -> String {
    let default = attr.kind.text(attr.default);
    match &attr.kind {
        AttrKind::Enum { variants, .. } => {
            let names: Vec<&str> = variants.iter().map(|v| &*v.name).collect();
            format!("{}={default} {{{}}}", attr.name, names.join(", "))
        }
        AttrKind::Dim | AttrKind::Bool | AttrKind::Int | AttrKind::Float | AttrKind::Given(_) => {
            format!("{}={default}", attr.name)
        }
    }
}

fn as_json(operators: Operators) -> String {
    let all: Vec<Json> = operators.iter().map(|op| operator(op.def())).collect();
    format!("{:#}\n", Json::from(all))
}

fn operator(def: &OpDef) -> Json {
    let tensors = |tensors: &[Tensor], optional: &dyn Fn(usize) -> bool| -> Json {
        let one = |(i, t): (usize, &Tensor)| {
            let [gated, mask, rows] = [Kind::Gated, Kind::Mask, Kind::Rows].map(|k| t.kind == k);
            let optional = optional(i);
            json!({
                "name": t.name, "gated": gated, "mask": mask, "rows": rows, "optional": optional, "used": t.used
            })
        };
        tensors.iter().enumerate().map(one).collect()
    };
    json!({
        "name": def.name,
        "doc": def.doc.trim(),
        "source": def.source,
        "grad_of": def.forward(),
        "inputs": tensors(&def.inputs, &|i| def.presence(i).is_some()),
        "outputs": tensors(&def.outputs, &|_| false),
        "attributes": def.passed().iter().map(attribute_json).collect::<Json>(),
        "dtypes": def.dtypes.iter().map(|d| d.name()).collect::<Json>(),
        "broadcast": def.broadcast,
        "promote": def.promote,
        "empty": def.empty,
    })
}

fn attribute_json(attr: &Attr) -> Json {
    let kind = match &attr.kind {
        AttrKind::Dim => "dim",
        AttrKind::Bool | AttrKind::Given(_) => "bool",
        AttrKind::Int => "int",
        AttrKind::Float => "float",
        AttrKind::Enum { .. } => "enum",
    };
    let default = match (&attr.kind, attr.default) {
        (AttrKind::Enum { .. }, _) => json!(attr.kind.text(attr.default)),
        (_, Value::Int(v)) => json!(v),
        (_, Value::Bool(v)) => json!(v),
        (_, Value::Float(v)) => number(v),
    };
    let mut described = json!({ "name": attr.name, "kind": kind, "default": default });
    if let AttrKind::Enum { variants, .. } = &attr.kind {
        described["allowed"] = variants.iter().map(|v| &*v.name).collect();
    }
    described
}

/// Converts a number to JSON; NaN and infinities become strings because JSON has no such numbers.
pub fn number(v: f64) -> Json {
    if v.is_finite() { json!(v) } else { json!(v.to_string()) }
}
