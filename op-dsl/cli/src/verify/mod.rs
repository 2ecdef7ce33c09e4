//! `verify`: measures the error of results against exact values.
//!
//! ```text
//! formula   one specialisation, and the settings that it is swept in; budget: its allowed errors; in_range: values of streams
//! pass      the elements that it is tried at, and how many
//! points    the activations of a sweep             joint     all streams at random
//! infinite  infinities and NaN
//! bench     running the operator on many elements; layout: shapes of its tensors
//! probe     errors at a few activations
//! sweep     every element through the kernels of each level, compared with the exact values
//! rows      the same for rows of formulas with row functions
//! converted errors of integers, truth values and floats of 8 bits
//! author    the author's own code against the graph
//! report    the measurements, a row each           printer   prints them at once
//! ```

mod author;
mod bench;
mod budget;
mod converted;
pub mod formula;
mod in_range;
mod infinite;
mod joint;
mod layout;
mod pass;
mod points;
mod printer;
mod probe;
mod report;
pub mod rows;
mod sweep;

use super::args::{Sweep, Verify};
use super::error::Error;
use super::lookup::{self, Operators};
use super::progress::Progress;
use super::verdict::Verdict;
use codegen_cpu::rt::call::Operator;
use codegen_cpu::rt::simd::Level;
use formula::Formula;
use pass::{Effort, passes};
use printer::Printer;
pub use probe::errors;
pub use report::Report;
use report::Row;
use std::io::Write;
use sweep::sweep;

/// Measures the errors of the chosen operators, and prints each operator or row as soon as it is done.
///
/// Returns [`Verdict::Missed`] if a check fails, for example if an error exceeds its budget.
pub fn verify(operators: Operators, args: &Verify, out: &mut dyn Write) -> Result<Verdict, Error> {
    let chosen = lookup::chosen(operators, args.op.as_deref())?;
    let (levels, skipped) = levels(args.sweep.level)?;
    let progress = Progress::new();
    let mut printer = Printer::new(&chosen, args, out)?;
    let mut is_good = true;
    for (k, op) in chosen.iter().enumerate() {
        progress.set_prefix(format!("[{}/{}] ", k + 1, chosen.len()));
        let report = measure(op, &args.sweep, &levels, &progress, &mut |row| {
            progress.suspend(|| printer.row(row))
        })?;
        progress.suspend(|| printer.operator(&report))?;
        is_good &= report.is_good();
    }
    progress.clear();
    printer.finish(&skipped)?;
    Ok(if is_good { Verdict::Good } else { Verdict::Missed })
}

/// Measures the errors of an operator with the default effort, for the command `check`.
pub fn usual(op: &'static Operator, progress: &Progress) -> Result<Report, Error> {
    measure(op, &Sweep::default(), &levels(None)?.0, progress, &mut |_| Ok(()))
}

/// Returns whether the formula has row functions: whole rows are then measured, instead of elements.
fn has_rows(formula: &Formula) -> bool {
    !formula.spec.stages.is_empty()
}

/// Measures the errors of an operator, passes every row to `done`, and shows progress.
fn measure(
    op: &'static Operator,
    args: &Sweep,
    levels: &[Level],
    progress: &Progress,
    done: &mut dyn FnMut(&Row) -> Result<(), Error>,
) -> Result<Report, Error> {
    let formulas: Vec<Formula> = op.def().specs.iter().map(|s| Formula::new(op, s)).collect();
    let dtypes = || {
        let all = op.def().dtypes.iter();
        all.filter(|dtype| args.dtype.is_empty() || args.dtype.contains(dtype))
    };
    let effort = Effort::of(args);
    let passes = |f| {
        dtypes().map(move |dtype| match has_rows(f) {
            true => (f, *dtype, rows::passes(f, *dtype, effort)),
            false => (f, *dtype, passes(f, *dtype, effort)),
        })
    };
    let tasks: Vec<_> = formulas.iter().flat_map(passes).collect();
    progress.reset();
    let elements = tasks.iter().flat_map(|(.., passes)| passes).map(|pass| pass.elements);
    progress.set_length(elements.sum());
    let available = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.unwrap_or_else(available);
    let mut report = Report::default();
    for (formula, dtype, passes) in &tasks {
        progress.set_message(format!("{} {} {dtype}", formula.op.name(), formula.mode));
        let author = author::difference(formula);
        let measures = match has_rows(formula) {
            true => rows::sweep(formula, *dtype, passes, levels)?,
            false => sweep(formula, *dtype, passes, levels, threads, progress)?,
        };
        for (&level, measure) in levels.iter().zip(measures) {
            let row = Row::new(formula, *dtype, level, passes, measure, author);
            done(&row)?;
            report.add(row);
        }
    }
    Ok(report)
}

/// Returns the SIMD levels to run, and those that are skipped because this CPU lacks them.
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
