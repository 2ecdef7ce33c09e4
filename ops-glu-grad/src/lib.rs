//! Gated activations and their gradients, each a few lines of formula.

// One file per family; each holds its module inline, as the macro needs it.
mod families {
    pub mod gelu;
    pub mod glu;
}

#[cfg(feature = "capi")]
pub mod capi;
mod published;

pub use families::gelu::gelu;
pub use families::glu::glu;

use op_dsl::Operator;

/// Every operator of this crate.
pub static OPERATORS: &[&Operator] = &op_dsl::join::<
    { glu::OPERATORS.len() + gelu::OPERATORS.len() },
>(&[glu::OPERATORS, gelu::OPERATORS]);

/// What the README and the guide show must compile and hold.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../README.md")]
    struct Readme;
    #[doc = include_str!("../../docs/add-an-operator.md")]
    struct Guide;
}
