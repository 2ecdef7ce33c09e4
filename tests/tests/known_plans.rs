//! The choices between plans that are kept, searched again: those of the family on every architecture.

use codegen_ascendc::arch::{SOCS, Soc};
use codegen_ascendc::plan::Storage;
use codegen_ascendc::plan::kept::{self, Choices};
use codegen_ascendc::sequence::form::Limits;
use op_dsl::ir::DType;
use op_dsl::ir::op::OpDef;
use ops_glu_grad::OPERATORS;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// One in this many plans is searched again in every run: all of them take 84 seconds of CPU (Zen 4, 2026-11). It has no divisor in
/// common with the nine plans of a type ([`all`]), so that every architecture and form gets its turn.
const SHARE: usize = 25;

/// A plan that somebody may ask for.
type Asked = (&'static OpDef, usize, DType, &'static Soc, Storage, Limits);

/// Every specialisation, element type and architecture of the family, in both forms, and without the promise at infinity, which `explain`
/// has beside it.
fn all() -> Vec<Asked> {
    let mut socs: Vec<&'static Soc> = Vec::new();
    for soc in SOCS {
        if socs.iter().all(|other| other.arch.number != soc.arch.number) {
            socs.push(soc);
        }
    }
    let mut all = Vec::new();
    for def in OPERATORS.iter().map(|op| op.def()) {
        for spec in 0..def.specs.len() {
            for dtype in def.dtypes.iter().copied() {
                for soc in &socs {
                    all.push((def, spec, dtype, *soc, Storage::Registers, Limits::Exact));
                    all.push((def, spec, dtype, *soc, Storage::Registers, Limits::Free));
                    if soc.arch.registers {
                        all.push((def, spec, dtype, *soc, Storage::Memory, Limits::Exact));
                    }
                }
            }
        }
    }
    all
}

/// The choices of some plans, by as many threads as run at once.
fn searched(plans: &[Asked]) -> Choices {
    let next = AtomicUsize::new(0);
    let work = || {
        let mine = std::iter::from_fn(|| plans.get(next.fetch_add(1, Ordering::Relaxed)));
        let of = |(def, spec, dtype, soc, storage, limits): &Asked| {
            kept::searched(def, *spec, *dtype, soc, *storage, *limits)
        };
        mine.flat_map(of).collect::<Choices>()
    };
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        all.into_iter().flat_map(|one| one.join().expect("choices")).collect()
    })
}

/// `BLESS=1` writes the file.
#[test]
fn are_what_would_be_chosen() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../codegen-ascendc/src/plan/choices.txt");
    if std::env::var_os("BLESS").is_some() {
        let lines: String = searched(&all()).into_values().map(|line| line + "\n").collect();
        return std::fs::write(&path, lines).expect("written");
    }
    let kept = kept::lines();
    let some: Vec<Asked> = all().into_iter().step_by(SHARE).collect();
    let again = searched(&some);
    assert!(again.len() > kept.len() / (2 * SHARE), "{} searched", again.len());
    for (key, line) in again {
        let message = "not what would be chosen; write the file again by BLESS=1";
        assert_eq!(kept.get(&key), Some(&line), "{}: {message}", path.display());
    }
}

/// The same of all of them, and no other line.
#[test]
#[ignore = "minutes"]
fn all_are_what_would_be_chosen() {
    assert!(kept::lines() == searched(&all()), "write the file again by BLESS=1");
}
