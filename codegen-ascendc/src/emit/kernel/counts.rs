//! Row counts: their sum is the number of rows that are computed.
//!
//! Tiles beyond those rows are written as zeros. The one tile in which the last row may end is computed as a whole and its rest
//! is cleared in UB, so that tiles are cut the same way as without counts.

use super::super::package::Package;
use super::super::text::Text;
use super::names::slot;
use super::{barrier, tiling_key};
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::Part;

/// Returns the C++ name of the input that holds row counts; `None` if there is none.
pub fn tensor(package: &Package<'_>) -> Option<String> {
    package.def.rows().map(|rows| cpp_name(&package.def.inputs[rows].name))
}

/// Writes the C++ statement that stores the number of rows to be computed in `computed_`.
///
/// The number is the sum of the input with row counts. Writes nothing if the operator has no such input.
pub fn init(package: &Package<'_>, text: &mut Text) {
    if tensor(package).is_some() {
        text.line("computed_ = ComputedRows();");
    }
}

/// Returns C++ statements that execute `compute` for tiles with rows to be computed, and clear other tiles.
///
/// The number of rows to be computed is the sum of the input with row counts. Without such an input, returns `compute`.
pub fn unless_cleared(package: &Package<'_>, compute: &str) -> String {
    let mut text = Text::new();
    match tensor(package) {
        None => text.line(compute),
        Some(_) => text.chain(&[
            ("if (tile.row < computed_)".into(), compute.into()),
            ("else".into(), "Clear();".into()),
        ]),
    };
    text.finish()
}

/// Returns C++ statements that clear the rows of a tile that are not to be computed.
///
/// Rows beyond the sum of the input with row counts are not computed. `None` if the operator has no such input.
pub fn clear_rows(package: &Package<'_>) -> Option<String> {
    let mut text = Text::new();
    text.when("computed_ - tile.row < tile.rows", "ClearRows(out, tile);");
    tensor(package).map(|_| text.finish())
}

/// Writes the C++ member functions that sum the input with row counts and clear rows beyond the sum.
///
/// Writes nothing if the operator has no such input.
pub fn functions(package: &Package<'_>, text: &mut Text) {
    let Some(tensor) = tensor(package) else { return };
    text.line(COMPUTED.replace("@counts@", &tensor));
    text.line(CLEAR);
    text.line("// Clears the rows of a tile that are not computed.");
    let head =
        "__aicore__ inline void ClearRows(const LocalTensor<T>& out, const Tile& tile) const";
    text.function(head, |text| {
        text.line(
            "const uint32_t first = static_cast<uint32_t>(computed_ - tile.row) * tiling_.pitch;",
        );
        text.line("const uint32_t end = tile.rows * tiling_.pitch;");
        text.lines(barrier::statement(package));
        let def = &package.def;
        let parts = |parted: bool| -> Vec<String> {
            let (streams, names) = (def.output_streams(), def.output_names());
            let all = streams.iter().zip(&names).filter(|(s, _)| parted || s.part != Part::Value);
            let clear = |(s, name): (&op_dsl_ir::op::Stream, &String)| {
                let slot = slot(name);
                match s.part == Part::Whole || parted {
                    true => format!("ClearElements(out[{slot} * capacity_], first, end);"),
                    // Whole rows occupy the slots of both parts.
                    false => format!("ClearElements(out[{slot} * capacity_], 2 * first, 2 * end);"),
                }
            };
            all.map(clear).collect()
        };
        if tiling_key::has_small(package) && parts(true) != parts(false) {
            let ways = [
                ("if constexpr (small)".into(), parts(false).join("\n")),
                ("else".into(), parts(true).join("\n")),
            ];
            text.chain(&ways);
        } else {
            text.each(&parts(true));
        }
    });
    text.line("");
    text.line(CLEAR_ELEMENTS);
}

/// Writes the C++ class member that holds the number of rows to be computed.
///
/// Writes nothing if the operator has no input with row counts, because all rows are computed then.
pub fn members(package: &Package<'_>, text: &mut Text) {
    if tensor(package).is_some() {
        text.line("// Rows of the matrix that are computed; the others are zeros.\nuint64_t computed_ = 0;");
    }
}

const COMPUTED: &str = include_str!("counts/computed.h");

const CLEAR: &str = include_str!("counts/clear.h");

const CLEAR_ELEMENTS: &str = include_str!("counts/clear_elements.h");
