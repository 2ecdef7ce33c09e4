//! `emit` of targets that have no such command of their own: writes the files of an operator.

use super::error::Error;
use super::lookup::{self, Operators};
use super::scratch::ScratchFile;
use super::verdict::{Verdict, print};
use clap::{ArgMatches, FromArgMatches, Subcommand};
use op_dsl_ir::op::OpDef;
use std::fs;
use std::io::{self, Write};
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
/// Files get their names once all of them are written. After a refusal, nothing is.
pub fn run(
    emit: impl Fn(&OpDef, &[&str]) -> Result<Vec<(String, String)>, String>,
    operators: Operators,
    line: &ArgMatches,
    out: &mut dyn Write,
) -> Result<Verdict, Error> {
    let Own::Emit { op, soc, out: root } = Own::from_arg_matches(line)?;
    let machines: Vec<&str> = soc.iter().map(String::as_str).collect();
    let op = lookup::operator(operators, &op)?;
    let wrong = |path: &Path, e| Error::Usage(format!("--out {}: {e}", path.display()));
    let mut written = Vec::new();
    for (name, text) in emit(op.def(), &machines).map_err(Error::Usage)? {
        let path = root.join(name);
        let parent = path.parent().unwrap_or(Path::new("."));
        let write = || -> io::Result<ScratchFile> {
            fs::create_dir_all(parent)?;
            let mut beside = ScratchFile::new_in(parent, ".op-dsl-emit-")?;
            beside.file.write_all(text.as_bytes())?;
            Ok(beside)
        };
        let beside = write().map_err(|e| wrong(&path, e))?;
        written.push((beside, path));
    }
    let mut paths = String::new();
    for (beside, path) in written {
        beside.place(&path).map_err(|e| wrong(&path, e))?;
        paths += &format!("{}\n", path.display());
    }
    print(out, &paths)
}
