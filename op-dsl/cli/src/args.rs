//! The command-line grammar: commands and their options.

mod help;
mod value;

use super::error::Error;
use clap::error::ErrorKind;
use clap::{Args, Parser, Subcommand, ValueEnum};
use codegen_ascendc::emit::{Cann, Language, Layout};
use codegen_ascendc::plan::Storage;
use codegen_cpu::rt::simd::Level;
use op_dsl_ir::DType;
use std::ffi::OsString;
use std::path::PathBuf;
pub use value::{Pair, Shape, Target};
use value::{
    any_shape, attribute, cann, dtype, language, layout, level, shape, soc, storage, tensor_file,
    threads,
};

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
    /// Show which core and tile of an NPU owns which part of the activation.
    Tile(Tile),
    /// Write the AscendC sources of an operator, with everything that its build needs.
    Emit(Emit),
    /// Write an operator's project and build its package with the toolkit of this machine.
    Build(Build),
    /// Run an emitted kernel on the host model of AscendC; exit code 1 on a finding.
    Simulate(Simulate),
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
    #[arg(long, value_name = "bf16|f16|f32", value_parser = dtype)]
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
    #[arg(long, value_name = "bf16|f16|f32", value_delimiter = ',', default_value = "f32", value_parser = dtype)]
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
    #[arg(long, value_name = "bf16|f16|f32", value_delimiter = ',', value_parser = dtype)]
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
    #[arg(long, value_name = "bf16|f16|f32", default_value = "f32", value_parser = dtype)]
    pub dtype: DType,
    /// Also the plan for an NPU: vector calls, buffers, cost.
    #[arg(long, value_name = "SOC", value_parser = soc)]
    pub soc: Option<Target>,
    /// Where kernels keep what they compute, on an NPU that has registers for it.
    #[arg(long, value_name = "registers|memory", default_value = "registers", value_parser = storage)]
    pub form: Storage,
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

#[derive(Args)]
pub struct Tile {
    /// Name of the operator; `list` shows them.
    #[arg(value_name = "OP")]
    pub op: String,
    /// Shape of the activation input (`x`): 23x12x2048; sizes may be 0.
    #[arg(long, value_name = "RxC", value_parser = any_shape)]
    pub shape: Shape,
    /// Value of an attribute that shall not have its default.
    #[arg(long = "attr", value_name = "NAME=VALUE", value_parser = attribute)]
    pub attrs: Vec<Pair>,
    /// Element type of the tensors.
    #[arg(long, value_name = "bf16|f16|f32", default_value = "f32", value_parser = dtype)]
    pub dtype: DType,
    /// The NPU: ascend910b, ascend310p, ...
    #[arg(long, value_name = "SOC", value_parser = soc)]
    pub soc: Target,
    /// Vector cores; by default those of the largest model.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub cores: Option<u32>,
    /// Bytes of UB; by default what the platform reports.
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..=1 << 32))]
    pub ub: Option<u64>,
    /// File to draw it into.
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<String>,
}

#[derive(Args)]
pub struct Emit {
    /// Name of the operator; `list` shows them.
    #[arg(value_name = "OP", required_unless_present = "all", conflicts_with = "all")]
    pub op: Option<String>,
    /// Every operator that the target can do; the others are named with the reason.
    #[arg(long)]
    pub all: bool,
    /// Where the sources are built: inside ops-nn, as a project of their own, as one program, or as an extension of PyTorch that
    /// calls the operators of an installed project.
    #[arg(long, value_name = "ops-nn|custom|direct|torch", value_parser = layout)]
    pub layout: Layout,
    /// The NPUs, separated by commas: ascend910b, ascend310p, ... One tree serves them all. ops-nn and torch have
    /// a default: all that ops-nn knows and the operator can do.
    #[arg(long, value_name = "SOC", value_delimiter = ',', value_parser = soc)]
    pub soc: Option<Vec<Target>>,
    /// Directory: of the project (custom, torch), or below which each operator has one.
    #[arg(long, value_name = "DIR", required_unless_present = "into", conflicts_with = "into")]
    pub out: Option<PathBuf>,
    /// Checkout of ops-nn: writes into the operator's directory there, keeps what is beside an implementation, says
    /// what changes, and refuses if something would be lost.
    #[arg(long, value_name = "CHECKOUT")]
    pub into: Option<PathBuf>,
    /// Only says what would change and what would be lost.
    #[arg(long, conflicts_with = "out")]
    pub dry_run: bool,
    /// Leaves the checkout's interface as it is: op_api, its pages, examples and tests, and the README.
    #[arg(long, conflicts_with = "out")]
    pub keep_interface: bool,
    /// Element types, separated by commas; by default all that operator and NPU share.
    #[arg(long, value_name = "bf16|f16|f32", value_delimiter = ',', value_parser = dtype)]
    pub dtype: Option<Vec<DType>>,
    /// Major version of the toolkit.
    #[arg(long, value_name = "8|9", default_value = "9", value_parser = cann)]
    pub cann: Cann,
    /// Where kernels keep what they compute, on an NPU that has registers for it.
    #[arg(long, value_name = "registers|memory", default_value = "registers", value_parser = storage)]
    pub form: Storage,
    /// The language of pages; code and an author's own texts stay as they are. By default Chinese for ops-nn, as
    /// the pages there are, else English.
    #[arg(long, value_name = "en|zh", value_parser = language)]
    pub language: Option<Language>,
    /// Write element types as well in which results are further off than their budget.
    #[arg(long)]
    pub accept_error: bool,
    /// File whose text stands above every emitted file; by default, inside a checkout of ops-nn, the licence that its
    /// check asks for.
    #[arg(long, value_name = "FILE")]
    pub license_header: Option<PathBuf>,
    /// Move a directory that was not generated aside instead of refusing; with --into, write although something is lost.
    #[arg(long)]
    pub force: bool,
}

