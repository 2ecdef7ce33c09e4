//! The functions of AscendCL (acl) on a machine without an NPU: device memory is host memory.

mod codes;
mod device;
mod memory;
mod numbers;
mod scalar;
mod stream;
mod tensor;

pub use codes::*;
pub(super) use memory::within_allocation;
pub(super) use scalar::{AclScalar, SCALARS};
pub(super) use stream::is_stream;
pub(super) use tensor::{AclTensor, Address, TENSORS};
