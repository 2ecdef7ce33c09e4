//! `check`: tests everything that an operator promises, one line for each promise, and shows its cost.
//!
//! ```text
//! derivative  a gradient against differences of its forward operator
//! accuracy    the sweeps of `verify`
//! cost        what a tile costs on each machine
//! ```
//!
//! Further promises are those of targets.

mod accuracy;
pub mod cost;
mod derivative;

use super::args::Check as Args;
use super::error::Error;
use super::lookup::{self, Operators};
use super::progress::Progress;
use super::target::{Finding, Promise, Targets};
use super::verdict::{Verdict, print};
use std::io::Write;

impl Finding {
    /// Returns the verdict as a word (`ok`, `-` or `MISSED`), and the details.
    fn said(&self) -> (&'static str, &str) {
        match self {
            Finding::Holds(text) => ("ok", text),
            Finding::Nothing(text) => ("-", text),
            Finding::Missed(text) => ("MISSED", text),
        }
    }
}

/// Number of operators that a target prepares together, which may compile their kernels into one program.
const TOGETHER: usize = 16;

/// Makes every check of the chosen operators and prints the outcomes and costs.
///
/// Returns [`Verdict::Missed`] if a check fails.
pub fn check(
    operators: Operators,
    args: &Args,
    targets: Targets,
    out: &mut dyn Write,
) -> Result<Verdict, Error> {
    let chosen = lookup::chosen(operators, args.op.as_deref())?;
    let progress = Progress::new();
    let width = chosen.iter().map(|op| op.name().len()).max().unwrap_or(0);
    let mut verdict = Verdict::Good;
    for (k, some) in chosen.chunks(TOGETHER).enumerate() {
        progress.set_message("compiling kernels");
        let mut promises: Vec<Promise<'_>> = vec![
            ("derivative", Box::new(|op| Ok(derivative::derivative(operators, op)))),
            ("accuracy", Box::new(|op| accuracy::accuracy(op, &progress))),
        ];
        for target in targets {
            promises.extend(target.promises(some, &progress)?);
        }
        for (i, op) in some.iter().enumerate() {
            progress.set_prefix(format!("[{}/{}] ", k * TOGETHER + i + 1, chosen.len()));
            for (name, test) in &promises {
                progress.set_message(format!("{} {name}", op.name()));
                let Some(finding) = test(op)? else { continue };
                let (word, text) = finding.said();
                let line = format!("{:width$}  {name:10}  {word:6}  {text}\n", op.name());
                progress.suspend(|| print(out, &line))?;
                if let Finding::Missed(_) = finding {
                    verdict = Verdict::Missed;
                }
            }
        }
    }
    progress.clear();
    let costs = cost::table(&chosen, targets);
    if !costs.is_empty() {
        print(out, &format!("\n{}{}\n", costs.to_text(), cost::LEGEND))?;
    }
    Ok(verdict)
}
