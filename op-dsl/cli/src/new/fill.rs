//! Substitution of values into a template.

/// Replaces each `{name}` of the template by its value.
///
/// Braces inside values are left as they are, so that formulas may contain them.
pub fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let (mut text, mut rest) = (String::new(), template);
    while let Some((before, after)) = rest.split_once('{') {
        text += before;
        let value = values.iter().find_map(|(name, value)| {
            let after = after.strip_prefix(name)?.strip_prefix('}')?;
            Some((value, after))
        });
        rest = match value {
            Some((value, after)) => {
                text += value;
                after
            }
            None => {
                text.push('{');
                after
            }
        };
    }
    text + rest
}
