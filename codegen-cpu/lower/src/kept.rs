//! Cache of fitted tables, so that nothing is fitted for the functions of common formulas.
//!
//! `known.bin` has an entry for each function of the family and of a list of activations, found by a hash of the function. The
//! number of entries comes first, then for each its key (64 bits), the offset of its words and their number, then all words:
//! the fitted tables ([`Serialize`]), or none if no table could be fitted. Equal words are stored once. All numbers are
//! little-endian. A test generates the file again (`known`), so that it never differs from what would be fitted.
//!
//! Tables of other functions are stored in one file each, beside the build's output, so that after an edit only new functions
//! are fitted. A file ends with a hash of its contents, and is ignored if that differs.
//!
//! In a crate with debug assertions the tables are empty, because the interpreter runs its operators and never reads a table.

use super::compiler::CALL;
use op_dsl_fit::serialize::Serialize;
use op_dsl_fit::{IS_OPTIMISED, VERSION};
use op_dsl_ir::encode::hash;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::{Duration, Instant};
use std::{env, fs, process};

pub(super) static KNOWN: &[u8] = include_bytes!("known.bin");

/// Size in bytes of an entry's header in the cache file: key, offset and number of words.
///
/// The words encode the fitted tables; they follow the headers of all entries.
const ROW: usize = 16;

/// Time above which a fit indicates that the fitter is not optimised.
///
/// An optimised fit mostly takes a tenth of it.
const SLOW: Duration = Duration::from_secs(1);

/// Iterates over the entries of a cache file: the key and the encoded tables, as bytes.
///
/// It uses loops and slices because at opt-level 0 a chain of iterators would take longer to read the file than tables take to
/// fit.
pub(super) fn entries(file: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let (many, rest) = file.split_first_chunk().unwrap_or((&[0; 4], &[]));
    let rows = u32::from_le_bytes(*many) as usize;
    let (rows, pool) = rest.split_at_checked(rows.saturating_mul(ROW)).unwrap_or_default();
    rows.as_chunks::<ROW>().0.iter().filter_map(move |row| {
        let (key, place) = row.split_first_chunk()?;
        let [start, words]: [usize; 2] = std::array::from_fn(|k| {
            let bytes = [0, 1, 2, 3].map(|j| place[4 * k + j]);
            4 * u32::from_le_bytes(bytes) as usize
        });
        Some((u64::from_le_bytes(*key), pool.get(start..start + words)?))
    })
}

/// Returns the encoded tables (32-bit words) that a cache file has for a key, if any.
fn find(file: &[u8], key: u64) -> Option<Vec<u32>> {
    let (_, bytes) = entries(file).find(|(other, _)| *other == key)?;
    Some(decoded(bytes))
}

