//! C++ in the house style of op_api: 120 columns, lists that continue one level deeper.

const WIDTH: usize = 116; // leaves room for one level of indentation

/// Returns the C++ code `head(a, b, c)tail` for the items `a`, `b`, `c`.
///
/// If the line would be too long for the style of op_api, it is broken between items.
pub fn list(head: &str, items: &[String], tail: &str) -> String {
    let one = format!("{head}({}){tail}", items.join(", "));
    if one.len() <= WIDTH {
        return one;
    }
    let mut lines = vec![format!("{head}(")];
    let mut line = String::from("    ");
    for (i, item) in items.iter().enumerate() {
        let item = item.replace('\n', "\n    "); // an item that has line breaks itself
        let item = if i + 1 < items.len() { format!("{item},") } else { format!("{item}){tail}") };
        let empty = line.trim().is_empty();
        if !empty && line.len() + 1 + item.len() > WIDTH {
            lines.push(std::mem::replace(&mut line, "    ".into()));
        }
        if !line.trim().is_empty() {
            line.push(' ');
        }
        line.push_str(&item);
    }
    lines.push(line);
    lines.join("\n")
}

/// Wraps the text of a C++ header in an include guard made from the name `file`.
pub fn guarded(file: &str, text: &str) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let guard: String = file.chars().map(legal).collect();
    format!(
        "#ifndef OP_API_{guard}_H_\n#define OP_API_{guard}_H_\n\n{text}\n#endif // OP_API_{guard}_H_\n"
    )
}

/// Returns the `#include` directives of some headers, sorted.
pub fn includes(headers: &[&str]) -> String {
    let mut headers = headers.to_vec();
    headers.sort_unstable();
    headers.iter().map(|h| format!("#include \"{h}\"\n")).collect()
}

/// Returns a C++ string literal with this text.
pub fn literal(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    #[test]
    fn lists_break_between_items() {
        let items: Vec<String> = (0..12).map(|i| format!("argument_{i}_of_many")).collect();
        let text = super::list("call", &items, ";");
        assert!(text.lines().all(|l| l.len() <= super::WIDTH), "{text}");
        assert!(text.starts_with("call(\n    argument_0") && text.ends_with("many);"), "{text}");
        assert_eq!(
            super::list("call", &items[..2], ";"),
            "call(argument_0_of_many, argument_1_of_many);"
        );
    }
}
