//! Outcome of a command that ran to its end.

use crate::error::Error;
use std::io::Write;

/// Outcome of a command, which decides the exit code.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The command found no problem; exit code 0.
    Good,
    /// A check failed, for example an error budget was exceeded; exit code 1.
    Missed,
}

/// Prints `text` and returns [`Verdict::Good`], for commands that check nothing.
pub fn print(out: &mut dyn Write, text: &str) -> Result<Verdict, Error> {
    out.write_all(text.as_bytes()).map_err(Error::Stdout)?;
    Ok(Verdict::Good)
}
