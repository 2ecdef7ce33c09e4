//! `bench`: time per element, beside the same memory traffic with next to no arithmetic.
//!
//! ```text
//! case      tensors, the operator and its floor, check, timing
//! data      deterministic input data
//! ```

mod case;
mod data;

use super::args::{Bench, BenchFormat};
use super::error::Error;
use super::lookup;
use super::table::Table;
use super::verify::formula::mode;
use super::{Operators, Verdict, print};
pub(super) use case::position;
pub use case::{Case, Timing};
use codegen_cpu::rt::call::Options;
pub(super) use data::Pool;
use std::io::Write;

const COLUMNS: [&str; 8] =
    ["system", "op", "mode", "dtype", "size", "threads", "ns_per_elem", "gbps"];

/// Checks and times an operator for every element type and number of threads asked for.
pub fn bench(operators: Operators, args: &Bench, out: &mut dyn Write) -> Result<Verdict, Error> {
    let op = lookup::operator(operators, &args.op)?;
    let attrs = lookup::attributes(op, &args.attrs)?;
    let mut table = Table::new(&[&COLUMNS[..], &["x floor"]].concat());
    let mut lines = Vec::new();
    for &dtype in &args.dtype {
        let mut case = Case::new(op, &attrs, &args.shape.0, dtype, args.data)?;
        let options = |threads| Options { threads, level: args.level, ..Options::default() };
        case.check(&options(1))?;
        for &threads in &args.threads {
            let timing = case.time(&options(threads), args.runs)?;
            let spec = &op.def().specs[case.bound().spec];
            let size: Vec<String> = case.bound().domain.iter().map(usize::to_string).collect();
            let bytes = case.bytes() as f64;
            let stores = if case.is_streaming(&options(threads)) { "nt" } else { "plain" };
            let cells = |system: &str, mode: &str, ns: f64| {
                [
                    system.to_string(),
                    op.name().to_string(),
                    mode.to_string(),
                    dtype.to_string(),
                    size.join("x"),
                    threads.to_string(),
                    format!("{ns:.4}"),
                    format!("{:.2}", bytes / ns),
                ]
            };
            let own = cells("ops-glu-grad", &mode(op, spec), timing.operator);
            let floor = cells("floor", stores, timing.floor);
            let ratio = format!("{:.2}x", timing.operator / timing.floor);
            lines.extend([own.join(","), floor.join(",")]);
            table.row(own.iter().chain([&ratio]));
            table.row(&floor);
        }
    }
    match args.format {
        BenchFormat::Table => print(out, &table.to_text()),
        BenchFormat::Csv => print(out, &format!("{}\n{}\n", COLUMNS.join(","), lines.join("\n"))),
    }
}
