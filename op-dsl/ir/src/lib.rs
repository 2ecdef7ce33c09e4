//! The language of op-dsl: expression graphs, the table of primitives, the passes over graphs, and
//! what an operator is.
//!
//! ```text
//! op         tensors, attributes, split, specialisations
//! graph      one formula as a flat list of nodes
//! prim       the table of primitives; oracle: their values; derive: their derivatives
//! compile    the passes, by name and in order
//! program    graphs as instructions over columns of elements
//! bind       attributes + shapes + dtypes -> what the formula runs over, or what is wrong
//! show       graphs as readable maths
//! stored     what a tensor's elements are in memory
//! value      what an attribute is set to
//! wiring     which streams of a gradient hold what of its forward formula
//! differences  gradients against central differences
//! doc        the documentation of derived gradients
//! degree     what becomes of values when inputs are multiplied
//! far        bounds that stand for infinity
//! format     rounding and units in the last place, for each element type
//! regions    functions of one value in a graph
//! roles      which stream a formula is applied to
//! rounding   how far rounding carries results from the truth: an estimate
//! lost_digits  what is said where no form of a formula is accurate
//! published  what documents say of an operator; interface: its aclnn functions; registered: its prototype and definition
//! typo       what was meant by a mistyped name
//! tiling     shapes -> which core and tile of an NPU owns which elements
//! ```
//!
//! Nothing here knows a target, SIMD, C++ or the syntax of Rust.

pub mod bind;
pub mod compile;
pub mod degree;
pub mod derivative;
mod derive;
pub mod differences;
pub mod doc;
mod dtype;
pub mod encode;
pub mod far;
pub mod format;
pub mod graph;
pub mod interface;
mod list;
pub mod lost_digits;
pub mod names;
pub mod op;
pub mod oracle;
pub mod passes;
pub mod prim;
pub mod program;
pub mod published;
pub mod regions;
pub mod registered;
pub mod roles;
pub mod rounding;
pub mod show;
mod stored;
pub mod tiling;
pub mod typo;
mod value;
pub mod wiring;

pub use dtype::DType;
pub use graph::{Builder, Graph, Id, Node};
pub use op::OpDef;
pub use prim::Prim;
pub use stored::Stored;
