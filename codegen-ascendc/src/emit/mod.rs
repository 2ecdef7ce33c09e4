//! Emission: from an operator on an architecture to the files of its package.
//!
//! ```text
//! branch    differences between architectures
//! fragment  C++ that operators share, with parts that only some of them have
//! package   the input of every section: definition, plans, names, options
//! words     the text of documents, in each language
//! type_names  names of element types
//! text      lines, indentation, headers, comments
//! kernel    op_kernel/   entry, class, compute, tiling data, tiling key
//! host      op_host/     definition, shape inference, tiling; op_graph/ prototype
//! api       op_api/      level-0 launcher and aclnn, two-stage
//! paper     README, docs/, examples/, tests/, golden.py
//! layout    which of these go where, with their build files
//! left_out  what targets do not support, in few sentences
//! tree      files in memory -> files on disk, all or none
//! checkout  the same inside a checkout of ops-nn, beside the files that are kept there
//! ```
//!
//! Every output is a function of its arguments: no clock, no environment, no hash order.

pub mod api;
mod branch;
pub mod checkout;
mod fragment;
pub mod host;
pub mod kernel;
pub mod layout;
pub mod left_out;
pub mod package;
pub mod paper;
pub mod scheme;
#[cfg(test)]
mod tests;
pub mod text;
pub mod tree;
mod type_names;
mod words;

pub use layout::{Layout, Unbuilt};
pub use package::{Cann, Options, Package};
pub use tree::{File, Tree, WriteError};
pub use words::Language;

use crate::arch::{Refusal, Soc};
use op_dsl_ir::op::OpDef;
use rayon::prelude::*;

/// Reason why no files were emitted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// The target does not support the operator.
    #[error(transparent)]
    Target(#[from] Refusal),
    /// The layout does not support the target.
    #[error(transparent)]
    Layout(#[from] Unbuilt),
}

/// Plans an operator for a target, and returns the package from which all files are written.
///
/// # Errors
/// The target does not support the operator.
pub fn package<'d>(
    def: &'d OpDef,
    soc: &'static Soc,
    options: &Options,
) -> Result<Package<'d>, Refused> {
    Ok(Package::new(def, &[soc], options.clone())?)
}

/// Emits an operator for some targets, as one tree of files that serves them all.
///
/// # Errors
/// A target does not support the operator, or the layout does not support the target or the operator.
pub fn emit(
    def: &OpDef,
    layout: Layout,
    socs: &[&'static Soc],
    options: &Options,
) -> Result<Tree, Refused> {
    layout.check(socs, options.cann)?;
    layout.check_operator(def)?;
    Ok(layout.tree(&[Package::new(def, socs, options.clone())?]))
}

/// Emits every operator that at least one of the targets supports, as one tree of files.
///
/// Also returns which operators, element types and specialisations were left out, and why.
///
/// # Errors
/// The targets support none of the operators, or the layout does not support the targets.
pub fn emit_all<'d>(
    defs: impl Iterator<Item = &'d OpDef>,
    layout: Layout,
    socs: &[&'static Soc],
    options: &Options,
) -> Result<(Tree, Vec<Refused>), Refused> {
    layout.check(socs, options.cann)?;
    let planned = |def: &&'d OpDef| -> Result<Package<'d>, Vec<Refused>> {
        layout.check_operator(def).map_err(|unbuilt| vec![unbuilt.into()])?;
        let package = Package::able(def, socs, options.clone());
        Ok(package.map_err(|left| left.into_iter().map(Refused::from).collect::<Vec<_>>())?.0)
    };
    // Operators are planned in parallel, because planning takes a fifth of a second for each on average.
    let defs: Vec<&OpDef> = defs.collect();
    let all: Vec<_> = defs.par_iter().map(planned).collect();
    let (mut packages, mut refusals) = (Vec::new(), Vec::new());
    for planned in all {
        match planned {
            Ok(package) => {
                refusals.extend(package.left_out.iter().cloned().map(Refused::from));
                packages.push(package);
            }
            Err(left) => refusals.extend(left),
        }
    }
    if packages.is_empty() && !refusals.is_empty() {
        return Err(refusals.swap_remove(0));
    }
    Ok((layout.tree(&packages), refusals))
}
