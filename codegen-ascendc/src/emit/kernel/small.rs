//! Small rows: whole rows of gated tensors are copied in and out in one burst.
//!
//! Inside UB their parts are separated and joined again, either gathered by tables of byte offsets or transposed, 16 lanes of
//! rows at once.

use super::super::branch::in_kernel;
use super::super::package::Package;
use super::super::text::Text;
use super::names::{self, slot, wrapped};
use super::registers::pairs;
use super::rows::{Rows, rows};
use super::truths;
use super::{barrier, offsets};
use crate::arch::Arch;
use crate::plan::registers::pairs::firsts;
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::Kind;

/// Lists, by C++ name, the gated inputs of which some plan reads a part (gate or value).
fn parted(package: &Package<'_>) -> Vec<String> {
    rows(package).into_iter().map(|rows| rows.name).collect()
}

/// Lists, by C++ name, the gated inputs and outputs whose parts have a buffer of their own in UB.
///
/// Each row of a gated tensor holds two parts, gate and value.
fn apart(package: &Package<'_>) -> Vec<String> {
    parted(package)
        .into_iter()
        .chain(joined(package).into_iter().map(|(tensor, _)| tensor))
        .collect()
}

/// Lists the gated outputs: the C++ name of each, and the constant for its slot in the output queue.
///
/// The slot holds whole rows, in which gate and value are joined.
fn joined(package: &Package<'_>) -> Vec<(String, String)> {
    let outs = package.def.outputs.iter().filter(|t| t.kind == Kind::Gated);
    outs.map(|t| (cpp_name(&t.name), slot(&format!("{}.gate", t.name)))).collect()
}

/// Writes the initialisation of the buffers and offset tables that kernels for small rows need.
pub fn init(package: &Package<'_>, text: &mut Text) {
    text.block("if constexpr (small)", "}", |text| {
        if !has_pairs(package) {
            return init_apart(package, text);
        }
        text.block("if (!TakesPairs())", "}", |text| init_apart(package, text));
    });
}

fn init_apart(package: &Package<'_>, text: &mut Text) {
    for tensor in apart(package) {
        text.line(format!("pipe.InitBuffer({tensor}Parts_, 2 * bytes);"));
    }
    if package.plans.iter().any(|p| p.masks > 0) {
        // Comparisons read on to the end of a repeat, so the parts must have values there.
        for tensor in parted(package) {
            text.line(zeros(&tensor));
        }
        text.lines(barrier::statement(package));
    }
    text.lines(in_kernel(package, |arch| init_of(package, arch)));
}

/// Returns the C++ statement that fills the buffer for gate and value of a tensor with zeros.
fn zeros(tensor: &str) -> String {
    let data = format!("{tensor}Parts_.template Get<T>()");
    format!("Duplicate({data}, static_cast<T>(0.0f), 2 * capacity_);")
}

/// Returns C++ statements that prepare an architecture for separating and joining gate and value.
fn init_of(package: &Package<'_>, arch: &Arch) -> String {
    let mut turn = vec!["pipe.InitBuffer(turned_, 2 * bytes);".to_string()];
    // Lanes are transposed up to their ends, which no tile may have reached.
    turn.extend(joined(package).iter().map(|(tensor, _)| zeros(tensor)));
    turn.extend((!joined(package).is_empty()).then(|| barrier::statement(package).to_string()));
    let mut gather = Vec::new();
    if !parted(package).is_empty() {
        gather.push("pipe.InitBuffer(apart_, capacity_ * sizeof(uint32_t));".into());
    }
    if !joined(package).is_empty() {
        gather.push("pipe.InitBuffer(together_, 2 * capacity_ * sizeof(uint32_t));".into());
    }
    gather.push("MakeOffsets();".into());
    let mut text = Text::new();
    match (arch.pads, arch.gathers) {
        (true, _) => text.each(&gather),
        (false, false) => text.each(&turn),
        (false, true) => {
            text.line("turns_ = tiling_.tileRows % (LANES * LeastRows()) == 0;");
            let blocks =
                [("if (turns_)".into(), turn.join("\n")), ("else".into(), gather.join("\n"))];
            text.chain(&blocks)
        }
    };
    text.finish()
}

