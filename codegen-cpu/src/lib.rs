//! CPU run time of op-dsl: what the expansions of the macros call.
//!
//! `op-dsl-lower` writes those expansions. It is a crate of its own, so that a macro build carries no SIMD and a run-time build no `quote`.
#![cfg_attr(feature = "docs", doc = "\n## Features\n", doc = document_features::document_features!())]

/// Piecewise polynomials: the fitted tables that kernels evaluate.
pub use op_dsl_fit as fit;

pub mod rt;
