//! `emit` of targets that have no such command of their own: writes the files of an operator.

use super::error::Error;
use super::lookup::{self, Operators};
use super::verdict::{Verdict, print};
use clap::{ArgMatches, FromArgMatches, Subcommand};
use op_dsl_ir::op::OpDef;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Subcommand)]
pub enum Own {
    /// Write the sources of an operator.
    Emit {
        /// Name of the operator; `list` shows them.
        #[arg(value_name = "OP")]
        op: String,
        /// The machines, separated by commas; by default all that can run the operator.
        #[arg(long, value_name = "SOC", value_delimiter = ',')]
        soc: Vec<String>,
        /// Directory to write to; files of the same names are replaced.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

/// Writes the files that `emit` returns for an operator and machines, and prints their paths.
///
/// After a refusal, nothing is written.
pub fn run(
    emit: impl Fn(&OpDef, &[&str]) -> Result<Vec<(String, String)>, String>,
    operators: Operators,
    line: &ArgMatches,
    out: &mut dyn Write,
) -> Result<Verdict, Error> {
    let Own::Emit { op, soc, out: root } = Own::from_arg_matches(line)?;
    let machines: Vec<&str> = soc.iter().map(String::as_str).collect();
    let op = lookup::operator(operators, &op)?;
    let mut paths = String::new();
    for (name, text) in emit(op.def(), &machines).map_err(Error::Usage)? {
        let path = root.join(name);
        let parent = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, text))
            .map_err(|e| Error::Usage(format!("--out {}: {e}", path.display())))?;
        paths += &format!("{}\n", path.display());
    }
    print(out, &paths)
}
