//! The kernel's class: buffers, copies, and the path of a tile through UB.

use super::super::branch::in_kernel;
use super::super::package::Package;
use super::super::scheme::{Class, Scheme};
use super::super::text::Text;
use super::super::tree::File;
use super::names::{self, Input, cpp, header_file, inputs, namespace, slot};
use super::rows::{Rows, any_lone, rows};
use super::{cache, counts, formula_call, row_functions, small, sums, tiling_key, truths};
use crate::arch::Arch;
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{Gate, Part, Stream};

/// Returns the file `<op>.h`, which has the kernel's class.
pub fn file(package: &Package<'_>) -> File {
    header_file(package, "", "the way of a tile through UB", |text| body(package, text))
}

fn body(package: &Package<'_>, text: &mut Text) {
    let snake = package.snake();
    text.line("#include \"kernel_operator.h\"");
    let class = Scheme::of(&package.def).class;
    let walk = (class == Class::Elements).then_some("walk");
    for part in ["compute", "tiling_data", "tiling_key"].into_iter().chain(walk) {
        text.line(format!("#include \"{snake}_{part}.h\""));
    }
    text.line(format!("\nnamespace {} {{\n", namespace(package)));
    constants(package, text);
    if class == Class::Sums {
        sums::constants(text);
    }
    text.line("template <uint32_t dtype, uint32_t form, bool small>");
    text.block(&format!("class {}", package.def.name), "};", |text| {
        text.line("using T = typename Element<dtype>::Type;");
        text.line("using Formula = Compute<dtype, form>;\n");
        match class {
            Class::Sums => return sums::members(package, &tensors(package), text),
            Class::Rows => return row_functions::members(package, &tensors(package), text),
            Class::Elements => {}
        }
        text.label("public:");
        public(package, text);
        text.line("").label("private:");
        copy_in(package, text);
        calculate(package, text);
        copy_out(package, text);
        counts::functions(package, text);
        text.line(CAPACITY);
        text.lines(in_kernel(package, |arch| moves(package, arch)));
        text.line("");
        truths::load(package, text);
        if tiling_key::has_small(package) {
            small::parting(package, text);
        }
        members(package, text);
    });
    text.line(format!("\n}}  // namespace {}", namespace(package)));
}

fn constants(package: &Package<'_>, text: &mut Text) {
    text.line("// Buffers of each queue: the next tile comes in while this one is computed.");
    text.line("constexpr uint32_t DEPTH = 2;");
    text.line("// UB addresses and rows in UB start at multiples of this.");
    text.line("constexpr uint32_t BLOCK_BYTES = 32;\n");
    text.line("template <uint32_t dtype>\nstruct Element;\n");
    for dtype in package.dtypes() {
        let key = tiling_key::dtype(package, dtype);
        let element = format!(
            "template <>\nstruct Element<{key}> {{\n    using Type = {};\n}};\n",
            cpp(dtype)
        );
        let has = |arch: &Arch| package.plans_of(arch).any(|p| p.dtype == dtype);
        let of = |arch| if has(arch) { element.clone() } else { String::new() };
        text.lines(in_kernel(package, of)).line("");
    }
}

/// Lists the inputs that the kernel reads and the outputs, by their C++ names.
fn tensors(package: &Package<'_>) -> Vec<String> {
    let ins = inputs(package);
    let def = &package.def;
    let read = |t: usize| ins.iter().any(|i| i.stream.tensor == t) || def.rows() == Some(t);
    let inputs = def.inputs.iter().enumerate().filter(|(t, _)| read(*t)).map(|(_, t)| t);
    inputs.chain(def.outputs.iter()).map(|t| cpp_name(&t.name)).collect()
}

