//! `explain`: shows the way from an author's formula to instructions.

use super::advice::{advice, in_words};
use super::args::Explain;
use super::constants;
use super::error::Error;
use super::list::attribute;
use super::lookup::{self, Operators};
use super::speed;
use super::table::{Table, indent};
use super::target::{Kernel, Target};
use super::verify::formula::mode;
use op_dsl_ir::lost_digits;
use op_dsl_ir::op::{AttrKind, Kind, OpDef, Rule, Spec, Stage, Tensor};
use op_dsl_ir::rounding::worst_in_f32;
use op_dsl_ir::univariate::{Function, Split};
use op_dsl_ir::{Builder, DType, Graph, Node, Prim, display};

/// Returns the text of `explain`: an operator's formula, graphs, primitives, NPU plan and advice.
pub fn explain(operators: Operators, args: &Explain, target: &dyn Target) -> Result<String, Error> {
    let op = lookup::operator(operators, &args.op)?;
    let specs = lookup::specialisations(op, &args.attrs)?;
    let def = op.def();
    if !def.dtypes.contains(&args.dtype) {
        let allowed: Vec<&str> = def.dtypes.iter().map(|d| d.name()).collect();
        let (asked, allowed) = (args.dtype, allowed.join(", "));
        return Err(Error::Usage(format!(
            "--dtype {asked}: {} does not take it; allowed: {allowed}",
            op.name()
        )));
    }
    let mut text = heading(def);
    let mut refusals = Vec::new();
    let asked = specs.len();
    let machine = args.soc.unwrap_or(target.machines()[0]);
    for spec in specs {
        text += &specialisation(def, spec, &mode(op, spec), args.dtype);
        let index = def.specs.iter().position(|s| s.when == spec.when).unwrap_or(0);
        let kernel = Kernel { def, spec: index, dtype: args.dtype, machine };
        let planned = target.explain(kernel, &args.flags, args.soc.is_none());
        let (plan, more) = planned.unwrap_or_else(|refusal| {
            refusals.extend(args.soc.map(|_| refusal.clone()));
            (format!("Not planned\n  {refusal}\n"), Vec::new())
        });
        let advice = indent(&advice(def, spec, more).join("\n"), 2);
        text += &format!("\n{plan}\nWhat would make it cheaper or more accurate\n{advice}");
    }
    match refusals.pop() {
        Some(refusal) if refusals.len() + 1 == asked => Err(Error::Usage(refusal)),
        _ => Ok(text),
    }
}

fn heading(def: &OpDef) -> String {
    let mut text = match def.forward() {
        Some(forward) => format!("{}: the gradient of {forward}\n", def.name),
        None => format!("{}\n", def.name),
    };
    let doc = def.doc.trim();
    if !doc.is_empty() {
        text += &indent(&doc.lines().map(str::trim).collect::<Vec<_>>().join("\n"), 2);
    }
    let mut inputs = tensors(&def.inputs);
    for i in (0..inputs.len()).filter(|i| def.presence(*i).is_some()) {
        inputs[i] = format!("{} (optional)", inputs[i]);
    }
    let (inputs, outputs) = (inputs.join(", "), tensors(&def.outputs).join(", "));
    text += &format!("\n  {inputs} -> {outputs}\n");
    if !def.passed().is_empty() {
        let attrs: Vec<String> = def.passed().iter().map(attribute).collect();
        text += &format!("  {}\n", attrs.join(", "));
    }
    text += &format!("  from {}\n\nAs written\n{}", def.source, indent(&dedented(&def.formula), 2));
    text
}

fn tensors(tensors: &[Tensor]) -> Vec<String> {
    let show = |t: &Tensor| match t.kind {
        Kind::Whole => t.name.to_string(),
        Kind::Mask => format!("{} (a mask)", t.name),
        Kind::PerRow => format!("{} (one number per row)", t.name),
        Kind::Rows => format!("{} (counts of rows)", t.name),
        Kind::Gated => format!("{0} (= {0}.gate, {0}.value)", t.name),
    };
    tensors.iter().map(show).collect()
}

/// Removes the indentation that all lines of a text except the first have in common.
fn dedented(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let depth = |l: &&str| l.len() - l.trim_start().len();
    let shared = lines.iter().skip(1).filter(|l| !l.trim().is_empty()).map(depth).min();
    let cut = |(i, l): (usize, &&str)| match i {
        0 => l.trim_start().to_string(),
        _ => l.get(shared.unwrap_or(0)..).unwrap_or_default().to_string(),
    };
    lines.iter().enumerate().map(cut).collect::<Vec<_>>().join("\n")
}

