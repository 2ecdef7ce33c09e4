//! Operators, each a formula: on CPUs from here{npus}.

mod family;

pub use family::operators;
pub use operators::OPERATORS;