/// Returns the C++ type of a tensor's elements, given the tensor's C++ name.
fn element(package: &Package<'_>, tensor: &str) -> &'static str {
    let truths = truths::streams(package);
    if counts::tensor(package).is_some_and(|counts| counts == tensor) {
        "int64_t"
    } else if truths.iter().any(|i| cpp_name(&i.name) == tensor) {
        "uint8_t"
    } else {
        "T"
    }
}

fn public(package: &Package<'_>, text: &mut Text) {
    let def = &package.def;
    let (op, data) = (&def.name, package.tiling_data());
    let split = def.split.is_some();
    let gate = match def.split.as_ref().map(|s| s.gate) {
        Some(Gate::Left) => "0",
        Some(Gate::Right) => "tiling.columns",
        Some(Gate::LeftIf(_)) => "tiling.gateFirst != 0 ? 0 : tiling.columns",
        None => "",
    };
    let start = if split {
        format!(": tiling_(tiling), gate_({gate}), value_(tiling.columns - gate_)")
    } else {
        ": tiling_(tiling)".to_string()
    };
    text.line(format!("__aicore__ inline explicit {op}(const {data}& tiling)"));
    text.line(format!("    {start}\n{{}}\n"));
    let all = def.inputs.iter().chain(def.outputs.iter());
    let used = tensors(package);
    let args: Vec<String> = all
        .map(|t| cpp_name(&t.name))
        .map(|t| if used.contains(&t) { format!("GM_ADDR {t}") } else { "GM_ADDR".into() })
        .collect();
    text.function(names::wrapped("__aicore__ inline void Bind(", &args, ")"), |text| {
        for t in &used {
            let ty = element(package, t);
            text.line(format!("{t}Gm_.SetGlobalBuffer(reinterpret_cast<__gm__ {ty}*>({t}));"));
        }
    });
    text.line("");
    text.function("__aicore__ inline void Init(TPipe& pipe)", |text| {
        text.line("capacity_ = Capacity();");
        text.line("const uint32_t bytes = capacity_ * sizeof(T);");
        let slots = match any_lone(package) {
            true => "(small ? Formula::INPUTS_IN_ROWS : Formula::INPUTS)",
            false => "Formula::INPUTS",
        };
        text.line(format!("pipe.InitBuffer(inQue_, DEPTH, {slots} * bytes);"));
        text.line("pipe.InitBuffer(outQue_, DEPTH, OUTPUTS * bytes);");
        truths::init(package, text);
        if tiling_key::has_small(package) {
            small::init(package, text);
        }
        text.line("formula_.Init(pipe, capacity_, tiling_);");
        counts::init(package, text);
    });
    text.line("");
    text.function("__aicore__ inline void Process()", |text| {
        text.line("Walk walk(tiling_);\nTile tile;");
        text.block("while (walk.Next(tile))", "}", |text| {
            text.lines(in_kernel(package, whole_blocks));
            text.lines(counts::unless_cleared(package, "CopyIn(tile);\nCalculate(tile);"));
            text.line("CopyOut(tile);");
        });
    });
}

/// Returns the C++ arguments that say where a stream's elements are in GM.
///
/// A stream is a tensor or one part of a gated tensor. The arguments are the distance of rows in elements, and the offset of
/// the part in a row.
fn side(stream: Stream) -> &'static str {
    match stream.part {
        Part::Whole => "tiling_.columns, 0",
        Part::Gate => "2 * tiling_.columns, gate_",
        Part::Value => "2 * tiling_.columns, value_",
    }
}

/// Writes a C++ member function that executes `lines` for one tile, for example `CopyIn`.
fn step(text: &mut Text, name: &str, lines: &[String]) {
    let head = format!("__aicore__ inline void {name}(const Tile& tile)");
    text.function(head, |text| {
        text.each(lines);
    });
    text.line("");
}

fn copy_in(package: &Package<'_>, text: &mut Text) {
    let ins: Vec<Input> = inputs(package).into_iter().filter(|i| !i.truths).collect();
    let gm = |s: Stream| format!("{}Gm_", cpp_name(&package.def.inputs[s.tensor].name));
    let dense = |i: &Input| {
        let at = slot(&i.name);
        let side = side(i.stream);
        i.guarded(format!("Load(in[Formula::{at} * capacity_], {}, tile, {side});", gm(i.stream)))
    };
    let (whole, parts): (Vec<&Input>, Vec<&Input>) =
        ins.iter().partition(|i| i.stream.part == Part::Whole);
    let mut lines = vec!["LocalTensor<T> in = inQue_.AllocTensor<T>();".to_string()];
    lines.extend(whole.iter().map(|i| dense(i)));
    let parted: Vec<String> = parts.iter().map(|i| dense(i)).collect();
    if tiling_key::has_small(package) && !parts.is_empty() {
        let both = |rows: &Rows| {
            let (tensor, at) = (&rows.name, rows.slot(package));
            rows.guarded(format!(
                "Load(in[Formula::{at} * capacity_], {tensor}Gm_, tile, 2 * tiling_.columns, 0);"
            ))
        };
        lines.push(branch(rows(package).iter().map(both).collect(), parted));
    } else {
        lines.extend(parted);
    }
    lines.push("inQue_.EnQue(in);".into());
    lines.extend(truths::copy_in(package));
    step(text, "CopyIn", &lines);
}

/// Returns C++ code that executes `small` in kernels for small rows and `dense` in all other kernels.
fn branch(small: Vec<String>, dense: Vec<String>) -> String {
    let mut blocks = vec![("if constexpr (small)".to_string(), small.join("\n"))];
    if !dense.is_empty() {
        blocks.push(("else".into(), dense.join("\n")));
    }
    let mut text = Text::new();
    text.chain(&blocks);
    text.finish()
}

