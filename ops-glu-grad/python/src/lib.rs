//! The table of operators for Python: what each is, and how it is called.
//!
//! ```text
//! table     an operator as Python sees it: names, kinds, defaults, what its gradient holds
//! element   element types, as Python calls them
//! place     a tensor's memory, as Python describes it
//! pages     memory that the system has not given pages yet
//! call      attributes and described tensors in, a call of the kernels without the interpreter's lock
//! refusal   what is wrong with a call, as Python's exceptions
//! ```
//!
//! Functions, arrays and PyTorch are the business of the package around it (`ops_glu_grad/`). It names no operator either.

mod call;
mod element;
mod pages;
mod place;
mod refusal;
mod table;

/// What the package `ops_glu_grad` is made of.
#[pyo3::pymodule]
mod _core {
    use super::table::Operator;
    use pyo3::prelude::*;

    /// Every operator, in the order of the table.
    #[pyfunction]
    fn operators() -> Vec<Operator> {
        ops_glu_grad::OPERATORS.iter().copied().map(Operator).collect()
    }
}
