//! Rows that do not fit UB: the members of the class that walk along a row in chunks.
//!
//! UB holds the first part of a row between walks, as much of it as fits; each walk reads the rest again.

use super::super::super::package::Package;
use super::super::super::text::Text;
use super::super::barrier;
use super::super::names::{self, Input, slot};
use super::integers;
use super::streams::{converts, elements, has_floats, of_package, results, round_results, side};
use op_dsl_ir::names::cpp_name;

/// C++ functions of walks, with a mark for the conversion of a stream to `float`.
const CHUNKS: &str = include_str!("chunks.h");

/// How a stream becomes `float`, where some kernels of a package have tensors of 16 bits.
const CONVERTED: &str = "\
if constexpr (sizeof(T) == sizeof(float)) {
    return stream;
} else {
    const LocalTensor<float> converted = floats_.template Get<float>()[slot * capacity_];
    if ((walks >> walk & 1) != 0) {
        Cast(converted, stream, RoundMode::CAST_NONE, tile.count);
    }
    return converted;
}";

/// Writes the C++ functions.
pub fn functions(package: &Package<'_>, text: &mut Text) {
    let mut stream = Text::new();
    stream.indented(|text| {
        text.lines(if converts(package) { CONVERTED } else { "return stream;" });
    });
    text.lines(of_package(package, CHUNKS).replace("    @stream@\n", &stream.finish())).line("");
    hold(package, text);
    text.line("");
    copy_in(package, text);
    text.line("");
    calculate(package, text);
}

fn tensor(package: &Package<'_>, input: &Input) -> String {
    cpp_name(&package.def.inputs[input.stream.tensor].name)
}

fn hold(package: &Package<'_>, text: &mut Text) {
    text.line("// Brings in the part of a row that UB holds from a chunk on.");
    text.function("__aicore__ inline void Hold(RowTile tile)", |text| {
        text.line("tile.columns = Left(tile, tiling_.held);");
        text.line("LocalTensor<T> piece = heldQue_.AllocTensor<T>();");
        for input in elements(package) {
            let (name, tensor) = (slot(&input.name), tensor(package, &input));
            text.block(
                &format!("if constexpr (Formula::HELD_{name} < Formula::HELD)"),
                "}",
                |text| {
                    text.line(format!(
                        "Load(piece[Formula::HELD_{name} * tiling_.held], {tensor}Gm_, tile, {});",
                        side(input.stream)
                    ));
                },
            );
        }
        text.line("heldQue_.EnQue(piece);");
        text.line("held_[tile.first / tiling_.held] = heldQue_.DeQue<T>();");
    });
}

fn copy_in(package: &Package<'_>, text: &mut Text) {
    text.line("template <uint32_t walk>");
    text.function("__aicore__ inline void CopyInChunk(const RowTile& tile)", |text| {
        text.line("LocalTensor<T> in = inQue_.AllocTensor<T>();");
        for input in elements(package) {
            let (name, tensor) = (slot(&input.name), tensor(package, &input));
            let loads = format!("Loads<walk>(tile, Formula::WALKS_{name}, Formula::HELD_{name})");
            let load = format!(
                "Load(in[Formula::{name} * capacity_], {tensor}Gm_, tile, {});",
                side(input.stream)
            );
            text.when(&loads, load);
        }
        text.line("inQue_.EnQue(in);");
    });
}

fn calculate(package: &Package<'_>, text: &mut Text) {
    let converts = converts(package);
    let streams = elements(package).into_iter().map(|input| {
        let name = slot(&input.name);
        format!(
            "Stream<walk>(in, tile, Formula::{name}, Formula::WALKS_{name}, Formula::HELD_{name})"
        )
    });
    let streams: Vec<String> = streams.collect();
    let outputs = results(package);
    let outs = outputs.iter().map(|(_, name)| match (integers::place(package, name), converts) {
        (Some(place), _) => place,
        (None, true) => format!("Result(out, {})", slot(name)),
        (None, false) => format!("out[{} * capacity_]", slot(name)),
    });
    let tile = || ["tile".to_string()];
    let terms: Vec<String> = streams.iter().cloned().chain(tile()).collect();
    let of_results: Vec<String> = streams.iter().cloned().chain(outs).chain(tile()).collect();
    if converts && has_floats(package) {
        text.line("// Where a result of a chunk is computed, in `float`.");
        let head =
            "__aicore__ inline LocalTensor<float> Result(const LocalTensor<T>& out, uint32_t slot)";
        text.function(head, |text| {
            text.block("if constexpr (sizeof(T) == sizeof(float))", "} else {", |text| {
                text.line("return out[slot * capacity_];");
            });
            text.line("    return floats_.template Get<float>()[(Formula::INPUTS + slot) * capacity_];\n}");
        });
        text.line("");
    }
    let barrier = barrier::statement(package);
    text.line("template <uint32_t walk>");
    text.function("__aicore__ inline void CalculateChunk(const RowTile& tile)", |text| {
        text.line("LocalTensor<T> in;");
        text.when("Loads<walk>(tile)", "in = inQue_.DeQue<T>();");
        text.lines(barrier);
        let reduce = names::wrapped("formula_.template ReduceTerms<walk>(", &terms, ");");
        if outputs.is_empty() {
            text.lines(reduce);
            text.when("Loads<walk>(tile)", "inQue_.FreeTensor(in);");
            return;
        }
        text.block("if constexpr (walk < Formula::WALKS)", "} else {", |text| {
            text.lines(reduce);
        });
        text.indented(|text| {
            text.line("LocalTensor<T> out = outQue_.AllocTensor<T>();");
            text.lines(names::wrapped("formula_.ComputeResults(", &of_results, ");"));
            if converts && has_floats(package) {
                text.lines(barrier);
                convert_results(package, text);
            }
            integers::round(package, text);
            text.line("outQue_.EnQue(out);");
        });
        text.line("}");
        text.when("Loads<walk>(tile)", "inQue_.FreeTensor(in);");
    });
}

fn convert_results(package: &Package<'_>, text: &mut Text) {
    text.block("if constexpr (sizeof(T) != sizeof(float))", "}", |text| {
        round_results(package, "Result(out, @k@)", text);
    });
}

/// Writes C++ statements that give the queue of held parts its buffers.
pub fn init(text: &mut Text) {
    text.block("if (tiling_.held > 0)", "}", |text| {
        text.line("pipe.InitBuffer(heldQue_, PIECES, Formula::HELD * tiling_.held * sizeof(T));");
    });
}

/// Writes the C++ members.
pub fn fields(text: &mut Text) {
    text.line("// Parts of a row that UB holds between walks along it.");
    text.line("TQue<TPosition::VECIN, 1> heldQue_;\nLocalTensor<T> held_[PIECES];");
}
