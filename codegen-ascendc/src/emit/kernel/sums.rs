//! Outputs that are sums over the elements which share an element of a broadcast input.
//!
//! The kernel is elementwise on tiles. Each core adds the terms of its tiles in UB, as unevaluated sums of two `float`, and writes
//! partial sums to the workspace. Behind a barrier over all cores the partial sums are added in the order of their slots and rounded
//! once, so that no bit depends on which core is first.
//!
//! ```text
//! walk   units of work, tiles, inputs that are broadcast
//! add    sums in UB, partial sums, results
//! ```

use super::super::package::Package;
use super::super::text::Text;
use super::names::{self, Input, inputs, slot};
use super::{barrier, formula_call};
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{Gate, OpDef, Part, Stream};

/// C++ struct of a tile.
const TILE: &str = include_str!("sums/tile.h");
/// C++ functions that walk the units of work and load what is broadcast.
const WALK: &str = include_str!("sums/walk.h");
/// C++ functions that add.
const ADD: &str = include_str!("sums/add.h");

/// C++ function that returns how many elements a buffer of UB has.
const CAPACITY: &str = include_str!("sums/capacity.h");

/// C++ constants for how an input is broadcast, used by the host and by the kernel.
///
/// The input has one element for each element of the domain (the common shape of all inputs), or one for several, or one for all.
pub const MODES: &str = "\
constexpr uint32_t WHOLE = 0;
constexpr uint32_t KEPT = 1;
constexpr uint32_t ONE = 2;";

/// Returns whether outputs of the operator are sums.
pub fn has(def: &OpDef) -> bool {
    !def.sums.is_empty()
}

/// Returns the indices of the inputs that may be broadcast. The kernel of an operator with sums broadcasts them itself.
pub fn broadcast(def: &OpDef) -> Vec<usize> {
    (0..def.inputs.len()).filter(|input| has(def) && !def.wide.contains(input)).collect()
}

/// Returns the indices of the inputs that share their shape with a sum, as a broadcast input does with its gradient.
pub fn summed(def: &OpDef) -> Vec<usize> {
    (0..def.inputs.len()).filter(|input| def.sums.iter().any(|sum| sum.input == *input)).collect()
}

/// Returns the shape of an input that shares its shape with a sum, in a call on tensors of this shape: one row of them.
///
/// It has one dimension, except where the input lies along another dimension than the last. Dimensions of 1 then precede the row.
pub fn row(def: &OpDef, input: usize, shape: &[usize]) -> Vec<usize> {
    let outer = shape.len().saturating_sub(1);
    match def.along(input) {
        Some(dim) if dim != outer => [vec![1; outer], shape[outer..].to_vec()].concat(),
        _ => shape[outer..].to_vec(),
    }
}

/// Returns the name of the field of the tiling data that says how an input is broadcast ([`MODES`]).
pub fn mode(def: &OpDef, input: usize) -> String {
    format!("{}Mode", cpp_name(&def.inputs[input].name))
}

/// Output stream that is a sum: its number among the sums, its stream and name, and the input that has its shape.
struct Sum {
    number: usize,
    stream: Stream,
    name: String,
    input: usize,
}

fn sums(def: &OpDef) -> Vec<Sum> {
    let streams = def.output_streams().into_iter().zip(def.output_names());
    let sums = streams.filter_map(|(stream, name)| Some((stream, name, def.sum(stream.tensor)?)));
    let of = |(number, (stream, name, input))| Sum { number, stream, name, input };
    sums.enumerate().map(of).collect()
}

/// Returns the input streams that are read and may be broadcast, each with its number among these.
fn shared(package: &Package<'_>) -> Vec<(usize, Input)> {
    let all = broadcast(&package.def);
    inputs(package).into_iter().filter(|i| all.contains(&i.stream.tensor)).enumerate().collect()
}

/// Returns C++ code in which each mark `@barrier@` is a barrier, or is left out where the target needs none.
fn ordered(package: &Package<'_>, text: &str) -> String {
    match barrier::statement(package) {
        "" => text.lines().filter(|l| l.trim() != "@barrier@").map(|l| format!("{l}\n")).collect(),
        statement => text.replace("@barrier@", statement),
    }
}

