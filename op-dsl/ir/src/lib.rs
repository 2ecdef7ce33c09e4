//! The language of op-dsl: expression graphs, primitives, graph passes and operator definitions.
//!
//! ```text
//! accuracy   what authors ask of results in f32; fast: whether f32 serves for `fast`
//! op         operator definitions: tensors, attributes, split, specialisations; tensor: what a tensor holds
//! graph      one formula as a flat list of nodes
//! eval       the values of a graph in f64
//! analysis   what passes ask of a graph, per node, and how they rewrite it
//! prim       the table of primitives; oracle: their values; derive: their derivatives
//! written    functions that are formulas of other functions
//! compile    the passes, by name and in order
//! program    graphs as instructions over columns of elements
//! bind       attributes + shapes + dtypes -> the iteration domain of a call, or an error
//! display    graphs as readable maths
//! stored     storage types of tensor elements
//! value      attribute values
//! wiring     how a gradient's streams connect to those of its forward formula
//! differences  gradients against central differences
//! doc        the documentation of derived gradients
//! homogeneity  dimensional analysis: how values scale with inputs
//! clamp_bounds  clamp bounds that stand for infinity
//! format     rounding and ULPs of each element type
//! univariate functions of one value inside a graph
//! roles      the part that each stream plays in a formula
//! row        row functions, and formulas with them; stages: how they are cut into elementwise graphs
//! kernel     the elementwise operators that kernels compute
//! rounding   estimate of the rounding errors of results
//! lost_digits  warnings about formulas without an accurate form
//! published  published interfaces of operators; interface: aclnn functions; registered: prototypes and definitions
//! suggest    suggestions for mistyped names
//! ```
//!
//! This crate is independent of targets, SIMD, C++ and the syntax of Rust.

pub mod accuracy;
pub mod analysis;
mod attr;
pub mod bind;
pub mod clamp_bounds;
pub mod compile;
pub mod derivative;
mod derive;
pub mod differences;
pub mod display;
pub mod doc;
mod dtype;
pub mod encode;
mod eval;
mod fast;
pub mod format;
pub mod graph;
pub mod homogeneity;
pub mod interface;
pub mod kernel;
mod list;
pub mod lost_digits;
pub mod names;
pub mod op;
pub mod oracle;
pub mod passes;
pub mod prim;
pub mod program;
pub mod published;
pub mod registered;
pub mod roles;
pub mod rounding;
pub mod row;
mod spec;
pub mod stages;
mod stored;
pub mod suggest;
mod tensor;
pub mod univariate;
mod value;
pub mod wiring;
mod written;

pub use dtype::{DType, Row};
pub use graph::{Builder, Graph, Id, Node};
pub use op::OpDef;
pub use prim::Prim;
pub use stored::Stored;
