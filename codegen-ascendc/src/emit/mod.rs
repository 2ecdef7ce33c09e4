//! An operator on an architecture -> the files of its package.
//!
//! ```text
//! package   what every section is written from: definition, plans, names, options
//! text      lines, indentation, headers, comments
//! kernel    op_kernel/   entry, class, compute, tiling data, tiling key
//! host      op_host/     definition, shape inference, tiling; op_graph/ prototype
//! api       op_api/      level-0 launcher and aclnn, two-stage
//! paper     README, docs/, examples/, tests/, golden.py
//! layout    which of these go where, with their build files
//! tree      files in memory -> files on disk, whole or not at all
//! ```
//!
//! Everything is a function of its arguments: no clock, no environment, no hash order.

pub mod api;
pub mod host;
pub mod kernel;
pub mod layout;
pub mod package;
pub mod paper;
pub mod text;
pub mod tree;

pub use layout::Layout;
pub use package::{Options, Package};
pub use tree::{File, Tree};

use crate::arch::{Refusal, Soc};
use op_dsl_ir::op::OpDef;

/// Emits an operator for a target.
///
/// # Errors
/// The target cannot do the operator.
pub fn emit(
    def: &OpDef,
    layout: Layout,
    soc: &'static Soc,
    options: &Options,
) -> Result<Tree, Refusal> {
    Ok(layout.tree(&Package::new(def, soc, options.clone())?))
}