/// Returns the C++ expression of the index of a part (gate or value) in its tensor; 0 for a tensor without parts.
fn part(stream: Stream) -> &'static str {
    match stream.part {
        Part::Whole => "0",
        Part::Gate => "gate_",
        Part::Value => "1 - gate_",
    }
}

/// Returns two C++ arguments for a stream: whether its tensor is gated, and the index of its part (gate or value).
fn side(stream: Stream) -> String {
    format!("{}, {}", stream.part != Part::Whole, part(stream))
}

/// Writes the C++ definitions that precede the class: the constants [`MODES`], limits of copies, and the struct of a tile.
pub fn constants(text: &mut Text) {
    text.line("// How an input lies in the domain: with all elements, with one for each of `kept`, with one for all.");
    text.line(MODES).line("");
    text.line(
        "// Most rows of one copy, and widest rows, so that the gaps between them fit 32 bits.",
    );
    text.line("constexpr uint64_t MOST_ROWS = 4095;\nconstexpr uint64_t MOST_WIDTH = 1u << 29;\n");
    text.lines(TILE).line("");
}

/// Writes the members of the kernel's class. `tensors` are those that the kernel reads and writes.
pub fn members(package: &Package<'_>, tensors: &[String], text: &mut Text) {
    text.label("public:");
    public(package, tensors, text);
    text.line("").label("private:");
    for part in [WALK, ADD] {
        let process = part.split_once("\n\n").filter(|_| part == WALK);
        text.lines(ordered(package, process.map_or(part, |p| p.1))).line("");
    }
    over_sums(package, text);
    spread(package, text);
    copy_in(package, text);
    calculate(package, text);
    copy_out(package, text);
    text.line(CAPACITY);
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
    text.line(format!(
        "__aicore__ inline explicit {}(const {}& tiling)",
        def.name,
        package.tiling_data()
    ));
    text.line(format!("    : tiling_(tiling){gate}\n{{}}\n"));
    let all = def.inputs.iter().chain(def.outputs.iter()).map(|t| cpp_name(&t.name));
    let args =
        all.map(|t| if used.contains(&t) { format!("GM_ADDR {t}") } else { "GM_ADDR".into() });
    let args: Vec<String> = args.chain(["GM_ADDR workspace".into()]).collect();
    text.function(names::wrapped("__aicore__ inline void Bind(", &args, ")"), |text| {
        for t in used {
            text.line(format!("{t}Gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>({t}));"));
        }
        text.line("partialGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(workspace));");
    });
    text.line("");
    text.function("__aicore__ inline void Init(TPipe& pipe)", |text| {
        text.line("capacity_ = Capacity();");
        text.line("const uint32_t bytes = capacity_ * sizeof(T);");
        text.line("pipe.InitBuffer(inQue_, DEPTH, Formula::INPUTS * bytes);");
        text.line("pipe.InitBuffer(outQue_, DEPTH, OUTPUTS * bytes);");
        if !shared(package).is_empty() {
            text.line("pipe.InitBuffer(shared_, SHARED * bytes);");
        }
        text.line("pipe.InitBuffer(sums_, 2 * SUMS * capacity_ * sizeof(float));");
        text.line("pipe.InitBuffer(work_, WORK * capacity_ * sizeof(float));");
        text.line("pipe.InitBuffer(finite_, capacity_ / 8);");
        text.line("formula_.Init(pipe, capacity_, tiling_);");
    });
    text.line("");
    let process = WALK.split_once("\n\n").map_or("", |p| p.0);
    text.lines(process);
}

