//! Everything that a family file needs: `use op_dsl::prelude::*;`.

pub use crate::elem::*;
pub use crate::written::*;
pub use crate::{OpAttr, formula, op, operators};
pub use std::f64::consts::*;
