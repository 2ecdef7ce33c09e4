//! Tables that are kept: for the functions that everyone's formulas have, nothing is fitted while they are compiled.
//!
//! `known.bin` has an entry for each function of the family, found by a hash of what is asked: the key (64 bits), how
//! many words follow, and what was fitted ([`Words`]); no words if nothing could be. All numbers are little-endian.
//! A test makes the file again, so it never differs from what would be fitted.

use super::{fitted, group, tabled};
use op_dsl_fit::words::Words;
use op_dsl_ir::op::OpDef;
use op_dsl_ir::regions::Function;
use std::collections::BTreeMap;
use std::sync::LazyLock;

static KNOWN: &[u8] = include_bytes!("known.bin");

/// The words of each entry.
static ENTRIES: LazyLock<BTreeMap<u64, Vec<u32>>> = LazyLock::new(|| entries(KNOWN));

fn entries(file: &[u8]) -> BTreeMap<u64, Vec<u32>> {
    let mut words = file.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
    let mut all = BTreeMap::new();
    while let (Some(low), Some(high), Some(many)) = (words.next(), words.next(), words.next()) {
        let key = u64::from(high) << 32 | u64::from(low);
        all.insert(key, words.by_ref().take(many as usize).collect());
    }
    all
}

/// What is kept under a key, if it is known: there may be nothing that could be fitted.
pub(super) fn find<T: Words>(key: &u64) -> Option<Option<T>> {
    match ENTRIES.get(key)?.as_slice() {
        [] => Some(None),
        mut words => T::read(&mut words).map(Some),
    }
}

/// FNV-1a of what is asked: the function, where, and what becomes of its values.
pub(super) fn key(function: &Function, multiplied: bool) -> u64 {
    let Function { graph, domain, .. } = function;
    let of_product = fitted::is_product(function);
    let asked =
        format!("{:?} {domain:?} {of_product} {multiplied}", (&graph.nodes, &graph.outputs));
    hash(asked.bytes())
}

/// The same of several functions together.
pub(super) fn key_of_all(functions: &[(Function, bool)]) -> u64 {
    hash(functions.iter().flat_map(|(f, multiplied)| key(f, *multiplied).to_le_bytes()))
}

fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.fold(0xcbf2_9ce4_8422_2325, step)
}

/// The file for all functions of some operators, fitted anew.
pub fn file<'a>(ops: impl IntoIterator<Item = &'a OpDef>) -> Vec<u8> {
    let mut all = BTreeMap::new();
    for op in ops {
        let streams = op.input_streams().len();
        for functions in op.specs.iter().map(|spec| tabled::functions(spec, streams)) {
            for (function, asked) in &functions {
                let fitted = || words(fitted::fit(function, asked.multiplied));
                all.entry(key(function, asked.multiplied)).or_insert_with(fitted);
            }
            for functions in group::groups(&functions) {
                all.entry(key_of_all(&functions)).or_insert_with(|| words(group::fit(&functions)));
            }
        }
    }
    let entry = |(key, words): (u64, Vec<u32>)| {
        let head = [key as u32, (key >> 32) as u32, words.len() as u32];
        head.into_iter().chain(words).flat_map(u32::to_le_bytes).collect::<Vec<_>>()
    };
    all.into_iter().flat_map(entry).collect()
}

/// What was fitted, as words.
fn words(fitted: Option<impl Words>) -> Vec<u32> {
    let mut words = Vec::new();
    fitted.iter().for_each(|fitted| fitted.write(&mut words));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether what is read is what was written, and every shorter entry is refused, not misread.
    fn is_whole<T: Words>(words: &[u32]) -> bool {
        let mut rest = words;
        let again = T::read(&mut rest).map(|fitted| super::words(Some(fitted)));
        again.is_some_and(|again| rest.is_empty() && again == words)
            && (0..words.len()).all(|k| T::read(&mut &words[..k]).is_none())
    }

    /// What is read is what was written, and no entry is cut short.
    #[test]
    fn every_entry_is_whole() {
        assert!(ENTRIES.len() > 30);
        for (key, words) in ENTRIES.iter().filter(|(_, words)| !words.is_empty()) {
            assert!(
                is_whole::<fitted::Fitted>(words) || is_whole::<group::Shared>(words),
                "{key:x}"
            );
        }
    }
}
