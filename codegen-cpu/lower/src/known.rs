//! Generates the file of cached tables, which `kept` reads.

use super::kept::{self, decoded, entries, words};
use super::several::{self, Group};
use super::{fitted, group, tabled};
use op_dsl_ir::op::OpDef;
use op_dsl_ir::univariate::Function;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Requests to the fitter, by their keys in the cache of tables.
pub type Questions = BTreeMap<u64, Question>;

/// A request to fit tables, for one function or for a group of functions.
#[derive(Clone, Debug)]
pub enum Question {
    /// Separate tables of a function, and whether its values can be multiplied.
    Alone(Function, bool),
    /// Tables that several functions of the same variable share.
    Together(Group),
}

impl Question {
    /// Fits the requested tables and returns them, encoded as 32-bit words; the cache is not used.
    pub fn answer(&self) -> Vec<u32> {
        match self {
            Question::Alone(function, multiplied) => {
                words(fitted::fit(function, *multiplied).as_ref())
            }
            Question::Together(group) => words(group::fit(group, &fitted::fit).as_ref()),
        }
    }
}

/// Returns the requests that these operators make to the fitter.
pub fn questions<'a>(ops: impl IntoIterator<Item = &'a OpDef>) -> Questions {
    let mut all = Questions::new();
    for op in ops {
        let streams = op.input_streams().len();
        for functions in op.specs.iter().map(|spec| tabled::functions(spec, streams)) {
            for (function, asked) in &functions {
                let key = fitted::key(function, asked.multiplied);
                all.entry(key)
                    .or_insert_with(|| Question::Alone(function.clone(), asked.multiplied));
            }
            for group in several::groups(&functions) {
                all.entry(several::key(&group)).or_insert(Question::Together(group));
            }
        }
    }
    all
}

/// Fits all requested tables anew, on all available threads, and returns the cache file.
pub fn file(questions: &Questions) -> Vec<u8> {
    let all: Vec<(&u64, &Question)> = questions.iter().collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mine = std::iter::from_fn(|| all.get(next.fetch_add(1, Ordering::Relaxed)));
        mine.map(|(key, question)| (**key, question.answer())).collect::<Vec<_>>()
    };
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    let answers = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mine = work();
        let others = others.into_iter().flat_map(|other| other.join().unwrap_or_default());
        others.chain(mine).collect()
    });
    kept::file(&answers)
}

/// Returns the keys of a cache file.
pub fn keys(file: &[u8]) -> BTreeSet<u64> {
    entries(file).map(|(key, _)| key).collect()
}

/// Returns a cache file with only those entries of `file` that answer one of the requests.
pub fn part(file: &[u8], questions: &Questions) -> Vec<u8> {
    let asked = entries(file).filter(|(key, _)| questions.contains_key(key));
    kept::file(&asked.map(|(key, words)| (key, decoded(words))).collect())
}

#[cfg(test)]
mod tests {
    use super::super::kept::KNOWN;
    use super::*;
    use op_dsl_fit::serialize::Serialize;

    /// Returns true if words decode to a value that encodes to the same words.
    ///
    /// In addition, every shorter prefix has to be refused.
    fn is_whole<T: Serialize>(words: &[u32]) -> bool {
        let mut rest = words;
        let again = T::read(&mut rest).map(|fitted| super::words(Some(&fitted)));
        again.is_some_and(|again| rest.is_empty() && again == words)
            && (0..words.len()).all(|k| T::read(&mut &words[..k]).is_none())
    }

    /// Checks that every entry decodes to a value that encodes to the same words, and that no prefix decodes.
    #[test]
    fn every_entry_is_whole() {
        assert!(entries(KNOWN).count() > 30);
        let all = entries(KNOWN).map(|(key, bytes)| (key, decoded(bytes)));
        for (key, words) in all.filter(|(_, words)| !words.is_empty()) {
            assert!(
                is_whole::<fitted::Fitted>(&words) || is_whole::<group::Shared>(&words),
                "{key:x}"
            );
        }
    }
}
