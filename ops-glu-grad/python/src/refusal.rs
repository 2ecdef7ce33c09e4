//! What is wrong with a call, as exceptions of Python with our messages.

use op_dsl::Error;
use op_dsl::ir::bind::Wrong;
use pyo3::PyErr;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};

/// `TypeError` where something of another type, or another number of things, would be right; `ValueError` where
/// another value would; `RuntimeError` where the caller did nothing wrong.
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
