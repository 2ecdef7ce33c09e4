//! The command line over a table of operators.
//!
//! ```text
//! args      grammar of the command line            error     one line each, exit code 2
//! new       a crate of one's own
//! list      operators, tensors, attributes         lookup    names -> operators and attributes
//! run       .npy in, .npy out                      npy       files; array: their contents
//! bench     speed compared with a floor            roles     which input is the activation
//! verify    accuracy against oracles               table     aligned columns, CSV, JSON
//! check     all of it at once                      progress  progress line of a command
//! explain   from formula to instructions           constants truncated constants of a formula
//!                                                  advice    changes that make it cheaper
//! report    a page of all of it                    scratch   temporary directories and files
//! target    the trait that commands know targets by
//! ascendc   the target AscendC, its own commands   verdict   outcome of a command
//! emit      for targets without one of their own   speed     time of either accuracy
//! ```

mod advice;
mod args;
mod array;
mod ascendc;
mod bench;
mod check;
mod constants;
mod each;
mod emit;
mod error;
mod explain;
mod list;
mod lookup;
mod new;
mod npy;
mod progress;
mod report;
mod roles;
mod run;
mod scratch;
mod speed;
mod table;
mod target;
#[cfg(test)]
mod tests;
mod verdict;
mod verify;

pub use args::DataKind;
pub use ascendc::ASCENDC;
pub use bench::{Case, Timing};
/// The argument parser, whose types are in the interface of [`Target`].
pub use clap;
pub use error::Error;
pub use progress::Progress;
pub use target::{Cost, Finding, Kernel, Promise, Target};
pub use verdict::Verdict;

use codegen_cpu::rt::call::Operator;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;
use target::{Targets, asked};
use verdict::print;

/// A command-line program: its operators, and what it shows or uses if arguments are missing.
#[derive(Clone, Copy)]
pub struct Program<'a> {
    operators: &'a [&'static Operator],
    example: &'a str,
    by_hand: &'a str,
    targets: Targets,
}

/// Runs the program's command line: parses it, executes it, and prints to standard output.
///
/// `example` is shown when there are no arguments. Whatever is wrong with the input is reported in one line on standard
/// error with exit code 2; no output file has been touched then.
pub fn main(operators: &[&'static Operator], example: &str) -> ExitCode {
    Program::new(operators, example).main()
}

/// Runs the command line `line` as [`main`] does, but prints to `out`. Its first word is the program's name.
pub fn run(
    operators: &[&'static Operator],
    example: &str,
    line: impl Iterator<Item = OsString>,
    out: &mut dyn Write,
) -> ExitCode {
    Program::new(operators, example).run(line, out)
}

impl<'a> Program<'a> {
    /// Returns a program for these operators; `example` is shown when there are no arguments.
    pub const fn new(operators: &'a [&'static Operator], example: &'a str) -> Program<'a> {
        Program { operators, example, by_hand: "", targets: &[ASCENDC] }
    }

    /// Sets the CSV with figures of hand-written operators that `report` uses without `--compare`.
    ///
    /// `report --help` lists its columns.
    pub const fn by_hand(self, csv: &'a str) -> Program<'a> {
        Program { by_hand: csv, ..self }
    }

    /// Sets the targets, by default [`ASCENDC`] alone. A command is for the target of the machine that `--soc` names, else for the
    /// first; `check` and `report` are for all.
    ///
    /// # Panics
    /// There are no targets.
    pub const fn targets(self, targets: &'static [&'static dyn Target]) -> Program<'a> {
        assert!(!targets.is_empty(), "a program has a target");
        Program { targets, ..self }
    }

    /// Runs the command line of this process, as the function [`main`].
    pub fn main(&self) -> ExitCode {
        self.run(std::env::args_os(), &mut io::stdout().lock())
    }

    /// Runs `line` and prints to `out`, as the function [`run`](fn@run).
    pub fn run(&self, line: impl Iterator<Item = OsString>, out: &mut dyn Write) -> ExitCode {
        let line: Vec<OsString> = line.collect();
        let target = asked(&line, self.targets);
        let done = match args::parse(line, target, self.targets) {
            Ok(args::Parsed::Text(text)) => print(out, &text),
            Ok(args::Parsed::Nothing) => print(out, &about(self)),
            Ok(args::Parsed::Command(command)) => self.dispatch(command, target, out),
            Ok(args::Parsed::Own(line)) => target.run(self.operators, &line, out),
            Err(e) => Err(e),
        };
        match done.and_then(|verdict| out.flush().map(|()| verdict).map_err(Error::Stdout)) {
            Ok(Verdict::Good) => ExitCode::SUCCESS,
            Ok(Verdict::Missed) => ExitCode::FAILURE,
            // A closed pipe means that the reader has seen enough, for example `head`: this is no error.
            Err(Error::Stdout(e)) if e.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Err(e) => {
                // If standard error is gone too, nobody can be told.
                let _ = writeln!(io::stderr(), "error: {}", error::one_line(&e.to_string()));
                ExitCode::from(2)
            }
        }
    }

    fn dispatch(
        &self,
        command: args::Command,
        target: &dyn Target,
        out: &mut dyn Write,
    ) -> Result<Verdict, Error> {
        let Program { operators, targets, .. } = *self;
        match command {
            args::Command::New(args) => print(out, &new::new(&args)?),
            args::Command::Check(args) => check::check(operators, &args, targets, out),
            args::Command::List(args) => print(out, &list::list(operators, &args)),
            args::Command::Run(args) => print(out, &run::run(operators, &args)?),
            args::Command::Bench(args) => bench::bench(operators, &args, out),
            args::Command::Verify(args) => verify::verify(operators, &args, out),
            args::Command::Explain(args) => {
                print(out, &explain::explain(operators, &args, target)?)
            }
            args::Command::Report(args) => {
                print(out, &report::report(operators, &args, self.by_hand, targets)?)
            }
        }
    }
}

/// Runs the command `check` on these operators and returns its report, for a test of a crate.
///
/// # Errors
/// The report if a check fails, else the reason why the checks could not run.
pub fn check(operators: &[&'static Operator]) -> Result<String, String> {
    let mut out = Vec::new();
    let verdict = check::check(operators, &args::Check { op: None }, &[ASCENDC], &mut out);
    let said = String::from_utf8_lossy(&out).into_owned();
    match verdict {
        Ok(Verdict::Good) => Ok(said),
        Ok(Verdict::Missed) => Err(said),
        Err(e) => Err(format!("{said}{e}")),
    }
}

/// Returns the text that the program shows without a command.
fn about(program: &Program<'_>) -> String {
    let names: Vec<&str> = program.operators.iter().map(|op| op.name()).collect();
    format!(
        "\
Activation operators and their gradients, each generated from its formula.

  new      write a crate of operators that builds and passes as it is
  check    check all that operators promise, on CPUs and NPUs
  list     operators with their tensors, attributes and element types
  run      compute an operator on .npy files
  bench    time an operator beside the floor of its memory traffic
  verify   measure how far its results are from the truth
  explain  show the way from the formula to instructions
  report   write a page of formulas, errors, speed and costs
{}
Operators: {}

Example:
{}

More: <command> --help
",
        program.targets[0].about(),
        names.join(", "),
        program.example.trim_end(),
    )
}
