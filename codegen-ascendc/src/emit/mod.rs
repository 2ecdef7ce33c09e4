//! An operator on an architecture -> the files of its package.
//!
//! ```text
//! branch    what differs between architectures
//! package   what every section is written from: definition, plans, names, options
//! words     what pages say, in each language
//! text      lines, indentation, headers, comments
//! kernel    op_kernel/   entry, class, compute, tiling data, tiling key
//! host      op_host/     definition, shape inference, tiling; op_graph/ prototype
//! api       op_api/      level-0 launcher and aclnn, two-stage
//! paper     README, docs/, examples/, tests/, golden.py
//! layout    which of these go where, with their build files
//! left_out  what targets cannot do, in few sentences
//! tree      files in memory -> files on disk, whole or not at all
//! checkout  the same inside a checkout of ops-nn, beside what is kept there
//! ```
//!
//! Everything is a function of its arguments: no clock, no environment, no hash order.

pub mod api;
mod branch;
pub mod checkout;
pub mod host;
pub mod kernel;
pub mod layout;
pub mod left_out;
pub mod package;
pub mod paper;
pub mod text;
pub mod tree;
mod words;

pub use layout::{Layout, Unbuilt};
pub use package::{Cann, Options, Package};
pub use tree::{File, Tree, WriteError};
pub use words::Language;

use crate::arch::{Refusal, Soc};
use op_dsl_ir::op::OpDef;
use rayon::prelude::*;

/// Why there are no files.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// The target cannot do the operator.
    #[error(transparent)]
    Target(#[from] Refusal),
    /// The layout is not built for the target.
    #[error(transparent)]
    Layout(#[from] Unbuilt),
}

/// What the files of an operator for a target are written from.
///
/// # Errors
/// The target cannot do the operator.
pub fn package<'d>(
    def: &'d OpDef,
    soc: &'static Soc,
    options: &Options,
) -> Result<Package<'d>, Refused> {
    Ok(Package::new(def, &[soc], options.clone())?)
}

/// Emits an operator for some targets, as one tree that serves them all.
///
/// # Errors
/// A target cannot do the operator, or the layout is not built for it.
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

/// Emits those of some operators that the targets can do, and says what they cannot do of them.
///
/// # Errors
/// The targets can do none of them, or the layout is not built for them.
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
    // Planning takes a fifth of a second for each operator on an average, and none waits for another.
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
