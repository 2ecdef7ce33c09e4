//! Rust syntax -> graphs, with every diagnostic.
//!
//! ```text
//! attr        #[op(..)], #[split(..)], #[attr(..)]
//! model       enums, constants, formulas and operators as written
//! number      numbers that are known while expanding
//! signature   an operator's parameters and outputs
//! trace       formula -> graph, once per combination of the attributes it branches on
//! gradient    the operator that grad(..) asks for
//! elements    the author's functions as rustc compiles them, and
//! stub        what stands for those that were refused
//! family      all of it, in order, for one module
//! ```
//!
//! An ordinary library on `proc_macro2` tokens, so that tests and tools can call it.

mod attr;
mod elements;
mod errors;
mod family;
mod gradient;
mod integer;
mod model;
mod names;
mod number;
mod signature;
mod stub;
mod trace;

pub use errors::Errors;
pub use family::{Family, Operator, attribute_enum, formula, function, module};
pub use model::{EnumDef, OpFn, Param, Role};
pub use names::CONSTANTS;
