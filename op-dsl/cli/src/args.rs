//! The command-line grammar: commands and their options.

pub mod help;
mod value;

use super::error::Error;
use super::target::{Target, Targets, machine};
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use codegen_cpu::rt::simd::Level;
use op_dsl_ir::DType;
use std::ffi::OsString;
use std::path::PathBuf;
pub use value::{Pair, Shape};
pub use value::{any_shape, attribute, dtype, tensor_file};
use value::{level, shape, threads};

/// The names of all element types, as help shows them.
pub const DTYPES: &str = "bf16|f16|f32";

#[derive(Parser)]
#[command(version, about = "Activation operators and their gradients, each from its formula")]
#[command(disable_help_subcommand = true)]
struct Line {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
pub enum Command {
    /// Write a crate of operators that builds and passes as it is.
    New(New),
    /// Check all that an operator promises, on CPUs and NPUs, and show its cost; exit code 1 on a miss.
    #[command(after_long_help = help::CHECK)]
    Check(Check),
    /// Operators with their tensors, attributes and element types.
    List(List),
    /// Compute an operator on .npy files.
    Run(Run),
    /// Time an operator beside the floor of its memory traffic.
    #[command(after_long_help = help::BENCH)]
    Bench(Bench),
    /// Measure how far results are from the truth; exit code 1 if a budget is missed.
    #[command(after_long_help = help::VERIFY)]
    Verify(Verify),
    /// Show formula, derivative, simplified graph, what each primitive becomes, and what would be cheaper.
    Explain(Explain),
    /// Write a page of all there is to see of the operators: formulas, errors, speed, costs.
    #[command(after_long_help = help::REPORT)]
    Report(Report),
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    Table,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VerifyFormat {
    Table,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BenchFormat {
    Table,
    Csv,
}

/// The distribution of a benchmark's activations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum DataKind {
    /// N(0, 1)
    Normal,
    /// N(0, 3): many lie beyond the tables of functions.
    Wide,
    /// Uniform in -10 .. -8.1, where the tail of every function lies.
    Tail,
}

#[derive(Args)]
pub struct List {
    #[arg(long, value_enum, default_value = "table")]
    pub format: ListFormat,
}

#[derive(Args)]
pub struct Run {
    /// Name of the operator; `list` shows them.
    #[arg(value_name = "OP")]
    pub op: String,
    /// File of an input tensor; once per input.
    #[arg(long = "in", value_name = "NAME=FILE.npy", value_parser = tensor_file)]
    pub inputs: Vec<Pair>,
    /// Mask whose file holds packed bits, as of numpy.packbits(m, bitorder='little'); once per mask.
    #[arg(long, value_name = "NAME")]
    pub packed: Vec<String>,
    /// Value of an attribute that shall not have its default.
    #[arg(long = "attr", value_name = "NAME=VALUE", value_parser = attribute)]
    pub attrs: Vec<Pair>,
    /// Element type that all input files have, masks aside; needed for bf16, whose files are uint16 bit patterns.
    #[arg(long, value_name = DTYPES, value_parser = dtype)]
    pub dtype: Option<DType>,
    /// Threads to share the work; by default as many as pay.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// File to write an output tensor to; an output without a file is dropped.
    #[arg(long = "out", value_name = "NAME=FILE.npy", value_parser = tensor_file)]
    pub outputs: Vec<Pair>,
}

#[derive(Args)]
pub struct Bench {
    /// Name of the operator; `list` shows them.
    #[arg(value_name = "OP")]
    pub op: String,
    /// Shape of the activation input (`x`): 8192x8192.
    #[arg(long, value_name = "RxC", value_parser = shape)]
    pub shape: Shape,
    /// Value of an attribute that shall not have its default.
    #[arg(long = "attr", value_name = "NAME=VALUE", value_parser = attribute)]
    pub attrs: Vec<Pair>,
    /// Element types, separated by commas.
    #[arg(long, value_name = DTYPES, value_delimiter = ',', default_value = "f32", value_parser = dtype)]
    pub dtype: Vec<DType>,
    /// Numbers of threads, separated by commas.
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1", value_parser = threads)]
    pub threads: Vec<usize>,
    /// SIMD level; by default the best of this CPU.
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    pub level: Option<Level>,
    /// The distribution of the activations.
    #[arg(long, value_enum, default_value = "normal")]
    pub data: DataKind,
    /// Interleaved runs that the median is of; by default as many as half a second holds.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub runs: Option<u16>,
    /// CSV of an earlier run, to show what changed since.
    #[arg(long, value_name = "FILE.csv")]
    pub compare: Option<String>,
    #[arg(long, value_enum, default_value = "table")]
    pub format: BenchFormat,
}

#[derive(Args)]
pub struct New {
    /// Its directory, which is not there yet; the last part is its name.
    #[arg(value_name = "NAME")]
    pub path: PathBuf,
    /// The operator's formula, of tensors: "x * sigmoid(1.702 * x)", "x.value * gelu(x.gate)"; by
    /// default a gated unit.
    #[arg(long, value_name = "FORMULA")]
    pub from: Option<String>,
    /// Directory of the crate op-dsl; by default the one that this program was built from, else the
    /// registry's.
    #[arg(long, value_name = "DIR")]
    pub op_dsl: Option<PathBuf>,
}

#[derive(Args)]
pub struct Check {
    /// Name of the operator; all of them by default.
    #[arg(value_name = "OP")]
    pub op: Option<String>,
}

#[derive(Args)]
pub struct Verify {
    /// Name of the operator; all of them by default.
    #[arg(value_name = "OP")]
    pub op: Option<String>,
    #[command(flatten)]
    pub sweep: Sweep,
    /// A line for each mode, element type and level instead of one per operator.
    #[arg(long)]
    pub all: bool,
    /// JSON always has everything.
    #[arg(long, value_enum, default_value = "table")]
    pub format: VerifyFormat,
}

/// Through what a formula is swept.
#[derive(Args, Default)]
pub struct Sweep {
    /// All 2^32 values in f32: an hour or more per formula.
    #[arg(long)]
    pub exhaustive: bool,
    /// 16 times as many elements as usual or more, however long it takes: minutes per operator.
    #[arg(long)]
    pub thorough: bool,
    /// SIMD level; by default each one this CPU has.
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    pub level: Option<Level>,
    /// Element types, separated by commas; by default all that the operator has.
    #[arg(long, value_name = DTYPES, value_delimiter = ',', value_parser = dtype)]
    pub dtype: Vec<DType>,
    /// Number of threads; by default as many as the CPU runs at a time.
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
}

#[derive(Args)]
pub struct Explain {
    /// Name of the operator; `list` shows them.
    #[arg(value_name = "OP")]
    pub op: String,
    /// Only the formula for this value of an attribute.
    #[arg(long = "attr", value_name = "NAME=VALUE", value_parser = attribute)]
    pub attrs: Vec<Pair>,
    /// Element type of the tensors.
    #[arg(long, value_name = DTYPES, default_value = "f32", value_parser = dtype)]
    pub dtype: DType,
    /// The machine whose plan to show, which [`grammar`] adds.
    #[arg(skip)]
    pub soc: Option<&'static str>,
    /// All arguments, with those that the target adds.
    #[arg(skip)]
    pub flags: ArgMatches,
}

#[derive(Args)]
pub struct Report {
    /// Name of the operator; all of them by default.
    #[arg(value_name = "OP")]
    pub op: Option<String>,
    /// The page: one file, which needs no other.
    #[arg(long, value_name = "FILE.html", default_value = "report.html")]
    pub out: PathBuf,
    /// CSV of `bench --format csv`, of any operators and systems, to show their speed.
    #[arg(long, value_name = "FILE.csv")]
    pub bench: Option<String>,
    /// CSV of what operators take that somebody wrote by hand, to show these beside them; by default the program's own.
    #[arg(long, value_name = "FILE.csv")]
    pub compare: Option<PathBuf>,
}

/// Result of parsing a command line.
pub enum Parsed {
    /// The text of `--help` or `--version`.
    Text(String),
    /// A command line without arguments.
    Nothing,
    /// A command to run.
    Command(Command),
    /// A command of the target's own.
    Own(ArgMatches),
}

/// Parses a command line whose first word is the program's name, and whose commands are those of `target` too.
pub fn parse(line: Vec<OsString>, target: &dyn Target, targets: Targets) -> Result<Parsed, Error> {
    let matches = match grammar(target, targets).try_get_matches_from(line) {
        Err(e) if matches!(e.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            return Ok(Parsed::Text(e.to_string()));
        }
        matches => matches?,
    };
    let Some((name, flags)) = matches.subcommand() else { return Ok(Parsed::Nothing) };
    if !Command::has_subcommand(name) {
        return Ok(Parsed::Own(matches));
    }
    let mut command = Command::from_arg_matches(&matches)?;
    if let Command::Explain(explain) = &mut command {
        explain.soc = flags.get_one("soc").copied();
        explain.flags = flags.clone();
    }
    Ok(Parsed::Command(command))
}

/// Returns the grammar of all commands, with those of `target`.
fn grammar(target: &dyn Target, targets: Targets) -> clap::Command {
    let soc = Arg::new("soc").long("soc").value_name("SOC").value_parser(move |name: &str| {
        machine(targets, name).map_err(|known| format!("unknown SoC; allowed: {known}"))
    });
    let soc = soc.help("Also the plan for an NPU: vector calls, buffers, cost");
    target.grammar(Line::command().mut_subcommand("explain", |explain| explain.arg(soc)))
}

impl From<clap::Error> for Error {
    fn from(e: clap::Error) -> Error {
        Error::Usage(one_line(&e.to_string()))
    }
}

/// Joins the lines of clap's error message to one, without its `error:` prefix and usage.
fn one_line(message: &str) -> String {
    let lines = message.lines().map(str::trim);
    let told = lines.take_while(|l| !l.starts_with("Usage:") && !l.starts_with("For more"));
    let joined = told.filter(|l| !l.is_empty()).collect::<Vec<_>>().join(" ");
    let bare = joined.strip_prefix("error: ").unwrap_or(&joined);
    format!("{bare}; see --help")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ASCENDC;

    #[test]
    fn the_declaration_is_consistent() {
        grammar(ASCENDC, &[ASCENDC]).debug_assert();
    }

    #[test]
    fn every_refusal_is_one_line() {
        for line in [
            "p nonsense",
            "p run",
            "p run Op --in x",
            "p run Op --threads 0",
            "p run Op --dtype f64",
            "p bench Op",
            "p bench Op --shape 8by8",
            "p bench Op --shape 8x8 --level sse9",
            "p bench Op --shape 8x8 --compare",
            "p list --format xml",
            "p explain Op --soc ascend910z",
            "p tile Op --shape 8x8",
            "p tile Op --shape 8x8 --soc ascend910b --cores 0",
            "p emit --layout custom --soc ascend910b --out d",
            "p emit Op --all --layout custom --soc ascend910b --out d",
            "p emit Op --layout cmake --soc ascend910b --out d",
            "p emit Op --layout custom --soc ascend910b --out d --cann 7",
            "p emit Op --layout custom --soc ascend910b",
            "p emit Op --layout ops-nn --out d --into d",
            "p emit Op --layout ops-nn --out d --dry-run",
            "p build Op --soc ascend910z",
            "p simulate Op --shape 8x8",
            "p simulate Op --shape 8x8 --soc ascend910b --cores 0",
            "p --nonsense",
        ] {
            let words = line.split(' ').map(OsString::from).collect();
            let Err(Error::Usage(text)) = parse(words, ASCENDC, &[ASCENDC]) else {
                panic!("{line} was accepted")
            };
            assert!(!text.contains('\n') && text.len() > 20, "{line}: {text}");
        }
    }
}
