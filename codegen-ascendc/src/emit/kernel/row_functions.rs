//! Functions of rows: the class of an operator whose formula has sums, means or maxima along rows.
//!
//! A tile is some whole rows. Each stage of the formula runs on the tile, its terms are reduced to one number per row, and later
//! stages read that number repeated along its row. All arithmetic is in `float`.
//!
//! ```text
//! stages    the formula: stages, reductions, results
//! reduce    functions that reduce rows and repeat numbers along them
//! order     the order of the stages, and the buffers of their values
//! walks     the formula on chunks of a row that does not fit UB
//! chunks    members of the class that walk along such a row
//! turned    members that turn short rows, so that copies move them without gaps
//! integers  results of 8 bits
//! numbers   tensors with one number per row
//! streams   properties of streams that both kinds of walk ask
//! walk      the tiles of a core
//! moves     copies of rows
//! ```

mod chunks;
mod integers;
mod numbers;
mod order;
mod stages;
mod streams;
mod turned;
mod walks;

pub use stages::{class, helpers};

use super::super::branch::in_kernel;
use super::super::package::Package;
use super::super::text::Text;
use super::names::{self, slot};
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::Gate;
use streams::{converts, elements, of_package, results, side};

/// C++ function that walks the tiles of a core.
const WALK: &str = include_str!("row_functions/walk.h");
/// C++ functions that copy rows between GM and UB.
const MOVES: &str = include_str!("row_functions/moves.h");

/// Replacements of the marks in [`MOVES`]: the mark, the text where copies can have any length, and that for whole blocks.
const MARKS: [(&str, [&str; 2]); 2] = [
    (
        "@load@",
        [
            "DataCopyPad(to[row * tile.pitch], rows, DataCopyExtParams{static_cast<uint16_t>(together), bytes, gap, @skip@, 0},\n\
             \x20                   DataCopyPadExtParams<T>());",
            "DataCopy(to[row * tile.pitch], rows, DataCopyParams(static_cast<uint16_t>(together), bytes / BLOCK_BYTES,\n\
             \x20                                                         gap / BLOCK_BYTES, @skip@));",
        ],
    ),
    (
        "@store@",
        [
            "DataCopyPad(rows, from[row * tile.pitch], DataCopyExtParams{static_cast<uint16_t>(together), bytes, @skip@, gap, 0});",
            "DataCopy(rows, from[row * tile.pitch], DataCopyParams(static_cast<uint16_t>(together), bytes / BLOCK_BYTES, @skip@,\n\
             \x20                                                           gap / BLOCK_BYTES));",
        ],
    ),
];

