//! The formula as C++: a class with one nested class per stage, and the order in which they run on a tile.

use super::super::super::package::{Cann, Package};
use super::super::super::text::Text;
use super::super::calls::{calls, start};
use super::super::names::{inputs, slot};
use super::super::{barrier, names, scalar, tiling_key};
use super::order::{Order, column, divide, floats};
use super::streams::elements;
use super::walks::{self, parameter, parameters};
use crate::plan::rows::LEVELS;
use crate::plan::{Plan, RowPlans, RowStage};
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{RowFunction, Rule};

/// C++ functions that reduce rows, and repeat numbers along them.
const REDUCE: &str = include_str!("reduce.h");

/// Returns the C++ functions that stages share.
pub fn helpers(package: &Package<'_>) -> String {
    // The older names have the number of repeats ahead of the mask.
    let (sum, max, mask) = match package.options.cann {
        Cann::V8 => ("BlockReduceSum<float>", "BlockReduceMax<float>", "repeats, mask"),
        Cann::V9 => (
            "ReduceDataBlock<ReduceType::SUM, float, float>",
            "ReduceDataBlock<ReduceType::MAX, float, float>",
            "mask, repeats",
        ),
    };
    let mask = mask.replace("repeats", "static_cast<int32_t>(repeats)");
    let text = REDUCE.replace("@levels@", &LEVELS.to_string());
    let text = text.replace("@sum@", sum).replace("@max@", max).replace("@maskFirst@", &mask);
    match barrier::statement(package) {
        "" => text.lines().filter(|l| l.trim() != "@barrier@").map(|l| format!("{l}\n")).collect(),
        statement => text.replace("@barrier@", statement),
    }
}

/// Returns the C++ class with the stages of a plan, and the order in which they run.
pub fn class(package: &Package<'_>, plan: &Plan, rows: &RowPlans) -> String {
    let mut text = Text::new();
    text.line(format!(
        "// {} stages and the results; {} vector calls a tile.",
        rows.stages.len(),
        plan.cost.calls
    ));
    text.line("template <>");
    let key = (tiling_key::dtype(package, plan.dtype), tiling_key::form(package, plan.spec));
    text.block(&format!("class Compute<{}, {}>", key.0, key.1), "};", |text| {
        text.label("public:");
        slots(package, plan, text);
        let round = plan.soc.round(plan.dtype).name();
        text.line(format!("static constexpr RoundMode ROUND = RoundMode::{round};\n"));
        walks::constants(package, rows, text);
        init(package, rows, text);
        text.line("");
        run(package, plan, rows, text);
        text.line("");
        walks::functions(package, plan, rows, text);
        columns(rows, text);
        for k in 0..rows.integers.len() {
            let head = format!("__aicore__ inline void Round{k}(const LocalTensor<float>& result, const LocalTensor<float>& integer, uint32_t count)");
            text.line("").function(head, |text| {
                text.line(format!("round{k}_.Run(result, integer, scratch_, count);"));
            });
        }
        text.line("").label("private:");
        buffers(text);
        for (k, stage) in rows.stages.iter().enumerate() {
            if let Some(plan) = stage.plan() {
                text.line("").line(format!("// Stage {k}: {}.", what(stage)));
                nested(package, plan, &format!("Stage{k}"), text);
            }
        }
        if let Some(results) = &rows.results {
            text.line("").line("// The results.");
            nested(package, results, "Results", text);
        }
        for (k, (_, plan)) in rows.integers.iter().enumerate() {
            text.line("").line("// Rounds results to integers.");
            nested(package, plan, &format!("RoundResults{k}"), text);
        }
        fields(rows, text);
    });
    text.finish()
}

fn what(stage: &RowStage) -> String {
    match stage.rule {
        Rule::Reduce(function) => format!("the terms of a {}", function.name()),
        Rule::Uniform => "a number of each row".into(),
    }
}

/// Writes C++ constants with the slot that each input stream has in a buffer of the input queue.
fn slots(package: &Package<'_>, plan: &Plan, text: &mut Text) {
    text.line("// Slots of the streams in a buffer of the input queue.");
    let mut count = 0;
    for input in inputs(package) {
        let (name, reads) = (slot(&input.name), plan.inputs[input.index].is_some());
        if !input.always {
            text.line(format!("static constexpr bool READS_{name} = {reads};"));
        }
        if !elements(package).iter().any(|element| element.index == input.index) {
            continue;
        }
        text.line(format!("static constexpr uint32_t {name} = {};", if reads { count } else { 0 }));
        count += u32::from(reads);
    }
    text.line(format!("static constexpr uint32_t INPUTS = {count};"));
}

/// Number of stages whose terms are reduced.
fn reduced(rows: &RowPlans) -> usize {
    rows.stages.iter().filter(|stage| stage.rule != Rule::Uniform).count()
}

