//! A stand-alone project for toolkits of generation 8: the files that an author owns. The rest of
//! the project (`cmake/`, scripts) belongs to the toolkit, whose `msopgen` writes it.

use super::custom::{add_sources, readme};
use crate::emit::package::Package;
use crate::emit::tree::Tree;

/// Adds the project of some operators.
pub fn add(tree: &mut Tree, packages: &[Package<'_>]) {
    add_sources(tree, packages);
    tree.add("README.md", readme(packages, ""));
}