/// Writes the C++ functions that loop over all sums.
fn over_sums(package: &Package<'_>, text: &mut Text) {
    let def = &package.def;
    let sums = sums(def);
    let each = |text: &mut Text, mode_is: &str, line: &dyn Fn(&Sum) -> String| {
        for sum in &sums {
            text.when(&format!("tiling_.{} == {mode_is}", mode(def, sum.input)), line(sum));
        }
    };
    let to = |sum: &Sum| format!("{}Gm_", cpp_name(&def.outputs[sum.stream.tensor].name));
    text.function("__aicore__ inline void ClearSums(uint32_t mode)", |text| {
        each(text, "mode", &|sum| format!("Clear({});", sum.number));
    });
    text.line("");
    text.function("__aicore__ inline void StoreKept(const Tile& tile, uint64_t slot)", |text| {
        each(text, "KEPT", &|sum| {
            format!("StoreUnit({}, {}, tile, {}, slot);", sum.number, to(sum), part(sum.stream))
        });
    });
    text.line("");
    text.function("__aicore__ inline void StoreOnes(uint64_t core)", |text| {
        each(text, "ONE", &|sum| {
            let k = sum.number;
            format!("FoldAll({k}, capacity_);\nStorePartial(Work(0), Work(1), Place({k}, core, 1, 0), 1);")
        });
    });
    text.line("");
    text.function("__aicore__ inline void AddKept(uint64_t core)", |text| {
        text.when("tiling_.slots == 0", "return;  // units have written the results");
        text.line("const uint64_t step = static_cast<uint64_t>(tiling_.cores) * tiling_.finalColumns;");
        text.line("uint64_t at = core * tiling_.finalColumns;");
        text.block("for (; at < tiling_.kept; at += step)", "}", |text| {
            text.line("const uint32_t columns = AtMost(tiling_.kept - at, tiling_.finalColumns);");
            each(text, "KEPT", &|sum| {
                format!(
                    "AddSlots({}, {}[({}) * tiling_.kept + at], tiling_.slots, tiling_.kept, at, columns);",
                    sum.number, to(sum), part(sum.stream)
                )
            });
        });
    });
    text.line("");
    text.line("// Cores take turns.");
    text.function("__aicore__ inline void AddOnes(uint64_t core)", |text| {
        for sum in &sums {
            let k = sum.number;
            text.when(
                &format!("tiling_.{} == ONE && core == {k} % tiling_.cores", mode(def, sum.input)),
                format!(
                    "AddSlots({k}, {}[{}], tiling_.cores, 1, 0, 1);",
                    to(sum),
                    part(sum.stream)
                ),
            );
        }
    });
    text.line("");
}

fn gm(package: &Package<'_>, input: &Input) -> String {
    format!("{}Gm_", cpp_name(&package.def.inputs[input.stream.tensor].name))
}

/// Returns the C++ expression of the UB buffer that holds a broadcast input, expanded to the elements of a tile.
fn buffer(number: usize) -> String {
    format!("shared_.template Get<T>()[{number} * capacity_]")
}

fn spread(package: &Package<'_>, text: &mut Text) {
    text.line("// Inputs that are broadcast, as the tiles of a unit have them.");
    text.function("__aicore__ inline void Spread(const Tile& tile)", |text| {
        let shared = shared(package);
        if shared.is_empty() {
            text.line("(void)tile;  // none is read");
            return;
        }
        text.line("PipeBarrier<PIPE_ALL>();");
        for (k, input) in &shared {
            let mode = mode(&package.def, input.stream.tensor);
            text.line(input.guarded(format!(
                "SpreadOne({}, {}, tile, tiling_.{mode}, {});",
                buffer(*k),
                gm(package, input),
                part(input.stream)
            )));
        }
        text.line("PipeBarrier<PIPE_ALL>();");
    });
    text.line("");
}

fn copy_in(package: &Package<'_>, text: &mut Text) {
    let def = &package.def;
    text.function("__aicore__ inline void CopyIn(const Tile& tile)", |text| {
        text.line("LocalTensor<T> in = inQue_.AllocTensor<T>();");
        for input in inputs(package) {
            let load = format!(
                "Load(in[Formula::{} * capacity_], {}, tile, {});",
                slot(&input.name),
                gm(package, &input),
                side(input.stream)
            );
            let tensor = input.stream.tensor;
            let load = match def.wide.contains(&tensor) {
                true => load,
                false => {
                    let mut when = Text::new();
                    when.when(&format!("tiling_.{} == WHOLE", mode(def, tensor)), load);
                    when.finish()
                }
            };
            text.lines(input.guarded(load));
        }
        text.line("inQue_.EnQue(in);");
    });
    text.line("");
}

