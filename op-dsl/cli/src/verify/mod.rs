//! `verify`: how far results are from the truth.
//!
//! ```text
//! formula   one specialisation, and the settings that it is swept in
//! points    the activations of a sweep
//! bench     running the operator on many elements
//! probe     errors at a few activations
//! sweep     every activation through the kernels of each level, held against the truth
//! factors   factors from 0 to 1e30
//! author    the author's own code against the graph
//! report    what of it is said, as a table and as JSON
//! ```

mod author;
mod bench;
mod factors;
pub mod formula;
mod points;
mod probe;
mod report;
mod sweep;

use super::args::{Sweep, Verify};
use super::error::Error;
use super::lookup::{self, Operators};
use super::progress;
use super::verdict::{Verdict, print};
use codegen_cpu::rt::simd::Level;
use factors::factors;
use formula::Formula;
use indicatif::ProgressBar;
use op_dsl_ir::DType;
use points::Points;
pub use probe::errors;
pub use report::Report;
use report::Row;
use std::io::Write;
use sweep::sweep;

/// Measures and prints; [`Verdict::Missed`] if anything is beyond its budget.
pub fn verify(operators: Operators, args: &Verify, out: &mut dyn Write) -> Result<Verdict, Error> {
    let chosen = lookup::chosen(operators, args.op.as_deref())?;
    let progress = progress::bar();
    let report = measure(&chosen, &args.sweep, &progress)?;
    progress.finish_and_clear();
    print(out, &report.render(args.format, args.all))?;
    Ok(if report.is_good() { Verdict::Good } else { Verdict::Missed })
}

/// Measures some operators, and shows on the bar how far it is.
pub fn measure(
    operators: Operators,
    args: &Sweep,
    progress: &ProgressBar,
) -> Result<Report, Error> {
    let (levels, skipped) = levels(args.level)?;
    let formulas: Vec<Formula> = operators
        .iter()
        .flat_map(|op| op.def().specs.iter().map(|spec| Formula::new(op, spec)))
        .collect();
    let tasks: Vec<(&Formula, DType, Points)> = formulas
        .iter()
        .flat_map(|f| f.op.def().dtypes.iter().map(move |d| (f, *d)))
        .filter(|(_, dtype)| args.dtype.is_empty() || args.dtype.contains(dtype))
        .map(|(f, dtype)| (f, dtype, Points::new(f, dtype, args)))
        .collect();
    let work = tasks.iter().map(|(f, _, points)| points.len() * f.settings.len() as u64).sum();
    progress.reset();
    progress.set_length(work);
    let available = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.unwrap_or_else(available);
    let mut report = Report::new(skipped);
    for (formula, dtype, points) in &tasks {
        progress.set_message(format!("{} {} {dtype}", formula.op.name(), formula.mode));
        let author = author::difference(formula);
        let measures = sweep(formula, *dtype, points, &levels, threads, progress)?;
        for (&level, measure) in levels.iter().zip(measures) {
            let factors = factors(formula, *dtype, level)?;
            report.add(Row::new(formula, *dtype, level, points.len(), measure, factors, author));
        }
    }
    Ok(report)
}

/// The levels to run, and those that this CPU lacks.
fn levels(asked: Option<Level>) -> Result<(Vec<Level>, Vec<Level>), Error> {
    let (has, lacks): (Vec<_>, Vec<_>) = Level::ALL.into_iter().partition(|l| l.is_available());
    match asked {
        None => Ok((has, lacks)),
        Some(level) if has.contains(&level) => Ok((vec![level], Vec::new())),
        Some(level) => {
            let names: Vec<&str> = has.iter().map(|l| l.name()).collect();
            let (level, names) = (level.name(), names.join(", "));
            Err(Error::Usage(format!("--level {level}: this CPU does not have it; it has {names}")))
        }
    }
}
