//! The licence that a checkout's check requires: `OAT.xml` holds the text that every file must have.

use std::fs;
use std::path::Path;

/// Returns the lines of the licence header that every file in a checkout of ops-nn must have.
///
/// `place` is a path inside the checkout, which need not exist yet. `None` if it is outside of a checkout.
pub fn license(place: &Path) -> Option<String> {
    let place = std::path::absolute(place).ok()?;
    let rules = place.ancestors().find_map(|a| fs::read_to_string(a.join("OAT.xml")).ok())?;
    let text = rules.split("<licensetext").nth(1)?.split("name=\"").nth(1)?.split('"').next()?;
    let text = text.replace("&quot;", "\"").replace("&apos;", "'").replace("&lt;", "<");
    let text = text.replace("&gt;", ">").replace("&amp;", "&");
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_the_check_is_found_from_below() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(license(root.path()), None);
        let rules = "<a>\n<licensetext name=\"\n   Be &quot;kind&quot;.\n   Or &amp; else.\n\t\" desc=\"\"/>\n";
        fs::write(root.path().join("OAT.xml"), rules).unwrap();
        let want = Some("Be \"kind\".\nOr & else.".to_string());
        assert_eq!(license(root.path()), want);
        assert_eq!(license(&root.path().join("activation/not_there")), want);
    }
}
