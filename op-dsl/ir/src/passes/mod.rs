//! Graph passes, one per file, each a pure function from graph to graph.

pub(crate) mod addends;
pub mod branch_sinking;
pub mod common_factors;
pub mod compose;
pub(crate) mod conjugates;
pub mod differentiate;
pub mod divisors;
pub(crate) mod exponential_sums;
pub(crate) mod exponentials;
pub(crate) mod functions_of_streams;
pub mod functions_of_sums;
pub(crate) mod held;
pub mod like_terms;
pub mod limits;
pub mod opposites;
pub mod overflow_guard;
pub(crate) mod products;
pub mod rational;
pub mod recognise;
pub mod row_gradient;
pub mod row_magnitudes;
pub mod saturate;
pub mod series;
pub mod simplify;
pub mod stabilise;
pub mod zeros;
