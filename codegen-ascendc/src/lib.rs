//! The AscendC code generator of op-dsl: from graphs to operator packages for Ascend NPUs.
//!
//! ```text
//! arch      targets: capabilities of each, and the messages for what it lacks
//! column    the AscendC column of the table of primitives: calls, forms, notes
//! sequence  sequences of vector calls
//! plan      graph -> calls on buffers, UB per element, cost
//! tiling    shapes -> which core and tile owns which elements
//! emit      plans -> the files of a package
//! build     those files as an installed package, where there is a toolkit
//! host_model  those files as a program for any machine
//! ```

pub mod arch;
pub mod build;
mod column;
pub mod emit;
pub mod host_model;
pub mod plan;
pub mod sequence;
pub mod tiling;

pub use column::note;
