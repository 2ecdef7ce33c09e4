//! Parses and checks Rust syntax and traces it to graphs, with every diagnostic.
//!
//! ```text
//! attr        #[op(..)], #[split(..)], #[attr(..)]
//! model       enums, constants, formulas and operators as written
//! scope       the names that a formula may use
//! number      constant evaluation at expansion time
//! signature   an operator's parameters and outputs
//! trace       formula -> graph, once per combination of the attributes it branches on
//! gradient    the operator that grad(..) requests
//! surrogate   `#[grad(..)]` on a `let`
//! updates     outputs that are new values of inputs
//! elements    the author's functions as rustc compiles them
//! stub        placeholders for refused functions
//! family      all of the above, in order, for one module
//! ```
//!
//! This is an ordinary library on `proc_macro2` tokens, so that tests and tools can call it.

mod attr;
mod elements;
mod errors;
mod family;
mod gradient;
mod integer;
mod model;
mod names;
mod number;
mod scope;
mod signature;
mod stub;
mod surrogate;
mod trace;
mod updates;

pub use errors::Errors;
pub use family::{Family, Operator, attribute_enum, formula, function, module};
pub use model::{EnumDef, OpFn, Param, Role};
pub use names::CONSTANTS;
