//! Stores which plan was chosen for each operator of the family, so that builds do not search.
//!
//! The search for a plan that is accurate enough evaluates some ten thousand elements of each candidate, because errors look random
//! from one element to the next. Its answer is a line of `choices.txt`: a hash of the question, the place of the plan among the
//! candidates, and the worst element found. The candidates themselves are generated again. The search runs where the file has no
//! line, or where the plan in that place takes other cycles.
//!
//! The test `known_plans` repeats part of the searches in every run, and writes the file with `BLESS=1`.

use super::accuracy::{Accuracy, Worst};
use super::candidates;
use super::planned::Plan;
use super::storage::Storage;
use super::target::Target;
use crate::arch::Why;
use crate::sequence::form::{Digits, Limits};
use op_dsl_ir::encode::hash;
use op_dsl_ir::op::Pattern;
use op_dsl_ir::{Graph, Stored, roles};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::LazyLock;

static CHOICES: &str = include_str!("choices.txt");
static KEPT: LazyLock<FxHashMap<u64, Choice>> =
    LazyLock::new(|| CHOICES.lines().filter_map(Choice::read).collect()); // only ever looked up

/// Lines of `choices.txt`, each by the hash of the planning problem that it answers.
pub type Choices = BTreeMap<u64, String>;

/// How the plan of an operator is chosen among the candidates.
#[derive(Clone, Copy)]
pub(super) enum Source<'c> {
    /// `choices.txt` has the choice; a search replaces a missing line of the file.
    File,
    /// A search makes every choice, and records it here.
    Search(&'c RefCell<Choices>),
}

/// Position of a plan among the candidates.
///
/// It is the accuracy class of the plan's sequences, and the plan's number within that class.
pub(super) type Place = (Digits, usize);

/// One line of `choices.txt`: the plan that a search chose, and the accuracy that it found.
#[derive(Clone, Debug, PartialEq)]
struct Choice {
    place: Place,
    cycles: f64,
    error: f64,
    worst: Option<Worst>,
}

/// Returns the plan that `choices.txt` records for the planning problem with hash `key`.
///
/// Returns `None` if the file has no line for it, or if the plan at that position now takes other cycles.
pub(super) fn plan(
    key: u64,
    graph: &Graph,
    spec: usize,
    target: Target<'_>,
    storage: Storage,
) -> Option<Result<Plan, Why>> {
    let choice = KEPT.get(&key)?;
    let (digits, number) = choice.place;
    let plans = match candidates::plans(graph, spec, Target { digits, ..target }, storage) {
        Ok(plans) => plans,
        Err(why) => return Some(Err(why)),
    };
    let mut plan = plans.into_iter().nth(number)?;
    if plan.cost.cycles != choice.cycles {
        return None;
    }
    plan.accuracy =
        Accuracy { error: choice.error, worst: choice.worst.clone(), ..Accuracy::new(plan.dtype) };
    Some(Ok(plan))
}

/// Records in `to` the plan that a search chose for the planning problem with hash `key`.
pub(super) fn note(to: &RefCell<Choices>, key: u64, place: Place, plan: &Plan) {
    let Accuracy { error, worst, .. } = &plan.accuracy;
    let choice = Choice { place, cycles: plan.cost.cycles, error: *error, worst: worst.clone() };
    to.borrow_mut().insert(key, choice.line(key));
}

/// Returns a hash of everything that decides which plan of an operator is taken.
pub(super) fn key(graph: &Graph, spec: usize, target: Target<'_>, storage: Storage) -> u64 {
    let Target { def, soc, dtype, limits, holds, continued, digits: _, is_far: _, fuses: _ } =
        target;
    let spec = &def.specs[spec];
    let mut bytes = graph.encode();
    bytes.extend(spec.graph.encode());
    bytes.extend(spec.wide.as_ref().map(|wide| wide.graph.encode()).unwrap_or_default());
    bytes.extend(soc.arch.number.to_le_bytes());
    bytes.extend(dtype.name().as_bytes());
    bytes.push(u8::from(limits == Limits::Exact));
    bytes.push(u8::from(storage == Storage::Memory));
    holds.iter().for_each(|hold| hold.encode(&mut bytes));
    bytes.extend(continued.first().map(|_| u8::MAX));
    // Tensors: the streams, which of them are masks, how masks are stored, and whether a step has pairs.
    let streams = def.input_streams();
    bytes.extend((0..streams.len()).map(|k| u8::from(def.is_mask(k))));
    bytes.push(u8::from(def.masks() == Stored::Bit));
    let is_halves = def.split.as_ref().map(|split| u8::from(split.pattern == Pattern::Halves));
    bytes.push(is_halves.unwrap_or(2));
    bytes.push(roles::activation(def) as u8);
    for attr in def.attrs.iter() {
        let default = attr.scalar(attr.default).map(f64::from);
        bytes.extend(default.map(f64::to_bits).unwrap_or_default().to_le_bytes());
    }
    hash(bytes)
}

/// Names of the accuracy classes in `choices.txt`.
const DIGITS: [(Digits, &str); 5] = [
    (Digits::Absolute, "absolute"),
    (Digits::Relative, "relative"),
    (Digits::Fine, "fine"),
    (Digits::Compensated, "compensated"),
    (Digits::Single, "single"),
];

impl Choice {
    /// Formats a choice as a line of `choices.txt`.
    ///
    /// Numbers are written so that they parse back to the same bits.
    fn line(&self, key: u64) -> String {
        let Choice { place: (digits, number), cycles, error, worst } = self;
        let name = DIGITS.iter().find(|(of, _)| of == digits).map_or("", |(_, name)| name);
        let mut line = format!("{key:016x} {name} {number} {cycles} {error:e}");
        if let Some(Worst { output, element, streams, got, want }) = worst {
            let _ = write!(line, " {output} {element} {got:e} {want:e}");
            streams.iter().for_each(|x| _ = write!(line, " {x:e}"));
        }
        line
    }

    /// Parses a line into its key and choice; `None` if it is malformed.
    fn read(line: &str) -> Option<(u64, Choice)> {
        let mut words = line.split(' ');
        let key = u64::from_str_radix(words.next()?, 16).ok()?;
        let name = words.next()?;
        let (digits, _) = DIGITS.iter().find(|(_, of)| *of == name)?;
        let number = words.next()?.parse().ok()?;
        let [cycles, error] = [words.next()?.parse().ok()?, words.next()?.parse().ok()?];
        let worst = match words.next() {
            None => None,
            Some(output) => Some(Worst {
                output: output.parse().ok()?,
                element: words.next()?.parse().ok()?,
                got: words.next()?.parse().ok()?,
                want: words.next()?.parse().ok()?,
                streams: words.map(|word| word.parse().ok()).collect::<Option<_>>()?,
            }),
        };
        Some((key, Choice { place: (*digits, number), cycles, error, worst }))
    }
}

/// Returns the lines of `choices.txt`, each by the hash of its planning problem.
pub fn lines() -> Choices {
    let key = |line: &str| Choice::read(line).map(|(key, _)| (key, line.to_string()));
    CHOICES.lines().filter_map(key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_written() {
        let streams = vec![-0.1, 1e-40, f64::INFINITY];
        let worst = Worst { output: 1, element: 77, streams, got: -0.0, want: 1.0 / 3.0 };
        for worst in [None, Some(worst)] {
            let choice = Choice { place: (Digits::Fine, 3), cycles: 55.25, error: 7.31, worst };
            assert_eq!(Choice::read(&choice.line(0xfe)), Some((0xfe, choice)));
        }
        assert_eq!(CHOICES.lines().count(), KEPT.len());
    }
}
