//! Rows of an operator for the repository's lists, ready to paste.

use crate::emit::text::brief;
use crate::emit::words::Language;
use op_dsl_ir::interface::Interface;
use op_dsl_ir::op::OpDef;

/// Row of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Path of the list, below the checkout.
    pub list: &'static str,
    /// Text by which a list that already has the row is recognised.
    pub mark: String,
    /// Row.
    pub text: String,
}

/// Returns an operator's rows for the list of operators and for that of functions.
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
