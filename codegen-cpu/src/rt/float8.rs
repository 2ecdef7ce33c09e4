//! Floats of 8 bits as Rust types. Kernels convert them.

/// A float of 8 bits, with 4 bits of exponent and 3 of fraction. It has NaN, but no infinity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
#[allow(non_camel_case_types)] // as `f16` and `bf16`
pub struct e4m3fn(pub u8);

/// A float of 8 bits, with 5 bits of exponent and 2 of fraction: the upper half of an f16.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
#[allow(non_camel_case_types)] // as `f16` and `bf16`
pub struct e5m2(pub u8);
