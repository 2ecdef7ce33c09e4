//! `build`: builds an operator's package with the toolkit of this machine.

use super::args::Build as Args;
use crate::error::Error;
use crate::lookup::{self, Operators};
use crate::progress::Progress;
use codegen_ascendc::build::{Toolkit, write};
use codegen_ascendc::emit::{Layout, Options};
use std::path::PathBuf;

/// Writes an operator's project, builds it with the installed toolkit, and returns the package's path.
pub fn build(operators: Operators, args: &Args) -> Result<String, Error> {
    let op = lookup::operator(operators, &args.op)?;
    let toolkit = Toolkit::find()?;
    let soc = args.soc;
    let by_name = || PathBuf::from(format!("{}_{}", op.def().snake(), soc.name));
    let out = args.out.clone().unwrap_or_else(by_name);
    let options = Options {
        cann: toolkit.cann,
        language: args.language,
        accept_error: args.accept_error,
        ..Options::default()
    };
    write(std::iter::once(op.def()), Layout::Custom, &[soc], &options, &out, false)?;
    let out = std::path::absolute(&out).unwrap_or(out);

    let progress = Progress::of_step(format!("building {}", out.display()));
    let package = toolkit.build(&out);
    progress.clear();
    Ok(format!("{}\n", package?.display()))
}
