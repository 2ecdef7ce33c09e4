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

pub use layout::{Layout, Unbuilt};
pub use package::{Cann, Options, Package};
pub use tree::{File, Tree, WriteError};

use crate::arch::{Refusal, Soc};
use op_dsl_ir::op::OpDef;

/// Why there are no files.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refused {
    /// The target cannot do the operator.
    #[error(transparent)]
    Target(#[from] Refusal),
    /// The layout is not built for the target.
    #[error(transparent)]
    Layout(#[from] Unbuilt),
}

/// Emits an operator for a target.
///
/// # Errors
/// The target cannot do the operator, or the layout is not built for it.
pub fn emit(
    def: &OpDef,
    layout: Layout,
    soc: &'static Soc,
    options: &Options,
) -> Result<Tree, Refused> {
    layout.check(soc, options.cann)?;
    Ok(layout.tree(&[Package::new(def, soc, options.clone())?]))
}

/// Emits those of some operators that a target can do, and says what it cannot do of them. Without
/// any that it can do, the tree is empty.
///
/// # Errors
/// The layout is not built for the target.
pub fn emit_all<'d>(
    defs: impl Iterator<Item = &'d OpDef>,
    layout: Layout,
    soc: &'static Soc,
    options: &Options,
) -> Result<(Tree, Vec<Refusal>), Unbuilt> {
    layout.check(soc, options.cann)?;
    let (mut packages, mut refusals) = (Vec::new(), Vec::new());
    for def in defs {
        match Package::new(def, soc, options.clone()) {
            Ok(package) => {
                refusals.extend(package.left_out.iter().cloned());
                packages.push(package);
            }
            Err(refusal) => refusals.push(refusal),
        }
    }
    Ok((layout.tree(&packages), refusals))
}
