//! `op_kernel/`: entry, class, compute, tiling data, tiling key.
//!
//! ```text
//! entry        <op>.cpp             the template over the tiling key
//! class        <op>.h               buffers, copies, the path of a tile through UB
//! formula_call                      the class's call of the formula on a tile
//! small                             the class's path for small rows
//! offsets                           tables of byte offsets by which elements are gathered
//! rows                              gated tensors whose rows are read whole
//! truths                            the class's handling of masks
//! counts                            rows that are computed, where an input gives their number
//! sums                              the class of an operator some of whose outputs are sums
//! row_functions                     the class of an operator with functions of rows
//! compute      <op>_compute.h       the formula, one class per specialisation and element type
//! registers                         the formula on registers
//! cache                             the data cache of scalar code
//! barrier                           the order of dependent vector calls
//! calls                             the vector calls of a plan
//! call, scalar                      one vector call; numbers that are the same for every element
//! walk         <op>_walk.h          the tiles of a core
//! tiling_data  <op>_tiling_data.h   the struct that the host passes to the kernel
//! tiling_key   <op>_tiling_key.h    the kernel's instances
//! names                             names that the files share
//! ```

mod barrier;
mod cache;
mod call;
mod calls;
mod class;
mod compute;
mod counts;
mod entry;
mod formula_call;
pub mod names;
mod offsets;
mod registers;
mod row_functions;
mod rows;
mod scalar;
mod small;
pub mod sums;
pub mod tiling_data;
pub mod tiling_key;
mod truths;
mod walk;

pub use barrier::BY_COMPILER;
pub use tiling_key::vector_cores_apart;

use super::package::Package;
use super::scheme::{Class, Scheme};
use super::tree::File;

/// Returns the files of the kernel.
///
/// Their paths are relative to the directory that a layout puts them into.
pub fn files(package: &Package<'_>) -> Vec<File> {
    let mut files = vec![
        entry::file(package),
        class::file(package),
        compute::file(package),
        tiling_data::file(package),
        tiling_key::file(package),
    ];
    let has_walk = Scheme::of(&package.def).class == Class::Elements;
    files.extend(has_walk.then(|| walk::file(package)));
    files
}
