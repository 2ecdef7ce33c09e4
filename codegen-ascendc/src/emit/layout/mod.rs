//! Layouts: the directory structure of the files, with their build files.

mod custom;
mod direct;
mod ops_nn;
mod preset;
mod torch;

use super::package::{Cann, Package};
use super::tree::Tree;
use crate::arch::{SOCS, Soc};
use op_dsl_ir::Stored;
use op_dsl_ir::op::{Kind, OpDef};

/// Kind of project that the emitted files form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// An operator directory of ops-nn's `activation/` or `experimental/activation/`.
    OpsNn,
    /// A custom-operator project that builds with a toolkit alone.
    Custom,
    /// A program that launches one kernel, with host tiling, launcher and a small `main`.
    Direct,
    /// An extension of PyTorch that registers installed operators.
    Torch,
}

/// Reason why a layout cannot be emitted for a product or operator, and the way out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unbuilt {
    /// The layout does not support the product.
    ///
    /// The fields are the product, and the software (for example, a toolkit) that does not support it.
    #[error("{0} is not among the products of {1}; use --layout custom --cann 8")]
    Product(&'static str, &'static str),
    /// The layout does not support several architectures in one tree.
    ///
    /// The fields are the project or compiler that does not support them, and two products with different architectures.
    #[error("{0} is built for one architecture, but {1} and {2} differ in theirs; emit for each")]
    Several(&'static str, &'static str, &'static str),
    /// The layout does not support masks of one bit per element, which the operator with this name has.
    #[error("{0} has a mask of bits, which PyTorch has no tensors of; use --layout custom")]
    Bits(String),
    /// An operator with outputs that are sums has no input whose shape decides that of the call.
    ///
    /// The fields are its name and that of the layout.
    #[error(
        "{0} has sums and no input that is never broadcast, which --layout {1} needs; use --layout {SUMS}"
    )]
    Sums(String, &'static str),
    /// The layout does not support tensors with one number per row.
    ///
    /// The fields are such a tensor, the operator and the layout.
    #[error(
        "`{0}` of {1} has one number per row, which --layout {2} does not take yet; use --layout {SUMS}"
    )]
    PerRow(String, String, &'static str),
}

/// Layout of operators that others do not take, for messages.
const SUMS: &str = "custom";

/// Number of the architecture that compilers of generation 9 no longer support.
const LEFT_OUT_BY_V9: u16 = 1001;

impl Layout {
    /// All layouts, in the order in which the command line's help lists them.
    pub const ALL: [Layout; 4] = [Layout::OpsNn, Layout::Custom, Layout::Direct, Layout::Torch];

