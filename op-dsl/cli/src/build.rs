//! `build`: an operator's package, by the toolkit of this machine.

use super::args::Build as Args;
use super::error::Error;
use super::lookup::{self, Operators};
use codegen_ascendc::build::{Toolkit, write};
use codegen_ascendc::emit::{Layout, Options};
use indicatif::ProgressBar;
use std::path::PathBuf;
use std::time::Duration;

/// Writes a project and builds it; gives the package's path.
pub fn build(operators: Operators, args: &Args) -> Result<String, Error> {
    let op = lookup::operator(operators, &args.op)?;
    let toolkit = Toolkit::find()?;
    let soc = args.soc.0;
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

    let bar = ProgressBar::new_spinner().with_message(format!("building {}", out.display()));
    bar.enable_steady_tick(Duration::from_millis(100));
    let package = toolkit.build(&out);
    bar.finish_and_clear();
    Ok(format!("{}\n", package?.display()))
}