/// Returns C++ statements that separate whole rows of the gated inputs into gate and value.
pub fn part(package: &Package<'_>) -> Vec<String> {
    let place = |tensor: &String| {
        format!("const LocalTensor<T> {tensor}Parts = {tensor}Parts_.template Get<T>();")
    };
    let take = |rows: &Rows| {
        let (tensor, slot) = (&rows.name, rows.slot(package));
        rows.guarded(format!("Apart({tensor}Parts, in[Formula::{slot} * capacity_], tile);"))
    };
    apart(package).iter().map(place).chain(rows(package).iter().map(take)).collect()
}

/// Returns C++ statements that run the formula on whole rows if it takes gate and value interleaved.
///
/// Otherwise they execute `parted`, the statements that separate the parts, run the formula and join the results.
pub fn unless_pairs(package: &Package<'_>, parted: Vec<String>) -> Vec<String> {
    if !has_pairs(package) {
        return parted;
    }
    let parts = rows(package);
    let args = pairs::tensors(package).into_iter().map(|(tensor, stream, output)| {
        let name = names::stream_name(&package.def, stream, output);
        let of = |slot: &str| format!("in[Formula::{slot} * capacity_]");
        match parts.iter().find(|rows| rows.name == tensor) {
            _ if output => format!("out[{} * capacity_]", slot(&name)),
            Some(rows) => of(&rows.slot(package)),
            None if truths::streams(package).iter().any(|i| i.name == name) => truths::place(&name),
            None => of(&slot(&name)),
        }
    });
    let args: Vec<String> = args.chain(["tile.count".into()]).collect();
    let call = |of: &str| wrapped(&format!("formula_.{of}("), &args, ");");
    let mut text = Text::new();
    text.block("if constexpr (Formula::PAIRS)", "}", |text| match firsts(&package.def) {
        [_, _] => {
            let ways = [
                ("if (TakesPairs() && gate_ == 0)".into(), call("template RunPairs<true>")),
                ("else if (TakesPairs())".into(), call("template RunPairs<false>")),
            ];
            text.chain(&ways);
        }
        _ => {
            text.when("TakesPairs()", call("RunPairs"));
        }
    });
    text.block("if (!TakesPairs())", "}", |text| {
        text.each(&parted);
    });
    vec![text.finish()]
}

/// Returns whether some plan has a variant that reads gate and value interleaved.
fn has_pairs(package: &Package<'_>) -> bool {
    package.plans.iter().any(pairs::has)
}

/// Returns C++ statements that join gate and value of the gated outputs into whole rows.
pub fn join(package: &Package<'_>) -> Vec<String> {
    let join = |(tensor, gate): &(String, String)| {
        format!("Together(out[{gate} * capacity_], {tensor}Parts, tile);")
    };
    joined(package).iter().map(join).collect()
}

/// Writes the C++ class members for small rows: buffers of gate and value, and tables of byte offsets.
pub fn members(package: &Package<'_>, text: &mut Text) {
    text.line("// Small rows only: the two parts side by side, and what it takes to get there.");
    for tensor in apart(package) {
        text.line(format!("TBuf<TPosition::VECCALC> {tensor}Parts_;"));
    }
    text.lines(in_kernel(package, |arch| members_of(package, arch)));
}

fn members_of(package: &Package<'_>, arch: &Arch) -> String {
    let tables =
        [("apart_", !parted(package).is_empty()), ("together_", !joined(package).is_empty())];
    let mut text = Text::new();
    for (table, needed) in tables {
        if arch.gathers && needed {
            text.line(format!("TBuf<TPosition::VECCALC> {table};"));
        }
    }
    if !arch.pads {
        text.line("TBuf<TPosition::VECCALC> turned_;");
        if arch.gathers {
            text.line("// Whether a tile has enough rows to be turned.\nbool turns_ = false;");
        }
    }
    text.finish()
}

/// Writes the C++ member functions that separate whole rows into gate and value, and join them again.
pub fn parting(package: &Package<'_>, text: &mut Text) {
    if has_pairs(package) {
        text.lines(TAKES_PAIRS).line("");
    }
    text.lines(in_kernel(package, |arch| parting_of(package, arch)));
}

