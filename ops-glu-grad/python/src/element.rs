//! Names of element types in Python.

use op_dsl::Operator;
use op_dsl::ir::op::Tensor;
use op_dsl::ir::{DType, Stored};
use pyo3::PyResult;
use pyo3::exceptions::PyTypeError;

/// Returns the name of an element type in numpy and PyTorch, for example `float16`.
pub fn name(stored: impl Into<Stored>) -> &'static str {
    match stored.into() {
        Stored::Number(dtype) => dtype.row().python,
        Stored::Float64 => "float64",
        other => other.name(),
    }
}

/// Returns how elements of a tensor are stored, from the name of the element type in Python.
///
/// An unknown name is a `TypeError` that names the operator and the tensor.
pub fn stored(op: &Operator, tensor: &Tensor, dtype: &str) -> PyResult<Stored> {
    let further = [Stored::Int64, Stored::Float64];
    let mut all = Stored::own().map(|(_, own)| own).chain(further);
    all.find(|stored| name(*stored) == dtype).ok_or_else(|| {
        let allowed = match (tensor.own, tensor.kind) {
            (None, kind) if kind.is_numbers() => op.def().element_names(),
            _ => tensor.stored_names(DType::F32),
        };
        let (op, tensor) = (op.name(), &tensor.name);
        PyTypeError::new_err(format!(
            "{op}: tensor `{tensor}` has dtype {dtype}; allowed: {allowed}"
        ))
    })
}
