//! What was measured: one line per operator, or one per mode, element type and level, or JSON.

use super::author;
use super::formula::Formula;
use super::sweep::{Measure, Tally, Worst};
use crate::args::VerifyFormat;
use crate::table::Table;
use codegen_cpu::rt::simd::Level;
use op_dsl_ir::DType;
use serde_json::{Value, json};

/// Largest error in f32 on levels with FMA, in units in the last place of the true value.
const BUDGET: f64 = 2.0;
/// Largest error in a 16-bit type, in its units.
const HALF_BUDGET: f64 = 1.0;
/// Share of 16-bit results that must be correctly rounded, of any formula that is written.
const ROUNDED: f64 = 0.999;

/// One mode, element type and level.
pub struct Row {
    operator: &'static str,
    mode: String,
    dtype: DType,
    level: Level,
    inputs: u64,
    /// Of the output nearest to its budget, or furthest beyond it.
    worst: Worst,
    budget: f64,
    output: String,
    /// What was swept, and what everything else was, where the worst is.
    setting: String,
    measure: Measure,
    factors: Tally,
    author: f64,
    missed: Vec<&'static str>,
}

impl Row {
    pub fn new(
        formula: &Formula,
        dtype: DType,
        level: Level,
        points: u64,
        measure: Measure,
        factors: Tally,
        author: f64,
    ) -> Row {
        let budget = |k: usize| match dtype {
            DType::F16 | DType::BF16 => HALF_BUDGET,
            DType::F32 if level.has_fma() => BUDGET,
            DType::F32 => BUDGET.max(formula.budget(k, level)),
        };
        let load = |k: usize| measure.worst[k].ulp / budget(k);
        let k = (0..measure.worst.len()).max_by(|a, b| load(*a).total_cmp(&load(*b))).unwrap_or(0);
        let (worst, budget) = (measure.worst[k], budget(k));
        let share = if dtype == DType::F32 { 0.0 } else { ROUNDED };
        let checks = [
            (worst.ulp <= budget, "ulp"),
            (measure.rounded.share() >= share, "rounding"),
            (measure.limits.holds(), "limits"),
            (measure.nan.holds(), "NaN"),
            (factors.holds(), "factors"),
            (author <= author::TOLERANCE, "author"),
        ];
        Row {
            operator: formula.op.name(),
            mode: formula.mode.clone(),
            dtype,
            level,
            inputs: points * formula.settings.len() as u64,
            worst,
            budget,
            output: formula.op.def().output_names().swap_remove(k),
            setting: formula.describe(worst.setting),
            missed: checks.iter().filter(|(good, _)| !good).map(|(_, name)| *name).collect(),
            measure,
            factors,
            author,
        }
    }

    fn cells(&self) -> Vec<String> {
        let m = &self.measure;
        vec![
            self.operator.into(),
            self.mode.clone(),
            self.dtype.name().into(),
            self.level.name().into(),
            self.inputs.to_string(),
            ulp(self.worst.ulp),
            format!("{}", self.budget),
            self.output.clone(),
            if self.worst.ulp > 0.0 { format!("{:.7e}", self.worst.at) } else { String::new() },
            self.setting.clone(),
            percent(m.rounded),
            fraction(m.limits),
            fraction(m.nan),
            fraction(self.factors),
            format!("{:.0e}", self.author),
            verdict(&self.missed),
        ]
    }

    fn json(&self) -> Value {
        let m = &self.measure;
        json!({
            "mode": self.mode,
            "dtype": self.dtype.name(),
            "level": self.level.name(),
            "inputs": self.inputs,
            "max_ulp": number(self.worst.ulp),
            "budget": self.budget,
            "output": self.output,
            "at": number(self.worst.at),
            "setting": self.setting,
            "rounded": m.rounded.share(),
            "limits": tally(m.limits),
            "nan": tally(m.nan),
            "factors": tally(self.factors),
            "author": number(self.author),
            "missed": self.missed,
        })
    }
}

/// Everything that was measured.
pub struct Report {
    rows: Vec<Row>,
    skipped: Vec<Level>,
}

impl Report {
    pub fn new(skipped: Vec<Level>) -> Report {
        Report { rows: Vec::new(), skipped }
    }

    pub fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    pub fn is_good(&self) -> bool {
        self.rows.iter().all(|row| row.missed.is_empty())
    }

    pub fn render(&self, format: VerifyFormat, all: bool) -> String {
        match (format, all) {
            (VerifyFormat::Json, _) => format!("{:#}\n", self.json()),
            (VerifyFormat::Table, true) => self.details() + &self.notes(),
            (VerifyFormat::Table, false) => self.summary() + &self.notes(),
        }
    }

