//! The passes, one per file, each a pure function from graph to graph.

pub mod differentiate;
pub mod recognise;
pub mod simplify;
pub mod stabilise;