#[derive(Args)]
pub struct Build {
    /// Name of the operator; `list` shows them.
    #[arg(value_name = "OP")]
    pub op: String,
    /// The NPU: ascend910b, ascend310p, ...
    #[arg(long, value_name = "SOC", value_parser = soc)]
    pub soc: Target,
    /// Directory of the project; by default named after operator and NPU.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The language of the README.
    #[arg(long, value_name = "en|zh", default_value = "en", value_parser = language)]
    pub language: Language,
    /// Build element types as well in which results are further off than their budget.
    #[arg(long)]
    pub accept_error: bool,
}

#[derive(Args)]
pub struct Simulate {
    /// Name of the operator; `list` shows them.
    #[arg(value_name = "OP")]
    pub op: String,
    /// Shape of the activation input (`x`): 23x12x2048; sizes may be 0.
    #[arg(long, value_name = "RxC", value_parser = any_shape)]
    pub shape: Shape,
    /// The NPU: ascend910b, ascend310p, ...
    #[arg(long, value_name = "SOC", value_parser = soc)]
    pub soc: Target,
    /// Value of an attribute that shall not have its default.
    #[arg(long = "attr", value_name = "NAME=VALUE", value_parser = attribute)]
    pub attrs: Vec<Pair>,
    /// Element type of the tensors.
    #[arg(long, value_name = "bf16|f16|f32", default_value = "f32", value_parser = dtype)]
    pub dtype: DType,
    /// Where kernels keep what they compute, on an NPU that has registers for it.
    #[arg(long, value_name = "registers|memory", default_value = "registers", value_parser = storage)]
    pub form: Storage,
    /// Vector cores; by default those of the largest model.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub cores: Option<u32>,
    /// File of an input tensor; the others are drawn from N(0, 1).
    #[arg(long = "in", value_name = "NAME=FILE.npy", value_parser = tensor_file)]
    pub inputs: Vec<Pair>,
    #[arg(long, value_enum, default_value = "table")]
    pub format: ListFormat,
}

/// Result of parsing a command line.
pub enum Parsed {
    /// The text of `--help` or `--version`.
    Text(String),
    /// A command line without arguments.
    Nothing,
    /// A command to run.
    Command(Command),
}

/// Parses a command line whose first word is the program's name.
pub fn parse(line: impl Iterator<Item = OsString>) -> Result<Parsed, Error> {
    match Line::try_parse_from(line) {
        Ok(Line { command: Some(command) }) => Ok(Parsed::Command(command)),
        Ok(Line { command: None }) => Ok(Parsed::Nothing),
        Err(e) => match e.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Ok(Parsed::Text(e.to_string())),
            _ => Err(Error::Usage(one_line(&e.to_string()))),
        },
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

    #[test]
    fn the_declaration_is_consistent() {
        use clap::CommandFactory;
        Line::command().debug_assert();
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
            let words = line.split(' ').map(OsString::from);
            let Err(Error::Usage(text)) = parse(words) else { panic!("{line} was accepted") };
            assert!(!text.contains('\n') && text.len() > 20, "{line}: {text}");
        }
    }
}
