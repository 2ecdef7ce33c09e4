//! Tables that are kept: for the functions that everyone's formulas have, nothing is fitted while they are compiled.
//!
//! `known.bin` has an entry for each function of the family, found by a hash of what is asked: the key (64 bits), how
//! many words follow, and what was fitted ([`Words`]); no words if nothing could be. All numbers are little-endian.
//! A test makes the file again (`known`), so it never differs from what would be fitted.
//!
//! What is fitted for other functions is kept where Cargo has a crate's build script write, in a file each: after an edit
//! nothing is fitted but what is new.

use op_dsl_fit::VERSION;
use op_dsl_fit::words::Words;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::{env, fs, process};

static KNOWN: &[u8] = include_bytes!("known.bin");

/// The words of each entry.
pub(super) static ENTRIES: LazyLock<BTreeMap<u64, Vec<u32>>> = LazyLock::new(|| entries(KNOWN));

fn entries(file: &[u8]) -> BTreeMap<u64, Vec<u32>> {
    let mut words = file.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
    let mut all = BTreeMap::new();
    while let (Some(low), Some(high), Some(many)) = (words.next(), words.next(), words.next()) {
        let key = u64::from(high) << 32 | u64::from(low);
        let entry: Vec<u32> = words.by_ref().take(many as usize).collect();
        if entry.len() == many as usize {
            all.insert(key, entry);
        }
    }
    all
}

/// What is kept under a key, else what is fitted, which is kept then; `None` where nothing can be.
pub(super) fn of<T: Words>(key: u64, fit: impl FnOnce() -> Option<T>) -> Option<T> {
    let known = ENTRIES.get(&key).and_then(|words| read(words));
    known.unwrap_or_else(|| match env::var_os("OUT_DIR") {
        Some(out) => of_file(&Path::new(&out).join("op-dsl-tables"), key, fit),
        None => fit(),
    })
}

/// The same of what is kept in a directory.
fn of_file<T: Words>(place: &Path, key: u64, fit: impl FnOnce() -> Option<T>) -> Option<T> {
    let path = place.join(name(key));
    let file = fs::read(&path).map(|file| entries(&file)).unwrap_or_default();
    if let Some(kept) = file.get(&key).and_then(|words| read(words)) {
        return kept;
    }
    let fitted = fit();
    let entry = entry(key, words(fitted.as_ref()));
    // Whole or not at all, whoever else compiles; without it the next edit takes longer.
    let beside = path.with_extension(format!("{}", process::id()));
    let _ = fs::create_dir_all(place)
        .and_then(|()| fs::write(&beside, entry))
        .and_then(|()| fs::rename(&beside, &path));
    fitted
}

/// The name of a key's file. Files of another version of the fitter are never read.
fn name(key: u64) -> PathBuf {
    format!("{VERSION}-{key:016x}").into()
}

/// What words say, if they are whole: there may be nothing that could be fitted.
fn read<T: Words>(words: &[u32]) -> Option<Option<T>> {
    match words {
        [] => Some(None),
        mut words => T::read(&mut words).filter(|_| words.is_empty()).map(Some),
    }
}

/// FNV-1a.
pub(super) fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.fold(0xcbf2_9ce4_8422_2325, step)
}

/// An entry of the file.
pub(super) fn entry(key: u64, words: Vec<u32>) -> Vec<u8> {
    let head = [key as u32, (key >> 32) as u32, words.len() as u32];
    head.into_iter().chain(words).flat_map(u32::to_le_bytes).collect()
}

/// What was fitted, as words.
pub(super) fn words(fitted: Option<&impl Words>) -> Vec<u32> {
    let mut words = Vec::new();
    fitted.into_iter().for_each(|fitted| fitted.write(&mut words));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Other tables in `known.bin` are the sign that the fitter has changed. Without a new version, crates of authors would go on
    /// with the tables that their last build kept.
    #[test]
    fn tables_that_change_have_a_new_version() {
        let recorded = (2, 0x4f4a_e458_0926_3a5c);
        let now = (VERSION, hash(KNOWN.iter().copied()));
        assert_eq!(now, recorded, "increment op_dsl_fit::VERSION, and record both here");
    }

    /// What was fitted once is read; what is cut short, or of another function, is fitted.
    #[test]
    fn a_file_is_read_again_while_it_is_whole() {
        let place = env::temp_dir().join(format!("op-dsl-tables-{}", process::id()));
        let key = 7;
        let kept = |key| of_file(&place, key, || None::<[usize; 2]>).is_some();
        assert!(of_file(&place, key, || Some([1, 2])).is_some() && kept(key));
        let path = place.join(name(key));
        let whole = fs::read(&path).unwrap();
        fs::rename(&path, place.join(name(key + 1))).unwrap();
        assert!(!kept(key + 1), "of another function");
        fs::write(&path, &whole[..whole.len() - 4]).unwrap();
        assert!(!kept(key), "cut short");
        fs::remove_dir_all(&place).unwrap();
    }
}
