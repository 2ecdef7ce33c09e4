//! Tensors with one number per row: the members of the class that copy them.
//!
//! The formula has a column of `float` for each. The numbers of a tile are one run in GM, which one copy moves, and where a row is
//! cut into chunks the number of that row.

use super::super::super::branch::in_kernel;
use super::super::super::package::Package;
use super::super::super::text::Text;
use super::super::barrier;
use super::super::cache;
use super::super::names::{cpp, if_constexpr, slot};
use super::streams::{counts, of_package};
use crate::arch::{Arch, Round};
use crate::plan::Plan;
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{Kind, Tensor};
use op_dsl_ir::{DType, Stored};

/// C++ functions that copy numbers of rows between GM and UB.
const MOVES: &str = include_str!("numbers.h");

/// C++ statements for architectures whose copies move whole blocks: scalar code moves what is less than a block.
const LOAD_BLOCKS: &str = "\
const LocalTensor<U> numbers = to.template ReinterpretCast<U>();
    const uint32_t whole = tile.rows / (BLOCK_BYTES / sizeof(U)) * (BLOCK_BYTES / sizeof(U));
    if (whole > 0) {
        DataCopy(numbers, from[tile.row], whole);
    }
    if (whole == tile.rows) {
        return;
    }
    PipeBarrier<PIPE_ALL>();
    for (uint32_t k = whole; k < tile.rows; ++k) {
        numbers.SetValue(k, from.GetValue(tile.row + k));
    }
    PipeBarrier<PIPE_ALL>();";
const STORE_BLOCKS: &str = "\
const LocalTensor<U> numbers = from.template ReinterpretCast<U>();
    const uint32_t whole = tile.rows / (BLOCK_BYTES / sizeof(U)) * (BLOCK_BYTES / sizeof(U));
    if (whole > 0) {
        DataCopy(to[tile.row], numbers, whole);
    }
    if (whole == tile.rows) {
        return;
    }
    PipeBarrier<PIPE_ALL>();
    for (uint32_t k = whole; k < tile.rows; ++k) {
        to.SetValue(tile.row + k, numbers.GetValue(k));
    }
    @flush@
    PipeBarrier<PIPE_ALL>();";

/// Replacements of the marks in [`MOVES`], as those of copies of rows.
const MARKS: [(&str, [&str; 2]); 2] = [
    (
        "@load@",
        [
            "const uint32_t bytes = tile.rows * sizeof(U);\n\
             \x20   DataCopyPad(to.template ReinterpretCast<U>(), from[tile.row], DataCopyExtParams{1, bytes, 0, 0, 0},\n\
             \x20               DataCopyPadExtParams<U>());",
            LOAD_BLOCKS,
        ],
    ),
    (
        "@store@",
        [
            "const uint32_t bytes = tile.rows * sizeof(U);\n\
             \x20   DataCopyPad(to[tile.row], from.template ReinterpretCast<U>(), DataCopyExtParams{1, bytes, 0, 0, 0});",
            STORE_BLOCKS,
        ],
    ),
];

/// Tensors with one number per row, each with its index among those of its direction.
fn tensors(tensors: &[Tensor]) -> impl Iterator<Item = (usize, &Tensor)> {
    tensors.iter().filter(|tensor| tensor.kind == Kind::PerRow).enumerate()
}

/// Returns the C++ type of a tensor's elements.
fn element(tensor: &Tensor) -> &'static str {
    tensor.own.and_then(|own| own.number()).map_or("T", cpp)
}

