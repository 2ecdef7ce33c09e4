//! The operators as rows of a Python table, each with the operator that is its derivative.
//!
//! The extension's differentiation rule uses this table.

use super::attribute::declared;
use crate::emit::api::cpp::literal;
use crate::emit::package::Package;
use crate::emit::text::Text;
use op_dsl_ir::derivative::Derivative;
use op_dsl_ir::op::{OpDef, Tensor};

/// Returns the Python module that lists the operators, with their signatures and derivatives.
///
/// `space` is the namespace in which PyTorch registers the operators.
pub fn module(packages: &[Package<'_>], space: &str) -> String {
    let mut rows = Text::new();
    rows.indented(|t| packages.iter().for_each(|package| operator(t, package, packages)));
    let text = include_str!("_derivatives.py").replace("@namespace@", space);
    text.replace("@operators@\n", &rows.finish())
}

fn operator(t: &mut Text, package: &Package<'_>, packages: &[Package<'_>]) {
    let def = package.written;
    let named = |t: &Tensor| format!("{}, {}", literal(&t.name), literal(t.kind.name()));
    let input = |(i, t): (usize, &Tensor)| match def.along(i) {
        Some(dim) => format!("Tensor({}, {dim})", named(t)),
        None => format!("Tensor({})", named(t)),
    };
    let output = |t: &Tensor| format!("Tensor({})", named(t));
    let attributes = def.passed().iter().map(|a| {
        let default = declared(a).1;
        format!("Attribute({}, {default})", literal(&a.name))
    });
    let dim = def.split.as_ref().map_or("None".into(), |split| split.dim.to_string());
    let broadcast = if def.broadcast { "True" } else { "False" };
    t.line("Operator(").indented(|t| {
        t.line(format!("name={},", literal(&def.name)));
        t.line(format!("snake={},", literal(&package.def.snake())));
        t.line(format!("inputs={},", list(def.inputs.iter().enumerate().map(input))));
        t.line(format!("outputs={},", list(def.outputs.iter().map(output))));
        t.line(format!("attributes={},", list(attributes)));
        t.line(format!("dim={dim},"));
        t.line(format!("broadcast={broadcast},"));
        derivative(t, def, packages);
    });
    t.line("),");
}

fn derivative(t: &mut Text, def: &OpDef, packages: &[Package<'_>]) {
    let Some(found) = Derivative::of(def, packages.iter().map(|p| p.written)) else {
        t.line("derivative=None,");
        return;
    };
    let gradient = &packages[found.gradient].written.name;
    let holds = found.holds.iter().map(|origin| {
        let (kind, index) = origin.named();
        format!("({}, {index})", literal(kind))
    });
    let passed = found.passed.iter().map(|own| own.map_or("None".into(), |i| i.to_string()));
    t.line("derivative=Derivative(").indented(|t| {
        t.line(format!("gradient={},", literal(gradient)));
        t.line(format!("holds={},", list(holds)));
        t.line(format!("wrt={},", list(found.wrt.iter().map(usize::to_string))));
        t.line(format!("unknown={},", list(found.unknown.iter().map(usize::to_string))));
        t.line(format!("passed={},", list(passed)));
        t.line(format!("fixed={},", list(found.fixed.iter().map(|(i, _)| i.to_string()))));
    });
    t.line("),");
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}
