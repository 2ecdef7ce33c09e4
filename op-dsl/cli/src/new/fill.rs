//! A template with its blanks filled in.

/// The template with the value of each name that stands in it between braces; what values say is left alone.
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
