//! `emit`: writes AscendC sources to disk.

use super::args::Emit as Args;
use crate::error::Error;
use crate::lookup::{self, Operators};
use codegen_ascendc::arch::Soc;
use codegen_ascendc::build;
use codegen_ascendc::emit::checkout::{self, Checkout, Entry};
use codegen_ascendc::emit::{
    Language, Layout, Options, Package, Refused, Tree, emit_all, left_out,
};
use op_dsl_ir::op::OpDef;
use std::fs;
use std::path::Path;

/// Writes the AscendC sources of operators; returns the paths and what could not be emitted, as text.
pub fn emit(operators: Operators, args: &Args) -> Result<String, Error> {
    let ops_nn = args.layout == Layout::OpsNn;
    if args.into.is_some() && !ops_nn {
        let wrong = "--into is for a checkout of ops-nn: write --layout ops-nn";
        return Err(Error::Usage(wrong.into()));
    }
    let place = args.into.as_ref().or(args.out.as_ref());
    let license = match &args.license_header {
        Some(file) => Some(license(file)?),
        None => place.filter(|_| ops_nn).and_then(|place| checkout::license(place)),
    };
    let options = Options {
        license,
        dtypes: args.dtype.clone(),
        cann: args.cann,
        storage: args.form,
        language: args.language.unwrap_or(if ops_nn { Language::Zh } else { Language::En }),
        accept_error: args.accept_error,
    };
    let named = |name: &String| lookup::operator(operators, name);
    let one = args.op.as_ref().map(named).transpose()?;
    let chosen = one.as_ref().map_or(operators, std::slice::from_ref);
    let asked: Vec<&Soc> = args.soc.iter().flatten().copied().collect();
    let socs = if asked.is_empty() { args.layout.socs() } else { asked.clone() };
    if socs.is_empty() {
        let wrong = format!("--soc: --layout {} needs one; allowed: ", args.layout.name());
        return Err(Error::Usage(wrong + &Soc::names()));
    }
    if let (Some(op), false) = (&one, asked.is_empty()) {
        // Where operator and NPU are both named, a refusal is an error; otherwise the operator would be left out
        // silently.
        Package::new(op.def(), &socs, options.clone())
            .map_err(|e| build::Error::from(Refused::from(e)))?;
    }
    let defs = chosen.iter().map(|op| op.def());
    let (tree, left) = emit_all(defs, args.layout, &socs, &options).map_err(build::Error::from)?;
    let written = match (&args.into, &args.out) {
        (Some(checkout), _) => write_into(operators, checkout, &tree, args)?,
        (None, out) => {
            let roots = tree.write(out.as_deref().unwrap_or(Path::new(".")), args.force);
            let roots = roots.map_err(build::Error::from)?;
            let written: String =
                roots.iter().map(|root| format!("{}\n", root.display())).collect();
            // Operators that the repository already has are in its lists, so that only new ones need rows.
            let new = |def: &&OpDef| ops_nn && def.published.is_none_or(|p| p.definition.is_none());
            let new = chosen.iter().map(|op| op.def()).filter(new);
            let rows =
                new.flat_map(|def| checkout::entries(def, &format!("activation/{}", def.snake())));
            written + &paste(&rows.collect::<Vec<_>>())
        }
    };
    let left = left_out::sentences(&left).into_iter().map(|said| format!("left out: {said}\n"));
    Ok(written + &left.collect::<String>())
}

/// Writes generated files into the operators' directories of a checkout of ops-nn, all of them or none.
///
/// Returns a text that says what happens to the files there.
fn write_into(
    operators: Operators,
    checkout: &Path,
    tree: &Tree,
    args: &Args,
) -> Result<String, Error> {
    let checkout = Checkout::open(checkout).map_err(build::Error::from)?;
    let changes = checkout.changes(tree, args.keep_interface).map_err(build::Error::from)?;
    let mut lost = changes.iter().filter(|change| !change.lost.is_empty());
    if let (Some(change), false) = (lost.next(), args.force || args.dry_run) {
        let others = match lost.count() {
            0 => String::new(),
            others => format!(" (and {others} other directories lose something)"),
        };
        return Err(Error::Usage(format!(
            "{} would lose {}{others}; --dry-run shows all, --keep-interface leaves functions, --force writes anyway",
            change.directory,
            change.lost.join("; ")
        )));
    }
    if !args.dry_run {
        for change in &changes {
            change.apply().map_err(build::Error::from)?;
        }
    }
    let rows = changes.iter().flat_map(|change| {
        let op = operators.iter().find(|op| op.name() == change.operator);
        op.map(|op| checkout.missing(op.def(), &change.directory)).unwrap_or_default()
    });
    let rows = paste(&rows.collect::<Vec<_>>());
    Ok(changes.iter().map(|change| change.report()).chain([rows]).collect())
}

/// Returns the rows that a user should paste into the operator lists of ops-nn, grouped by list.
fn paste(rows: &[Entry]) -> String {
    let mut text = String::new();
    for list in ["docs/zh/op_list.md", "docs/zh/op_api_list.md"] {
        let rows: String =
            rows.iter().filter(|r| r.list == list).map(|r| r.text.as_str()).collect();
        if !rows.is_empty() {
            text += &format!("paste into {list}:\n{rows}");
        }
    }
    text
}

fn license(file: &Path) -> Result<String, Error> {
    let wrong = |e| Error::Usage(format!("--license-header {}: {e}", file.display()));
    fs::read_to_string(file).map_err(wrong)
}
