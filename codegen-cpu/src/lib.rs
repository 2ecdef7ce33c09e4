//! The CPU half of op-dsl.
//!
//! * feature `lower`: a graph -> the tokens of its body, used while a macro expands;
//! * feature `rt`: what those tokens call: vector maths, element types, block kernels, the driver.
//!
//! The two are kept apart so that a macro build carries no SIMD and a run-time build no `quote`.
#![cfg_attr(feature = "docs", doc = "\n## Features\n", doc = document_features::document_features!())]

/// What a fitted table is made of.
pub use op_dsl_fit as fit;

#[cfg(feature = "lower")]
pub mod lower;
#[cfg(feature = "rt")]
pub mod rt;