/// Returns the C++ type of the elements of the tensor with this name in C++.
pub fn element_of(package: &Package<'_>, name: &str) -> &'static str {
    let all = package.def.inputs.iter().chain(&*package.def.outputs);
    let tensor =
        all.filter(|tensor| tensor.kind == Kind::PerRow).find(|t| cpp_name(&t.name) == name);
    tensor.map_or("T", element)
}

/// Writes C++ statements that give the queues their buffers.
pub fn init(package: &Package<'_>, text: &mut Text) {
    let [given, returned] = counts(package);
    if given + returned > 0 {
        text.line("numbers_ = (tiling_.tileRows + FLOATS - 1) / FLOATS * FLOATS;");
    }
    for (queue, count) in [("numbersInQue_", given), ("numbersOutQue_", returned)] {
        if count > 0 {
            text.line(format!(
                "pipe.InitBuffer({queue}, DEPTH, {count} * numbers_ * sizeof(float));"
            ));
        }
    }
}

/// Writes the C++ functions.
pub fn functions(package: &Package<'_>, text: &mut Text) {
    let [given, returned] = counts(package);
    if given + returned == 0 {
        return;
    }
    text.lines(in_kernel(package, |arch| {
        let of = |[any, blocks]: [&'static str; 2]| if arch.pads { any } else { blocks };
        let moves = of_package(package, MOVES);
        let moves = MARKS.iter().fold(moves, |text, (mark, by)| text.replace(mark, of(*by)));
        moves.trim_end().replace("@flush@", &cache::flush(arch, "U"))
    }));
    text.line("");
    if given > 0 {
        read(package, text);
    }
    if returned > 0 {
        write(package, text);
    }
}

fn read(package: &Package<'_>, text: &mut Text) {
    let all = || tensors(&package.def.inputs);
    let guarded = |tensor: &Tensor, statement: String| {
        let index = package.def.input_names().iter().position(|name| *name == *tensor.name);
        let reads = |plan: &Plan| index.is_none_or(|k| plan.inputs[k].is_some());
        match package.plans.iter().filter(|plan| reads(plan)).count() {
            0 => String::new(),
            n if n == package.plans.len() => statement,
            _ => if_constexpr(&format!("Formula::READS_{}", slot(&tensor.name)), &statement),
        }
    };
    text.line("// Brings the numbers of the rows of a tile to columns of the formula.");
    text.function("__aicore__ inline void ReadNumbers(const RowTile& tile)", |text| {
        text.line("LocalTensor<float> numbers = numbersInQue_.AllocTensor<float>();");
        for (k, tensor) in all() {
            let name = cpp_name(&tensor.name);
            let load = format!("LoadNumbers(numbers[{k} * numbers_], {name}Gm_, tile);");
            text.lines(guarded(tensor, load));
        }
        text.line("numbersInQue_.EnQue(numbers);\nnumbers = numbersInQue_.DeQue<float>();");
        text.lines(barrier::statement(package));
        for (k, tensor) in all() {
            let (to, from) = (format!("formula_.Given({k})"), format!("numbers[{k} * numbers_]"));
            text.lines(guarded(tensor, converted(&to, &from, element(tensor), None)));
        }
        text.line("numbersInQue_.FreeTensor(numbers);");
    });
    text.line("");
}

fn write(package: &Package<'_>, text: &mut Text) {
    let all = || tensors(&package.def.outputs);
    text.line("// Writes the columns of results with one number per row.");
    text.function("__aicore__ inline void WriteNumbers(const RowTile& tile)", |text| {
        text.line("LocalTensor<float> numbers = numbersOutQue_.AllocTensor<float>();");
        text.lines(barrier::statement(package));
        for (k, tensor) in all() {
            let (to, from) =
                (format!("numbers[{k} * numbers_]"), format!("formula_.Returned({k})"));
            text.lines(in_kernel(package, |arch| {
                let round = match tensor.own {
                    Some(own) => format!("RoundMode::{}", rounding(arch, own).name()),
                    None => "Formula::ROUND".into(),
                };
                converted(&to, &from, element(tensor), Some(&round))
            }));
        }
        text.line("numbersOutQue_.EnQue(numbers);\nnumbers = numbersOutQue_.DeQue<float>();");
        for (k, tensor) in all() {
            let name = cpp_name(&tensor.name);
            text.line(format!("StoreNumbers({name}Gm_, numbers[{k} * numbers_], tile);"));
        }
        text.line("numbersOutQue_.FreeTensor(numbers);");
    });
    text.line("");
}

/// Returns the C++ statement that converts numbers of a type to `float`, or rounds them to it.
fn converted(to: &str, from: &str, element: &str, round: Option<&str>) -> String {
    let copy = format!("Muls({to}, {from}, 1.0f, static_cast<int32_t>(tile.rows));");
    let stored = |tensor: &str| match element {
        "T" => format!("{tensor}.template ReinterpretCast<T>()"),
        _ => format!("{tensor}.ReinterpretCast<{element}>()"),
    };
    let cast = match round {
        None => format!("Cast({to}, {}, RoundMode::CAST_NONE, tile.rows);", stored(from)),
        Some(round) => format!("Cast({}, {from}, {round}, tile.rows);", stored(to)),
    };
    match element {
        "float" => copy,
        "T" => {
            let mut text = Text::new();
            text.block("if constexpr (sizeof(T) == sizeof(float))", "} else {", |text| {
                text.line(copy);
            });
            text.line(format!("    {cast}\n}}"));
            text.finish()
        }
        _ => cast,
    }
}

/// Returns the rounding mode of a cast from `float` to a type that a tensor has of its own.
fn rounding(arch: &Arch, own: Stored) -> Round {
    if own == DType::F16 { arch.to_half } else { Round::Rint }
}

/// Writes the C++ members.
pub fn fields(package: &Package<'_>, text: &mut Text) {
    let [given, returned] = counts(package);
    if given + returned == 0 {
        return;
    }
    text.line(
        "// Numbers of rows, and room for those of the largest tile.\nuint32_t numbers_ = 0;",
    );
    for (position, queue, count) in
        [("VECIN", "numbersInQue_", given), ("VECOUT", "numbersOutQue_", returned)]
    {
        if count > 0 {
            text.line(format!("TQue<TPosition::{position}, 1> {queue};"));
        }
    }
}
