//! `infiniStatus_t`, `infiniDevice_t` and `infiniDtype_t`.

use op_dsl_ir::{DType, Stored};

/// Internal error: a defect of this library.
pub const INTERNAL_ERROR: i32 = 1;
/// A pointer is null, or a handle does not belong to a live object.
pub const BAD_PARAM: i32 = 3;
/// The pointer that a new handle should be written to is null.
pub const NULL_POINTER: i32 = 4;
/// The device is not the CPU.
pub const DEVICE_TYPE_NOT_SUPPORTED: i32 = 5;
/// The CPU has no device of this number.
pub const DEVICE_NOT_FOUND: i32 = 6;
/// A tensor's element type is not supported, or does not suit those of the other tensors.
pub const BAD_TENSOR_DTYPE: i32 = 10;
/// Shapes of tensors differ, or a tensor has more elements than there are addresses.
pub const BAD_TENSOR_SHAPE: i32 = 11;
/// Two elements of an output have the same address, or strides overflow.
pub const BAD_TENSOR_STRIDES: i32 = 12;

/// The CPU as an `infiniDevice_t`: `INFINI_DEVICE_CPU`.
pub const CPU: i32 = 0;

/// Element types of masks as `infiniDtype_t`: `INFINI_DTYPE_BOOL`, `INFINI_DTYPE_U8`.
const TRUTHS: [i32; 2] = [2, 7];

/// Returns how a mask of this `infiniDtype_t` is stored; `None` if masks cannot have this type.
pub fn truth(code: i32) -> Option<Stored> {
    TRUTHS.contains(&code).then_some(Stored::Byte)
}

/// Types that tensors may have on their own, as `infiniDtype_t`: `INFINI_DTYPE_I8` and others.
const OWN: [(i32, Stored); 5] = [
    (2, Stored::Byte),
    (3, Stored::Int8),
    (4, Stored::Int16),
    (5, Stored::Int32),
    (7, Stored::Uint8),
];

/// Returns the type for an `infiniDtype_t`, for tensors that have a type of their own; `None` if kernels do not convert it.
pub fn own(code: i32) -> Option<Stored> {
    let converted = OWN.iter().find(|(own, _)| *own == code).map(|(_, stored)| *stored);
    converted.or(dtype(code).map(Stored::Number))
}

/// Returns InfiniCore's names of the element types that kernels support, in the order of their codes.
pub fn dtypes() -> String {
    let mut all = DType::ALL;
    all.sort_by_key(|dtype| dtype.row().infini_code);
    all.map(|dtype| dtype.name().to_uppercase()).join(", ")
}

/// Returns the element type for an `infiniDtype_t`; `None` if kernels do not support it.
pub fn dtype(code: i32) -> Option<DType> {
    DType::with(|row| row.infini_code, code)
}