fn specialisation(def: &OpDef, spec: &Spec, mode: &str, dtype: DType) -> String {
    let (inputs, outputs, scalars) = (def.input_names(), def.output_names(), def.scalar_names());
    let listing = |g: &Graph| indent(&display::listing(g, &inputs, &scalars, &outputs), 2);
    let stages = stages(spec, &inputs, &scalars);
    let traced = if spec.derived.is_some() { "Differentiated" } else { "Traced" };
    let title = match spec.when.is_empty() {
        true => String::new(),
        false => format!("\n=== {} ===\n", condition(def, spec, mode)),
    };
    let simplified = match spec.traced == spec.graph {
        true => indent("the same", 2),
        false => listing(&spec.graph),
    };
    let split = spec.split(inputs.len() + spec.further(inputs.len()));
    let wide = spec.wide.as_ref().map_or_else(String::new, |wide| {
        let tables = split.as_ref().map(|split| tables(split, &inputs, &scalars, &outputs));
        let tables = tables.unwrap_or_default();
        if !wide.single {
            return tables;
        }
        let error = worst_in_f32(&spec.graph, &def.stream_ranges()).ulps;
        let types = if wide.halves { "all types" } else { "f32" };
        let off = in_words(error);
        let graph = listing(&wide.graph);
        format!("\nOn CPUs in f64, for {types}: in f32 results would be {off}\n{graph}{tables}")
    });
    let place = if split.is_some() { ", where no table is looked up" } else { "" };
    let lost = lost_digits::note(def, spec).into_iter();
    let accuracy = speed::accuracy(def, spec);
    let notes = constants::notes(&spec.traced).into_iter().chain(lost);
    let notes: String = notes.map(|note| format!("  note: {note}\n")).collect();
    format!(
        "{title}{stages}\n{traced}\n{}{notes}\nStabilised and simplified\n{simplified}{wide}\nAccuracy in f32\n  {accuracy}\n\nPrimitives in {dtype}{place}\n{}",
        listing(&spec.traced),
        indent(&primitives(&spec.graph, dtype), 2),
    )
}

/// Shows the values that are computed once per row, with the names that graphs have for them; empty if there are none.
fn stages(spec: &Spec, inputs: &[String], scalars: &[String]) -> String {
    let line = |stage: &Stage| {
        let graph = display::expression(&stage.spec.traced, inputs, scalars);
        let kept = stage.terms.map_or_else(String::new, |terms| format!(", r{terms} = its terms"));
        match stage.rule {
            Rule::Reduce(f) => format!("  r{} = {}({graph}){kept}\n", stage.value, f.name()),
            Rule::Uniform => format!("  r{} = {graph}\n", stage.value),
        }
    };
    let lines: String = spec.stages.iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("\nFor each row\n{lines}") }
}

/// Shows the univariate functions that CPUs look up, and the expression that combines their values.
fn tables(split: &Split, inputs: &[String], scalars: &[String], outputs: &[String]) -> String {
    let Split { rest, functions, .. } = split;
    let values = |k: usize| format!("f{k}");
    let mut text = "\nWhere CPUs look up tables, each function has one\n".to_owned();
    for (k, Function { variable, graph, .. }) in functions.iter().enumerate() {
        let mut b = Builder::new();
        let (y, times) = (b.part(&variable.of), variable.times.product(&mut b));
        let t = times.map_or(y, |times| b.product(times, y));
        let is_stream = times.is_none() && variable.of.nodes.len() == 1;
        let stream = variable.streams().next().filter(|_| is_stream);
        let x = stream.map_or_else(|| format!("x{k}"), |stream| inputs[stream].clone());
        if !is_stream {
            let of = b.finish(&[t]);
            text += &indent(&display::listing(&of, inputs, scalars, std::slice::from_ref(&x)), 2);
        }
        text += &indent(&display::listing(graph, &[x], &[], &[values(k)]), 2);
    }
    let all: Vec<String> = inputs.iter().cloned().chain((0..functions.len()).map(values)).collect();
    text + &indent(&display::listing(rest, &all, scalars, outputs), 2)
}

/// Returns the condition of a specialisation, for example `approximate = tanh`.
fn condition(def: &OpDef, spec: &Spec, mode: &str) -> String {
    match &spec.when[..] {
        [(index, _)] if !matches!(def.attrs[*index].kind, AttrKind::Bool | AttrKind::Given(_)) => {
            format!("{} = {mode}", def.attrs[*index].name)
        }
        _ => mode.to_string(),
    }
}

fn primitives(graph: &Graph, dtype: DType) -> String {
    let mut counts: Vec<(Prim, usize)> = Vec::new();
    for node in graph.nodes.iter() {
        if let Node::Call(prim, _) = node {
            match counts.iter_mut().find(|(p, _)| p == prim) {
                Some((_, n)) => *n += 1,
                None => counts.push((*prim, 1)),
            }
        }
    }
    let mut table = Table::new(&["primitive", "uses", "value", "CPU", "ulp", "ulp, baseline"]);
    for &(prim, uses) in &counts {
        let row = prim.row();
        table.row([
            row.name,
            &uses.to_string(),
            row.formula,
            &cpu(prim, dtype),
            &tenths(row.ulp.0),
            &tenths(row.ulp.1),
        ]);
    }
    table.to_text()
}

/// Formats a number with at most one decimal: for example, 0.52 as `0.5`, and 1.0 as `1`.
fn tenths(ulp: f32) -> String {
    ((ulp * 10.0).round() / 10.0).to_string()
}

/// Says how CPUs compute a primitive: by a function of the module `math`, or by an instruction.
fn cpu(prim: Prim, dtype: DType) -> String {
    let row = prim.row();
    match row.ulp.0 > 0.5 {
        true => format!("math::{}::<{dtype}>", row.name),
        false => "instruction".into(),
    }
}
