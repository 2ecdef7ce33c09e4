//! `list`: what operators there are and what they take.

use super::Operators;
use super::args::{List, ListFormat};
use super::table::{Table, json};
use op_dsl_ir::op::{Attr, AttrKind, Kind, OpDef, Tensor, Value};

/// The operators as a table or as JSON.
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
        let attrs: Vec<String> = def.attrs.iter().map(attribute).collect();
        let dtypes: Vec<&str> = def.dtypes.iter().map(|d| d.name()).collect();
        table.row([
            op.name(),
            &tensors(&def.inputs),
            &tensors(&def.outputs),
            &attrs.join(", "),
            &dtypes.join(" "),
        ]);
    }
    let legend = "\nx*  is cut in two along `dim`: a gate and a value.   \
                  (y)  is checked but not read.   =  default, {} allowed.\n";
    table.to_text() + legend
}

fn tensors(tensors: &[Tensor]) -> String {
    let show = |t: &Tensor| {
        let star = if t.kind == Kind::Gated { "*" } else { "" };
        match t.used {
            true => format!("{}{star}", t.name),
            false => format!("({}{star})", t.name),
        }
    };
    tensors.iter().map(show).collect::<Vec<_>>().join(", ")
}

/// `approximate=tanh {none, tanh}`
pub fn attribute(attr: &Attr) -> String {
    let default = value(attr, attr.default);
    match &attr.kind {
        AttrKind::Enum { variants, .. } => {
            let names: Vec<&str> = variants.iter().map(|v| &*v.name).collect();
            format!("{}={default} {{{}}}", attr.name, names.join(", "))
        }
        AttrKind::Dim | AttrKind::Bool | AttrKind::Int | AttrKind::Float => {
            format!("{}={default}", attr.name)
        }
    }
}

/// The value as it is typed on the command line.
pub fn value(attr: &Attr, value: Value) -> String {
    match (&attr.kind, value) {
        (AttrKind::Enum { variants, .. }, Value::Int(v)) => {
            let named = variants.iter().find(|known| known.value == v);
            named.map_or_else(|| v.to_string(), |known| known.name.to_string())
        }
        (_, Value::Int(v)) => v.to_string(),
        (_, Value::Bool(v)) => v.to_string(),
        (_, Value::Float(v)) => v.to_string(),
    }
}

fn as_json(operators: Operators) -> String {
    let all: Vec<String> = operators.iter().map(|op| operator(op.def())).collect();
    format!("[\n{}\n]\n", all.join(",\n"))
}

fn array(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

fn operator(def: &OpDef) -> String {
    let tensor = |t: &Tensor| {
        let (name, gated) = (json(&t.name), t.kind == Kind::Gated);
        format!("{{\"name\": {name}, \"gated\": {gated}, \"used\": {}}}", t.used)
    };
    let fields = [
        ("name", json(&def.name)),
        ("doc", json(def.doc.trim())),
        ("source", json(&def.source)),
        ("grad_of", def.grad_of.as_deref().map_or_else(|| "null".into(), json)),
        ("inputs", array(def.inputs.iter().map(tensor))),
        ("outputs", array(def.outputs.iter().map(tensor))),
        ("attributes", array(def.attrs.iter().map(attribute_json))),
        ("dtypes", array(def.dtypes.iter().map(|d| json(d.name())))),
        ("broadcast", def.broadcast.to_string()),
        ("promote", def.promote.to_string()),
        ("empty", def.empty.to_string()),
    ];
    let fields = fields.map(|(name, value)| format!("{}: {value}", json(name)));
    format!("  {{{}}}", fields.join(", "))
}

fn attribute_json(attr: &Attr) -> String {
    let (kind, allowed) = match &attr.kind {
        AttrKind::Dim => ("dim", None),
        AttrKind::Bool => ("bool", None),
        AttrKind::Int => ("int", None),
        AttrKind::Float => ("float", None),
        AttrKind::Enum { variants, .. } => {
            ("enum", Some(array(variants.iter().map(|v| json(&v.name)))))
        }
    };
    let default = match (&attr.kind, attr.default) {
        (AttrKind::Enum { .. }, v) => json(&value(attr, v)),
        // JSON has no infinities.
        (_, Value::Float(v)) if !v.is_finite() => json(&v.to_string()),
        (_, v) => value(attr, v),
    };
    let allowed = allowed.map(|a| format!(", \"allowed\": {a}")).unwrap_or_default();
    let name = json(&attr.name);
    format!("{{\"name\": {name}, \"kind\": \"{kind}\", \"default\": {default}{allowed}}}")
}
