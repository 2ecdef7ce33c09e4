//! `report`: writes all there is to see of the operators as one page that needs no other file.
//!
//! ```text
//! maths    graphs as MathML
//! errors   errors over the range of the activation
//! plot     these errors as a line chart
//! titled   a table between its heading and its legend
//! by_hand  figures of hand-written operators, and the file that holds them
//! beside   comparison of the operators with hand-written ones
//! page     the sections of the operators, and the page around them
//! ```

mod beside;
mod by_hand;
mod errors;
mod maths;
mod page;
mod plot;
mod titled;

use super::args::Report as Args;
use super::bench::{self, record::Record};
use super::error::Error;
use super::lookup::{self, Operators};
use super::progress::Progress;
use super::scratch::{ScratchFile, parent};
use super::target::Targets;
use by_hand::ByHand;
use page::{Operator, page};
use std::io::Write;
use std::path::Path;

/// Writes the report page, whole or not at all; returns a line of text with its path and size.
///
/// `by_hand` is the CSV of hand-written operators that is used unless `--compare` names another.
pub fn report(
    operators: Operators,
    args: &Args,
    by_hand: &str,
    targets: Targets,
) -> Result<String, Error> {
    let chosen = lookup::chosen(operators, args.op.as_deref())?;
    let times = args.bench.as_deref().map(|path| bench::read("--bench", path)).transpose()?;
    let times = times.unwrap_or_default();
    let by_hand = match args.compare.as_deref() {
        Some(path) => read(path, operators, targets)?,
        None => ByHand::of_csv(by_hand, operators, targets).map_err(Error::Usage)?,
    };
    let wrong = |e: std::io::Error| Error::Usage(format!("--out {}: {e}", args.out.display()));
    if args.out.is_dir() {
        return Err(wrong(std::io::ErrorKind::IsADirectory.into()));
    }
    // The file is made before anything is measured, so that a path that cannot be written is reported at once.
    let parent = parent(&args.out);
    let file = ScratchFile::new_in(parent, ".op-dsl-report-");
    let mut file = file.map_err(|e| match e.kind() {
        // The message names the directory because nobody typed the name of the scratch file that could not be made.
        std::io::ErrorKind::NotFound => {
            let what = format!("there is no directory {}; make it first", parent.display());
            wrong(std::io::Error::other(what))
        }
        kind => wrong(kind.into()),
    })?;
    let progress = Progress::new();
    progress.set_length(chosen.len() as u64);
    let mut sections = Vec::new();
    for op in chosen {
        progress.set_message(op.name().to_owned());
        let of_op = |r: &&Record| r.subject.op == op.name();
        sections.push(Operator::new(op, times.records.iter().filter(of_op), &by_hand, targets)?);
        progress.inc(1);
    }
    progress.clear();
    let text = page(&sections, &times.machine, &by_hand);
    file.file.write_all(text.as_bytes()).map_err(wrong)?;
    readable(&file.file).map_err(wrong)?;
    file.place(&args.out).map_err(wrong)?;
    let (count, kib) = (sections.len(), text.len().div_ceil(1024));
    Ok(format!("{}: {count} operators, {kib} KiB\n", args.out.display()))
}

/// Reads the CSV with figures of hand-written operators that `--compare` names.
fn read(path: &Path, operators: Operators, targets: Targets) -> Result<ByHand, Error> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string());
    let figures = text.and_then(|text| match text.is_empty() {
        true => Err("is empty".into()),
        false => ByHand::of_csv(&text, operators, targets),
    });
    figures.map_err(|e| Error::Usage(format!("--compare {}: {e}; see --help", path.display())))
}

/// Makes the page's file readable for other users, because scratch files are private to their owner.
fn readable(file: &std::fs::File) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    file.sync_all()
}
