//! An HTML table of the report's page, with its heading and legend.

use crate::table::Table;

/// Returns a table in HTML with heading and legend, or an empty text if the table has no rows.
pub fn titled(title: &str, table: &Table, legend: &str) -> String {
    if table.is_empty() {
        return String::new();
    }
    let table = table.to_html();
    format!(
        "<h3>{title}</h3><div class=\"wide\" tabindex=\"0\">{table}</div><p class=\"legend\">{legend}</p>"
    )
}
