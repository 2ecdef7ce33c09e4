//! The C interfaces that programs for accelerators are written to, answered by the CPU kernels.
//!
//! ```text
//! registry   handles: numbers that are looked up, never followed
//! refusal    a status with its message; what every entry from C goes through
//! element    what elements may be: floats that kernels take, whole numbers that are cast first
//! by_name    an operator that is looked up when it is called
//! operand    a tensor as C describes it -> a view within its storage
//! acl        devices, streams, memory, tensors
//! aclnn      executors, and both phases of an aclnn function, for any operator
//! infiniop   handles, descriptors and the four functions of an infiniop operator
//! generate   operators -> their exported functions and the headers
//! ```
//!
//! Device memory is host memory, and a stream has done its work when a call returns. Everything
//! `unsafe` here follows a pointer that C gave for that purpose: arrays of dimensions, strings,
//! places for answers, the elements of tensors. Handles are no such pointers.

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
