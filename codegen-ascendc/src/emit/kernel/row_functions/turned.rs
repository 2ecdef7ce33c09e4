//! Short rows that do not end on blocks: the members of the class that turn rows in UB.
//!
//! Copies move the rows of a tile without gaps. `Gather` makes a line of the elements of each column, so that no lane is empty and
//! all rows are reduced by the same calls.

use super::super::super::package::Package;
use super::super::super::text::Text;
use super::super::names::{self, slot};
use super::super::{barrier, offsets};
use super::streams::{converts, elements, results};

/// C++ functions that turn rows.
const TURNED: &str = include_str!("turned.h");

/// Returns whether kernels of the package turn short rows. Parts of gated tensors are not neighbours.
pub fn has(package: &Package<'_>) -> bool {
    package.plans.iter().any(|plan| plan.need.rows.is_some_and(|need| need.turned.is_some()))
}

/// Writes C++ statements that give the buffers of turned rows their size.
pub fn init(package: &Package<'_>, text: &mut Text) {
    if !has(package) {
        return;
    }
    text.block("if (tiling_.path == TURNED)", "}", |text| {
        text.line("pipe.InitBuffer(turned_, (Formula::INPUTS + OUTPUTS) * capacity_ * sizeof(float));");
        text.line("pipe.InitBuffer(lines_, capacity_ * sizeof(uint32_t));");
        text.line("pipe.InitBuffer(rows_, capacity_ * sizeof(uint32_t));");
        text.line("// Calls read whole lines, also where there are fewer rows.");
        text.line("Duplicate(turned_.Get<float>(), 0.0f, static_cast<int32_t>(Formula::INPUTS * capacity_));");
        text.line("FillPlaces();");
    });
}

/// Writes the C++ functions.
pub fn functions(package: &Package<'_>, text: &mut Text) {
    if !has(package) {
        return;
    }
    let written = offsets::WRITTEN.replace('\n', "\n    ");
    text.lines(TURNED.replace("@written@", &written)).line("");
    offsets::continued(package, "float", text);
    text.line("");
    calculate(package, text);
    text.line("");
}

/// Writes C++ statements that compute a tile of turned rows and return, in a function with its buffers `in` and `out`; `done` are
/// those that pass on the buffers.
pub fn calculated(package: &Package<'_>, done: &str, text: &mut Text) {
    if has(package) {
        let out = if results(package).is_empty() { "" } else { "out, " };
        text.block("if (tile.turned)", "}", |text| {
            text.line(format!("CalculateTurned(in, {out}tile);\n{done}\nreturn;"));
        });
    }
}

fn calculate(package: &Package<'_>, text: &mut Text) {
    let barrier = barrier::statement(package);
    let ins = elements(package).into_iter();
    let ins = ins.map(|i| format!("turned[Formula::{} * capacity_]", slot(&i.name)));
    let outputs = results(package);
    let outs = outputs.iter();
    let outs = outs.map(|(_, name)| format!("results[{} * capacity_]", slot(name)));
    let args: Vec<String> = ins.chain(outs).chain(["tile".into()]).collect();
    let out = (!outputs.is_empty()).then_some("const LocalTensor<T>& out");
    let params = ["const LocalTensor<T>& in"].into_iter().chain(out).chain(["const RowTile& tile"]);
    let params: Vec<String> = params.map(String::from).collect();
    let head = "__aicore__ inline void CalculateTurned(";
    text.function(names::wrapped(head, &params, ")"), |text| {
        if converts(package) || !outputs.is_empty() {
            text.line("const uint32_t count = tile.rows * tile.columns;");
        }
        text.line("const LocalTensor<float> turned = turned_.Get<float>();");
        if !outputs.is_empty() {
            text.line("const LocalTensor<float> results = turned[Formula::INPUTS * capacity_];");
            text.line("const LocalTensor<uint32_t> rows = rows_.Get<uint32_t>();");
        }
        text.lines(barrier);
        let (turn, gather) = (
            "Turn(turned[k * capacity_], in[k * capacity_], tile);",
            "Gather(out[k * capacity_], results[k * capacity_], rows, 0, count);",
        );
        each(
            "Formula::INPUTS",
            package,
            turn,
            barrier,
            [
                "Cast(packed[k * capacity_], in[k * capacity_], RoundMode::CAST_NONE, count);",
                "Turn(turned[k * capacity_], packed[k * capacity_], tile);",
            ],
            text,
        );
        text.lines(names::wrapped("formula_.Run(", &args, ");"));
        if outputs.is_empty() {
            return;
        }
        text.lines(barrier);
        each(
            "OUTPUTS",
            package,
            gather,
            barrier,
            [
                "Gather(packed[k * capacity_], results[k * capacity_], rows, 0, count);",
                "Cast(out[k * capacity_], packed[k * capacity_], Formula::ROUND, count);",
            ],
            text,
        );
    });
}

/// Writes a C++ loop over streams: `float` takes one statement, 16 bits one by which they are converted and another.
fn each(
    count: &str,
    package: &Package<'_>,
    float: &str,
    barrier: &str,
    [first, second]: [&str; 2],
    text: &mut Text,
) {
    text.block(&format!("for (uint32_t k = 0; k < {count}; ++k)"), "}", |text| {
        if !converts(package) {
            text.line(float);
            return;
        }
        text.block("if constexpr (sizeof(T) == sizeof(float))", "} else {", |text| {
            text.line(float);
        });
        text.indented(|text| {
            text.line("const LocalTensor<float> packed = floats_.template Get<float>();");
            text.line(first).lines(barrier).line(second);
        });
        text.line("}");
    });
}

/// Writes the C++ members.
pub fn fields(package: &Package<'_>, text: &mut Text) {
    if has(package) {
        text.line("// Turned rows and results, and the offsets by which they are gathered.");
        for name in ["turned_", "lines_", "rows_"] {
            text.line(format!("TBuf<TPosition::VECCALC> {name};"));
        }
    }
}
