//! Converts what the host model counts into figures: cycles, bytes moved, steps per tile.

use crate::args::ListFormat;
use crate::error::Error;
use crate::list::number;
use codegen_ascendc::arch::Arch;
use codegen_ascendc::host_model::Call;
use codegen_ascendc::plan::accuracy::Accuracy;
use codegen_ascendc::plan::{Bound, registers};
use codegen_ascendc::tiling::BLOCK;
use serde_json::{Value as Json, json};

/// Figures of a simulated call with their names, in the order in which they are printed.
pub struct Figures {
    rows: Vec<(&'static str, Figure)>,
}

enum Figure {
    Number(f64),
    Text(String),
}

impl Figures {
    /// Computes the figures of a call from the host model's report and the accuracy of its results.
    pub fn new(call: &Call<'_>, report: &str, accuracy: &Accuracy) -> Result<Figures, Error> {
        let report = Report::new(report)?;
        let soc = call.plan.soc;
        let figure = |record, field| report.number(record, field).map(Figure::Number);
        let cores: Vec<(f64, f64)> = report
            .all("core")
            .map(|line| Ok((cycles(soc.arch, line), count(line, "gm_bytes")?)))
            .collect::<Result<_, Error>>()?;
        let busiest = |of: fn(&(f64, f64)) -> f64| cores.iter().map(of).fold(0.0, f64::max);
        let moved: f64 = cores.iter().map(|c| c.1).sum();
        let mean = moved / f64::from(call.cores);
        let balance = if moved > 0.0 { busiest(|c| c.1) / mean } else { 1.0 };
        let (vector, gm) = (busiest(|c| c.0), busiest(|c| c.1) / soc.gm_bytes_per_cycle);
        let bound = if vector > gm { Bound::Vector } else { Bound::Memory };

        let mut rows = vec![
            ("error_ulp", Figure::Number(accuracy.error)),
            ("error_budget_ulp", Figure::Number(accuracy.budget)),
        ];
        if let Some(worst) = &accuracy.worst {
            rows.push(("worst_output", Figure::Text(call.plan.outputs[worst.output].clone())));
            rows.push(("worst_element", Figure::Number(worst.element as f64)));
            rows.push(("worst_got", Figure::Number(worst.got)));
            rows.push(("worst_want", Figure::Number(worst.want)));
        }
        rows.extend([
            ("cores_used", figure("tiling", "cores")?),
            ("cores", Figure::Number(call.cores.into())),
            ("tiles", figure("kernel", "tiles")?),
            ("path", Figure::Text(path(report.number("tiling", "path")?))),
        ]);
        match call.plan.registers {
            Some(_) => rows.extend(steps(&report)),
            None => rows.extend([
                ("vector_calls_per_tile", figure("tile", "vector_calls")?),
                ("casts_per_tile", figure("tile", "casts")?),
                ("repeats_per_tile", figure("tile", "repeats")?),
            ]),
        }
        rows.extend([
            (
                "cycles_per_tile",
                Figure::Number(report.all("tile").map(|t| cycles(soc.arch, t)).sum()),
            ),
            ("planned_cycles_per_64_elements", Figure::Number(call.plan.cost.cycles)),
            ("ub_used_bytes", figure("kernel", "ub_high_water")?),
            ("ub_bytes", figure("kernel", "ub_bytes")?),
            ("gm_bytes_moved", Figure::Number(report.moved()?.0)),
            ("gm_bytes_least", Figure::Number(report.moved()?.1)),
            ("gm_moved_over_least", Figure::Number(report.moved()?.0 / report.moved()?.1.max(1.0))),
            ("busiest_core_over_mean", Figure::Number(balance)),
            ("vector_cycles", Figure::Number(vector)),
            ("gm_cycles", Figure::Number(gm)),
            ("modelled_microseconds", Figure::Number(vector.max(gm) / soc.mhz)),
            ("bound", Figure::Text(bound.name().into())),
        ]);
        Ok(Figures { rows })
    }

