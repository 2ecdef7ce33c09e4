//! `check`: all that an operator promises, one line for each promise, and what it costs.
//!
//! ```text
//! derivative  a gradient against differences of its forward operator
//! accuracy    the sweeps of `verify`
//! packages    every layout for every NPU
//! kernels     the emitted kernels on the host model
//! cost        what a tile costs on each NPU
//! ```

mod accuracy;
pub mod cost;
mod derivative;
mod kernels;
mod packages;

use super::args::Check as Args;
use super::error::Error;
use super::lookup::{self, Operators};
use super::progress::Progress;
use super::simulate::program;
use super::verdict::{Verdict, print};
use codegen_cpu::rt::call::Operator;
use kernels::Kernels;
use std::io::Write;

/// What came of one promise of one operator.
enum Finding {
    /// It holds; what was seen.
    Holds(String),
    /// It cannot be asked for; why.
    Nothing(String),
    /// It does not; how far off it is.
    Missed(String),
}

impl Finding {
    fn of(result: Result<String, String>) -> Finding {
        result.map_or_else(Finding::Missed, Finding::Holds)
    }

    /// The word of the verdict, and the rest.
    fn said(&self) -> (&'static str, &str) {
        match self {
            Finding::Holds(text) => ("ok", text),
            Finding::Nothing(text) => ("-", text),
            Finding::Missed(text) => ("MISSED", text),
        }
    }
}

/// What promises are judged with.
struct Context<'a> {
    /// Where forward operators are.
    operators: Operators<'a>,
    /// Those of the operators that are judged together.
    kernels: &'a Kernels,
    progress: &'a Progress,
}

/// Operators whose kernels are compiled together.
const TOGETHER: usize = 16;

/// One promise; `None` where an operator does not make it.
type Pass = fn(&Context<'_>, &'static Operator) -> Result<Option<Finding>, Error>;

const PASSES: [(&str, Pass); 4] = [
    ("derivative", derivative::derivative),
    ("accuracy", accuracy::accuracy),
    ("packages", packages::packages),
    ("host model", kernels::kernels),
];

/// Judges and prints; [`Verdict::Missed`] if a promise is not kept.
pub fn check(operators: Operators, args: &Args, out: &mut dyn Write) -> Result<Verdict, Error> {
    let chosen = lookup::chosen(operators, args.op.as_deref())?;
    let progress = Progress::new();
    let compiler = program::compiler()?;
    let width = chosen.iter().map(|op| op.name().len()).max().unwrap_or(0);
    let mut verdict = Verdict::Good;
    for (k, some) in chosen.chunks(TOGETHER).enumerate() {
        progress.set_message("compiling kernels");
        let kernels = Kernels::compile(some, &compiler)?;
        let context = Context { operators, kernels: &kernels, progress: &progress };
        for (i, op) in some.iter().enumerate() {
            progress.set_prefix(format!("[{}/{}] ", k * TOGETHER + i + 1, chosen.len()));
            for (name, pass) in PASSES {
                progress.set_message(format!("{} {name}", op.name()));
                let Some(finding) = pass(&context, op)? else { continue };
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
    let costs = cost::table(&chosen);
    if !costs.is_empty() {
        print(out, &format!("\n{}{}\n", costs.to_text(), cost::LEGEND))?;
    }
    Ok(verdict)
}
