//! Measurements: a row for each mode, element type and level, and their summary for each operator.

use super::author;
use super::formula::{Formula, short};
use super::pass::Pass;
use super::sweep::{Measure, Outcome, Place, Tally, Worst};
use codegen_cpu::rt::simd::Level;
use op_dsl_ir::DType;
use op_dsl_ir::accuracy::Accuracy;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Share of 16-bit results that must be correctly rounded, for every formula.
const ROUNDED: f64 = 0.999;

/// Unit of errors in f32 of an operator of `accuracy = "fast"`.
const UNIT: &str = " (f32: ulp of the largest addend)";

/// A failed check, and the element where it failed first or has the worst error.
#[derive(Clone)]
struct Miss {
    check: &'static str,
    at: Option<String>,
}

/// Measurements of one specialisation of an operator in one element type at one SIMD level.
pub struct Row {
    operator: &'static str,
    mode: String,
    dtype: DType,
    level: Level,
    inputs: u64,
    /// Worst error, in ULP, of the output whose error is the largest share of its budget.
    ulp: f64,
    budget: f64,
    /// Whether errors count in units of the largest addend: `accuracy = "fast"`.
    is_fast: bool,
    output: String,
    /// Description of the element at which the worst error occurred.
    at: String,
    measure: Measure,
    author: f64,
    missed: Vec<Miss>,
}

impl Row {
    pub fn new(
        formula: &Formula,
        dtype: DType,
        level: Level,
        passes: &[Pass<'_>],
        measure: Measure,
        author: f64,
    ) -> Row {
        let budget = |k: usize| formula.budget(k, dtype, level);
        let load = |k: usize| measure.worst[k].ulp / budget(k);
        let k = (0..measure.worst.len()).max_by(|a, b| load(*a).total_cmp(&load(*b))).unwrap_or(0);
        let place = |at: &Place| formula.place(&passes[at.index.0].attrs, &at.streams);
        let Worst { ulp, at: worst } = &measure.worst[k];
        let at = if *ulp > 0.0 { place(worst) } else { String::new() };
        let share = if dtype.is_narrow() { ROUNDED } else { 0.0 };
        let names = formula.op.def().output_names();
        let miss = |at: &Place| {
            let Outcome { output, got, want } = at.result;
            format!(
                "{}: {} = {}, not {}",
                place(at),
                names[output],
                short(got as f32),
                short(want as f32)
            )
        };
        let first = |tally: &Tally| tally.wrong.as_ref().map(miss);
        let checks = [
            (*ulp <= budget(k), "ulp", Some(miss(worst))),
            (measure.rounded.share() >= share, "rounding", first(&measure.rounded)),
            (measure.limits.holds(), "limits", first(&measure.limits)),
            (measure.nan.holds(), "NaN", first(&measure.nan)),
            (measure.factors.holds(), "factors", first(&measure.factors)),
            (measure.decided.holds(), "undecided", first(&measure.decided)),
            (author <= author::TOLERANCE, "author", None),
        ];
        let outputs = measure.worst.len().max(1) as u64;
        Row {
            operator: formula.op.name(),
            mode: formula.mode.clone(),
            dtype,
            level,
            inputs: measure.decided.all / outputs,
            ulp: *ulp,
            budget: budget(k),
            is_fast: formula.op.def().accuracy == Accuracy::Fast,
            output: names[k].clone(),
            at,
            missed: checks
                .into_iter()
                .filter(|(is_good, ..)| !is_good)
                .map(|(_, check, at)| Miss { check, at })
                .collect(),
            measure,
            author,
        }
    }

    /// Returns the row as cells for the columns of [`DETAILS`].
    pub fn cells(&self) -> Vec<String> {
        let m = &self.measure;
        vec![
            self.operator.into(),
            self.mode.clone(),
            self.dtype.name().into(),
            self.level.name().into(),
            self.inputs.to_string(),
            ulp(self.ulp),
            format!("{}", self.budget),
            percent(&m.rounded),
            fraction(&m.limits),
            fraction(&m.nan),
            fraction(&m.factors),
            format!("{:.0e}", self.author),
            self.output.clone(),
            self.at.clone(),
            self.verdict(),
        ]
    }

    /// Returns the verdict, with the unit of errors if that is not the one of the result.
    fn verdict(&self) -> String {
        verdict(&self.missed) + if self.is_fast { UNIT } else { "" }
    }

    fn json(&self) -> Value {
        let m = &self.measure;
        let missed: Vec<&str> = self.missed.iter().map(|miss| miss.check).collect();
        json!({
            "mode": self.mode,
            "dtype": self.dtype.name(),
            "level": self.level.name(),
            "inputs": self.inputs,
            "max_ulp": number(self.ulp),
            "budget": self.budget,
            "unit": if self.is_fast { "largest addend" } else { "result" },
            "output": self.output,
            "at": self.at,
            "rounded": m.rounded.share(),
            "limits": tally(&m.limits),
            "nan": tally(&m.nan),
            "factors": tally(&m.factors),
            "undecided": m.decided.all - m.decided.right,
            "author": number(self.author),
            "missed": missed,
            "missed_at": self.missed.iter().map(|miss| miss.at.clone()).collect::<Vec<_>>(),
        })
    }
}

/// All measurements of an operator, as rows.
#[derive(Default)]
pub struct Report {
    rows: Vec<Row>,
}

impl Report {
    pub fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    pub fn is_good(&self) -> bool {
        self.rows.iter().all(|row| row.missed.is_empty())
    }

