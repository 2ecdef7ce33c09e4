//! The table of operators for Python: their signatures and calls.
//!
//! ```text
//! table     an operator as Python sees it: names, kinds, defaults, inputs of its gradient
//! level     the SIMD level of all calls
//! element   names of element types in Python
//! place     a tensor's memory, as Python describes it
//! pages     huge pages for memory that is not mapped yet
//! call      attributes and tensor descriptions in, a call of the kernels without the interpreter's lock
//! refusal   errors of a call as Python's exceptions
//! ```
//!
//! The package around it (`ops_glu_grad/`) has the functions and the support of arrays and PyTorch. It names no
//! operator either.

mod call;
mod element;
mod level;
mod pages;
mod place;
mod refusal;
mod table;

/// The compiled half of the package `ops_glu_grad`.
#[pyo3::pymodule]
mod _core {
    use super::table::Operator;
    use pyo3::prelude::*;

    /// Every operator, in the order of the table, then steps of optimizers.
    #[pyfunction]
    fn operators() -> Vec<Operator> {
        let all = ops_glu_grad::OPERATORS.iter().chain(ops_glu_grad::OPTIMIZERS);
        all.copied().map(Operator).collect()
    }

    /// Chooses the SIMD level of all later calls, for benchmarks and tests; `None` stands for the best of this CPU.
    #[pyfunction]
    #[pyo3(signature = (name=None))]
    fn use_level(name: Option<&str>) -> PyResult<()> {
        super::level::choose(name)
    }
}
