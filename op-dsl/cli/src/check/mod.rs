//! `check`: tests everything that an operator promises, one line for each promise, and shows its cost.
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

/// Outcome of one check of one operator.
enum Finding {
    /// The operator passes the check; the text says what was measured.
    Holds(String),
    /// The check was not possible; the text says why.
    Nothing(String),
    /// The operator fails the check; the text says by how much.
    Missed(String),
}

impl Finding {
    fn of(result: Result<String, String>) -> Finding {
        result.map_or_else(Finding::Missed, Finding::Holds)
    }

    /// Returns the verdict as a word (`ok`, `-` or `MISSED`), and the details.
    fn said(&self) -> (&'static str, &str) {
        match self {
            Finding::Holds(text) => ("ok", text),
            Finding::Nothing(text) => ("-", text),
            Finding::Missed(text) => ("MISSED", text),
        }
    }
}

/// Everything that the checks read besides the operator.
struct Context<'a> {
    /// All operators, among them the forward operators of gradients.
    operators: Operators<'a>,
    /// Compiled kernels of the operators that are checked together.
    kernels: &'a Kernels,
    progress: &'a Progress,
}

/// Number of operators whose kernels are compiled into one program.
const TOGETHER: usize = 16;

/// Function that makes one check of an operator; `None` if the check does not apply to the operator.
type Pass = fn(&Context<'_>, &'static Operator) -> Result<Option<Finding>, Error>;

const PASSES: [(&str, Pass); 4] = [
    ("derivative", derivative::derivative),
    ("accuracy", accuracy::accuracy),
    ("packages", packages::packages),
    ("host model", kernels::kernels),
];

/// Makes every check of the chosen operators and prints the outcomes and costs.
///
/// Returns [`Verdict::Missed`] if a check fails.
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
