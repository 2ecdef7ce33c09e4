//! `op_api/`: the functions that a program calls; `op_dsl_ir::interface` has their signatures.
//!
//! ```text
//! level0     <snake>.h, .cpp: adds one kernel to an executor's list
//! aclnn      aclnn_<..>.h, .cpp: both phases, from the caller's tensors to the kernel's
//! checks     the checks of phase 1, in the documented order; shapes: that of shapes; check: what they are made of
//! argument   an argument, as these two write it
//! along      inputs that lie along another dimension than the last
//! cpp        line breaks, guards, literals
//! ```

mod aclnn;
mod along;
mod argument;
mod check;
mod checks;
pub mod cpp;
mod level0;
mod shapes;

pub use argument::{has_counts, is_mask, kind, own};
pub use checks::allowed;

use super::package::Package;
use super::tree::File;

/// Returns the files of `op_api/` for an operator that only graphs call, without aclnn functions.
///
/// These are the files of the level-0 function, since code in other directories may launch the kernel.
pub fn files_without_functions(package: &Package<'_>) -> Vec<File> {
    level0::files(package)
}

/// Returns all files of `op_api/`, with paths relative to the operator's directory.
pub fn files(package: &Package<'_>) -> Vec<File> {
    [level0::files(package), aclnn::files(package)].concat()
}
