//! `infiniStatus_t`, `infiniDevice_t` and `infiniDtype_t`.

use op_dsl_ir::{DType, Stored};

/// A defect of this library.
pub const INTERNAL_ERROR: i32 = 1;
/// A null pointer or a handle of nothing alive.
pub const BAD_PARAM: i32 = 3;
/// A null place for a handle.
pub const NULL_POINTER: i32 = 4;
/// Not the CPU.
pub const DEVICE_TYPE_NOT_SUPPORTED: i32 = 5;
/// No such CPU.
pub const DEVICE_NOT_FOUND: i32 = 6;
/// An element type that the operator lacks, or one that differs.
pub const BAD_TENSOR_DTYPE: i32 = 10;
/// Shapes that differ, or are too large.
pub const BAD_TENSOR_SHAPE: i32 = 11;
/// An output that would be written twice, or strides that overflow.
pub const BAD_TENSOR_STRIDES: i32 = 12;

/// `INFINI_DEVICE_CPU`
pub const CPU: i32 = 0;

/// What a mask may be stored as: `INFINI_DTYPE_BOOL`, `INFINI_DTYPE_U8`.
const TRUTHS: [i32; 2] = [2, 7];

/// What a mask of this type is stored as, if it can be one.
pub fn truth(code: i32) -> Option<Stored> {
    TRUTHS.contains(&code).then_some(Stored::Byte)
}

/// The element type, if kernels have it.
pub fn dtype(code: i32) -> Option<DType> {
    DType::with(|row| row.infini_code, code)
}
