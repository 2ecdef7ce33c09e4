//! The language of op-dsl.
mod dtype;
pub use dtype::DType;
