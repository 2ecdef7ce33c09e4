//! Small rows: whole rows of gated tensors come and go in one burst; inside UB their parts are
//! gathered apart and together again by tables of byte offsets.

use super::super::package::Package;
use super::super::text::Text;
use super::names::{self, Input, inputs, slot, wrapped};
use super::registers::pairs;
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{Kind, Part};

/// Gated tensors that are read.
fn parted(package: &Package<'_>) -> Vec<(String, String)> {
    let ins = inputs(package);
    let gates = ins.iter().filter(|i| i.stream.part == Part::Gate);
    let of = |i: &Input| (cpp_name(&package.def.inputs[i.stream.tensor].name), slot(&i.name));
    gates.map(of).collect()
}

/// Gated results.
fn joined(package: &Package<'_>) -> Vec<(String, String)> {
    let outs = package.def.outputs.iter().filter(|t| t.kind == Kind::Gated);
    outs.map(|t| (cpp_name(&t.name), slot(&format!("{}.gate", t.name)))).collect()
}

/// Buffers and tables.
pub fn init(package: &Package<'_>, text: &mut Text) {
    text.block("if constexpr (small)", "}", |text| {
        for (tensor, _) in parted(package).iter().chain(&joined(package)) {
            text.line(format!("pipe.InitBuffer({tensor}Parts_, 2 * bytes);"));
        }
        if !parted(package).is_empty() {
            text.line("pipe.InitBuffer(apart_, capacity_ * sizeof(uint32_t));");
        }
        if !joined(package).is_empty() {
            text.line("pipe.InitBuffer(together_, 2 * capacity_ * sizeof(uint32_t));");
        }
        if package.plans.iter().any(|p| p.masks > 0) {
            // Comparisons read on to the end of a repeat.
            for (tensor, _) in parted(package) {
                let data = format!("{tensor}Parts_.template Get<T>()");
                text.line(format!("Duplicate({data}, static_cast<T>(0.0f), 2 * capacity_);"));
            }
        }
        text.line("MakeOffsets();");
    });
}

/// Statements that part the inputs.
pub fn part(package: &Package<'_>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let (ins, outs) = (parted(package), joined(package));
    for (tensor, _) in ins.iter().chain(&outs) {
        lines.push(format!(
            "const LocalTensor<T> {tensor}Parts = {tensor}Parts_.template Get<T>();"
        ));
    }
    if !ins.is_empty() {
        lines.push("const LocalTensor<uint32_t> apart = apart_.Get<uint32_t>();".into());
    }
    for (tensor, gate) in &ins {
        for (part, to) in [("gate_", ""), ("value_", "[capacity_]")] {
            lines.push(format!(
                "Gather({tensor}Parts{to}, in[Formula::{gate} * capacity_], apart,\n       \
                 static_cast<uint32_t>({part} * sizeof(T)), tile.count);"
            ));
        }
    }
    lines
}

/// These statements, or the formula on whole rows where it takes gate and value in turns.
pub fn unless_pairs(package: &Package<'_>, parted: Vec<String>) -> Vec<String> {
    if !package.plans.iter().any(pairs::has) {
        return parted;
    }
    let args = pairs::tensors(package).into_iter().map(|(_, stream, output)| {
        let (owner, queue) = if output { ("", "out") } else { ("Formula::", "in") };
        let name = names::stream_name(&package.def, stream, output);
        format!("{queue}[{owner}{} * capacity_]", slot(&name))
    });
    let args: Vec<String> = args.chain(["tile.count".into()]).collect();
    let mut text = Text::new();
    text.line("bool turns = false;");
    text.block("if constexpr (Formula::PAIRS)", "}", |text| {
        text.line("turns = tiling_.columns == 1;");
        text.block("if (turns)", "}", |text| {
            text.line(wrapped("formula_.RunPairs(", &args, ");"));
        });
    });
    text.block("if (!turns)", "}", |text| {
        text.each(&parted);
    });
    vec![text.finish()]
}

/// Statements that join the results.
pub fn join(package: &Package<'_>) -> Vec<String> {
    let join = |(tensor, gate): &(String, String)| {
        format!(
            "Gather(out[{gate} * capacity_], {tensor}Parts, together_.Get<uint32_t>(), 0, 2 * tile.count);"
        )
    };
    joined(package).iter().map(join).collect()
}

/// Members of the class.
pub fn members(package: &Package<'_>, text: &mut Text) {
    text.line("// Small rows only: the two parts side by side, and byte offsets.");
    for (tensor, _) in parted(package).iter().chain(&joined(package)) {
        text.line(format!("TBuf<TPosition::VECCALC> {tensor}Parts_;"));
    }
    if !parted(package).is_empty() {
        text.line("TBuf<TPosition::VECCALC> apart_;");
    }
    if !joined(package).is_empty() {
        text.line("TBuf<TPosition::VECCALC> together_;");
    }
}

/// The functions that fill the tables.
pub fn offsets(package: &Package<'_>, text: &mut Text) {
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
        text.line(WRITTEN);
        if apart {
            text.line("Continue(apart, rows * columns, tiling_.tileRows * columns, 2 * rows * columns);");
        }
        if together {
            text.line("Continue(together, 2 * rows * columns, 2 * tiling_.tileRows * columns, rows * columns);");
        }
    });
    text.line("");
    text.line("// Fills a table from its first `have` elements, whose successors lie `shift` elements further on.");
    let arguments =
        ["const LocalTensor<int32_t>& table", "uint32_t have", "uint32_t all", "uint32_t shift"];
    let head = "__aicore__ inline static void Continue(";
    text.function(wrapped(head, &arguments.map(String::from), ")"), |text| {
        text.block("for (; have < all; have *= 2, shift *= 2)", "}", |text| {
            text.line("const uint32_t more = have < all - have ? have : all - have;");
            text.line("Adds(table[have], table, static_cast<int32_t>(shift * sizeof(T)), more);");
        });
    });
    text.line("");
}

/// Vector code waits for the table that scalar code writes.
const WRITTEN: &str = "\
const event_t written = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_V));
SetFlag<HardEvent::S_V>(written);
WaitFlag<HardEvent::S_V>(written);";
