//! The formula on a row that does not fit UB: functions for a chunk of the row in each walk, and for the end of a walk.

use super::super::super::package::Package;
use super::super::super::text::Text;
use super::super::names::{self, slot};
use super::order::{Order, column, divide, floats};
use super::streams::{begins, elements};
use crate::plan::{Plan, RowPlans, Walk};
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{RowFunction, Rule};

/// Writes C++ constants: the number of walks, those that read each stream, and the slots of streams that UB holds between walks.
pub fn constants(package: &Package<'_>, rows: &RowPlans, text: &mut Text) {
    let results = usize::from(rows.results.is_some());
    let (walks, held) = (rows.walks().len() - results, rows.held());
    text.line("// Walks along a row that does not fit UB, before that of the results.");
    text.line(format!("static constexpr uint32_t WALKS = {walks};"));
    text.line("// Streams that several walks read, of which UB holds as much as fits.");
    text.line(format!("static constexpr uint32_t HELD = {};", held.len()));
    text.line("// Walks that read each stream, as bits, and the slot of a stream that UB holds.");
    for input in elements(package) {
        let name = slot(&input.name);
        let walks = rows.walks_of(input.index);
        let at = held.iter().position(|stream| *stream == input.index);
        text.line(format!("static constexpr uint32_t WALKS_{name} = {walks};"));
        let at = at.map_or("HELD".into(), |at| at.to_string());
        text.line(format!("static constexpr uint32_t HELD_{name} = {at};"));
    }
    let others = rows.elements().filter(|stream| !held.contains(stream));
    let streamed = others.fold(0, |all, stream| all | rows.walks_of(stream));
    text.line("// Walks that read other streams, as bits.");
    text.line(format!("static constexpr uint32_t STREAMED = {streamed};\n"));
}

/// Writes the C++ functions.
pub fn functions(package: &Package<'_>, plan: &Plan, rows: &RowPlans, text: &mut Text) {
    let walks = rows.walks();
    if begins(package) {
        text.line("// Numbers of a row that no walk along it computes.");
        text.function("__aicore__ inline void BeginRow()", |text| {
            rows.first()
                .iter()
                .for_each(|k| Order::new(plan, rows).uniform(package, *k, "1", text));
        });
        text.line("");
    }
    let reducing = &walks[..walks.len() - usize::from(rows.results.is_some())];
    if !reducing.is_empty() {
        terms(package, plan, rows, reducing, text);
        text.line("");
        end(package, plan, rows, reducing, text);
        text.line("");
    }
    let (Some(of_results), Some(results)) = (&rows.results, walks.last()) else { return };
    let outs = of_results.outputs.iter().map(|name| parameter(true, name));
    let is_read = |stream: usize| rows.reads(results, true, stream);
    let params: Vec<String> = parameters(package, is_read).into_iter().chain(outs).collect();
    text.line("// The results of a chunk.");
    text.function(head("ComputeResults", params), |text| {
        work(rows, text);
        let mut order = Order::new(plan, rows);
        results.computed.iter().for_each(|k| order.terms(package, *k, false, text));
        order.results(package, text);
    });
}

/// Writes the C++ function that computes terms of a chunk and reduces them, for each walk ahead of the results.
fn terms(package: &Package<'_>, plan: &Plan, rows: &RowPlans, walks: &[Walk], text: &mut Text) {
    let is_read = |stream: usize| walks.iter().any(|walk| rows.reads(walk, false, stream));
    text.line("// The terms of a chunk in one of the walks, reduced to partial results.");
    text.line("template <uint32_t walk>");
    text.function(head("ReduceTerms", parameters(package, is_read)), |text| {
        work(rows, text);
        let block = |walk: &Walk| {
            let mut text = Text::new();
            let mut order = Order::new(plan, rows);
            for k in &walk.computed {
                let is_reduced = walk.reduced.contains(k);
                order.terms(package, *k, is_reduced, &mut text);
                if let (true, Some(function)) = (is_reduced, function(rows, *k)) {
                    let (max, partial) = (function == RowFunction::Max, partial(rows, *k));
                    text.line(format!("ReduceChunk<{max}>({partial}, work, tile);"));
                }
            }
            text.finish()
        };
        by_walk(walks, block, text);
    });
}

/// Writes the C++ function that computes values of a row at the end of a walk.
fn end(package: &Package<'_>, plan: &Plan, rows: &RowPlans, walks: &[Walk], text: &mut Text) {
    let is_mean = |k: &usize| function(rows, *k) == Some(RowFunction::Mean);
    let has_mean = walks.iter().flat_map(|walk| &walk.reduced).any(is_mean);
    let length = if has_mean { "float length" } else { "float" };
    text.line("// Numbers of a row of so many chunks and elements, at the end of a walk.");
    text.line("template <uint32_t walk>");
    let head = format!("__aicore__ inline void EndWalk(uint32_t chunks, {length})");
    text.function(head, |text| {
        let block = |walk: &Walk| {
            let mut text = Text::new();
            for k in &walk.reduced {
                let Some(function) = function(rows, *k) else { continue };
                let (max, partial) = (function == RowFunction::Max, partial(rows, *k));
                text.line(format!("ReduceChunks<{max}>({}, {partial}, chunks);", column(*k)));
                divide(function, *k, ["length", "1"], &mut text);
            }
            let order = Order::new(plan, rows);
            walk.uniform.iter().for_each(|k| order.uniform(package, *k, "1", &mut text));
            text.finish()
        };
        by_walk(walks, block, text);
    });
}

/// Writes a block of C++ statements for each walk, of which a kernel has those of the template's argument.
fn by_walk(walks: &[Walk], block: impl Fn(&Walk) -> String, text: &mut Text) {
    let condition =
        |k: usize| format!("{}if constexpr (walk == {k})", if k > 0 { "else " } else { "" });
    let blocks: Vec<(String, String)> =
        walks.iter().enumerate().map(|(k, walk)| (condition(k), block(walk))).collect();
    text.chain(&blocks);
}

fn function(rows: &RowPlans, stage: usize) -> Option<RowFunction> {
    match rows.stages[stage].rule {
        Rule::Reduce(function) => Some(function),
        Rule::Uniform => None,
    }
}

/// Returns the C++ expression of the blocks with partial results of a stage.
fn partial(rows: &RowPlans, stage: usize) -> String {
    let before = (0..stage).filter(|k| function(rows, *k).is_some()).count();
    format!("Partial({before})")
}

/// Writes the C++ statement that declares the buffer in which terms are reduced, and blocks of numbers repeated.
fn work(rows: &RowPlans, text: &mut Text) {
    text.line(format!("const LocalTensor<float> work = Buffer({});", floats(rows)));
}

fn head(name: &str, params: Vec<String>) -> String {
    let params: Vec<String> = params.into_iter().chain(["const RowTile& tile".into()]).collect();
    names::wrapped(&format!("__aicore__ inline void {name}("), &params, ")")
}

/// Returns the C++ parameters for all streams; those that are not read have no name.
pub fn parameters(package: &Package<'_>, is_read: impl Fn(usize) -> bool) -> Vec<String> {
    elements(package).iter().map(|input| parameter(is_read(input.index), &input.name)).collect()
}

/// Returns the C++ parameter for a stream.
pub fn parameter(is_read: bool, name: &str) -> String {
    let name = if is_read { format!(" {}", cpp_name(name)) } else { String::new() };
    format!("const LocalTensor<float>&{name}")
}
