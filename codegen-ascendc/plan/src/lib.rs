//! Plans of AscendC kernels: from graphs to vector calls on buffers, and how shapes are cut into tiles.
//!
//! `codegen-ascendc` writes them as C++. Planning is a crate of its own because it evaluates candidates on thousands of inputs,
//! and is compiled with optimisation for that, where writing text is not.
//!
//! ```text
//! arch      targets: capabilities of each, and the messages for what it lacks
//! column    the AscendC column of the table of primitives: calls, forms, notes
//! sequence  sequences of vector calls
//! plan      graph -> calls on buffers, UB per element, cost
//! tiling    shapes -> which core and tile owns which elements
//! ```

pub mod arch;
pub mod column;
pub mod plan;
pub mod sequence;
pub mod tiling;
