//! Both phases of an aclnn function, for any operator.
//!
//! Names and argument order of an operator's functions come from the same table as its NPU package.

mod arguments;
mod cast;
mod check;
mod entry;
mod execute;
mod executor;
mod export;
mod prepare;

pub use arguments::Argument;
pub use entry::Entry;
pub use execute::execute;
#[doc(hidden)]
pub use export::c;
pub use prepare::prepare;
