//! The operators behind the interfaces aclnn and infiniop: a shared and a static library for C and C++.
//!
//! Their headers are in `include`; `docs/c-api.md` describes what is emulated.

pub mod functions;
