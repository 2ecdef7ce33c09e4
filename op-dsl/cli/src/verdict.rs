//! Outcome of a command that ran to its end.

use crate::error::Error;
use std::io::Write;

/// Outcome of a command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// No problem was found.
    Good,
    /// A budget is missed; exit code 1.
    Missed,
}

/// Prints the output of a command that finds no problems by itself.
pub fn print(out: &mut dyn Write, text: &str) -> Result<Verdict, Error> {
    out.write_all(text.as_bytes()).map_err(Error::Stdout)?;
    Ok(Verdict::Good)
}