    /// Returns the summary of all rows, as cells for the columns of [`SUMMARY`].
    pub fn cells(&self) -> Vec<String> {
        let operator = self.rows.first().map(|row| row.operator.to_owned());
        let verdict = verdict(&self.missed()) + self.unit();
        operator.into_iter().chain(self.summed()).chain([verdict]).collect()
    }

    /// Returns the summary of all rows as a sentence that ends with the failed checks.
    pub fn line(&self) -> String {
        let cells = self.summed().into_iter().zip(&SUMMARY[1..]);
        let said = cells.filter(|(cell, _)| !cell.is_empty());
        let mut said: Vec<String> =
            said.map(|(cell, (what, _))| format!("{what} {cell}")).collect();
        let missed = self.missed();
        said.extend((!missed.is_empty()).then(|| verdict(&missed)));
        said.join(", ") + self.unit()
    }

    /// Returns the unit of errors, for the end of a line; empty if it is that of the result.
    fn unit(&self) -> &'static str {
        if self.rows.iter().any(|row| row.is_fast) { UNIT } else { "" }
    }

    pub fn json(&self) -> Value {
        let missed: Vec<&str> = self.missed().iter().map(|miss| miss.check).collect();
        json!({
            "operator": self.rows.first().map(|row| row.operator),
            "missed": missed,
            "details": self.rows.iter().map(Row::json).collect::<Vec<_>>(),
        })
    }

    /// Returns the cells of the summary between the operator's name and the verdict.
    ///
    /// Cells of element types that the operator does not have are empty.
    fn summed(&self) -> Vec<String> {
        let of = |dtype: DType| self.rows.iter().filter(move |row| row.dtype == dtype);
        let worst = |dtype| {
            let ulps = of(dtype).map(|row| row.ulp);
            ulps.max_by(f64::total_cmp).map_or_else(String::new, ulp)
        };
        let least = |dtype| {
            let rounded = of(dtype).map(|row| &row.measure.rounded);
            let least = rounded.min_by(|a, b| a.share().total_cmp(&b.share()));
            least.map_or_else(String::new, percent)
        };
        let sum = |part: fn(&Row) -> &Tally| {
            let mut sum = Tally::default();
            self.rows.iter().for_each(|row| sum.merge(part(row)));
            if sum.holds() { "ok".into() } else { fraction(&sum) }
        };
        let sums = [
            sum(|row| &row.measure.limits),
            sum(|row| &row.measure.nan),
            sum(|row| &row.measure.factors),
        ];
        let worst = DType::by_precision().into_iter().map(worst);
        worst.chain(narrow().map(least)).chain(sums).collect()
    }

