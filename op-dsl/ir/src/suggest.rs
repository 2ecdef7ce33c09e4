//! Suggestions for mistyped names.

/// Returns the name among `known` that was probably meant, ignoring case.
///
/// A known name qualifies if it is at most one edit away, plus one more for every four of its characters. For example,
/// `sigmiod` finds `sigmoid`. Returns `None` if no name qualifies.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let typed = name.to_lowercase();
    let far = |k: &str| strsim::damerau_levenshtein(&typed, &k.to_lowercase());
    let near = known.map(|k| (far(k), k)).filter(|(d, k)| *d <= 1 + k.chars().count() / 4);
    near.min().map(|(_, k)| k)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_typo_finds_its_name() {
        let names = ["GeGluGradV2", "SwiGluGrad", "GeluGradV2", "sigmoid", "exp"];
        for (typed, meant) in [
            ("geglugradv2", Some("GeGluGradV2")),
            ("SwigluGrd", Some("SwiGluGrad")),
            ("SwiGlu", None),
            ("sigmiod", Some("sigmoid")),
            ("SIGMOID", Some("sigmoid")),
            ("epx", Some("exp")),
            ("abs", None),
            ("transpose", None),
        ] {
            assert_eq!(nearest(typed, names.into_iter()), meant, "{typed}");
        }
    }
}
