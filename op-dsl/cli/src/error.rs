//! Errors in the command line or in the files that it names; one line each.

use codegen_cpu::rt::error::{Error as CallError, ViewError};
use std::io;

/// Reason why a command did not run. No output file has been touched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The command line cannot be parsed.
    #[error("{0}")]
    Usage(String),
    /// A name that is not among the known ones.
    #[error("{what} `{name}`; allowed: {known}{}", closest(.closest_name))]
    Unknown {
        /// Start of the message: `no operator`, `GeGluGradV2 has no input`, ...
        what: String,
        /// The name as typed.
        name: String,
        /// The allowed names.
        known: String,
        /// The most similar allowed name.
        closest_name: Option<String>,
    },
    /// A name that was given more than once.
    #[error("{flag} {name} is given twice")]
    Twice {
        /// `--in`
        flag: &'static str,
        /// The name.
        name: String,
    },
    /// A tensor without a file.
    #[error("{op}: {flag} {name}=FILE.npy is missing; needed: {all}")]
    MissingTensor {
        /// The operator.
        op: String,
        /// `--in`
        flag: &'static str,
        /// The tensor.
        name: String,
        /// All of them.
        all: String,
    },
    /// A file that cannot be read, written or used.
    #[error("{flag} {name}={path}: {what}")]
    File {
        /// `--in`
        flag: &'static str,
        /// The tensor.
        name: String,
        /// The file as it was typed.
        path: String,
        /// Reason why it cannot be used.
        what: String,
    },
    /// A file of earlier benchmark times that cannot be read.
    #[error("{flag} {path}: {what}; `bench --format csv` makes such files")]
    Earlier {
        /// `--compare`
        flag: &'static str,
        /// The file as it was typed.
        path: String,
        /// Reason why it cannot be used.
        what: String,
    },
    /// Two outputs with the same file.
    #[error("--out {first} and --out {second} are the same file {path}")]
    SameFile {
        /// One output.
        first: String,
        /// The other.
        second: String,
        /// The file.
        path: String,
    },
    /// A refusal by the operator itself.
    #[error(transparent)]
    Call(#[from] CallError),
    /// Sources that could not be written, or a package that could not be built.
    #[error(transparent)]
    Build(#[from] codegen_ascendc::build::Error),
    /// A tensor that does not fit into memory.
    #[error("tensor of shape {shape:?} does not fit into memory")]
    Memory {
        /// Its shape.
        shape: Vec<usize>,
    },
    /// A wrong result, for which no times are reported.
    #[error("{0}")]
    WrongResult(String),
    /// Standard output is closed or full.
    #[error("standard output: {0}")]
    Stdout(io::Error),
}

impl From<ViewError> for Error {
    fn from(e: ViewError) -> Error {
        Error::Call(e.into())
    }
}

fn closest(name: &Option<String>) -> String {
    name.as_ref().map(|n| format!("; did you mean `{n}`?")).unwrap_or_default()
}

/// Returns the text with every control character escaped, since file names may have them.
pub fn one_line(text: &str) -> String {
    let escape = |c: char| match c.is_control() {
        true => c.escape_default().collect::<String>(),
        false => c.to_string(),
    };
    text.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn always_one_line() {
        assert_eq!(one_line("a\nb\tc\u{1b}"), "a\\nb\\tc\\u{1b}");
    }
}
