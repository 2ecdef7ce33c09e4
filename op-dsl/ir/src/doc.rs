//! The documentation of derived gradients: what they are the gradient of, then what the forward operator's author wrote.

const BEFORE: &str = "The gradient of `";
const AFTER: &str = "`.";

/// The sentence for the gradient of an operator.
pub fn of_gradient(forward: &str) -> String {
    format!("{BEFORE}{forward}{AFTER}")
}

/// A documentation's sentences of this kind, by the operators they name, and what its author wrote after them.
pub fn forwards(doc: &str) -> (Vec<&str>, &str) {
    let (mut names, mut rest) = (Vec::new(), doc.trim());
    while let Some((name, after)) = sentence(rest) {
        names.push(name);
        rest = after.trim_start();
    }
    (names, rest)
}

/// The name in the sentence, where a paragraph begins with it, and what comes after.
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
