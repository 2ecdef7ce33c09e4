//! Sizes of element types, and half-precision numbers.

use super::codes::dtype_size;
use crate::refusal::guarded;
use half::f16;

/// Returns the size of an element in bytes; 0 for an unknown `aclDataType`.
#[unsafe(no_mangle)]
pub extern "C" fn aclDataTypeSize(data_type: i32) -> usize {
    guarded(|| dtype_size(data_type)).unwrap_or(0)
}

/// Converts a half-precision number to float.
#[unsafe(no_mangle)]
pub extern "C" fn aclFloat16ToFloat(value: u16) -> f32 {
    f16::from_bits(value).to_f32()
}

/// Converts a float to the nearest half-precision number.
#[unsafe(no_mangle)]
pub extern "C" fn aclFloatToFloat16(value: f32) -> u16 {
    f16::from_f32(value).to_bits()
}
