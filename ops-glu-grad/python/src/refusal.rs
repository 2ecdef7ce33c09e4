//! Errors of a call as Python's exceptions, with the messages of Rust.

use op_dsl::Error;
use op_dsl::ir::bind::Wrong;
use pyo3::PyErr;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};

/// Converts an error of a call to a Python exception.
///
/// `TypeError` if a different type or number of arguments is needed; `ValueError` if a different value is needed;
/// `RuntimeError` if the caller made no mistake.
pub fn exception(error: Error) -> PyErr {
    let text = error.to_string();
    match &error {
        Error::Bind(bind) => match *bind.what {
            Wrong::DType { .. } | Wrong::Missing { .. } | Wrong::Count { .. } => {
                PyTypeError::new_err(text)
            }
            _ => PyValueError::new_err(text),
        },
        Error::Level { .. } | Error::OutOfView { .. } | Error::Kernels { .. } => {
            PyRuntimeError::new_err(text)
        }
        _ => PyValueError::new_err(text),
    }
}
