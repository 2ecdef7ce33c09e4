//! C interfaces of accelerators, implemented by the CPU kernels.
//!
//! ```text
//! registry   handles: numbers that are looked up, never dereferenced
//! refusal    a status with its message; every entry from C goes through it
//! element    element types: floats that kernels take, integers that are cast first
//! by_name    an operator that is looked up when it is called
//! operand    a tensor as C describes it -> a view within its storage
//! acl        devices, streams, memory, tensors
//! aclnn      executors, and both phases of an aclnn function, for any operator
//! infiniop   handles, descriptors and the four functions of an infiniop operator
//! generate   operators -> their exported functions and the headers
//! ```
//!
//! Device memory is host memory, and a stream is idle when a call returns. All `unsafe` code here dereferences a
//! pointer that C passed for that purpose: arrays of dimensions, strings, places for results, the elements of tensors.
//! Handles are never dereferenced.

pub mod acl;
pub mod aclnn;
mod by_name;
mod element;
pub mod generate;
pub mod infiniop;
mod operand;
mod refusal;
mod registry;

pub use registry::Handle;
