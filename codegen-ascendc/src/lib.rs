//! The AscendC half of op-dsl.
//!
//! ```text
//! column    the AscendC column of the table of primitives: instructions, count, notes
//! ```

mod column;

pub use column::{Lowering, column};
