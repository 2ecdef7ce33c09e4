//! Printer of measurements as soon as they are made, so that an interrupted run has shown all its results.

use super::report::{DETAILS, Headings, Report, Row, SUMMARY};
use crate::args::{Verify, VerifyFormat};
use crate::error::Error;
use codegen_cpu::rt::call::Operator;
use codegen_cpu::rt::simd::Level;
use serde_json::json;
use std::io::Write;

/// Output format.
enum Style {
    Summary,
    Details,
    /// One JSON object, whose parts are printed as soon as they are known.
    Json,
}

pub struct Printer<'o> {
    out: &'o mut dyn Write,
    style: Style,
    /// Width of the column of operator names, in characters.
    names: usize,
    /// Number of operators printed so far.
    printed: usize,
}

impl<'o> Printer<'o> {
    /// Returns a printer for these operators, after printing the headings.
    pub fn new(
        operators: &[&'static Operator],
        args: &Verify,
        out: &'o mut dyn Write,
    ) -> Result<Printer<'o>, Error> {
        let style = match (args.format, args.all) {
            (VerifyFormat::Json, _) => Style::Json,
            (VerifyFormat::Table, true) => Style::Details,
            (VerifyFormat::Table, false) => Style::Summary,
        };
        let names = operators.iter().map(|op| op.name().chars().count()).max().unwrap_or(0);
        let mut printer = Printer { out, style, names, printed: 0 };
        let titles = |headings: Headings| headings.iter().map(|h| h.0.to_owned()).collect();
        match printer.style {
            Style::Summary => printer.line(&SUMMARY, titles(&SUMMARY))?,
            Style::Details => printer.line(DETAILS, titles(DETAILS))?,
            Style::Json => printer.print("{\"operators\": [")?,
        }
        Ok(printer)
    }

    pub fn row(&mut self, row: &Row) -> Result<(), Error> {
        match self.style {
            Style::Details => self.line(DETAILS, row.cells()),
            Style::Summary | Style::Json => Ok(()),
        }
    }

    pub fn operator(&mut self, report: &Report) -> Result<(), Error> {
        self.printed += 1;
        match self.style {
            Style::Summary => self.line(&SUMMARY, report.cells()),
            Style::Details => Ok(()),
            Style::Json => {
                let comma = if self.printed > 1 { "," } else { "" };
                self.print(&format!("{comma}\n{:#}", report.json()))
            }
        }
    }

    /// Prints the end of the output: the SIMD levels that were skipped because this CPU lacks them.
    pub fn finish(&mut self, skipped: &[Level]) -> Result<(), Error> {
        let names = skipped.iter().map(|level| level.name());
        match self.style {
            Style::Json => {
                let skipped = json!(names.collect::<Vec<_>>());
                self.print(&format!("\n],\n\"skipped\": {skipped}}}\n"))
            }
            Style::Summary | Style::Details => {
                let note = |level| format!("skipped: {level} (this CPU does not have it)\n");
                self.print(&names.map(note).collect::<String>())
            }
        }
    }

    /// Prints a line of cells, in columns two spaces apart that have at least the widths of `headings`.
    fn line(&mut self, headings: Headings, cells: Vec<String>) -> Result<(), Error> {
        let mut text = String::new();
        for (k, (cell, (_, width))) in cells.iter().zip(headings).enumerate() {
            let names = if k == 0 { self.names } else { 0 };
            let wide = names.max(width.unsigned_abs() as usize);
            text += &match *width < 0 {
                true => format!("{cell:>wide$}  "),
                false => format!("{cell:<wide$}  "),
            };
        }
        self.print(&format!("{}\n", text.trim_end()))
    }

    fn print(&mut self, text: &str) -> Result<(), Error> {
        let written = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
        written.map_err(Error::Stdout)
    }
}
