//! Targets: machines that kernels are generated for, in addition to the CPU that this program runs on.
//!
//! Commands know targets by the trait [`Target`] alone. [`ASCENDC`](crate::ASCENDC), in `ascendc/`, is the one that programs have
//! by default. `tests/tests/toy_target.rs` has a short one, which prints C.

use super::emit;
use super::error::Error;
use super::progress::Progress;
use super::verdict::Verdict;
use clap::{ArgMatches, Command, Subcommand};
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::DType;
use op_dsl_ir::op::OpDef;
use std::ffi::OsString;
use std::io::Write;

/// Code generator for machines of one kind.
///
/// A refusal is a text that names the operator, says why the target cannot do it, and what to do instead.
pub trait Target: Sync {
    /// Names of the machines that `--soc` takes, at least one; commands that are given none use the first.
    fn machines(&self) -> Vec<&'static str>;

    /// Shows the plan of a kernel, in one line with `brief`, and says what would make it cheaper; or refuses the kernel.
    ///
    /// `flags` are the arguments of the command `explain`.
    fn explain(
        &self,
        kernel: Kernel<'_>,
        flags: &ArgMatches,
        brief: bool,
    ) -> Result<(String, Vec<String>), String>;

    /// Estimates the cost of a kernel; `None` if the target refuses the kernel, or estimates none.
    fn cost(&self, kernel: Kernel<'_>) -> Option<Cost>;

    /// Returns path and text of each file that an operator's build needs, or the reason why there are none.
    ///
    /// Without `machines`, the files are for all machines and element types that can run the operator.
    fn emit(&self, def: &OpDef, machines: &[&str]) -> Result<Vec<(String, String)>, String>;

    /// Prepares the checks of these operators that the target adds to the command `check`.
    fn promises<'a>(
        &self,
        operators: &[&'static Operator],
        progress: &'a Progress,
    ) -> Result<Vec<Promise<'a>>, Error>;

    /// Draws in HTML which part of the first machine computes which part of a tensor; by default nothing.
    fn figure(&self, _: &Operator) -> String {
        String::new()
    }

    /// Adds the target's own commands, and its own arguments of `explain`; by default, an `emit` that writes what
    /// [`Target::emit`] returns.
    fn grammar(&self, line: Command) -> Command {
        emit::Own::augment_subcommands(line)
    }

    /// Lines on the target's own commands, for the text that a program shows without a command.
    fn about(&self) -> &'static str {
        "  emit     write the sources of an operator\n"
    }

    /// Runs the one of the target's own commands that is in `line`.
    fn run(
        &self,
        operators: &[&'static Operator],
        line: &ArgMatches,
        out: &mut dyn Write,
    ) -> Result<Verdict, Error> {
        emit::run(|def, machines| self.emit(def, machines), operators, line, out)
    }
}

/// One kernel of an operator, for one specialisation, element type and machine.
#[derive(Clone, Copy)]
pub struct Kernel<'a> {
    /// The operator that the kernel computes.
    pub def: &'a OpDef,
    /// Index of the operator's specialisation.
    pub spec: usize,
    /// Element type of its tensors.
    pub dtype: DType,
    /// Name of the machine that the kernel is for.
    pub machine: &'a str,
}

/// Estimated cost of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Vector calls, or instructions, per tile.
    pub calls: usize,
    /// Cycles of the vector unit for 64 elements.
    pub cycles: f64,
    /// Cycles of 64 elements in the slower of vector unit and memory.
    pub slower: f64,
    /// Name of the slower of vector unit and memory, for example `vector`.
    pub waits_for: &'static str,
}

/// A check that a target adds to the command `check`: its name, at most ten characters, and its test.
///
/// The test returns `None` for operators to which the check does not apply.
pub type Promise<'a> =
    (&'static str, Box<dyn Fn(&'static Operator) -> Result<Option<Finding>, Error> + 'a>);

/// Outcome of one check of one operator.
pub enum Finding {
    /// The operator passes the check; the text says what was measured.
    Holds(String),
    /// The check was not possible; the text says why.
    Nothing(String),
    /// The operator fails the check; the text says by how much.
    Missed(String),
}

impl Finding {
    /// Converts the result of a check that was possible: `Ok` means that the operator passes, `Err` that it fails.
    pub fn of(result: Result<String, String>) -> Finding {
        result.map_or_else(Finding::Missed, Finding::Holds)
    }
}

/// The targets of a program, at least one.
pub type Targets = &'static [&'static dyn Target];

/// Returns the machines of all targets.
pub fn machines(targets: Targets) -> impl Iterator<Item = (&'static dyn Target, &'static str)> {
    targets.iter().flat_map(|target| target.machines().into_iter().map(|name| (*target, name)))
}

/// Returns the machine of this name; the error is the list of all names.
pub fn machine(targets: Targets, name: &str) -> Result<&'static str, String> {
    let names: Vec<&str> = machines(targets).map(|(_, name)| name).collect();
    names.iter().copied().find(|n| *n == name).ok_or_else(|| names.join(", "))
}

/// Returns the target whose commands a command line has: that of the machine after `--soc`, else the first target.
pub fn asked(line: &[OsString], targets: Targets) -> &'static dyn Target {
    let words: Vec<&str> = line.iter().filter_map(|word| word.to_str()).collect();
    let next = words.windows(2).filter(|pair| pair[0] == "--soc").map(|pair| pair[1]);
    let joined = words.iter().filter_map(|word| word.strip_prefix("--soc="));
    let names: Vec<&str> = next.chain(joined).flat_map(|names| names.split(',')).collect();
    machines(targets)
        .find(|(_, name)| names.contains(name))
        .map_or(targets[0], |(target, _)| target)
}
