//! Builder for the lines of an emitted file.

use super::package::{Options, Package};
use super::words::{Language, Word, Words};
use op_dsl_ir::doc::forwards;
use op_dsl_ir::op::OpDef;

/// Comment syntax of an emitted file's language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comment {
    /// Lines that begin with `//`.
    Slashes,
    /// Lines that begin with `#`.
    Hash,
    /// One block, `<!-- .. -->`.
    Angle,
}

/// Text of a file under construction: lines, each indented by the depth of its block.
#[derive(Clone, Debug, Default)]
pub struct Text {
    text: String,
    depth: usize,
}

impl Text {
    /// Returns a text without lines.
    pub fn new() -> Text {
        Text::default()
    }

    /// Returns whether the text has no line yet.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Adds one or more lines; empty lines and preprocessor lines are not indented.
    pub fn line(&mut self, line: impl AsRef<str>) -> &mut Text {
        for line in line.as_ref().split('\n') {
            if !line.is_empty() && !line.starts_with('#') {
                self.text.extend(std::iter::repeat_n("    ", self.depth));
            }
            self.text.push_str(line);
            self.text.push('\n');
        }
        self
    }

    /// Adds the lines of a text, and no line if the text is empty.
    pub fn lines(&mut self, text: impl AsRef<str>) -> &mut Text {
        text.as_ref().lines().for_each(|line| {
            self.line(line);
        });
        self
    }

    /// Adds the lines of several texts, one after the other.
    pub fn each(&mut self, texts: &[String]) -> &mut Text {
        for text in texts {
            self.lines(text);
        }
        self
    }

    /// Adds a label such as `public:`, one level less deep than the class body.
    pub fn label(&mut self, label: &str) -> &mut Text {
        self.depth -= 1;
        self.line(label);
        self.depth += 1;
        self
    }

    /// Adds `head {`, the lines of `body` one level deeper, and `tail` (`}` or `};`).
    pub fn block(&mut self, head: &str, tail: &str, body: impl FnOnce(&mut Text)) -> &mut Text {
        self.line(format!("{head} {{")).indented(body).line(tail)
    }

    /// Adds `if (condition) { .. }` around one or more lines.
    pub fn when(&mut self, condition: &str, lines: impl AsRef<str>) -> &mut Text {
        self.line(format!("if ({condition}) {{")).indented(|t| _ = t.line(lines)).line("}")
    }

    /// Adds the lines of `body` one level deeper.
    pub fn indented(&mut self, body: impl FnOnce(&mut Text)) -> &mut Text {
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self
    }

    /// Adds a C++ function: `head`, the braces on lines of their own, `body` one level deeper.
    pub fn function(&mut self, head: impl AsRef<str>, body: impl FnOnce(&mut Text)) -> &mut Text {
        self.line(head).line("{").indented(body).line("}")
    }

    /// Adds a chain of `if (..) { .. } else { .. }`.
    ///
    /// Each block is a head such as `if (x)` or `else`, and the lines inside the braces.
    pub fn chain(&mut self, blocks: &[(String, String)]) -> &mut Text {
        for (i, (head, body)) in blocks.iter().enumerate() {
            self.line(if i == 0 { format!("{head} {{") } else { format!("}} {head} {{") });
            self.indented(|text| {
                text.lines(body);
            });
        }
        self.line("}")
    }

    /// Returns all lines as one string.
    pub fn finish(self) -> String {
        self.text
    }
}

/// Returns the comment at the head of an emitted file: the licence, and three lines about the file.
///
/// The lines say what the file is (`what`), what the operator computes, and where both come from.
pub fn header(package: &Package<'_>, what: &str, comment: Comment) -> String {
    head(package, Language::En.words(), what, comment)
}

/// Returns the comment at the head of an emitted Markdown page, in the language of the documents.
///
/// It has the licence and three lines: what the page is (`what`), what the operator computes, and where both come from.
pub fn page_header(package: &Package<'_>, what: Word) -> String {
    head(package, package.words(), what, Comment::Angle)
}

fn head(package: &Package<'_>, words: &Words, what: &str, comment: Comment) -> String {
    let def = &package.def;
    let mut lines: Vec<String> = licence(&package.options);
    lines.push((words.comments.file)(&def.name, what));
    lines.push(statement(&told(def, words)));
    lines.push((words.comments.origin)(&def.source));
    commented(&lines.iter().map(String::as_str).collect::<Vec<_>>(), comment)
}

/// Returns the operator's description, in the language of the package's documents.
///
/// If the operator is a derived gradient, the description also names the operator of which it is the gradient.
pub fn doc(package: &Package<'_>) -> String {
    told(&package.def, package.words())
}

/// Returns the operator's description in one sentence.
pub fn brief(def: &OpDef, language: Language) -> String {
    statement(&told(def, language.words()))
}

fn told(def: &OpDef, words: &Words) -> String {
    let (forwards, written) = forwards(&def.doc);
    let mut paragraphs: Vec<String> = forwards.into_iter().map(words.formula.gradient_of).collect();
    paragraphs.push(written.into());
    paragraphs.join("\n\n").trim().into()
}

