//! Documentation of derived gradients.
//!
//! It begins with the forward operators that they are the gradients of, followed by the forward author's text.

const BEFORE: &str = "The gradient of `";
const AFTER: &str = "`.";

/// Returns the sentence that begins the documentation of the gradient of the operator `forward`.
pub fn of_gradient(forward: &str) -> String {
    format!("{BEFORE}{forward}{AFTER}")
}

/// Splits an operator's documentation into leading "gradient of" sentences and the author's text.
///
/// The sentences are those that [`of_gradient`] writes. Returns the names of the forward operators in them, and the author's text.
pub fn forwards(doc: &str) -> (Vec<&str>, &str) {
    let (mut names, mut rest) = (Vec::new(), doc.trim());
    while let Some((name, after)) = sentence(rest) {
        names.push(name);
        rest = after.trim_start();
    }
    (names, rest)
}

/// Parses a sentence written by [`of_gradient`] at the beginning of `doc`.
///
/// Returns the name of the forward operator and the text after the sentence. Returns `None` if `doc` begins otherwise, or if the
/// sentence is not a paragraph of its own.
fn sentence(doc: &str) -> Option<(&str, &str)> {
    let named = doc.strip_prefix(BEFORE)?;
    let (name, after) = named.split_at(named.find('`')?);
    let after = after.strip_prefix(AFTER)?;
    (after.is_empty() || after.starts_with('\n')).then_some((name, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_derived_is_told_apart() {
        let doc = format!("{}\n\n{}\n\nWritten by hand.", of_gradient("B"), of_gradient("A"));
        assert_eq!(forwards(&doc), (vec!["B", "A"], "Written by hand."));
        assert_eq!(forwards(&of_gradient("A")), (vec!["A"], ""));
        let more = ["The gradient of `A`. More.", "The gradient of `A` by `x`.\n\nMore."];
        for own in more {
            assert_eq!(forwards(own), (vec![], own));
        }
    }
}
