//! infiniop on the CPU: handles, tensor descriptors, and the four functions of an operator.
//!
//! An operator has these functions if InfiniCore has published it. Statuses and the order of checks are those of
//! InfiniCore where it has them; calls that crash there return a status here.

mod codes;
mod descriptor;
mod device;
mod entry;
mod export;
mod operator;
mod tensor;

pub use entry::Entry;
pub use operator::{create, destroy, run, workspace_size};