    /// Returns the failed checks of all rows in a fixed order, each once.
    ///
    /// A check of errors is shown for the row with the largest error, any other check for the first row that fails.
    fn missed(&self) -> Vec<Miss> {
        let order = ["ulp", "rounding", "limits", "NaN", "factors", "undecided", "author"];
        let missed = |check: &&'static str| {
            let missing = self.rows.iter().flat_map(|row| {
                let own = row.missed.iter().filter(|miss| miss.check == *check);
                own.map(move |miss| (row, miss))
            });
            let mut worst: Option<(&Row, &Miss)> = None;
            for (row, miss) in missing {
                let is_worse = worst.is_none_or(|(w, _)| *check == "ulp" && row.ulp > w.ulp);
                worst = if is_worse { Some((row, miss)) } else { worst };
            }
            let (row, miss) = worst?;
            let at = miss.at.as_ref().map(|at| format!("{} {at}", row.dtype));
            Some(Miss { check: miss.check, at })
        };
        order.iter().filter_map(missed).collect()
    }
}

/// Heading and minimum width of each column; a negative width right-aligns a column of numbers.
pub type Headings = &'static [(&'static str, i32)];

/// Returns the element types whose results are rounded once more.
fn narrow() -> impl Iterator<Item = DType> {
    DType::by_precision().into_iter().filter(|dtype| dtype.is_narrow())
}

/// Columns of [`Report::cells`].
pub static SUMMARY: LazyLock<Vec<(&str, i32)>> = LazyLock::new(|| {
    let of_type = |dtype: DType, what: &str| -> (&str, i32) {
        let heading = format!("{dtype} {what}").leak();
        (heading, -(heading.len() as i32))
    };
    let ulps = DType::by_precision().into_iter().map(|dtype| of_type(dtype, "ulp"));
    let right = narrow().map(|dtype| of_type(dtype, "right"));
    let first = [("operator", 8)].into_iter().chain(ulps).chain(right);
    first.chain([("limits", 6), ("NaN", 3), ("factors", 7), ("verdict", 7)]).collect()
});

/// Columns of [`Row::cells`].
pub const DETAILS: Headings = &[
    ("operator", 8),
    ("mode", 7),
    ("dtype", 5),
    ("level", 8),
    ("inputs", -8),
    ("ulp", -6),
    ("budget", -6),
    ("right", -8),
    ("limits", 9),
    ("NaN", 9),
    ("factors", 11),
    ("author", -6),
    ("output", 8),
    ("at", 24),
    ("verdict", 7),
];

fn verdict(missed: &[Miss]) -> String {
    let said = |miss: &Miss| match &miss.at {
        Some(at) => format!("{} at {at}", miss.check),
        None => miss.check.to_owned(),
    };
    match missed.is_empty() {
        true => "ok".into(),
        false => format!("MISSED: {}", missed.iter().map(said).collect::<Vec<_>>().join("; ")),
    }
}

fn ulp(v: f64) -> String {
    if v >= 1e6 { format!("{v:.0e}") } else { format!("{v:.3}") }
}

fn percent(tally: &Tally) -> String {
    // Rounds down, so that 100% means all.
    format!("{:.3}%", (1e5 * tally.share()).floor() / 1e3)
}

fn fraction(tally: &Tally) -> String {
    format!("{}/{}", tally.right, tally.all)
}

fn tally(tally: &Tally) -> Value {
    json!({ "right": tally.right, "all": tally.all })
}

/// Converts a number to JSON; infinities become strings because JSON has no such numbers.
fn number(v: f64) -> Value {
    if v.is_finite() { json!(v) } else { json!(v.to_string()) }
}