    /// Returns the name of the layout on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Layout::OpsNn => "ops-nn",
            Layout::Custom => "custom",
            Layout::Direct => "direct",
            Layout::Torch => "torch",
        }
    }

    /// Returns the layout with this name, `None` if there is none.
    pub fn named(name: &str) -> Option<Layout> {
        Layout::ALL.into_iter().find(|l| l.name() == name)
    }

    /// Checks that products can be built in this layout, and all of them in one tree.
    ///
    /// # Errors
    /// The layout does not support a product, or not several architectures in one tree. The error says what to use instead.
    pub fn check(self, socs: &[&'static Soc], cann: Cann) -> Result<(), Unbuilt> {
        let (layout, several) = match (self, cann) {
            (Layout::OpsNn, _) => ("ops-nn", true),
            (Layout::Custom, Cann::V9) => ("toolkits of generation 9", true),
            (Layout::Custom, Cann::V8) => ("a project for toolkits of generation 8", false),
            (Layout::Direct, _) => ("the compiler that launches kernels directly", false),
            (Layout::Torch, _) => ("torch_npu", true),
        };
        let oldest = (self, cann) == (Layout::Custom, Cann::V8);
        let left_out = |s: &&&Soc| s.arch.number == LEFT_OUT_BY_V9;
        if let Some(soc) = socs.iter().find(left_out).filter(|_| !oldest) {
            return Err(Unbuilt::Product(soc.name, layout));
        }
        match socs.iter().find(|s| s.arch != socs[0].arch) {
            Some(other) if !several => Err(Unbuilt::Several(layout, socs[0].name, other.name)),
            _ => Ok(()),
        }
    }

    /// Checks that the layout supports an operator, given that the targets support it.
    ///
    /// # Errors
    /// The layout does not support the operator. The error says what to use instead.
    pub fn check_operator(self, def: &OpDef) -> Result<(), Unbuilt> {
        let bits = def.inputs.iter().any(|t| t.kind == Kind::Mask) && def.masks() == Stored::Bit;
        let leads = def.sums.is_empty() || !def.wide.is_empty();
        let per_row =
            def.per_row().next().filter(|_| matches!(self, Layout::Direct | Layout::Torch));
        if let Some(tensor) = per_row {
            let (tensor, op) = (tensor.name.to_string(), def.name.to_string());
            return Err(Unbuilt::PerRow(tensor, op, self.name()));
        }
        match self {
            Layout::Torch if bits => Err(Unbuilt::Bits(def.name.to_string())),
            Layout::Direct | Layout::OpsNn if !leads => {
                Err(Unbuilt::Sums(def.name.to_string(), self.name()))
            }
            _ => Ok(()),
        }
    }

    /// Returns the products that a tree in this layout is for by default.
    ///
    /// For ops-nn and for PyTorch's extension these are all products that ops-nn supports. For other layouts there is no
    /// default, so that the list is empty.
    pub fn socs(self) -> Vec<&'static Soc> {
        let all = matches!(self, Layout::OpsNn | Layout::Torch);
        let built = |s: &&Soc| all && s.arch.number != LEFT_OUT_BY_V9;
        SOCS.iter().filter(built).collect()
    }

    /// Returns all files of some packages in this layout.
    ///
    /// Operators share a custom project and an extension of PyTorch; in the other layouts each has a directory.
    pub fn tree(self, packages: &[Package<'_>]) -> Tree {
        let mut tree = Tree::default();
        let Some(first) = packages.first() else { return tree };
        match (self, first.options.cann) {
            (Layout::OpsNn, _) => packages.iter().for_each(|p| ops_nn::add(&mut tree, p)),
            (Layout::Custom, Cann::V9) => custom::add(&mut tree, packages),
            (Layout::Custom, Cann::V8) => preset::add(&mut tree, packages),
            (Layout::Direct, _) => packages.iter().for_each(|p| direct::add(&mut tree, p)),
            (Layout::Torch, _) => torch::add(&mut tree, packages),
        }
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_architecture_is_for_the_oldest_toolkits() {
        let [old, new] = ["ascend910", "ascend310p"].map(|s| Soc::named(s).expect("a target"));
        for layout in Layout::ALL {
            assert!(
                layout.check(&[new], Cann::V9).is_ok() && layout.check(&[new], Cann::V8).is_ok()
            );
            let refused = layout.check(&[old], Cann::V9).expect_err("left out").to_string();
            assert!(refused.ends_with("use --layout custom --cann 8"), "{refused}");
            assert_eq!(layout.check(&[old], Cann::V8).is_ok(), layout == Layout::Custom);
        }
    }

    #[test]
    fn one_tree_for_several_architectures() {
        let all = Layout::OpsNn.socs();
        assert!(Layout::OpsNn.check(&all, Cann::V9).is_ok());
        assert!(Layout::Custom.check(&all, Cann::V9).is_ok());
        let refused = Layout::Direct.check(&all, Cann::V9).expect_err("one at a time").to_string();
        assert!(refused.ends_with("emit for each"), "{refused}");
        assert!(Layout::Custom.check(&all, Cann::V8).is_err());
        assert!(Layout::Direct.check(&all[..2], Cann::V9).is_ok(), "of one architecture");
    }
}
