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
        /// Start of the message, for example `no operator`.
        what: String,
        /// The unknown name, as it was typed.
        name: String,
        /// All allowed names, as text.
        known: String,
        /// The most similar allowed name.
        closest_name: Option<String>,
    },
    /// A name that was given more than once.
    #[error("{flag} {name} is given twice")]
    Twice {
        /// The option, for example `--in`.
        flag: &'static str,
        /// The name that follows the option.
        name: String,
    },
    /// A tensor for which the command line names no file.
    #[error("{op}: {flag} {name}=FILE.npy is missing; needed: {all}")]
    MissingTensor {
        /// Name of the operator.
        op: String,
        /// The option that files of such tensors are given with, for example `--in`.
        flag: &'static str,
        /// Name of the tensor.
        name: String,
        /// Names of all tensors that the option takes.
        all: String,
    },
    /// A file that cannot be read, written or used.
    #[error("{flag} {name}={path}: {what}")]
    File {
        /// The option that names the file, for example `--in`.
        flag: &'static str,
        /// Name of the tensor.
        name: String,
        /// The file as it was typed.
        path: String,
        /// Reason why the file cannot be used.
        what: String,
    },
    /// A file of earlier benchmark times that cannot be read.
    #[error("{flag} {path}: {what}; `bench --format csv` makes such files")]
    Earlier {
        /// The option that names the file, for example `--compare`.
        flag: &'static str,
        /// The file as it was typed.
        path: String,
        /// Reason why the file cannot be used.
        what: String,
    },
    /// Two outputs with the same file.
    #[error("--out {first} and --out {second} are the same file {path}")]
    SameFile {
        /// Name of the first output.
        first: String,
        /// Name of the second output.
        second: String,
        /// The file that both outputs name.
        path: String,
    },
    /// An error of the operator's call, for example an invalid shape.
    #[error(transparent)]
    Call(#[from] CallError),
    /// Sources that could not be written, or a package that could not be built.
    #[error("{0}")]
    Build(String),
    /// A tensor that does not fit into memory.
    #[error("tensor of shape {shape:?} does not fit into memory")]
    Memory {
        /// Shape of the tensor.
        shape: Vec<usize>,
    },
    /// A benchmarked operator computes a wrong result, so that no times are reported.
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

/// Returns the text with every control character escaped, since names of files may contain some.
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
