//! The AscendC code generator of op-dsl: from graphs to operator packages for Ascend NPUs.
//!
//! ```text
//! arch, plan, sequence, tiling  what a kernel computes and how: see `op-dsl-plan`
//! emit      plans -> the files of a package
//! build     those files as an installed package, where there is a toolkit
//! host_model  those files as a program for any machine
//! ```

pub mod build;
pub mod emit;
pub mod host_model;

pub use op_dsl_plan::column::note;
pub use op_dsl_plan::{arch, plan, sequence, tiling};