    /// The rows of each operator; those that miss something first.
    fn operators(&self) -> Vec<Vec<&Row>> {
        let mut groups: Vec<Vec<&Row>> = Vec::new();
        for row in &self.rows {
            match groups.iter_mut().find(|g| g[0].operator == row.operator) {
                Some(group) => group.push(row),
                None => groups.push(vec![row]),
            }
        }
        groups.sort_by_key(|group| missed(group).is_empty());
        groups
    }

    fn summary(&self) -> String {
        let mut table = Table::new(&SUMMARY);
        for group in self.operators() {
            let operator = [group[0].operator.to_owned()].into_iter();
            table.row(operator.chain(summed(&group)).chain([verdict(&missed(&group))]));
        }
        table.to_text()
    }

    /// The summary of one operator as a sentence, what it misses last.
    pub fn line(&self) -> String {
        let group: Vec<&Row> = self.rows.iter().collect();
        let cells = summed(&group).into_iter().zip(&SUMMARY[1..]);
        let said = cells.filter(|(cell, _)| !cell.is_empty());
        let mut said: Vec<String> = said.map(|(cell, what)| format!("{what} {cell}")).collect();
        let missed = missed(&group);
        said.extend((!missed.is_empty()).then(|| verdict(&missed)));
        said.join(", ")
    }

    fn details(&self) -> String {
        let mut table = Table::new(&[
            "operator", "mode", "dtype", "level", "inputs", "ulp", "budget", "output", "at",
            "swept", "right", "limits", "NaN", "factors", "author", "verdict",
        ]);
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by_key(|row| row.missed.is_empty());
        rows.iter().for_each(|row| table.row(row.cells()));
        table.to_text()
    }

    fn notes(&self) -> String {
        let skipped = self.skipped.iter().map(|level| level.name());
        skipped.map(|level| format!("skipped: {level} (this CPU does not have it)\n")).collect()
    }

    fn json(&self) -> Value {
        let operators = self.operators().into_iter().map(|group| {
            json!({
                "operator": group[0].operator,
                "missed": missed(&group),
                "details": group.iter().map(|row| row.json()).collect::<Vec<_>>(),
            })
        });
        json!({
            "operators": operators.collect::<Vec<_>>(),
            "skipped": self.skipped.iter().map(|l| l.name()).collect::<Vec<_>>(),
        })
    }
}

/// The headings of [`summed`], between the operator and the verdict.
const SUMMARY: [&str; 10] = [
    "operator",
    "f32 ulp",
    "f16 ulp",
    "bf16 ulp",
    "f16 right",
    "bf16 right",
    "limits",
    "NaN",
    "factors",
    "verdict",
];

/// The worst of some rows; empty for element types that they do not have.
fn summed(rows: &[&Row]) -> [String; 8] {
    let of = |dtype: DType| rows.iter().filter(move |row| row.dtype == dtype);
    let worst = |dtype| {
        let ulps = of(dtype).map(|row| row.worst.ulp);
        ulps.max_by(f64::total_cmp).map_or_else(String::new, ulp)
    };
    let least = |dtype| {
        let rounded = of(dtype).map(|row| row.measure.rounded);
        let least = rounded.min_by(|a, b| a.share().total_cmp(&b.share()));
        least.map_or_else(String::new, percent)
    };
    let sum = |part: fn(&Row) -> Tally| {
        let mut sum = Tally::default();
        rows.iter().for_each(|row| sum.merge(part(row)));
        if sum.holds() { "ok".into() } else { fraction(sum) }
    };
    [
        worst(DType::F32),
        worst(DType::F16),
        worst(DType::BF16),
        least(DType::F16),
        least(DType::BF16),
        sum(|row| row.measure.limits),
        sum(|row| row.measure.nan),
        sum(|row| row.factors),
    ]
}

/// What any of these rows misses, in the order of the checks.
fn missed(rows: &[&Row]) -> Vec<&'static str> {
    let order = ["ulp", "rounding", "limits", "NaN", "factors", "author"];
    order.into_iter().filter(|name| rows.iter().any(|row| row.missed.contains(name))).collect()
}

fn verdict(missed: &[&str]) -> String {
    if missed.is_empty() { "ok".into() } else { format!("MISSED: {}", missed.join(", ")) }
}

fn ulp(v: f64) -> String {
    if v >= 1e6 { format!("{v:.0e}") } else { format!("{v:.3}") }
}

fn percent(tally: Tally) -> String {
    // Never rounded up to everything.
    format!("{:.3}%", (1e5 * tally.share()).floor() / 1e3)
}

fn fraction(tally: Tally) -> String {
    format!("{}/{}", tally.right, tally.all)
}

fn tally(tally: Tally) -> Value {
    json!({ "right": tally.right, "all": tally.all })
}

/// JSON has no infinity.
fn number(v: f64) -> Value {
    if v.is_finite() { json!(v) } else { json!(v.to_string()) }
}
