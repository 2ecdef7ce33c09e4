//! Fragments of C++ that operators share, with parts that only some of them have.

/// Returns the lines of a fragment that an operator has.
///
/// Lines between a mark such as `@masks@` and `@end@` remain only if `has` says so of the mark. Lines after an `@else@` between the
/// two remain only if it does not. A block may be in another. Lines outside all blocks remain.
pub fn kept(text: &str, has: &[(&str, bool)]) -> String {
    let mut kept = vec![true];
    let mut out = String::new();
    for line in text.lines() {
        match line.trim() {
            "@else@" => kept.iter_mut().skip(1).next_back().into_iter().for_each(|k| *k = !*k),
            "@end@" => drop(kept.pop()),
            word => match has.iter().find(|(mark, _)| *mark == word) {
                Some((_, has)) => kept.push(*has),
                None if kept.iter().all(|k| *k) => out += &format!("{line}\n"),
                None => {}
            },
        }
    }
    out
}