fn parting_of(package: &Package<'_>, arch: &Arch) -> String {
    let mut text = Text::new();
    if arch.gathers {
        offsets(package, &mut text);
    }
    if !arch.pads {
        text.lines(TURN);
    }
    let (parts, rows) = ("const LocalTensor<T>& parts", "const LocalTensor<T>& rows");
    // The formula reads or writes the parts between these functions.
    //
    // The parts of a tile occupy the same UB as those of the tile before, so that either the function that runs last in a tile
    // waits at its end, or the first of the next tile waits at its start.
    let wait = barrier::statement(package);
    let last_tile = if joined(package).is_empty() { wait } else { "" };
    let gather_apart = format!("{last_tile}\n{GATHER_APART}\n{wait}");
    let gather_together = format!("{wait}\n{GATHER_TOGETHER}\n{wait}");
    if !parted(package).is_empty() {
        text.line("// The parts of whole rows: the first where `parts` begins, the second `capacity_` further on.");
        way(&mut text, arch, ["Apart", parts, rows], "parts, rows", gather_apart.trim());
    }
    if !joined(package).is_empty() {
        text.line("// The same, the other way.");
        way(&mut text, arch, ["Together", rows, parts], "rows, parts", gather_together.trim());
    }
    text.finish()
}

/// Writes the C++ function `Apart` or `Together`, which separates whole rows into parts or joins parts.
///
/// `head` holds the function's name, and the declarations of its target and source. The body consists of the C++ statements
/// `gather`. On architectures that copy whole blocks only, it is a call of the transposition with `args` instead if they cannot
/// gather or if tiles have enough rows.
fn way(text: &mut Text, arch: &Arch, head: [&str; 3], args: &str, gather: &str) {
    let [name, to, from] = head;
    let turn = format!("Turn{name}({args}, tile);");
    let head = format!("__aicore__ inline void {name}({to}, {from}, const Tile& tile)");
    text.function(head, |text| match (arch.pads, arch.gathers) {
        (true, _) => {
            text.line(gather);
        }
        (false, false) => {
            text.line(turn);
        }
        (false, true) => {
            text.chain(&[("if (turns_)".into(), turn), ("else".into(), gather.into())]);
        }
    });
    text.line("");
}

const TURN: &str = include_str!("turn.h");

const TAKES_PAIRS: &str = "\
// Whether rows are of two elements, which the formula takes as they are.
__aicore__ inline bool TakesPairs() const { return Formula::PAIRS && tiling_.columns == 1; }
";

const GATHER_APART: &str = "\
const LocalTensor<uint32_t> apart = apart_.Get<uint32_t>();
Gather(parts, rows, apart, 0, tile.count);
Gather(parts[capacity_], rows, apart, static_cast<uint32_t>(tiling_.columns * sizeof(T)), tile.count);";

const GATHER_TOGETHER: &str = "Gather(rows, parts, together_.Get<uint32_t>(), 0, 2 * tile.count);";

/// Writes the C++ functions that fill the tables of byte offsets by which gate and value are gathered.
fn offsets(package: &Package<'_>, text: &mut Text) {
    let (apart, together) = (!parted(package).is_empty(), !joined(package).is_empty());
    text.line("// Rows after which a table of offsets starts at a block of UB again, for any number of columns.");
    text.line("static constexpr uint32_t PERIOD = 8;\n");
    text.line(
        "// Where each element comes from: a part's among rows of both, a row's among both parts.",
    );
    text.function("__aicore__ inline void MakeOffsets()", |text| {
        text.line("const uint32_t columns = static_cast<uint32_t>(tiling_.columns);");
        text.line("const uint32_t rows = tiling_.tileRows < PERIOD ? tiling_.tileRows : PERIOD;");
        for name in [("apart", apart), ("together", together)].iter().filter(|n| n.1).map(|n| n.0) {
            text.line(format!("const LocalTensor<int32_t> {name} = {name}_.Get<int32_t>();"));
        }
        text.block("for (uint32_t row = 0; row < rows; ++row)", "}", |text| {
            text.block("for (uint32_t column = 0; column < columns; ++column)", "}", |text| {
                text.line("const uint32_t at = row * columns + column;");
                if apart {
                    text.line("apart.SetValue(at, static_cast<int32_t>((at + row * columns) * sizeof(T)));");
                }
                if together {
                    text.line("together.SetValue(at + row * columns, static_cast<int32_t>(at * sizeof(T)));");
                    text.line("together.SetValue(at + (row + 1) * columns, static_cast<int32_t>((at + capacity_) * sizeof(T)));");
                }
            });
        });
        text.line(offsets::WRITTEN);
        if apart {
            text.line("Continue(apart, rows * columns, tiling_.tileRows * columns, 2 * rows * columns);");
        }
        if together {
            text.line("Continue(together, 2 * rows * columns, 2 * tiling_.tileRows * columns, rows * columns);");
        }
    });
    text.line("");
    offsets::continued(package, "T", text);
    text.line("");
}