/// Writes the members of the kernel's class. `tensors` are those that the kernel reads and writes.
pub fn members(package: &Package<'_>, tensors: &[String], text: &mut Text) {
    text.label("public:");
    public(package, tensors, text);
    text.line("").label("private:");
    copy_in(package, text);
    calculate(package, text);
    copy_out(package, text);
    numbers::functions(package, text);
    integers::functions(package, text);
    chunks::functions(package, text);
    text.line("");
    turned::functions(package, text);
    text.lines(in_kernel(package, |arch| {
        let of = |[any, blocks]: [&'static str; 2]| if arch.pads { any } else { blocks };
        let moves = of_package(package, MOVES);
        let moves = MARKS.iter().fold(moves, |text, (mark, by)| text.replace(mark, of(*by)));
        moves.replace("@skip@", if integers::has(package) { "skip" } else { "0" })
    }));
    text.line("");
    fields(package, tensors, text);
}

fn public(package: &Package<'_>, used: &[String], text: &mut Text) {
    let def = &package.def;
    let gate = match def.split.as_ref().map(|s| s.gate) {
        None => "",
        Some(Gate::Left) => ", gate_(0)",
        Some(Gate::Right) => ", gate_(1)",
        Some(Gate::LeftIf(_)) => ", gate_(tiling.gateFirst != 0 ? 0 : 1)",
    };
    let data = package.tiling_data();
    text.line(format!("__aicore__ inline explicit {}(const {data}& tiling)", def.name));
    text.line(format!("    : tiling_(tiling){gate}\n{{}}\n"));
    let all = def.inputs.iter().chain(def.outputs.iter()).map(|t| cpp_name(&t.name));
    let args: Vec<String> = all
        .map(|t| if used.contains(&t) { format!("GM_ADDR {t}") } else { "GM_ADDR".into() })
        .collect();
    text.function(names::wrapped("__aicore__ inline void Bind(", &args, ")"), |text| {
        for t in used {
            let ty = element_of(package, t);
            text.line(format!("{t}Gm_.SetGlobalBuffer(reinterpret_cast<__gm__ {ty}*>({t}));"));
        }
    });
    text.line("");
    let has_results = !results(package).is_empty();
    text.function("__aicore__ inline void Init(TPipe& pipe)", |text| {
        text.line("capacity_ = Capacity();");
        text.line("const uint32_t bytes = capacity_ * sizeof(T);");
        text.line("pipe.InitBuffer(inQue_, tiling_.buffers, Formula::INPUTS * bytes);");
        if has_results {
            text.line("pipe.InitBuffer(outQue_, tiling_.buffers, OUTPUTS * bytes);");
        }
        integers::init(package, text);
        numbers::init(package, text);
        if converts(package) {
            text.block("if constexpr (sizeof(T) != sizeof(float))", "}", |text| {
                text.line("pipe.InitBuffer(floats_, (Formula::INPUTS + OUTPUTS) * capacity_ * sizeof(float));");
            });
        }
        chunks::init(text);
        turned::init(package, text);
        text.line("formula_.Init(pipe, capacity_, tiling_);");
    });
    text.line("").lines(of_package(package, WALK));
}

/// Returns the C++ type of the elements of the tensor with this name in C++.
fn element_of(package: &Package<'_>, name: &str) -> &'static str {
    let of_integers = results(package).into_iter().find_map(|(stream, _)| {
        let is_it = cpp_name(&package.def.outputs[stream.tensor].name) == name;
        streams::integer(package, stream).filter(|_| is_it)
    });
    of_integers.unwrap_or_else(|| numbers::element_of(package, name))
}

fn copy_in(package: &Package<'_>, text: &mut Text) {
    let def = &package.def;
    text.function("__aicore__ inline void CopyIn(const RowTile& tile)", |text| {
        text.line("LocalTensor<T> in = inQue_.AllocTensor<T>();");
        for input in elements(package) {
            let tensor = cpp_name(&def.inputs[input.stream.tensor].name);
            text.lines(input.guarded(format!(
                "Load(in[Formula::{} * capacity_], {tensor}Gm_, tile, {});",
                slot(&input.name),
                side(input.stream)
            )));
        }
        text.line("inQue_.EnQue(in);");
    });
    text.line("");
}

fn calculate(package: &Package<'_>, text: &mut Text) {
    let barrier = super::barrier::statement(package);
    let outputs = results(package);
    let call = |from: &str, to: &str| {
        let ins = elements(package).into_iter();
        let ins = ins.map(|i| format!("{from}[Formula::{} * capacity_]", slot(&i.name)));
        let outs = outputs.iter();
        let outs = outs.map(|(_, name)| {
            let place = integers::place(package, name);
            place.unwrap_or_else(|| format!("{to}[{} * capacity_]", slot(name)))
        });
        let args: Vec<String> = ins.chain(outs).chain(["tile".into()]).collect();
        names::wrapped("formula_.Run(", &args, ");")
    };
    text.function("__aicore__ inline void Calculate(const RowTile& tile)", |text| {
        text.line("LocalTensor<T> in = inQue_.DeQue<T>();");
        let done = match outputs.is_empty() {
            true => "inQue_.FreeTensor(in);",
            false => "inQue_.FreeTensor(in);\noutQue_.EnQue(out);",
        };
        if !outputs.is_empty() {
            text.line("LocalTensor<T> out = outQue_.AllocTensor<T>();");
        }
        turned::calculated(package, done, text);
        integers::clear_gaps(package, text);
        if !converts(package) {
            text.lines(call("in", "out"));
            integers::round(package, text);
            text.line(done);
            return;
        }
        text.block("if constexpr (sizeof(T) == sizeof(float))", "} else {", |text| {
            text.lines(call("in", "out"));
        });
        text.indented(|text| {
            text.line("const LocalTensor<float> from = floats_.template Get<float>();");
            if streams::has_floats(package) {
                text.line("const LocalTensor<float> to = from[Formula::INPUTS * capacity_];");
            }
            text.lines(barrier);
            text.block("for (uint32_t k = 0; k < Formula::INPUTS; ++k)", "}", |text| {
                text.line("Cast(from[k * capacity_], in[k * capacity_], RoundMode::CAST_NONE, tile.count);");
            });
            text.lines(call("from", "to"));
            if !streams::has_floats(package) {
                return;
            }
            text.lines(barrier);
            streams::round_results(package, "to[@k@ * capacity_]", text);
        });
        text.line("}");
        integers::round(package, text);
        text.line(done);
    });
    text.line("");
}

fn copy_out(package: &Package<'_>, text: &mut Text) {
    let def = &package.def;
    if results(package).is_empty() {
        return;
    }
    text.function("__aicore__ inline void CopyOut(const RowTile& tile)", |text| {
        text.line("LocalTensor<T> out = outQue_.DeQue<T>();");
        for (stream, name) in results(package) {
            let tensor = cpp_name(&def.outputs[stream.tensor].name);
            text.line(format!(
                "Store({tensor}Gm_, {}, tile, {});",
                integers::stored(package, stream, &name),
                side(stream)
            ));
        }
        text.line("outQue_.FreeTensor(out);");
    });
    text.line("");
}

fn fields(package: &Package<'_>, tensors: &[String], text: &mut Text) {
    let def = &package.def;
    let outputs = results(package);
    if !outputs.is_empty() {
        text.line("// Slots of the results in a buffer of the output queue.");
    }
    for (at, (_, name)) in outputs.iter().enumerate() {
        text.line(format!("static constexpr uint32_t {} = {at};", slot(name)));
    }
    text.line(format!("static constexpr uint32_t OUTPUTS = {};\n", outputs.len()));
    text.line(format!("const {}& tiling_;", package.tiling_data()));
    if def.split.is_some() {
        text.line("// Which part of a gated tensor is the gate.\nconst uint32_t gate_;");
    }
    text.line("// Elements of the largest tile.\nuint32_t capacity_ = 0;");
    for t in tensors {
        text.line(format!("GlobalTensor<{}> {t}Gm_;", element_of(package, t)));
    }
    text.line("TQue<TPosition::VECIN, 1> inQue_;");
    if !outputs.is_empty() {
        text.line("TQue<TPosition::VECOUT, 1> outQue_;");
    }
    numbers::fields(package, text);
    integers::fields(package, text);
    chunks::fields(text);
    turned::fields(package, text);
    if converts(package) {
        text.line(
            "// Streams and results of 16 bits, in float.\nTBuf<TPosition::VECCALC> floats_;",
        );
    }
    text.line("Formula formula_;");
}
