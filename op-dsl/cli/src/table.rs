//! Tables with aligned columns.

use std::fmt::Write;

/// A table of text: rows of cells under headings.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(headings: &[&str]) -> Table {
        let mut table = Table { rows: Vec::new() };
        table.row(headings);
        table
    }

    pub fn row<S: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(|c| c.as_ref().to_string()).collect());
    }

    /// Returns whether the table has no rows below the headings.
    pub fn is_empty(&self) -> bool {
        self.rows.len() < 2
    }

    /// Formats the table as HTML.
    pub fn to_html(&self) -> String {
        let cells = |row: &Vec<String>, tag: &str| -> String {
            row.iter().map(|cell| format!("<{tag}>{}</{}>", escaped(cell), &tag[..2])).collect()
        };
        let mut rows = self.rows.iter();
        let head = rows.next().map(|row| cells(row, "th scope=\"col\"")).unwrap_or_default();
        let body: String = rows.map(|row| format!("<tr>{}</tr>", cells(row, "td"))).collect();
        format!("<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    }

    /// Formats the table as text with columns two spaces apart; columns of numbers are right-aligned.
    pub fn to_text(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let cells = |k: usize| self.rows.iter().filter_map(move |r| r.get(k));
        let width = |k: usize| cells(k).map(|c| c.chars().count()).max().unwrap_or(0);
        let numeric = |k: usize| {
            let mut seen = cells(k).skip(1).filter(|c| !c.is_empty()).peekable();
            seen.peek().is_some() && seen.all(|c| is_number(c))
        };
        let shape: Vec<(usize, bool)> = (0..columns).map(|k| (width(k), numeric(k))).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (cell, (width, numeric)) in row.iter().zip(&shape) {
                let _ = match numeric {
                    true => write!(line, "{cell:>width$}  "),
                    false => write!(line, "{cell:<width$}  "),
                };
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// Escapes the characters that have a meaning in HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn is_number(cell: &str) -> bool {
    cell.trim_end_matches(['%', 'x']).parse::<f64>().is_ok()
}

/// Indents the lines of a text by `by` spaces, except empty ones.
pub fn indent(text: &str, by: usize) -> String {
    let lines = text.lines().map(|l| match l.is_empty() {
        true => "\n".to_string(),
        false => format!("{:by$}{l}\n", ""),
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align() {
        let mut table = Table::new(&["name", "n"]);
        table.row(["a", "10"]);
        table.row(["long name", "7"]);
        assert_eq!(table.to_text(), "name        n\na          10\nlong name   7\n");
    }
}
