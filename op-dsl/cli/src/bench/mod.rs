//! `bench`: time per element, compared with the same memory traffic with next to no arithmetic.
//!
//! ```text
//! case      tensors, the operator and its floor, check, timing
//! data      deterministic input data
//! machine   description of the machine
//! record    rows and their CSV
//! compare   rows of an earlier run beside those of this one
//! ```

mod case;
mod compare;
mod data;
mod machine;
pub mod record;

use super::args::{Bench, BenchFormat, DataKind};
use super::error::Error;
use super::lookup::{self, Operators};
use super::table::Table;
use super::verdict::{Verdict, print};
use super::verify::formula::mode;
pub use case::{Case, Timing};
pub(super) use case::{laid_shapes, position};
use codegen_cpu::rt::call::{Operator, Options};
use codegen_cpu::rt::simd::Level;
pub(super) use data::Pool;
use op_dsl_ir::op::{Spec, Value};
use record::{Earlier, Record, Subject};
use std::fs::File;
use std::io::{Read, Write};

/// Maximum size in bytes of a CSV file to compare with; `bench` writes none as large.
const LARGEST_FILE: u64 = 16 << 20;

/// Checks and times an operator for every requested element type and number of threads.
pub fn bench(operators: Operators, args: &Bench, out: &mut dyn Write) -> Result<Verdict, Error> {
    let op = lookup::operator(operators, &args.op)?;
    let attrs = lookup::attributes(op, &args.attrs)?;
    let earlier = args.compare.as_deref().map(|path| read("--compare", path)).transpose()?;
    let mut records = Vec::new();
    for &dtype in &args.dtype {
        let mut case = Case::new(op, &attrs, &args.shape.0, dtype, args.data)?;
        let options = |threads| Options { threads, level: args.level, ..Options::default() };
        case.check(&options(1))?;
        let spec = &op.def().specs[case.bound().spec];
        let size: Vec<String> = case.bound().domain.iter().map(usize::to_string).collect();
        let bytes = case.bytes() as f64;
        for &threads in &args.threads {
            let [own, floor] = case.time(&options(threads), args.runs)?;
            let stores = if case.is_streaming(&options(threads)) { "nt" } else { "plain" };
            let record = |system: &str, mode: &str, time: Timing, x_floor| Record {
                subject: Subject {
                    system: system.into(),
                    op: op.name().into(),
                    mode: mode.into(),
                    dtype: dtype.to_string(),
                    size: size.join("x"),
                    threads: threads.to_string(),
                    setting: setting(op, spec, &attrs, args),
                },
                ns_per_elem: time.median,
                gbps: bytes / time.median,
                x_floor,
                least_ns: time.least,
            };
            let ratio = Some(own.median / floor.median).filter(|x| x.is_finite());
            records.push(record("ops-glu-grad", &mode(op, spec), own, ratio));
            records.push(record("floor", stores, floor, None));
        }
    }
    let machine = machine::machine();
    let compared = args.compare.as_deref().zip(earlier.as_ref());
    let compared = compared.map(|(name, was)| compare::compare(name, was, &machine, &records));
    let text = match args.format {
        BenchFormat::Table => {
            let mut table = Table::new(&Record::COLUMNS);
            records.iter().for_each(|record| table.row(record.cells()));
            let machine: String = machine.iter().map(|line| format!("{line}\n")).collect();
            let compared = compared.map(|text| format!("\n{text}")).unwrap_or_default();
            format!("{machine}\n{}{compared}", table.to_text())
        }
        BenchFormat::Csv => {
            let compared = compared.unwrap_or_default();
            record::to_csv(&machine, &records) + &record::notes(compared.lines())
        }
    };
    print(out, &text)
}

/// Returns SIMD level, kind of data and attributes of a benchmark, as text for the CSV.
///
/// Attributes are listed only if they differ from their defaults and the formula does not branch on them.
fn setting(op: &Operator, spec: &Spec, attrs: &[Value], args: &Bench) -> String {
    let level = args.level.unwrap_or_else(Level::best).name().to_string();
    let data = match args.data {
        DataKind::Normal => None,
        DataKind::Wide => Some("wide".to_string()),
        DataKind::Tail => Some("tail".to_string()),
    };
    let given = op.def().passed().iter().zip(attrs).enumerate();
    let given = given.filter(|(k, (attr, value))| {
        attr.default != **value && spec.when.iter().all(|(branched, _)| branched != k)
    });
    let given = given.map(|(_, (attr, value))| format!("{}={}", attr.name, attr.kind.text(*value)));
    [level].into_iter().chain(data).chain(given).collect::<Vec<_>>().join(" ")
}

/// Reads the rows of an earlier run from the file `path` that the option `flag` names.
pub fn read(flag: &'static str, path: &str) -> Result<Earlier, Error> {
    let wrong = |what: String| Error::Earlier { flag, path: path.into(), what };
    let mut text = String::new();
    let file = File::open(path).map_err(|e| wrong(e.to_string()))?;
    let read = file.take(LARGEST_FILE + 1).read_to_string(&mut text);
    match read {
        Ok(n) if n as u64 > LARGEST_FILE => Err(wrong("is none of `bench`".into())),
        Ok(_) => record::of_csv(&text).map_err(wrong),
        Err(e) => Err(wrong(e.to_string())),
    }
}
