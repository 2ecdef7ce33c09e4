//! One kernel that is launched without an installed package.

use crate::emit::package::Package;
use crate::emit::tree::Tree;

/// Adds the directory of an operator.
pub fn add(tree: &mut Tree, package: &Package<'_>) {
    tree.mark(&package.snake(), std::iter::once(&*package.def.name));
}
