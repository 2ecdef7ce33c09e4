//! Rows of an operator for the repository's lists, ready to paste.

use crate::emit::text::brief;
use crate::emit::words::Language;
use op_dsl_ir::interface::Interface;
use op_dsl_ir::op::OpDef;

/// Row about one operator, for a list in the repository's documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Path of the file with the list, relative to the checkout.
    pub list: &'static str,
    /// Text that a list contains if it already has the row.
    pub mark: String,
    /// Text of the row, in the format of the list (HTML or Markdown).
    pub text: String,
}

/// Returns an operator's rows for the repository's lists of operators and of aclnn functions.
///
/// `directory` is the operator's directory, relative to the checkout. An operator that only graphs call has no functions.
pub fn entries(def: &OpDef, directory: &str) -> Vec<Entry> {
    let (category, name) = directory.rsplit_once('/').unwrap_or(("activation", directory));
    let told = brief(def, Language::Zh);
    let by_graphs = def.published.is_some_and(|p| p.is_for_graphs_alone());
    let [yes, no] = ["✓", "✗"];
    let html = told.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let page = format!("../../{directory}/README.md");
    let cells = [
        category.to_string(),
        format!("<a href=\"{page}\">{name}</a>"),
        yes.into(),
        yes.into(),
        if by_graphs { no.into() } else { yes.into() },
        yes.into(),
        "AI Core".into(),
        html,
    ];
    let cells: String = cells.iter().map(|cell| format!("    <td>{cell}</td>\n")).collect();
    let operator =
        Entry { list: "docs/zh/op_list.md", mark: page, text: format!("  <tr>\n{cells}  </tr>\n") };
    let functions = Interface::of(def).functions.into_iter().filter(|_| !by_graphs);
    let functions = functions.map(|function| {
        let link = format!("[{0}](../../{directory}/docs/{0}.md)", function.name);
        let row = format!(
            "| {link} | {} | 默认确定性实现 | 默认确定性实现 |\n",
            told.replace('|', "\\|")
        );
        Entry { list: "docs/zh/op_api_list.md", mark: format!("[{}", function.name), text: row }
    });
    std::iter::once(operator).chain(functions).collect()
}