fn calculate(package: &Package<'_>, text: &mut Text) {
    let def = &package.def;
    text.function("__aicore__ inline void Calculate(const Tile& tile)", |text| {
        text.line("LocalTensor<T> in = inQue_.DeQue<T>();");
        text.line("LocalTensor<T> out = outQue_.AllocTensor<T>();");
        let shared = shared(package);
        for (k, input) in &shared {
            let mut when = Text::new();
            when.when(
                &format!("tiling_.{} != WHOLE", mode(def, input.stream.tensor)),
                format!(
                    "DataCopy(in[Formula::{} * capacity_], {}, tile.count);",
                    slot(&input.name),
                    buffer(*k)
                ),
            );
            text.lines(input.guarded(when.finish()));
        }
        if !shared.is_empty() {
            text.lines(barrier::statement(package));
        }
        text.line(formula_call::on_tile(package, false));
        for Sum { number, name, input, .. } in sums(def) {
            text.line(format!(
                "AddTile({number}, out[{} * capacity_], tile, tiling_.{});",
                slot(&name),
                mode(def, input)
            ));
        }
        text.line("inQue_.FreeTensor(in);\noutQue_.EnQue(out);");
    });
    text.line("");
}

fn copy_out(package: &Package<'_>, text: &mut Text) {
    let def = &package.def;
    text.function("__aicore__ inline void CopyOut(const Tile& tile)", |text| {
        text.line("LocalTensor<T> out = outQue_.DeQue<T>();");
        for (stream, name) in def.output_streams().into_iter().zip(def.output_names()) {
            let gm = cpp_name(&def.outputs[stream.tensor].name);
            let store = format!(
                "Store({gm}Gm_, out[{} * capacity_], tile, {});",
                slot(&name),
                side(stream)
            );
            match def.sum(stream.tensor) {
                None => text.line(store),
                Some(input) => text.when(&format!("tiling_.{} == WHOLE", mode(def, input)), store),
            };
        }
        text.line("outQue_.FreeTensor(out);");
    });
    text.line("");
}

fn fields(package: &Package<'_>, tensors: &[String], text: &mut Text) {
    let def = &package.def;
    text.line("// Slots of the results in a buffer of the output queue.");
    for (at, name) in def.output_names().iter().enumerate() {
        text.line(format!("static constexpr uint32_t {} = {at};", slot(name)));
    }
    text.line(format!("static constexpr uint32_t OUTPUTS = {};", def.output_names().len()));
    let shared = shared(package).len();
    if shared > 0 {
        text.line(format!(
            "static constexpr uint32_t SHARED = {shared};  // inputs that may be broadcast"
        ));
    }
    text.line(format!("static constexpr uint32_t SUMS = {};", sums(def).len()));
    text.line("static constexpr uint32_t WORK = 3;  // buffers of additions\n");
    text.line(format!("const {}& tiling_;", package.tiling_data()));
    if def.split.is_some() {
        text.line("// Which part of a gated tensor is the gate.\nconst uint32_t gate_;");
    }
    text.line("// Elements of the largest tile.\nuint32_t capacity_ = 0;");
    for t in tensors {
        text.line(format!("GlobalTensor<T> {t}Gm_;"));
    }
    text.line("GlobalTensor<float> partialGm_;");
    text.line("TQue<TPosition::VECIN, 1> inQue_;\nTQue<TPosition::VECOUT, 1> outQue_;");
    if shared > 0 {
        text.line("TBuf<TPosition::VECIN> shared_;");
    }
    text.line("TBuf<TPosition::VECOUT> sums_;\nTBuf<TPosition::VECOUT> work_;\nTBuf<TPosition::VECCALC> finite_;");
    text.line("Formula formula_;");
}