/// Returns the names of the classes of stages, with their plans.
fn classes(rows: &RowPlans) -> Vec<(String, &Plan)> {
    let stages = rows.stages.iter().enumerate();
    let stages = stages.filter_map(|(k, stage)| Some((format!("stage{k}_"), stage.plan()?)));
    let results = rows.results.as_deref().map(|plan| ("results_".to_string(), plan));
    let integers = rows.integers.iter().enumerate();
    let integers = integers.map(|(k, (_, plan))| (format!("round{k}_"), &**plan));
    stages.chain(results).chain(integers).collect()
}

fn init(package: &Package<'_>, rows: &RowPlans, text: &mut Text) {
    let [_, masks] = rows.temporaries();
    let data = package.tiling_data();
    let head = format!(
        "__aicore__ inline void Init(TPipe& pipe, uint32_t capacity, const {data}& tiling)"
    );
    text.function(head, |text| {
        text.line("scratch_.capacity = capacity;");
        text.line("rows_ = (tiling.tileRows + FLOATS - 1) / FLOATS * FLOATS;");
        text.line("const bool cuts = tiling.path == CHUNKS;  // which takes another buffer");
        let columns = format!("(VALUES + {})", 1 + rows.given.len());
        text.line(format!("pipe.InitBuffer(columnBuf_, {columns} * rows_ * sizeof(float));"));
        text.line(format!("Duplicate(Column(0), 0.0f, static_cast<int32_t>({columns} * rows_));"));
        let (reduced, buffers) = (reduced(rows), floats(rows));
        // Where no result has a number per element, terms are always reduced in another buffer.
        if rows.results.is_none() {
            text.line(format!(
                "pipe.InitBuffer(floatBuf_, {} * capacity * sizeof(float));",
                buffers + 1
            ));
        } else if buffers > 0 {
            text.line(format!(
                "pipe.InitBuffer(floatBuf_, (cuts ? {} : {buffers}) * capacity * sizeof(float));",
                buffers + 1
            ));
        }
        text.block("if (cuts)", "}", |text| {
            if buffers == 0 && rows.results.is_some() {
                text.line("pipe.InitBuffer(floatBuf_, capacity * sizeof(float));");
            }
            let most = reduced.max(1);
            text.line(format!(
                "pipe.InitBuffer(partialBuf_, {most} * LEVELS * ROW_BLOCK * sizeof(float));"
            ));
        });
        if rows.temporaries()[0] > 0 {
            let first = floats(rows) - rows.temporaries()[0];
            text.line(format!("scratch_.floats = Buffer({first});"));
        }
        if masks > 0 {
            text.line(format!("pipe.InitBuffer(bitBuf_, {masks} * scratch_.Bits());"));
            text.line("scratch_.bits = bitBuf_.Get<uint8_t>();");
        }
        for (name, plan) in classes(rows) {
            let (pipe, tiling) = starts(package, plan);
            let args: Vec<&str> =
                [(pipe, "pipe"), (tiling, "tiling")].iter().filter(|a| a.0).map(|a| a.1).collect();
            if !args.is_empty() {
                text.line(format!("{name}.Init({});", args.join(", ")));
            }
        }
        text.lines(barrier::statement(package));
    });
}

/// Returns two flags: whether the class of a plan needs the pipe, and whether it needs the tiling, to be initialised.
fn starts(package: &Package<'_>, plan: &Plan) -> (bool, bool) {
    (!plan.splats.is_empty(), !scalar::uniforms(&package.def, plan).lines.is_empty())
}

fn run(package: &Package<'_>, plan: &Plan, rows: &RowPlans, text: &mut Text) {
    let outs = rows.results.iter().flat_map(|results| &results.outputs);
    let outs = outs.map(|name| parameter(true, name));
    let params: Vec<String> = parameters(package, |stream| plan.inputs[stream].is_some())
        .into_iter()
        .chain(outs)
        .chain(["const RowTile& tile".into()])
        .collect();
    let mut order = Order::new(plan, rows);
    text.function(names::wrapped("__aicore__ inline void Run(", &params, ")"), |text| {
        let work = match rows.results.as_deref() {
            None => format!("Buffer({});", floats(rows)),
            Some(results) => {
                format!("{};  // until there are results", cpp_name(&results.outputs[0]))
            }
        };
        text.line(format!("const LocalTensor<float> work = {work}"));
        for (k, stage) in rows.stages.iter().enumerate() {
            match stage.rule {
                Rule::Uniform => order.uniform(package, k, "tile.rows", text),
                Rule::Reduce(function) => {
                    order.terms(package, k, true, text);
                    let max = function == RowFunction::Max;
                    text.line(format!("ReduceRows<{max}>({}, work, tile);", column(k)));
                    let length = "static_cast<float>(tile.columns)";
                    divide(function, k, [length, "tile.rows"], text);
                }
            }
        }
        order.results(package, text);
    });
}