fn calculate(package: &Package<'_>, text: &mut Text) {
    let mut lines = vec![
        "LocalTensor<T> in = inQue_.DeQue<T>();".to_string(),
        "LocalTensor<T> out = outQue_.AllocTensor<T>();".to_string(),
    ];
    lines.extend(truths::take(package));
    if tiling_key::has_small(package) {
        let mut parted = small::part(package);
        parted.push(formula_call::on_tile(package, true));
        parted.extend(small::join(package));
        let parted = small::unless_pairs(package, parted);
        lines.push(branch(parted, vec![formula_call::on_tile(package, false)]));
    } else {
        lines.push(formula_call::on_tile(package, false));
    }
    lines.push("inQue_.FreeTensor(in);".into());
    lines.extend(truths::free(package));
    lines.extend(counts::clear_rows(package));
    lines.push("outQue_.EnQue(out);".into());
    step(text, "Calculate", &lines);
}

fn copy_out(package: &Package<'_>, text: &mut Text) {
    let def = &package.def;
    let (streams, names) = (def.output_streams(), def.output_names());
    let outs: Vec<(&Stream, &String)> = streams.iter().zip(&names).collect();
    let gm = |s: &Stream| format!("{}Gm_", cpp_name(&def.outputs[s.tensor].name));
    let store = |(s, n): &(&Stream, &String), side: &str| {
        format!("Store({}, out[{} * capacity_], tile, {side});", gm(s), slot(n))
    };
    let mut lines = vec!["LocalTensor<T> out = outQue_.DeQue<T>();".to_string()];
    let (whole, parts): (Vec<_>, Vec<_>) = outs.iter().partition(|(s, _)| s.part == Part::Whole);
    lines.extend(whole.iter().map(|o| store(o, side(*o.0))));
    let parted: Vec<String> = parts.iter().map(|o| store(o, side(*o.0))).collect();
    if tiling_key::has_small(package) && !parts.is_empty() {
        let gates = parts.iter().filter(|(s, _)| s.part == Part::Gate);
        let both = gates.map(|o| store(o, "2 * tiling_.columns, 0")).collect();
        lines.push(branch(both, parted));
    } else {
        lines.extend(parted);
    }
    lines.push("outQue_.FreeTensor(out);".into());
    step(text, "CopyOut", &lines);
}

/// C++ function `Capacity`, which returns how many elements the largest tile has.
const CAPACITY: &str = include_str!("capacity.h");
/// C++ functions that copy between GM and UB, for architectures where copies can have any length.
const MOVES: &str = include_str!("moves.h");
const MOVES_OF_BLOCKS: &str = include_str!("moves_aligned.h");

/// Returns a C++ statement that rounds a tile's element count up to whole blocks of 32 bytes.
///
/// The statement is empty on architectures that can copy any length. Where a row's last block overlaps the block before it, the
/// last block is computed as a whole.
fn whole_blocks(arch: &Arch) -> String {
    let mut text = Text::new();
    if !arch.pads {
        text.when("!ORDERED", "tile.count = (tile.count + BLOCK - 1) / BLOCK * BLOCK;");
    }
    text.finish()
}

fn moves(package: &Package<'_>, arch: &Arch) -> String {
    let flush = cache::flush(arch, "T");
    // Masks must keep the order of the numbers they belong to.
    let ordered = if truths::streams(package).is_empty() { "small" } else { "true" };
    let of_blocks = MOVES_OF_BLOCKS.replace("@flush@", &flush).replace("@ordered@", ordered);
    if arch.pads { MOVES.into() } else { of_blocks }
}

fn members(package: &Package<'_>, text: &mut Text) {
    let def = &package.def;
    text.line("// Slots of the results in a buffer of the output queue.");
    for (at, name) in def.output_names().iter().enumerate() {
        text.line(format!("static constexpr uint32_t {} = {at};", slot(name)));
    }
    text.line(format!("static constexpr uint32_t OUTPUTS = {};\n", def.output_names().len()));
    text.line(format!("const {}& tiling_;", package.tiling_data()));
    if def.split.is_some() {
        text.line("// Where the parts start in a row of a tensor that has both.");
        text.line("const uint64_t gate_;\nconst uint64_t value_;");
    }
    text.line("// Elements of the largest tile.\nuint32_t capacity_ = 0;");
    for t in tensors(package) {
        text.line(format!("GlobalTensor<{}> {t}Gm_;", element(package, &t)));
    }
    text.line("TQue<TPosition::VECIN, 1> inQue_;\nTQue<TPosition::VECOUT, 1> outQue_;");
    counts::members(package, text);
    truths::members(package, text);
    if tiling_key::has_small(package) {
        small::members(package, text);
    }
    text.line("Formula formula_;");
}