/// Decodes 32-bit words from little-endian bytes.
pub(super) fn decoded(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

/// Returns the tables stored under a key, or fits and stores them.
///
/// Returns `None` if no table can be fitted, and `unread` in a crate with debug assertions, because nothing reads the tables
/// there.
pub(super) fn load_or_fit<T: Serialize>(
    key: u64,
    unread: Option<T>,
    fit: impl FnOnce() -> Option<T>,
) -> Option<T> {
    if CALL.has_debug_assertions {
        return unread;
    }
    let known = find(KNOWN, key).and_then(|words| read(&words));
    known.unwrap_or_else(|| match place() {
        Some(place) => of_file(&place, key, || timed(fit)),
        None => timed(fit),
    })
}

/// Returns the directory in which fitted tables of the crate being compiled are stored, if any.
///
/// It is in the output directory of the crate's build script, otherwise in that of Cargo's profile.
fn place() -> Option<PathBuf> {
    let out = env::var_os("OUT_DIR").map(PathBuf::from).or_else(|| CALL.profile.clone())?;
    Some(out.join("op-dsl-tables"))
}

/// Runs a fit. If it takes long, prints once to standard error how to make it fast.
fn timed<T>(fit: impl FnOnce() -> T) -> T {
    static SAID: Once = Once::new();
    let start = Instant::now();
    let fitted = fit();
    let took = start.elapsed();
    if took > SLOW && !IS_OPTIMISED {
        SAID.call_once(|| _ = writeln!(io::stderr(), "{}", advice(took, CALL.profile.as_deref())));
    }
    fitted
}

/// Returns the note with the lines of Cargo.toml that make fits fast.
fn advice(took: Duration, profile: Option<&Path>) -> String {
    let directory = profile.and_then(Path::file_name).and_then(OsStr::to_str).unwrap_or("release");
    let profile = if directory == "debug" { "dev" } else { directory };
    format!(
        "note: tables of a formula took {:.1} s to fit, as Cargo does not optimise what macros depend on; \
         if Cargo.toml of the workspace says so, it does:\n\n\
         [profile.{profile}.package]\n\
         libm = {{ opt-level = 3 }}\n\
         op-dsl-fit = {{ opt-level = 3 }}\n\
         op-dsl-ir = {{ opt-level = 3 }}\n",
        took.as_secs_f64(),
    )
}

/// Returns the tables stored under a key in a directory, or fits and stores them.
///
/// Returns `None` if no table can be fitted.
fn of_file<T: Serialize>(place: &Path, key: u64, fit: impl FnOnce() -> Option<T>) -> Option<T> {
    let path = place.join(name(key));
    let file = fs::read(&path).unwrap_or_default();
    if let Some(kept) = whole(&file).and_then(|file| find(file, key)).and_then(|words| read(&words))
    {
        return kept;
    }
    let fitted = fit();
    let mut file = self::file(&[(key, words(fitted.as_ref()))].into());
    file.extend(hash(file.iter().copied()).to_le_bytes());
    // The rename makes the write atomic, since other processes may compile the same crate. A failure only costs time at the
    // next edit.
    let beside = path.with_extension(format!("{}", process::id()));
    let written = fs::create_dir_all(place)
        .and_then(|()| fs::write(&beside, file))
        .and_then(|()| fs::rename(&beside, &path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    fitted
}

/// Returns a cache file without the hash at its end, or `None` if that hash is not correct.
fn whole(file: &[u8]) -> Option<&[u8]> {
    let (entries, end) = file.split_last_chunk()?;
    (hash(entries.iter().copied()) == u64::from_le_bytes(*end)).then_some(entries)
}

/// Returns the name of the file that caches the tables with this key.
///
/// It contains the fitter's version, so that files of another version are never read.
fn name(key: u64) -> PathBuf {
    format!("{VERSION}-{key:016x}").into()
}

/// Decodes tables from words.
///
/// Returns `None` if the words are incomplete, and `Some(None)` if they say that no table could be fitted.
fn read<T: Serialize>(words: &[u32]) -> Option<Option<T>> {
    match words {
        [] => Some(None),
        mut words => T::read(&mut words).filter(|_| words.is_empty()).map(Some),
    }
}

/// Encodes entries, each a key with its encoded tables, as a cache file.
pub(super) fn file(all: &BTreeMap<u64, Vec<u32>>) -> Vec<u8> {
    let (mut rows, mut pool) = (vec![all.len() as u32], Vec::new());
    let mut places: BTreeMap<&[u32], usize> = BTreeMap::new();
    for (key, words) in all {
        let start = *places.entry(words).or_insert_with(|| {
            pool.extend(words);
            pool.len() - words.len()
        });
        rows.extend([*key as u32, (key >> 32) as u32, start as u32, words.len() as u32]);
    }
    rows.into_iter().chain(pool).flat_map(u32::to_le_bytes).collect()
}

/// Encodes fitted tables as 32-bit words; there are none if no table could be fitted.
pub(super) fn words(fitted: Option<&impl Serialize>) -> Vec<u32> {
    let mut words = Vec::new();
    fitted.into_iter().for_each(|fitted| fitted.write(&mut words));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the fitter has a new version whenever the tables in `known.bin` change.
    ///
    /// Without a new version, crates of authors would continue to use the tables that their last build stored.
    #[test]
    fn tables_that_change_have_a_new_version() {
        let recorded = (6, 0x32cc_302c_8450_a0fd);
        let now = (VERSION, hash(KNOWN.iter().copied()));
        assert_eq!(now, recorded, "increment op_dsl_fit::VERSION, and record both here");
    }

    /// Checks that a stored table is read, and that a damaged file, or one of another function, is fitted again.
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
        for k in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[k] ^= 0x10;
            fs::write(&path, damaged).unwrap();
            assert!(!kept(key), "damaged at {k}");
        }
        fs::write(&path, &whole).unwrap();
        assert!(kept(key), "whole");
        fs::remove_dir_all(&place).unwrap();
    }

    /// Checks that the note on slow fits has the lines of Cargo.toml that make them fast.
    #[test]
    fn the_note_names_the_profile() {
        let said = |path: Option<&str>| advice(Duration::from_millis(2340), path.map(Path::new));
        assert!(said(Some("/target/debug")).contains("[profile.dev.package]"));
        assert!(said(Some("/target/quick")).contains("[profile.quick.package]\nlibm = {"));
        assert!(
            said(None).contains("took 2.3 s") && said(None).contains("[profile.release.package]")
        );
    }
}