/// Writes the C++ functions that return the columns of tensors with one number per row.
fn columns(rows: &RowPlans, text: &mut Text) {
    let (given, returned) = (rows.given.len(), rows.returned.len());
    let of_tensors = [
        (given, "Given", "VALUES + 1 + k", "Columns of inputs"),
        (returned, "Returned", "VALUES - RETURNED + k", "Columns of results"),
    ];
    for (_, name, index, what) in of_tensors.iter().filter(|of| of.0 > 0) {
        text.line("").line(format!("// {what} with one number per row."));
        text.line(format!(
            "__aicore__ inline LocalTensor<float> {name}(uint32_t k) {{ return Column({index}); }}"
        ));
    }
}

/// Writes the C++ functions that return buffers.
fn buffers(text: &mut Text) {
    text.line("// Numbers of a stage, one of each row of a tile.");
    text.line("__aicore__ inline LocalTensor<float> Column(uint32_t stage) { return columnBuf_.Get<float>()[stage * rows_]; }");
    text.line("// Kept terms, numbers of rows repeated along them, temporaries; where rows are cut, terms that are reduced.");
    text.line("__aicore__ inline LocalTensor<float> Buffer(uint32_t k) { return floatBuf_.Get<float>()[k * scratch_.capacity]; }");
    text.line("// Partial results of the chunks of a row.");
    text.line("__aicore__ inline LocalTensor<float> Partial(uint32_t k) { return partialBuf_.Get<float>()[k * LEVELS * ROW_BLOCK]; }");
}

/// Writes the C++ class that makes the vector calls of one plan.
fn nested(package: &Package<'_>, plan: &Plan, name: &str, text: &mut Text) {
    let uniforms = scalar::uniforms(&package.def, plan);
    text.block(&format!("class {name}"), "};", |text| {
        text.label("public:");
        let (pipe, tiling) = starts(package, plan);
        if pipe || tiling {
            let data = format!("const {}& tiling", package.tiling_data());
            let params = [(pipe, "TPipe& pipe"), (tiling, &data)];
            let params: Vec<&str> = params.iter().filter(|p| p.0).map(|p| p.1).collect();
            text.function(format!("__aicore__ inline void Init({})", params.join(", ")), |text| {
                start(plan, &uniforms, text);
            });
            text.line("");
        }
        let tensor = |name: &String| format!("const LocalTensor<float>& {}", cpp_name(name));
        let params = plan.inputs.iter().flatten().chain(&plan.outputs).map(tensor);
        let has_scratch = plan.temps > 0 || plan.masks > 0;
        let scratch = if has_scratch { "const Scratch& scratch" } else { "const Scratch&" };
        let params: Vec<String> =
            params.chain([scratch.to_string(), "uint32_t count".into()]).collect();
        text.function(names::wrapped("__aicore__ inline void Run(", &params, ")"), |text| {
            for k in 0..plan.temps {
                text.line(format!(
                    "const LocalTensor<float> t{k} = scratch.floats[{k} * scratch.capacity];"
                ));
            }
            for k in 0..plan.masks {
                text.line(format!(
                    "const LocalTensor<uint8_t> m{k} = scratch.bits[{k} * scratch.Bits()];"
                ));
            }
            calls(package, plan, text);
        });
        if pipe || tiling {
            text.line("").label("private:");
        }
        for k in 0..plan.splats.len() {
            text.line(format!("TBuf<TPosition::VECCALC> {}Buf_;", names::splat(plan, k)));
        }
        for member in &uniforms.members {
            text.line(format!("float {member}_;"));
        }
    });
}

fn fields(rows: &RowPlans, text: &mut Text) {
    text.line("");
    text.line(format!("static constexpr uint32_t VALUES = {};", rows.stages.len()));
    if !rows.returned.is_empty() {
        text.line(format!("static constexpr uint32_t RETURNED = {};", rows.returned.len()));
    }
    text.line("");
    text.line(
        "Scratch scratch_;\n// Rows of the largest tile, in whole repeats.\nuint32_t rows_ = 0;",
    );
    for buffer in ["column", "float", "partial"] {
        text.line(format!("TBuf<TPosition::VECCALC> {buffer}Buf_;"));
    }
    if rows.temporaries()[1] > 0 {
        text.line("TBuf<TPosition::VECCALC> bitBuf_;");
    }
    for (k, stage) in rows.stages.iter().enumerate() {
        if stage.plan().is_some() {
            text.line(format!("Stage{k} stage{k}_;"));
        }
    }
    if rows.results.is_some() {
        text.line("Results results_;");
    }
    for k in 0..rows.integers.len() {
        text.line(format!("RoundResults{k} round{k}_;"));
    }
}
