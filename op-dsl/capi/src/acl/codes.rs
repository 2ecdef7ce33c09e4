//! Numbers of AscendCL: statuses, element types, formats.

use crate::element::{Element, Whole};
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

/// What an `aclDataType` is here.
enum Held {
    /// Elements that operators may take.
    Taken(Element),
    /// So many bytes; 0 when the size depends on the element.
    Bytes(usize),
}

use Held::{Bytes, Taken};
const fn float(dtype: DType) -> Held {
    Taken(Element::Float(dtype))
}
const fn whole(kind: Whole) -> Held {
    Taken(Element::Whole(kind))
}

/// Every `aclDataType` that has a name here.
#[rustfmt::skip]
const DTYPES: &[(i32, &str, Held)] = &[
    (0, "ACL_FLOAT", float(DType::F32)), (1, "ACL_FLOAT16", float(DType::F16)), (2, "ACL_INT8", whole(Whole::I8)),
    (3, "ACL_INT32", whole(Whole::I32)), (4, "ACL_UINT8", whole(Whole::U8)), (6, "ACL_INT16", whole(Whole::I16)),
    (7, "ACL_UINT16", Bytes(2)), (8, "ACL_UINT32", Bytes(4)), (9, "ACL_INT64", whole(Whole::I64)),
    (10, "ACL_UINT64", Bytes(8)), (11, "ACL_DOUBLE", Bytes(8)), (12, "ACL_BOOL", whole(Whole::Bool)),
    (13, "ACL_STRING", Bytes(0)), (16, "ACL_COMPLEX64", Bytes(8)), (17, "ACL_COMPLEX128", Bytes(16)),
    (27, "ACL_BF16", float(DType::BF16)),
];

/// Bytes of an element; 0 for what is no `aclDataType` or has no size.
pub fn dtype_size(code: i32) -> usize {
    DTYPES.iter().find(|d| d.0 == code).map_or(0, |d| match d.2 {
        Taken(element) => element.size(),
        Bytes(bytes) => bytes,
    })
}

/// `ACL_INT8`, or the number of what is not known.
pub fn dtype_name(code: i32) -> String {
    let known = DTYPES.iter().find(|d| d.0 == code);
    known.map_or_else(|| format!("aclDataType {code}"), |d| d.1.into())
}

/// `ACL_FLOAT`
pub fn float_name(dtype: DType) -> &'static str {
    let same = |held: &Held| matches!(held, Taken(Element::Float(t)) if *t == dtype);
    DTYPES.iter().find(|d| same(&d.2)).map_or(dtype.name(), |d| d.1)
}

/// The element type, if an operator may take it.
pub fn element(code: i32) -> Option<Element> {
    DTYPES.iter().find(|d| d.0 == code).and_then(|d| match d.2 {
        Taken(element) => Some(element),
        Bytes(_) => None,
    })
}

/// Formats whose elements lie as shape and strides say: none stated, NCHW, NHWC, ND, HWCN, NDHWC,
/// NCDHW, NC, NCL.
pub fn is_plain(format: i32) -> bool {
    [-1, 0, 1, 2, 16, 27, 30, 35, 47].contains(&format)
}
