//! `op_kernel/`: entry, class, compute, tiling data, tiling key.
//!
//! ```text
//! entry        <op>.cpp             the template over the tiling key
//! class        <op>.h               buffers, copies, the way of a tile through UB
//! small                             what the class does with small rows
//! rows                              which of them there are
//! truths                            what it does with masks
//! counts                            which rows are computed, where an input says so
//! compute      <op>_compute.h       the formula, one class per form and element type
//! registers                         the formula on registers
//! barrier                           the order of dependent vector calls
//! call, scalar                      one vector call; numbers that are the same for every element
//! walk         <op>_walk.h          the tiles of a core
//! tiling_data  <op>_tiling_data.h   what the host tells the kernel
//! tiling_key   <op>_tiling_key.h    which instances there are
//! names                             what things are called
//! ```

mod barrier;
mod call;
mod class;
mod compute;
mod counts;
mod entry;
pub mod names;
mod registers;
mod rows;
mod scalar;
mod small;
pub mod tiling_data;
pub mod tiling_key;
mod truths;
mod walk;

pub use barrier::BY_COMPILER;
pub use tiling_key::vector_cores_apart;

use super::package::Package;
use super::tree::File;

/// The files, relative to the directory that the layout gives them.
pub fn files(package: &Package<'_>) -> Vec<File> {
    vec![
        entry::file(package),
        class::file(package),
        compute::file(package),
        tiling_data::file(package),
        tiling_key::file(package),
        walk::file(package),
    ]
}
