//! `new`: writes a crate of operators, outside of any workspace, that builds and passes as it is.
//!
//! ```text
//! name      names of a crate and of its operator
//! fill      substitution of values into a template
//! formula   a formula of the command line -> the function of an operator, and its module
//! files     all of it -> the crate's files, from template/
//! ```

mod files;
mod fill;
mod formula;
mod name;

use super::args::New as Args;
use super::error::Error;
use super::scratch::{ScratchDir, parent};
use files::Source;
use formula::Formula;
use name::Name;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// The formula of a new crate, unless `--from` gives one.
const FORMULA: &str = "x.value * (x.gate * sigmoid(x.gate))";

/// Writes a new crate, whole or not at all; returns a text with the next steps for the user.
pub fn new(args: &Args) -> Result<String, Error> {
    let name = Name::of(&args.path)?;
    if fs::symlink_metadata(&args.path).is_ok() {
        return Err(usage(&args.path, "exists already; give another name, or remove it"));
    }
    let parent = parent(&args.path);
    if !parent.is_dir() {
        let what = format!("there is no directory {}; make it first", parent.display());
        return Err(usage(&args.path, &what));
    }
    let formula = Formula::new(&name, args.from.as_deref().unwrap_or(FORMULA))?;
    let source = Source::find(args.op_dsl.as_deref())?;
    let files = files::files(&name, &formula, &source);
    write(&args.path, &files).map_err(|why| usage(&args.path, &why.to_string()))?;
    let left_out = formula.refusal.map_or_else(String::new, |why| {
        format!("without a build script that makes its package: {why}\n")
    });
    let path = args.path.display();
    Ok(format!(
        "{path}: {} and {}Grad, {} files\n{left_out}next: cd {path} && cargo run --release -q -- check\n",
        name.operator,
        name.operator,
        files.len(),
    ))
}

fn usage(path: &Path, what: &str) -> Error {
    Error::Usage(format!("new {}: {what}", path.display()))
}

/// Writes the files into a scratch directory next to `path`, then renames that directory to `path`.
///
/// No partial crate is left behind.
fn write(path: &Path, files: &[(&str, String)]) -> std::io::Result<()> {
    let beside = ScratchDir::new_in(parent(path), ".op-dsl-new-")?;
    let root = beside.path().join("crate");
    for (file, text) in files {
        let file = root.join(file);
        fs::create_dir_all(file.parent().unwrap_or(&root))?;
        fs::write(file, text)?;
    }
    // A rename would replace an empty directory that was made at this path meanwhile.
    match fs::symlink_metadata(path) {
        Ok(_) => Err(ErrorKind::AlreadyExists.into()),
        Err(_) => fs::rename(&root, path),
    }
}
