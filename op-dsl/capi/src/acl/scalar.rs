//! `aclScalar`: one number of any type, read when the scalar is created.

use super::codes::*;
use crate::refusal::{pointer, refuse, status};
use crate::registry::{Handle, Registry};
use half::{bf16, f16};
use std::ffi::c_void;

/// All live `aclScalar` objects.
pub static SCALARS: Registry<AclScalar> = Registry::new();

/// The number of an `aclScalar`, converted to f32, because operators take only floats as scalars.
#[derive(Clone, Copy, Debug)]
pub struct AclScalar {
    /// Type of the number, as a number of `aclDataType`.
    pub dtype: i32,
    /// The scalar's number, rounded to the nearest f32; `None` for a complex number, which has none.
    pub value: Option<f32>,
}

/// Generates the function `read`, which converts a number to f32.
///
/// A row has the code of a numeric `aclDataType`, its Rust type and its conversion to f32.
macro_rules! readers {
    ($($code:literal $Type:ty => $float:expr;)*) => {
        /// Reads a number and converts it to f32; `None` if `dtype` is no type of numbers.
        ///
        /// # Safety
        /// `place` points to a number of type `dtype`.
        unsafe fn read(dtype: i32, place: *const c_void) -> Option<AclScalar> {
            let value = match dtype {
                $($code => {
                    let float: fn($Type) -> Option<f32> = $float;
                    // SAFETY: the caller upholds this function's `# Safety` contract; the read does not need alignment.
                    float(unsafe { place.cast::<$Type>().read_unaligned() })
                })*
                _ => return None,
            };
            Some(AclScalar { dtype, value })
        }
    };
}
readers! {
    0 f32 => Some;
    1 f16 => |v| Some(v.into());
    2 i8 => |v| Some(v.into());
    3 i32 => |v| Some(v as f32);
    4 u8 => |v| Some(v.into());
    6 i16 => |v| Some(v.into());
    7 u16 => |v| Some(v.into());
    8 u32 => |v| Some(v as f32);
    9 i64 => |v| Some(v as f32);
    10 u64 => |v| Some(v as f32);
    11 f64 => |v| Some(v as f32);
    12 u8 => |v| Some(f32::from(u8::from(v != 0)));
    16 [f32; 2] => |_| None;
    17 [f64; 2] => |_| None;
    27 bf16 => |v| Some(v.into());
    33 [f16; 2] => |_| None;
}

/// Creates a scalar; null when `value` is null or `data_type` is no type of numbers.
///
/// # Safety
/// `value` is null or points to a number of type `data_type`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclCreateScalar(value: *mut c_void, data_type: i32) -> Handle {
    pointer(|| {
        if value.is_null() {
            return refuse(ACLNN_ERR_PARAM_NULLPTR, "aclCreateScalar: value is null");
        }
        // SAFETY: the caller upholds the `# Safety` contract.
        let Some(scalar) = (unsafe { read(data_type, value) }) else {
            let message = format!("aclCreateScalar: {} has no numbers", dtype_name(data_type));
            return refuse(ACLNN_ERR_PARAM_INVALID, message);
        };
        Ok(SCALARS.insert(scalar))
    })
}

/// Destroys a scalar. Executors keep a copy of its number, so that they can still run.
#[unsafe(no_mangle)]
pub extern "C" fn aclDestroyScalar(scalar: Handle) -> i32 {
    status(ACLNN_ERR_INNER, || match SCALARS.take(scalar) {
        None if !scalar.is_null() => {
            refuse(ACLNN_ERR_PARAM_INVALID, "aclDestroyScalar: not a live aclScalar")
        }
        _ => Ok(()),
    })
}
