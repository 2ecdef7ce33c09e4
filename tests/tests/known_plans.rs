//! The stored choices between plans, searched again: those of the family on every architecture.

mod attacks;

use attacks::{Asked, on_all};
use codegen_ascendc::arch::{SOCS, Soc};
use codegen_ascendc::plan::kept::{self, Choices};
use codegen_ascendc::plan::{self, Storage};
use codegen_ascendc::sequence::form::Limits;
use op_dsl::ir::DType;
use ops_glu_grad::OPERATORS;
use std::path::Path;

/// In every run, one in this many plans is searched again.
///
/// It is not all of them, because they take six minutes of CPU (Zen 4, 2026-11), and what changes the search changes many
/// of them. The number has no divisor in common with the nine plans of a type ([`all`]), so that every architecture and
/// variant gets its turn. Of such numbers it is one that leaves out `ClippedSwigluGradGrad` in f32, whose plan takes as long as
/// all others here together, because dozens of candidates are attacked at seven choices of attribute values.
const SHARE: usize = 61;

/// Returns every specialisation, element type, architecture and storage of the family.
///
/// It also has those without the promise at infinity, which `explain` shows beside the others.
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

/// Searches some plans and returns the choices.
fn searched(plans: &[Asked]) -> Choices {
    let of = |(def, spec, dtype, soc, storage, limits): &Asked| {
        plan::searched(def, *spec, *dtype, soc, *storage, *limits)
    };
    on_all(plans, of).into_iter().collect()
}

/// Compares a sample of the stored choices; `BLESS=1` writes the file.
#[test]
fn are_what_would_be_chosen() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../codegen-ascendc/plan/src/plan/choices.txt");
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

/// Compares all stored choices; the file has no other line.
#[test]
#[ignore = "minutes"]
fn all_are_what_would_be_chosen() {
    assert!(kept::lines() == searched(&all()), "write the file again by BLESS=1");
}

/// Number of sets of attacks on each plan, in the order of [`DType`].
///
/// One set is not enough in f32: the largest errors that six sets find of one plan differ by up to a quarter.
const SETS: [usize; DType::COUNT] = [1, 1, 6];

/// Plans in f32 that attacks find over their error budget: operator, and the error that must not be exceeded.
///
/// All are within the budget at the attacks of the search.
const OVER: [(&str, f64); 1] = [("GeLUBackward", 8.03)];

/// Attacks every plan that is emitted, with other elements than the search for it, and prints the largest errors.
#[test]
#[ignore = "minutes"]
fn attacks_find_no_error_over_the_budget() {
    let plans: Vec<Asked> = all().into_iter().filter(|asked| asked.5 == Limits::Exact).collect();
    attacks::find_no_error_over_the_budget(&plans, SETS, &OVER);
}
