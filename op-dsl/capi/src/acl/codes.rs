//! Numeric codes of AscendCL: statuses, element types, formats.

use crate::element::{Element, Whole};
use op_dsl_ir::{DType, Stored};

/// A pointer is null, or a value is not allowed.
pub const ACL_ERROR_INVALID_PARAM: i32 = 100_000;
/// `aclInit` was called before.
pub const ACL_ERROR_REPEAT_INITIALIZE: i32 = 100_002;
/// `aclFinalize` without `aclInit`.
pub const ACL_ERROR_REPEAT_FINALIZE: i32 = 100_037;
/// The device does not exist.
pub const ACL_ERROR_RT_INVALID_DEVICEID: i32 = 107_001;
/// An address or size is invalid.
pub const ACL_ERROR_RT_PARAM_INVALID: i32 = 107_000;
/// A handle does not belong to a live object.
pub const ACL_ERROR_RT_INVALID_HANDLE: i32 = 107_017;
/// Not enough memory.
pub const ACL_ERROR_RT_MEMORY_ALLOCATION: i32 = 207_001;
/// Internal error: a defect of this library.
pub const ACL_ERROR_INTERNAL_ERROR: i32 = 500_000;

/// A pointer is null.
pub const ACLNN_ERR_PARAM_NULLPTR: i32 = 161_001;
/// An argument is not allowed.
pub const ACLNN_ERR_PARAM_INVALID: i32 = 161_002;
/// The stream or memory cannot be used.
pub const ACLNN_ERR_RUNTIME_ERROR: i32 = 361_001;
/// A handle is of another kind, or this library has a defect.
pub const ACLNN_ERR_INNER: i32 = 561_000;
/// The operator is not in the library.
pub const ACLNN_ERR_INNER_FIND_KERNEL_ERROR: i32 = 561_003;
/// An executor or tensor is null in a function that manages an executor.
pub const ACLNN_ERR_INNER_NULLPTR: i32 = 561_103;

/// Use of an `aclDataType` that kernels do not compute in.
enum Other {
    /// Integers and booleans that are cast to a float type before a kernel reads them.
    Cast(Whole),
    /// Types that no operator takes. The number is the size of an element in bytes; 0 if it varies.
    Bytes(usize),
}

use Other::{Bytes, Cast};

/// Code, name and use of every `aclDataType` that kernels do not compute in.
///
/// Code and name of the types that kernels compute in are in the row of their `DType`.
#[rustfmt::skip]
const OTHERS: &[(i32, &str, Other)] = &[
    (2, "ACL_INT8", Cast(Whole::I8)), (3, "ACL_INT32", Cast(Whole::I32)), (4, "ACL_UINT8", Cast(Whole::U8)),
    (6, "ACL_INT16", Cast(Whole::I16)), (7, "ACL_UINT16", Bytes(2)), (8, "ACL_UINT32", Bytes(4)),
    (9, "ACL_INT64", Cast(Whole::I64)), (10, "ACL_UINT64", Bytes(8)), (11, "ACL_DOUBLE", Bytes(8)),
    (12, "ACL_BOOL", Cast(Whole::Bool)), (13, "ACL_STRING", Bytes(0)), (16, "ACL_COMPLEX64", Bytes(8)),
    (17, "ACL_COMPLEX128", Bytes(16)), (30, "ACL_UINT1", Bytes(0)),
    (35, "ACL_FLOAT8_E5M2", Bytes(1)), (36, "ACL_FLOAT8_E4M3FN", Bytes(1)),
];

fn other(code: i32) -> Option<&'static (i32, &'static str, Other)> {
    OTHERS.iter().find(|other| other.0 == code)
}

/// Returns the element type for an `aclDataType`; `None` if no operator takes it as a number.
pub fn element(code: i32) -> Option<Element> {
    let float = DType::with(|row| row.ge_code, code).map(Element::Float);
    float.or_else(|| match other(code)?.2 {
        Cast(whole) => Some(Element::Whole(whole)),
        Bytes(_) => None,
    })
}

/// Returns how a mask of this `aclDataType` is stored; `None` if masks cannot have this type.
pub fn truth(code: i32) -> Option<Stored> {
    match element(code) {
        Some(Element::Whole(Whole::Bool | Whole::U8)) => Some(Stored::Byte),
        _ => (dtype_name(code) == "ACL_UINT1").then_some(Stored::Bit),
    }
}

/// Returns how a tensor that has type `own` on its own is stored; `None` if it cannot have this `aclDataType`.
pub fn own(code: i32, own: Stored) -> Option<Stored> {
    let stored = match (code, element(code)) {
        (35, _) => Stored::E5m2,
        (36, _) => Stored::E4m3fn,
        (_, Some(Element::Float(dtype))) => dtype.into(),
        (_, Some(Element::Whole(Whole::Bool))) => Stored::Byte,
        (_, Some(Element::Whole(Whole::I8))) => Stored::Int8,
        (_, Some(Element::Whole(Whole::U8))) if own == Stored::Byte => Stored::Byte,
        (_, Some(Element::Whole(Whole::U8))) => Stored::Uint8,
        (_, Some(Element::Whole(Whole::I16))) => Stored::Int16,
        (_, Some(Element::Whole(Whole::I32))) => Stored::Int32,
        _ => return None,
    };
    (stored == own).then_some(stored)
}

/// Returns the names of the types that a tensor which has type `own` on its own may have, for messages.
pub fn own_names(stored: Stored) -> String {
    match stored {
        Stored::Number(dtype) => float_name(dtype),
        Stored::Byte => "ACL_BOOL, ACL_UINT8".into(),
        _ => {
            let all = OTHERS.iter().filter(|other| own(other.0, stored).is_some());
            all.map(|other| other.1).collect::<Vec<_>>().join(", ")
        }
    }
}

/// Returns how row counts of this `aclDataType` are stored; `None` if they cannot have this type.
pub fn count(code: i32) -> Option<Stored> {
    (element(code) == Some(Element::Whole(Whole::I64))).then_some(Stored::Int64)
}

/// Returns the size of an element in bytes; 0 for an unknown `aclDataType` or one without a fixed size.
pub fn dtype_size(code: i32) -> usize {
    match (element(code), other(code)) {
        (Some(element), _) => element.size(),
        (None, Some((_, _, Bytes(bytes)))) => *bytes,
        _ => 0,
    }
}

/// Returns the name of an `aclDataType`, for example `ACL_INT8`, or the number of an unknown one.
pub fn dtype_name(code: i32) -> String {
    match (DType::with(|row| row.ge_code, code), other(code)) {
        (Some(dtype), _) => float_name(dtype),
        (None, Some((_, name, _))) => (*name).into(),
        (None, None) => format!("aclDataType {code}"),
    }
}

/// Returns the name of a float type, for example `ACL_FLOAT`.
pub fn float_name(dtype: DType) -> String {
    format!("ACL_{}", dtype.row().ge)
}

/// Returns whether shape and strides of a tensor in this `aclFormat` say where its elements are.
///
/// These formats are: none stated, NCHW, NHWC, ND, HWCN, NDHWC, NCDHW, NC, NCL.
pub fn is_plain(format: i32) -> bool {
    [-1, 0, 1, 2, 16, 27, 30, 35, 47].contains(&format)
}
