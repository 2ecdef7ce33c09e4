//! `emit`: AscendC sources on disk.

use super::args::Emit as Args;
use super::error::Error;
use super::lookup::{self, Operators};
use codegen_ascendc::arch::Soc;
use codegen_ascendc::build;
use codegen_ascendc::emit::{Options, Package, Refused, left_out};
use std::fs;
use std::path::Path;

/// Writes the files; tells where, and what was left out.
pub fn emit(operators: Operators, args: &Args) -> Result<String, Error> {
    let options = Options {
        license: args.license_header.as_deref().map(license).transpose()?,
        dtypes: args.dtype.clone(),
        cann: args.cann,
        storage: args.form,
        language: args.language,
    };
    let named = |name: &String| lookup::operator(operators, name);
    let one = args.op.as_ref().map(named).transpose()?;
    let chosen = one.as_ref().map_or(operators, std::slice::from_ref);
    let asked: Vec<&Soc> = args.soc.iter().flatten().map(|s| s.0).collect();
    let socs = if asked.is_empty() { args.layout.socs() } else { asked.clone() };
    if socs.is_empty() {
        let wrong = format!("--soc: --layout {} needs one; allowed: ", args.layout.name());
        return Err(Error::Usage(wrong + &Soc::names()));
    }
    if let (Some(op), false) = (&one, asked.is_empty()) {
        // What is named is to be had: nothing is left out silently.
        Package::new(op.def(), &socs, options.clone())
            .map_err(|e| build::Error::from(Refused::from(e)))?;
    }
    let defs = chosen.iter().map(|op| op.def());
    let (roots, left) = build::write(defs, args.layout, &socs, &options, &args.out, args.force)?;
    let written = roots.iter().map(|root| format!("{}\n", root.display()));
    let left = left_out::sentences(&left).into_iter().map(|said| format!("left out: {said}\n"));
    Ok(written.chain(left).collect())
}

fn license(file: &Path) -> Result<String, Error> {
    let wrong = |e| Error::Usage(format!("--license-header {}: {e}", file.display()));
    fs::read_to_string(file).map_err(wrong)
}
