//! The sections of the operators, and the page around them.

use super::beside::{self, Lines, Tiles};
use super::by_hand::ByHand;
use super::errors::Errors;
use super::maths;
use super::plot::plot;
use super::titled::titled;
use crate::bench::record::Record;
use crate::check::cost;
use crate::error::Error;
use crate::table::{Table, escaped};
use crate::target::Targets;
use crate::verify::formula::Formula;
use codegen_cpu::rt::call;
use op_dsl_ir::DType;
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");

/// The page's contents for one operator.
pub struct Operator {
    name: String,
    section: String,
    lines: Lines,
    /// Cost of the operator's tiles on the first NPU, beside that of a hand-written kernel.
    tiles: Tiles,
}

impl Operator {
    pub fn new<'r>(
        op: &'static call::Operator,
        times: impl Iterator<Item = &'r Record>,
        by_hand: &ByHand,
        targets: Targets,
    ) -> Result<Operator, Error> {
        let (name, def) = (op.name().to_owned(), op.def());
        let mut text = format!("<section id=\"{name}\" aria-labelledby=\"h-{name}\">");
        let of = match def.forward() {
            Some(forward) => format!(" <small>gradient of {}</small>", escaped(forward)),
            None => String::new(),
        };
        let _ = write!(text, "<h2 id=\"h-{name}\">{}{of}</h2>", escaped(&name));
        let _ = write!(text, "<p>{}</p>", prose(&def.doc));
        for spec in def.specs.iter() {
            let formula = Formula::new(op, spec);
            let is_measured = spec.stages.is_empty();
            let form = if spec.when.is_empty() { String::new() } else { formula.mode.clone() };
            if !form.is_empty() {
                let _ = write!(text, "<h3>{}</h3>", escaped(&form));
            }
            let lines = maths::lines(
                &spec.traced,
                &def.input_names(),
                &def.scalar_names(),
                &def.output_names(),
            );
            let _ = write!(text, "<div class=\"wide\" tabindex=\"0\">{}</div>", lines.concat());
            if is_measured {
                text += &errors(&formula, &form)?;
            }
        }
        text += &speed(times);
        text += &titled("Cost on NPUs", &cost::table(&[op], targets), cost::LEGEND);
        text += &beside::section(op, by_hand, targets);
        text.extend(targets.iter().map(|target| target.figure(op)));
        let lines = Lines::of(def, by_hand, targets[0]);
        text += &lines.told();
        let tiles = Tiles::of(op, targets[0], targets[0].machines()[0], by_hand);
        Ok(Operator { name, section: text + "</section>", lines, tiles })
    }
}

/// Returns the HTML page with the sections of these operators.
pub fn page(operators: &[Operator], machine: &[String], by_hand: &ByHand) -> String {
    let links = operators.iter().map(|op| format!("<li><a href=\"#{0}\">{0}</a></li>", op.name));
    let links: String = links.collect();
    let sections: String = operators.iter().map(|op| &*op.section).collect();
    let all: Vec<_> = operators.iter().map(|op| (&*op.name, &op.lines, &op.tiles)).collect();
    let overview = beside::overview(&all, by_hand);
    let machine: String = machine.iter().map(|line| format!("{}<br>", escaped(line))).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><title>Operators</title>\
         <style>{STYLE}</style></head><body><a class=\"skip\" href=\"#main\">To the operators</a>\
         <header><h1>Operators</h1><p>{machine}</p><nav aria-label=\"Operators\"><ul>{links}</ul></nav>\
         {overview}</header><main id=\"main\">{sections}</main></body></html>\n"
    )
}

/// Returns the plot of a specialisation's errors, and its largest errors as text, in HTML.
fn errors(formula: &Formula, form: &str) -> Result<String, Error> {
    let def = formula.op.def();
    let all = DType::by_precision().into_iter();
    let all: Vec<Errors> = all
        .filter(|d| def.dtypes.contains(d))
        .map(|d| Errors::of(formula, d))
        .collect::<Result<_, _>>()?;
    let keys = all.iter().map(|e| {
        format!("<span class=\"key {0}\"></span>{0} at most {1:.2}", e.dtype, e.largest())
    });
    let keys = keys.collect::<Vec<_>>().join(", ");
    let name = format!("{} {form}", def.name);
    let title = format!("Error of {} over the activation", escaped(name.trim()));
    Ok(format!(
        "<figure>{}<figcaption>Error over {}, in units in the last place: {keys}.</figcaption></figure>",
        plot(&title, &all),
        escaped(&formula.describe()),
    ))
}

/// Returns the table of measured times: one row per record of `bench`.
fn speed<'r>(times: impl Iterator<Item = &'r Record>) -> String {
    let mut table =
        Table::new(&["system", "form", "type", "size", "threads", "ns per element", "over floor"]);
    for record in times {
        let of = &record.subject;
        let floor = record.x_floor.map(|x| format!("{x:.2}")).unwrap_or_default();
        let ns = format!("{:.3}", record.ns_per_elem);
        table.row([&of.system, &of.mode, &of.dtype, &of.size, &of.threads, &ns, &floor]);
    }
    titled("Speed", &table, "")
}

/// Formats a doc comment as HTML; text between backticks becomes code.
fn prose(doc: &str) -> String {
    let words = doc.split_whitespace().collect::<Vec<_>>().join(" ");
    let pieces = words.split('`').enumerate();
    let piece = |(i, text): (usize, &str)| match i % 2 {
        0 => escaped(text),
        _ => format!("<code>{}</code>", escaped(text)),
    };
    pieces.map(piece).collect()
}