/// Returns a comment with the author's documentation of the operator, and the formula as written.
pub fn story(package: &Package<'_>, comment: Comment) -> String {
    let def = &package.def;
    let mut lines: Vec<&str> = def.doc.lines().map(str::trim).collect();
    lines.push("");
    lines.extend(def.formula.lines());
    commented(&lines, comment)
}

/// Returns the first sentence of the documentation of an operator.
///
/// If the sentence is longer than 100 characters, returns the part before its first comma outside of code.
fn statement(doc: &str) -> String {
    const WIDTH: usize = 100;
    let paragraph: Vec<&str> =
        doc.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let text = paragraph.join(" ");
    let ends = [". ", "。"].into_iter().filter_map(|end| Some(text.find(end)? + end.len()));
    let sentence = text[..ends.min().unwrap_or(text.len())].trim();
    if sentence.chars().count() <= WIDTH {
        return sentence.into();
    }
    let mut code = false;
    let comma = sentence.find(|c| {
        code ^= c == '`';
        c == ',' && !code
    });
    match comma.map(|at| &sentence[..at]) {
        Some(start) if start.len() <= WIDTH => format!("{start}."),
        _ => sentence.into(),
    }
}

fn licence(options: &Options) -> Vec<String> {
    let mut lines: Vec<String> =
        options.license.iter().flat_map(|l| l.lines()).map(String::from).collect();
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines
}

/// Returns the comment at the head of a file that several operators share: licence, names, origin.
pub fn project_header(packages: &[Package<'_>], comment: Comment) -> String {
    project_head(packages, Language::En.words(), comment)
}

/// Returns the comment at the head of a Markdown page that several operators share.
///
/// It has the licence, the operators' names and their origin, in the language of the documents.
pub fn project_page_header(packages: &[Package<'_>]) -> String {
    let words = packages.first().map_or(Language::En.words(), Package::words);
    project_head(packages, words, Comment::Angle)
}

fn project_head(packages: &[Package<'_>], words: &Words, comment: Comment) -> String {
    let mut lines: Vec<String> = packages.first().map(|p| licence(&p.options)).unwrap_or_default();
    let names: Vec<&str> = packages.iter().map(|p| &*p.def.name).collect();
    let told = (words.comments.shared)(&names.join(words.signs.comma));
    lines.extend(wrapped(&told, words.signs.comma));
    commented(&lines.iter().map(String::as_str).collect::<Vec<_>>(), comment)
}

/// Wraps a list into lines of at most 100 characters.
///
/// `comma` is the separator of the list; every line except the last ends with a separator.
fn wrapped(text: &str, comma: &str) -> Vec<String> {
    const WIDTH: usize = 100;
    let mut lines = vec![String::new()];
    for item in text.split_inclusive(comma) {
        let line = lines.last().map_or(0, |line| line.chars().count());
        if line > 0 && line + item.trim_end().chars().count() > WIDTH {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            line.push_str(item);
        }
    }
    lines.iter().map(|line| line.trim_end().to_string()).collect()
}

/// Turns lines into a comment, and changes characters in them that would end or continue it.
pub fn commented(lines: &[&str], comment: Comment) -> String {
    let mut out = String::new();
    let (open, sign, close) = match comment {
        Comment::Slashes => ("", "//", ""),
        Comment::Hash => ("", "#", ""),
        Comment::Angle => ("<!--\n", "", "-->\n"),
    };
    out.push_str(open);
    for line in lines {
        let line = match comment {
            // A trailing backslash would continue the comment on the next line.
            Comment::Slashes | Comment::Hash => line.trim_end_matches('\\').to_string(),
            Comment::Angle => line.replace("--", "- -"),
        };
        let line = if comment == Comment::Angle { line } else { format!("{sign} {line}") };
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out.push_str(close);
    out
}

#[cfg(test)]
mod tests {
    use super::{statement, wrapped};

    #[test]
    fn lists_are_wrapped_behind_commas() {
        let names = vec!["Operator"; 30].join(", ");
        let lines = wrapped(&names, ", ");
        assert_eq!(lines.join(" "), names);
        assert!(lines.len() == 3 && lines.iter().all(|l| l.len() <= 100), "{lines:?}");
        assert_eq!(wrapped("A、B：生成", "、"), ["A、B：生成"]);
    }

    #[test]
    fn a_statement_is_a_line() {
        let doc = "GeGLU: `y = f(a, b)`, where `A` is the half of `x` along `dim` that another attribute\n\
                   picks, and `B` the other. More.\n\nSource: none.";
        assert_eq!(statement(doc), "GeGLU: `y = f(a, b)`.");
        assert_eq!(statement("The gradient of `A`.\n\nGeGLU: more."), "The gradient of `A`.");
        assert_eq!(statement("门控线性单元。其余。"), "门控线性单元。");
        assert_eq!(statement("One, two.\nThree."), "One, two.");
        assert_eq!(statement(""), "");
    }
}
