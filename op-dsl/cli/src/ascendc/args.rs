//! The commands that only this target has, and its arguments of `explain`.

use crate::args::{
    DTYPES, ListFormat, Pair, Shape, any_shape, attribute, dtype, help, tensor_file,
};
use clap::{Args, Command, Subcommand};
use codegen_ascendc::arch::Soc;
use codegen_ascendc::emit::{Cann, Language, Layout};
use codegen_ascendc::plan::Storage;
use op_dsl_ir::DType;
use std::path::PathBuf;

#[derive(Subcommand)]
pub enum Own {
    /// Show which core and tile of an NPU owns which part of the activation.
    Tile(Tile),
    /// Write the AscendC sources of an operator, with everything that its build needs.
    Emit(Emit),
    /// Write an operator's project and build its package with the toolkit of this machine.
    Build(Build),
    /// Run an emitted kernel on the host model of AscendC; exit code 1 on a finding.
    Simulate(Simulate),
}

// A doc comment here would become the text of `explain --help`.
#[derive(Args)]
pub struct Flags {
    /// Where kernels keep what they compute, on an NPU that has registers for it.
    #[arg(long, value_name = "registers|memory", default_value = "registers", value_parser = storage)]
    pub form: Storage,
}

/// Lines on these commands, for the text that a program shows without a command.
pub const ABOUT: &str = "  \
  tile     show which core and tile of an NPU owns which part
  emit     write AscendC sources with everything their build needs
  build    build their package with the toolkit of this machine
  simulate run an emitted kernel on a model of the hardware
";

/// End of the help text of `check`.
const CHECK: &str = "
  packages    every layout for every NPU that can do the operator is emitted; others with the reason
  host model  the emitted kernels of every form, element type and architecture run on the model of
              AscendC, on three shapes: rows, columns of one row, and short rows

Then what a tile costs on each NPU, as estimated: element types are separated by strokes. The host
model needs a C++17 compiler: g++, clang++, c++, or what CXX names.";

/// Adds the target's commands, its arguments of `explain`, and its part of the help text of `check`.
pub fn grammar(line: Command) -> Command {
    let line = line
        .mut_subcommand("check", |check| check.after_long_help(format!("{}{CHECK}", help::CHECK)));
    Own::augment_subcommands(line.mut_subcommand("explain", Flags::augment_args))
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
    #[arg(long, value_name = DTYPES, default_value = "f32", value_parser = dtype)]
    pub dtype: DType,
    /// The NPU: ascend910b, ascend310p, ...
    #[arg(long, value_name = "SOC", value_parser = soc)]
    pub soc: &'static Soc,
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
    pub soc: Option<Vec<&'static Soc>>,
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
    #[arg(long, value_name = DTYPES, value_delimiter = ',', value_parser = dtype)]
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
    pub soc: &'static Soc,
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
    pub soc: &'static Soc,
    /// Value of an attribute that shall not have its default.
    #[arg(long = "attr", value_name = "NAME=VALUE", value_parser = attribute)]
    pub attrs: Vec<Pair>,
    /// Element type of the tensors.
    #[arg(long, value_name = DTYPES, default_value = "f32", value_parser = dtype)]
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

pub fn soc(text: &str) -> Result<&'static Soc, String> {
    Soc::named(text).ok_or_else(|| format!("unknown SoC; allowed: {}", Soc::names()))
}

fn layout(text: &str) -> Result<Layout, String> {
    let names = || Layout::ALL.map(Layout::name).join(", ");
    Layout::named(text).ok_or_else(|| format!("unknown layout; allowed: {}", names()))
}

fn cann(text: &str) -> Result<Cann, String> {
    match text {
        "8" => Ok(Cann::V8),
        "9" => Ok(Cann::V9),
        _ => Err("must be 8 or 9".into()),
    }
}

fn language(text: &str) -> Result<Language, String> {
    let unknown = || format!("unknown language; allowed: {}", Language::names());
    Language::named(text).ok_or_else(unknown)
}

fn storage(text: &str) -> Result<Storage, String> {
    match text {
        "registers" => Ok(Storage::Registers),
        "memory" => Ok(Storage::Memory),
        _ => Err("must be registers or memory".into()),
    }
}
