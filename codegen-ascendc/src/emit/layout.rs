//! Which files go where, with their build files.

use super::package::Package;
use super::tree::Tree;
use super::{api, host, kernel, paper};

/// What is built from the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// An operator directory of ops-nn's `activation/` or `experimental/activation/`.
    OpsNn,
    /// A custom-operator project that builds with a toolkit alone.
    Custom,
    /// One kernel with host tiling, launcher and a small main.
    Direct,
}

impl Layout {
    /// All, in the order of the command line's help.
    pub const ALL: [Layout; 3] = [Layout::OpsNn, Layout::Custom, Layout::Direct];

    /// As the command line has it.
    pub const fn name(self) -> &'static str {
        match self {
            Layout::OpsNn => "ops-nn",
            Layout::Custom => "custom",
            Layout::Direct => "direct",
        }
    }

    /// The files of a package.
    pub fn tree(self, package: &Package<'_>) -> Tree {
        let mut tree = Tree::default();
        let snake = package.snake();
        match self {
            Layout::OpsNn => {
                for file in kernel::files(package) {
                    tree.add(format!("{snake}/op_kernel/{}", file.path), file.text);
                }
                for file in host::files(package) {
                    tree.add(format!("{snake}/{}", file.path), file.text);
                }
                for file in api::files(package) {
                    tree.add(format!("{snake}/{}", file.path), file.text);
                }
                for file in paper::files(package) {
                    tree.add(format!("{snake}/{}", file.path), file.text);
                }
            }
            Layout::Custom | Layout::Direct => {}
        }
        tree
    }
}