    /// Formats the figures of the operator `op`, one per line or as a JSON object.
    pub fn text(&self, op: &str, format: ListFormat) -> String {
        let wide = self.rows.iter().map(|r| r.0.len()).max().unwrap_or(0);
        let rows = self.rows.iter();
        match format {
            ListFormat::Table => rows
                .map(|(name, value)| {
                    format!("{:wide$}  {}\n", name.replace('_', " "), value.shown())
                })
                .collect(),
            ListFormat::Json => {
                let op = [("op".to_owned(), json!(op))].into_iter();
                let rows = rows.map(|(name, value)| (name.to_string(), value.json()));
                format!("{:#}\n", op.chain(rows).collect::<Json>())
            }
        }
    }
}

impl Figure {
    fn shown(&self) -> String {
        match self {
            Figure::Text(text) => text.clone(),
            Figure::Number(n) if n.fract() == 0.0 && n.abs() < 1e15 => n.to_string(),
            Figure::Number(n) if (1e-3..1e6).contains(&n.abs()) => format!("{n:.3}"),
            Figure::Number(n) => format!("{n:e}"),
        }
    }

    fn json(&self) -> Json {
        match self {
            Figure::Text(text) => json!(text),
            Figure::Number(n) if n.fract() == 0.0 && n.abs() < 1e15 => json!(*n as i64),
            Figure::Number(n) => number(*n),
        }
    }
}

/// Returns figures of a kernel on registers: steps of 64 elements per tile, and calls per step.
fn steps(report: &Report) -> Vec<(&'static str, Figure)> {
    let tile = report.all("tile").next().unwrap_or(&Json::Null);
    let of = |class: &str| tile["registers"][class].as_f64().unwrap_or(0.0);
    let all = of("steps");
    let each = |number: f64| Figure::Number(number / all.max(1.0));
    vec![
        ("steps_per_tile", Figure::Number(all)),
        ("register_calls_per_step", each(of("linear") + of("slow"))),
        ("register_casts_per_step", each(of("casts"))),
        ("loads_per_step", each(of("loads"))),
        ("stores_per_step", each(of("stores"))),
    ]
}

fn path(number: f64) -> String {
    use codegen_ascendc::tiling::Path::{Columns, Rows, Small};
    let paths = [Rows, Columns, Small];
    paths.iter().find(|p| f64::from(**p as u32) == number).map_or("?", |p| p.name()).into()
}

/// Report of the host model: JSON objects whose field `record` says what they describe.
struct Report(Vec<Json>);

impl Report {
    fn new(text: &str) -> Result<Report, Error> {
        let wrong = |e| Error::Usage(format!("the host model's report is no JSON: {e}"));
        text.lines().map(serde_json::from_str).collect::<Result<_, _>>().map(Report).map_err(wrong)
    }

    fn all(&self, record: &str) -> impl Iterator<Item = &Json> {
        self.0.iter().filter(move |line| line["record"] == record)
    }

    fn number(&self, record: &str, field: &str) -> Result<f64, Error> {
        count(self.all(record).next().unwrap_or(&Json::Null), field)
    }

    /// Returns the bytes of all global-memory (GM) sectors touched, and the bytes of the tensors touched.
    fn moved(&self) -> Result<(f64, f64), Error> {
        let (mut moved, mut least) = (0.0, 0.0);
        for buffer in self.all("buffer").filter(|b| b["name"] != "tiling") {
            for side in ["read", "write"] {
                let sectors = count(&buffer[side], "sector_bytes")?;
                if sectors > 0.0 {
                    moved += sectors;
                    let block = BLOCK as f64;
                    least += (count(buffer, "bytes")? / block).ceil() * block;
                }
            }
        }
        Ok((moved, least))
    }
}

/// Returns the cycles of the vector unit for the calls that an object of the report counts.
///
/// Keys of `repeats_of` name a call and the bytes of an element, for example `Mul/4`; values are numbers of repeats.
fn cycles(arch: &Arch, record: &Json) -> f64 {
    let of = |(name, repeats): (&String, &Json)| {
        let (call, bytes) = name.split_once('/')?;
        Some(arch.cycles_of_repeat(call, bytes.parse().ok()?) * repeats.as_f64()?)
    };
    let on_tensors: f64 =
        record["repeats_of"].as_object().into_iter().flatten().filter_map(of).sum();
    let class = |name: &str| record["registers"][name].as_f64().unwrap_or(0.0);
    let slow = arch.cycles("Exp", 4) * class("slow");
    let sum = class("linear") + class("casts") + slow;
    on_tensors + registers::together(sum, class("loads"), class("stores"))
}

fn count(record: &Json, field: &str) -> Result<f64, Error> {
    let wrong = || Error::Usage(format!("the host model's report has no `{field}`"));
    record[field].as_f64().ok_or_else(wrong)
}
