//! Graphs as readable maths.

use crate::graph::{Graph, Id, Node};
use crate::prim::{Prim, Style};
use std::fmt::Write;

/// Binding strength around a function's argument or a whole line, where nothing needs brackets.
const LOOSEST: u8 = 0;

/// Formats a graph: one line per value that is used more than once, then one line per output.
///
/// ```text
/// t0 = sigmoid(x)
/// y = x * t0
/// ```
pub fn listing(graph: &Graph, inputs: &[String], scalars: &[String], outputs: &[String]) -> String {
    let uses = graph.uses();
    let mut text = String::new();
    let mut names: Vec<Option<String>> = vec![None; graph.nodes.len()];
    let mut next = 0;
    for (i, node) in graph.nodes.iter().enumerate() {
        let shared = uses[i] > 1 && matches!(node, Node::Call(..));
        if shared {
            let line = term(graph, Id(i as u32), LOOSEST, inputs, scalars, &names);
            let name = format!("t{next}");
            next += 1;
            let _ = writeln!(text, "{name} = {line}");
            names[i] = Some(name);
        }
    }
    for (out, name) in graph.outputs.iter().zip(outputs) {
        let line = term(graph, *out, LOOSEST, inputs, scalars, &names);
        let _ = writeln!(text, "{name} = {line}");
    }
    text
}

/// Formats the first output of a graph as one expression.
pub fn expression(graph: &Graph, inputs: &[String], scalars: &[String]) -> String {
    let names = vec![None; graph.nodes.len()];
    term(graph, graph.outputs[0], LOOSEST, inputs, scalars, &names)
}

fn term(
    graph: &Graph,
    id: Id,
    outer: u8,
    inputs: &[String],
    scalars: &[String],
    names: &[Option<String>],
) -> String {
    if let Some(name) = &names[id.index()] {
        return name.clone();
    }
    let show = |id: Id, outer: u8| term(graph, id, outer, inputs, scalars, names);
    let (text, strength) = match graph.nodes[id.index()] {
        // Streams after the operator's own hold values of stages, `r` and the stream's number.
        Node::Stream(i) => {
            let name = inputs.get(usize::from(i)).cloned();
            (name.unwrap_or_else(|| format!("r{i}")), u8::MAX)
        }
        Node::Scalar(i) => (scalars[i as usize].clone(), u8::MAX),
        Node::Const(c) => (number(c), if c < 0.0 { 6 } else { u8::MAX }),
        Node::Call(prim, args) => call(prim, &args, show),
    };
    if strength < outer { format!("({text})") } else { text }
}

fn call(prim: Prim, args: &[Id; 3], show: impl Fn(Id, u8) -> String) -> (String, u8) {
    let row = prim.row();
    match row.style {
        Style::Prefix(sign, s) => (format!("{sign}{}", show(args[0], s)), s),
        Style::Infix(sign, s) => {
            // The right operand keeps its brackets, because floating-point operations cannot be regrouped.
            (format!("{} {sign} {}", show(args[0], s), show(args[1], s + 1)), s)
        }
        Style::Choice => {
            let [c, yes, no] = args.map(|a| show(a, LOOSEST));
            (format!("if {c} {{ {yes} }} else {{ {no} }}"), 1)
        }
        Style::Function => {
            let args: Vec<_> = args[..row.arity].iter().map(|a| show(*a, LOOSEST)).collect();
            (format!("{}({})", row.name, args.join(", ")), u8::MAX)
        }
    }
}

/// Formats a number: a known constant by its name, others by their shortest digits.
///
/// For example, `1.4142135623730951` becomes `sqrt(2)`. Numbers that would be mostly zeros get a power of ten.
fn number(c: f64) -> String {
    use std::f64::consts::*;
    let known = [
        (FRAC_1_SQRT_2, "1/sqrt(2)"),
        (SQRT_2, "sqrt(2)"),
        (FRAC_2_SQRT_PI, "2/sqrt(pi)"),
        (PI, "pi"),
        ((2.0 / PI).sqrt(), "sqrt(2/pi)"),
        (0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2, "1/sqrt(2 pi)"),
    ];
    match known.iter().find(|(v, _)| (v - c.abs()).abs() <= 1e-15 * v) {
        Some((_, name)) if name.contains('/') => format!("({}{name})", sign(c)),
        Some((_, name)) => format!("{}{name}", sign(c)),
        None if c != 0.0 && !(1e-9..1e16).contains(&c.abs()) => format!("{c:e}"),
        None => format!("{c}"),
    }
}

fn sign(c: f64) -> &'static str {
    if c < 0.0 { "-" } else { "" }
}
