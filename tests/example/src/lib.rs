//! A family of operators: its CPU kernels are in this crate, and the build script emits its NPU package.

#[path = "gates.rs"]
mod family;

pub use family::gates;

/// Directory of the AscendC project.
pub const PROJECT: &str = env!("OP_DSL_PROJECT");
/// The installable package, where a toolkit has built it.
pub const PACKAGE: Option<&str> = option_env!("OP_DSL_PACKAGE");
