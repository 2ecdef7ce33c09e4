//! Finds fragments with marks, such as `@sum@`, in emitted files: the emitter has put texts in place of the marks.

/// Most lines that a mark on a line of its own stands for.
const MOST_LINES: usize = 4;

/// Texts in place of marks, each with the mark's name, in the order in which they occur.
type Marks = Vec<(String, String)>;

/// Replaces a fragment with marks by a line: `reference`, the texts in place of its marks, and the end of the reference.
pub fn with_reference(text: &str, fragment: &[String], reference: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let (mut kept, mut at): (Vec<String>, usize) = (Vec::new(), 0);
    while at < lines.len() {
        // A fragment follows another line, as those without marks do.
        match lines_of(fragment, &lines[at..], Marks::new()).filter(|_| at > 0) {
            Some((count, marks)) => {
                let marks = marks.iter().map(|(name, text)| format!("; @{name}@ = {text}"));
                kept.push(format!("{reference}{}}}}}", marks.collect::<String>()));
                at += count;
            }
            None => {
                kept.push(lines[at].to_string());
                at += 1;
            }
        }
    }
    kept.join("\n")
}

/// Returns how many of the first lines of a text are the fragment, and the texts in place of its marks.
///
/// `marks` has the texts that are known. `None` if the text does not begin with the fragment.
fn lines_of(fragment: &[String], text: &[&str], marks: Marks) -> Option<(usize, Marks)> {
    let Some((line, rest)) = fragment.split_first() else { return Some((0, marks)) };
    let pieces: Vec<&str> = line.split('@').collect();
    if let ["", name, ""] = pieces.iter().map(|piece| piece.trim()).collect::<Vec<_>>()[..] {
        return (0..=MOST_LINES.min(text.len())).find_map(|count| {
            let (own, rest_of_text) = text.split_at(count);
            let own: Vec<&str> = own.iter().map(|line| line.trim()).collect();
            let marks = with(marks.clone(), name, &own.join(" "))?;
            let (more, marks) = lines_of(rest, rest_of_text, marks)?;
            Some((count + more, marks))
        });
    }
    let (first, rest_of_text) = text.split_first()?;
    let (count, marks) = lines_of(rest, rest_of_text, line_of(&pieces, first, marks)?)?;
    Some((1 + count, marks))
}

/// Returns the texts in place of the marks of a line; `pieces` are texts and names of marks by turns.
///
/// `None` if the line is another one.
fn line_of(pieces: &[&str], line: &str, mut marks: Marks) -> Option<Marks> {
    let (first, mut pieces) = pieces.split_first()?;
    let mut line = line.strip_prefix(first)?;
    while let [name, next, rest @ ..] = pieces {
        let end = if rest.is_empty() { line.strip_suffix(next)?.len() } else { line.find(next)? };
        marks = with(marks, name, &line[..end])?;
        line = &line[end + next.len()..];
        pieces = rest;
    }
    line.is_empty().then_some(marks)
}

/// Adds the text in place of a mark; `None` if another text is known.
fn with(mut marks: Marks, name: &str, text: &str) -> Option<Marks> {
    match marks.iter().find(|(known, _)| known == name) {
        Some((_, known)) => (known == text).then_some(marks),
        None => {
            marks.push((name.to_string(), text.to_string()));
            Some(marks)
        }
    }
}

#[test]
fn marks_are_the_same_wherever_they_occur() {
    let fragment = ["    @max@(x, @mask@, 1);", "    @barrier@", "    @max@(y, 2, @mask@);", "}"];
    let fragment = fragment.map(String::from);
    let reference = |text: &str| with_reference(text, &fragment, "{{fragment: a.h");
    let one =
        "void F()\n    Max<float>(x, m, n, 1);\n    Wait();\n    Max<float>(y, 2, m, n);\n}\n";
    let want =
        "void F()\n{{fragment: a.h; @max@ = Max<float>; @mask@ = m, n; @barrier@ = Wait();}}\n";
    assert_eq!(reference(one), want);
    let without = one.replace("    Wait();\n", "");
    assert_eq!(reference(&without), want.replace("Wait();", ""));
    let other = one.replace("(y, 2, m, n)", "(y, 2, n)");
    assert_eq!(reference(&other), other);
}
