//! Names of element types in Python.

use op_dsl::Operator;
use op_dsl::ir::op::Tensor;
use op_dsl::ir::{DType, Stored};
use pyo3::PyResult;
use pyo3::exceptions::PyTypeError;

/// Returns the name of an element type in numpy and PyTorch, for example `float16`.
pub const fn name(dtype: DType) -> &'static str {
    dtype.row().python
}

/// Returns how elements of a tensor are stored, from the name of the element type in Python.
///
/// An unknown name is a `TypeError` that names the operator and the tensor.
pub fn stored(op: &Operator, tensor: &Tensor, dtype: &str) -> PyResult<Stored> {
    let number = DType::ALL.into_iter().find(|d| name(*d) == dtype).map(Stored::Number);
    let stored = number.or(match dtype {
        "bool" | "uint8" => Some(Stored::Byte),
        "int64" => Some(Stored::Int64),
        _ => None,
    });
    stored.ok_or_else(|| {
        let allowed = match tensor.kind.stored(DType::F32) {
            Stored::Number(_) => {
                op.def().dtypes.iter().map(|d| d.name()).collect::<Vec<_>>().join(", ")
            }
            Stored::Byte => "bool, uint8".into(),
            other => other.to_string(),
        };
        let (op, tensor) = (op.name(), &tensor.name);
        PyTypeError::new_err(format!(
            "{op}: tensor `{tensor}` has dtype {dtype}; allowed: {allowed}"
        ))
    })
}
