//! `emit`: AscendC sources on disk.

use super::args::Emit as Args;
use super::error::Error;
use super::{Operators, lookup};
use codegen_ascendc::arch::Refusal;
use codegen_ascendc::emit::{self, Options, Refused, Tree};
use std::fs;

/// Writes the files; tells where, and what was left out.
pub fn emit(operators: Operators, args: &Args) -> Result<String, Error> {
    let options = options(args)?;
    let (tree, refusals) = match &args.op {
        Some(name) => {
            let op = lookup::operator(operators, name)?;
            (emit::emit(&op.def, args.layout, args.soc.0, &options)?, Vec::new())
        }
        None => all(operators, args, &options)?,
    };
    let roots = tree.write(&args.out, args.force)?;
    let written = roots.iter().map(|root| format!("{}\n", root.display())).collect::<String>();
    let left = refusals.iter().map(|refusal| format!("left out: {refusal}\n")).collect::<String>();
    Ok(written + &left)
}

fn all(
    operators: Operators,
    args: &Args,
    options: &Options,
) -> Result<(Tree, Vec<Refusal>), Error> {
    let defs = operators.iter().map(|op| &op.def);
    let (tree, mut refusals) =
        emit::emit_all(defs, args.layout, args.soc.0, options).map_err(Refused::from)?;
    match (tree.files.is_empty(), refusals.pop()) {
        (true, Some(refusal)) => Err(Refused::from(refusal).into()),
        (_, last) => {
            refusals.extend(last);
            Ok((tree, refusals))
        }
    }
}

fn options(args: &Args) -> Result<Options, Error> {
    let read = |file: &std::path::PathBuf| {
        let wrong = |e| Error::Usage(format!("--license-header {}: {e}", file.display()));
        fs::read_to_string(file).map_err(wrong)
    };
    let license = args.license_header.as_ref().map(read).transpose()?;
    Ok(Options { license, dtypes: args.dtype.clone(), cann: args.cann })
}
