//! Numbers of AscendCL: statuses, element types, formats.

use op_dsl_ir::DType;

/// A null pointer or a value that is not allowed.
pub const ACL_ERROR_INVALID_PARAM: i32 = 100_000;
/// `aclInit` was called before.
pub const ACL_ERROR_REPEAT_INITIALIZE: i32 = 100_002;
/// `aclFinalize` without `aclInit`.
pub const ACL_ERROR_REPEAT_FINALIZE: i32 = 100_037;
/// No such device.
pub const ACL_ERROR_RT_INVALID_DEVICEID: i32 = 107_001;
/// An address or size that is none.
pub const ACL_ERROR_RT_PARAM_INVALID: i32 = 107_000;
/// A handle of nothing alive.
pub const ACL_ERROR_RT_INVALID_HANDLE: i32 = 107_017;
/// Not enough memory.
pub const ACL_ERROR_RT_MEMORY_ALLOCATION: i32 = 207_001;
/// A defect of this library.
pub const ACL_ERROR_INTERNAL_ERROR: i32 = 500_000;

/// A null pointer.
pub const ACLNN_ERR_PARAM_NULLPTR: i32 = 161_001;
/// An argument that is not allowed.
pub const ACLNN_ERR_PARAM_INVALID: i32 = 161_002;
/// The stream or memory cannot be used.
pub const ACLNN_ERR_RUNTIME_ERROR: i32 = 361_001;
/// A handle of another kind, or a defect of this library.
pub const ACLNN_ERR_INNER: i32 = 561_000;
/// The operator is not in the library.
pub const ACLNN_ERR_INNER_FIND_KERNEL_ERROR: i32 = 561_003;
/// A null executor or tensor, where an executor is managed.
pub const ACLNN_ERR_INNER_NULLPTR: i32 = 561_103;

/// Bytes and name of each `aclDataType`.
#[rustfmt::skip]
const DTYPES: &[(i32, usize, &str)] = &[
    (0, 4, "ACL_FLOAT"), (1, 2, "ACL_FLOAT16"), (2, 1, "ACL_INT8"), (3, 4, "ACL_INT32"),
    (4, 1, "ACL_UINT8"), (6, 2, "ACL_INT16"), (7, 2, "ACL_UINT16"), (8, 4, "ACL_UINT32"),
    (9, 8, "ACL_INT64"), (10, 8, "ACL_UINT64"), (11, 8, "ACL_DOUBLE"), (12, 1, "ACL_BOOL"),
    (13, 0, "ACL_STRING"), (16, 8, "ACL_COMPLEX64"), (17, 16, "ACL_COMPLEX128"),
    (27, 2, "ACL_BF16"),
];

/// Bytes of an element; 0 for what is no `aclDataType` or has no size.
pub fn dtype_size(code: i32) -> usize {
    DTYPES.iter().find(|d| d.0 == code).map_or(0, |d| d.1)
}

/// `ACL_INT8`, or the number of what is not known.
pub fn dtype_name(code: i32) -> String {
    let known = DTYPES.iter().find(|d| d.0 == code);
    known.map_or_else(|| format!("aclDataType {code}"), |d| d.2.into())
}

/// The element type, if kernels have it.
pub fn dtype(code: i32) -> Option<DType> {
    match code {
        0 => Some(DType::F32),
        1 => Some(DType::F16),
        27 => Some(DType::BF16),
        _ => None,
    }
}

/// Formats whose elements lie as shape and strides say: NCHW, NHWC, ND, HWCN, NDHWC, NCDHW, NC, NCL.
pub fn is_plain(format: i32) -> bool {
    [0, 1, 2, 16, 27, 30, 35, 47].contains(&format)
}
