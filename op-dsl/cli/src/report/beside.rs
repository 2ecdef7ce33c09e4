//! Comparison of the operators with hand-written ones.

use super::by_hand::ByHand;
use super::titled::titled;
use crate::table::{Table, escaped};
use crate::target::{Kernel, Target, Targets, machines};
use crate::verify::formula::mode;
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::DType;
use op_dsl_ir::op::OpDef;
use std::fmt::Display;

/// Text of a cell whose figure is not known.
const UNKNOWN: &str = "–";
/// Legend of the table of all operators; the element types and the name of the NPU follow it.
const LEGEND: &str = "Lines: of the formula in Rust, of the package that is made of it, of the package by hand; blank ones \
    are not counted. Calls: vector calls per tile; cycles: of the vector unit for 64 elements; in";

/// Source lines of an operator: those written by its author and those generated.
pub struct Lines {
    written: usize,
    /// Numbers of lines and of files of the generated package; else the reason why there is no package.
    made: Result<(usize, usize), String>,
    by_hand: Option<(usize, String)>,
}

/// Counts the lines that are not blank.
fn count(text: &str) -> usize {
    text.lines().filter(|line| !line.trim().is_empty()).count()
}

impl Lines {
    pub fn of(def: &OpDef, by_hand: &ByHand, target: &dyn Target) -> Lines {
        let made = target
            .emit(def, &[])
            .map(|files| (files.iter().map(|(_, text)| count(text)).sum(), files.len()));
        let by_hand = by_hand.lines(&def.name).map(|(lines, source)| (lines, source.to_owned()));
        Lines { written: count(&def.formula), made, by_hand }
    }

    /// Formats the numbers of an operator's source lines as a sentence in HTML.
    pub fn told(&self) -> String {
        let written = match self.written {
            1 => "1 line".into(),
            n => format!("{n} lines"),
        };
        let made = match &self.made {
            Ok((lines, files)) => format!(
                "; its package for an NPU has {lines} lines in {files} files, all generated"
            ),
            Err(why) => format!("; no package: {}", escaped(why)),
        };
        let by_hand = match &self.by_hand {
            Some((lines, source)) => {
                format!("; by hand it has {lines} lines ({})", escaped(source))
            }
            None => String::new(),
        };
        format!("<p class=\"legend\">{written} of formula{made}{by_hand}.</p>")
    }
}

/// Cost of an operator's tiles on an NPU, generated and written by hand: one row per specialisation.
pub struct Tiles {
    pub npu: &'static str,
    pub rows: Vec<Row>,
}

/// Vector calls and cycles of a specialisation's tile.
///
/// Each pair has the generated kernel's and the hand-written one's figures, as text for the types in [`DType::by_precision`].
pub struct Row {
    pub form: String,
    calls: [String; 2],
    cycles: [String; 2],
    /// References that say where the hand-written kernel's figures are from; empty if there are none.
    sources: Vec<String>,
}

impl Tiles {
    pub fn of(
        op: &'static Operator,
        target: &dyn Target,
        npu: &'static str,
        by_hand: &ByHand,
    ) -> Tiles {
        let def = op.def();
        let rows = def.specs.iter().enumerate().map(|(spec, s)| {
            let form = mode(op, s);
            let kernel = |dtype| Kernel { def, spec, dtype, machine: npu };
            let order = DType::by_precision();
            let costs = order.map(|dtype| target.cost(kernel(dtype)));
            let hand = order.map(|dtype| by_hand.cost(op.name(), &form, npu, dtype));
            let mut sources: Vec<String> =
                hand.iter().flatten().map(|(_, source)| (*source).to_owned()).collect();
            sources.dedup();
            Row {
                calls: [
                    joined(costs.map(|cost| cost.map(|c| c.calls))),
                    joined(hand.map(|cost| cost.map(|c| c.0.calls))),
                ],
                cycles: [
                    joined(costs.map(|cost| cost.map(|c| c.cycles))),
                    joined(hand.map(|cost| cost.and_then(|c| c.0.cycles))),
                ],
                sources,
                form,
            }
        });
        Tiles { npu, rows: rows.collect() }
    }
}

impl Row {
    fn is_by_hand(&self) -> bool {
        !self.sources.is_empty()
    }

    fn cells(&self) -> [String; 4] {
        let [[calls, calls_by_hand], [cycles, cycles_by_hand]] =
            [&self.calls, &self.cycles].map(Clone::clone);
        [calls, calls_by_hand, cycles, cycles_by_hand]
    }
}

/// Joins the figures of the three element types, for example `18 / 21 / 24`.
///
/// Missing figures are dashes; if all are missing, one dash stands for them.
fn joined<T: Display>(values: [Option<T>; 3]) -> String {
    if values.iter().all(Option::is_none) {
        return UNKNOWN.into();
    }
    values.map(|v| v.map_or(UNKNOWN.into(), |v| v.to_string())).join(" / ")
}

/// Returns the section that compares an operator with hand-written kernels, empty if there are none.
pub fn section(op: &'static Operator, by_hand: &ByHand, targets: Targets) -> String {
    let mut table = Table::new(&["form", "NPU", "calls", "by hand", "cycles", "by hand"]);
    let mut sources: Vec<String> = Vec::new();
    for (target, npu) in machines(targets) {
        for row in Tiles::of(op, target, npu, by_hand).rows.into_iter().filter(Row::is_by_hand) {
            table.row([row.form.clone(), npu.into()].into_iter().chain(row.cells()));
            sources.extend(row.sources);
        }
    }
    sources.dedup();
    titled("Beside the hand-written operator", &table, &escaped(&sources.join(", ")))
}

/// Returns the table that compares all operators with hand-written ones, empty if there are none.
pub fn overview(operators: &[(&str, &Lines, &Tiles)], by_hand: &ByHand) -> String {
    if by_hand.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&[
        "operator", "form", "lines", "made", "by hand", "calls", "by hand", "cycles", "by hand",
    ]);
    for (name, lines, tiles) in operators {
        let made = lines.made.as_ref().map_or(UNKNOWN.into(), |made| made.0.to_string());
        let hand = lines.by_hand.as_ref().map_or(UNKNOWN.into(), |hand| hand.0.to_string());
        for (k, row) in tiles.rows.iter().enumerate() {
            let first = [(*name).to_owned(), lines.written.to_string(), made.clone(), hand.clone()];
            let [name, lines, made, hand] = if k == 0 { first } else { Default::default() };
            let cells = [name, row.form.clone(), lines, made, hand];
            table.row(cells.into_iter().chain(row.cells()));
        }
    }
    let npu = operators.first().map_or("", |(_, _, tiles)| tiles.npu);
    let dtypes = DType::by_precision().map(DType::name).join(" / ");
    let legend = format!("{LEGEND} {dtypes}. On {npu}. By hand: {}.", by_hand.notes.join(" "));
    titled("Beside hand-written operators", &table, &escaped(&legend))
}
