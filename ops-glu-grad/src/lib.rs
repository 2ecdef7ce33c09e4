//! Gated activations and their gradients, each a few lines of formula.
#![cfg_attr(feature = "docs", doc = "\n## Features\n", doc = document_features::document_features!())]

// One file per family. Each has its module inline, because the macro sees only its own tokens.
mod families {
    pub mod exponential;
    pub mod gated;
    pub mod gelu;
    pub mod glu;
    pub mod hard;
    pub mod models;
    pub mod optim;
    pub mod relu;
    pub mod sigmoid;
}

mod published;
mod registered;

pub use families::exponential::exponential;
pub use families::gated::gated;
pub use families::gelu::gelu;
pub use families::glu::glu;
pub use families::hard::hard;
pub use families::models::{models, two_tensors};
pub use families::optim::optim;
pub use families::relu::relu;
pub use families::sigmoid::sigmoid;

use op_dsl::Operator;

const FAMILIES: &[&[&Operator]] = &[
    glu::OPERATORS,
    gelu::OPERATORS,
    relu::OPERATORS,
    hard::OPERATORS,
    exponential::OPERATORS,
    sigmoid::OPERATORS,
    gated::OPERATORS,
    two_tensors::OPERATORS,
    models::OPERATORS,
];

/// Every operator of this crate.
pub static OPERATORS: &[&Operator] = &op_dsl::join::<{ op_dsl::count(FAMILIES) }>(FAMILIES);

/// Steps of optimizers, a table of their own: they compute in f32 as written, with state of a type of its own.
///
/// [`OPERATORS`] are held to the promises on accuracy, and emitted for NPUs.
pub static OPTIMIZERS: &[&Operator] = optim::OPERATORS;

/// Compiles and runs the examples of the README and the guide.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../README.md")]
    struct Readme;
    #[doc = include_str!("../../docs/add-an-operator.md")]
    struct Guide;
    #[doc = include_str!("../../docs/language.md")]
    struct Language;
}
