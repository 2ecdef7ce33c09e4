//! How a command ends that ran to its end.

use crate::error::Error;
use std::io::Write;

/// What it found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// All is well.
    Good,
    /// Something misses its budget; exit code 1.
    Missed,
}

/// Prints what there is to see of it, which is good.
pub fn print(out: &mut dyn Write, text: &str) -> Result<Verdict, Error> {
    out.write_all(text.as_bytes()).map_err(Error::Stdout)?;
    Ok(Verdict::Good)
}
