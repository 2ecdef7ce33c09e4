//! `op_kernel/`: entry, class, compute, tiling data, tiling key.

pub mod tiling_data;

use super::package::Package;
use super::tree::File;

/// The files, relative to the directory that the layout gives them.
pub fn files(_: &Package<'_>) -> Vec<File> {
    Vec::new()
}
