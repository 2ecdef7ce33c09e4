//! The file of tables that are kept (`kept`), made again.

use super::kept::{entry, words};
use super::{fitted, group, several, tabled};
use op_dsl_ir::op::OpDef;
use std::collections::BTreeMap;

/// The file for all functions of some operators, fitted anew.
pub fn file<'a>(ops: impl IntoIterator<Item = &'a OpDef>) -> Vec<u8> {
    let mut all = BTreeMap::new();
    for op in ops {
        let streams = op.input_streams().len();
        for functions in op.specs.iter().map(|spec| tabled::functions(spec, streams)) {
            for (function, asked) in &functions {
                let fitted = || words(fitted::fit(function, asked.multiplied).as_ref());
                all.entry(fitted::key(function, asked.multiplied)).or_insert_with(fitted);
            }
            for functions in several::groups(&functions) {
                all.entry(several::key(&functions))
                    .or_insert_with(|| words(group::fit(&functions).as_ref()));
            }
        }
    }
    all.into_iter().flat_map(|(key, words)| entry(key, words)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::kept::ENTRIES;
    use super::*;
    use op_dsl_fit::words::Words;

    /// Whether what is read is what was written, and every shorter entry is refused, not misread.
    fn is_whole<T: Words>(words: &[u32]) -> bool {
        let mut rest = words;
        let again = T::read(&mut rest).map(|fitted| super::words(Some(&fitted)));
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
