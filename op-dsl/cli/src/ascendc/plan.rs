//! The plan of an operator on an NPU, as a readable table.

mod registers;
mod words;

use crate::table::{Table, indent};
use codegen_ascendc::plan::{
    Bound, Buffer, DEPTH, Instr, Operand, Plan, RowStage, Storage, Terms, plan_with,
};
use codegen_ascendc::sequence::Api;
use codegen_ascendc::sequence::form::Limits;
use op_dsl_ir::op::{OpDef, Rule};
use op_dsl_ir::{DType, Prim, Stored};
use words::{change, scalar};

/// Returns a text that shows a plan: vector calls, buffers, use of the unified buffer (UB) and cost.
pub fn show(def: &OpDef, plan: &Plan) -> String {
    let (soc, arch) = (plan.soc.name, plan.soc.arch.number);
    let limits = limits(def, plan);
    let heading = format!("Calls on {soc} (architecture {arch}) in {}, {limits}", plan.dtype);
    let (forms, calls) = (forms(plan), calls(def, plan));
    let body = format!("{forms}{calls}\n{}\n{}", buffers(def, plan), cost(def, plan));
    format!("{heading}\n{}", indent(&body, 2))
}

/// Says that results at infinity are right, and how many of the plan's cycles that costs.
fn limits(def: &OpDef, plan: &Plan) -> String {
    let storage = plan.registers.as_ref().map_or(Storage::Memory, |_| Storage::Registers);
    let free = plan_with(def, plan.spec, plan.dtype, plan.soc, storage, Limits::Free);
    let more = free.map_or(0.0, |free| plan.cost.cycles - free.cost.cycles);
    match more > 0.0 {
        true => format!("right at infinity, which takes {} of its cycles", short(more)),
        false => "right at infinity".into(),
    }
}

/// Summarises the cost of a plan in one line.
pub fn brief(plan: &Plan) -> String {
    let (soc, cost) = (plan.soc.name, &plan.cost);
    let (calls, cycles) = (cost.calls, cost.cycles);
    let of = format!("{calls} vector calls per tile, {cycles} cycles per 64 elements");
    format!("On {soc} in {}: {of}; `--soc {soc}` shows them\n", plan.dtype)
}

/// Lists the variant that implements each smooth primitive, with a note on its assumptions.
fn forms(plan: &Plan) -> String {
    let of = |(prim, form): &(Prim, &str)| {
        let note = codegen_ascendc::note(*prim);
        format!("{}: form {form}: {note}\n", prim.row().name)
    };
    plan.forms.iter().map(of).collect()
}

fn calls(def: &OpDef, plan: &Plan) -> String {
    if let Some(on) = &plan.registers {
        return registers::calls(def, plan, on);
    }
    if let Some(rows) = &plan.rows {
        let stages: String =
            rows.stages.iter().enumerate().map(|stage| of_stage(def, stage)).collect();
        let results = rows.results.iter();
        let results = results.map(|plan| format!("Results\n{}", calls(def, plan)));
        let integers = rows.integers.iter().map(|(output, plan)| {
            format!("Integers of {}\n{}", def.output_names()[*output], calls(def, plan))
        });
        return [stages].into_iter().chain(results).chain(integers).collect();
    }
    let mut table = Table::new(&["call", "name", "type", "to", "from", "value"]);
    for (i, instr) in plan.instrs.iter().enumerate() {
        let (number, ty) = ((i + 1).to_string(), types(instr));
        let (to, from) = (plan.buffer(instr.dst), operands(def, plan, instr));
        table.row([&number, instr.api.name(), &ty, &to, &from, instr.what]);
    }
    table.to_text()
}

/// Lists the vector calls of a stage, and says how its terms are reduced.
fn of_stage(def: &OpDef, (k, stage): (usize, &RowStage)) -> String {
    let what = match stage.rule {
        Rule::Reduce(function) => format!("{} along each row", function.name()),
        Rule::Uniform => "once per row".into(),
    };
    let calls = match &stage.from {
        Terms::Plan(plan) => calls(def, plan),
        Terms::Stream(stream) => {
            format!("terms are elements of {}\n", def.input_names()[*stream])
        }
    };
    format!("Stage row{k}, {what}\n{calls}")
}

fn types(instr: &Instr) -> String {
    change(instr.from, instr.to)
}

fn operands(def: &OpDef, plan: &Plan, instr: &Instr) -> String {
    let one = |o: &Operand| match *o {
        Operand::Buffer(b) => plan.buffer(b),
        Operand::Splat(k) => scalar(def, plan, plan.splats[k]),
    };
    let mut all: Vec<String> = instr.srcs.iter().map(one).collect();
    all.extend(instr.scalar.map(|s| scalar(def, plan, s)));
    if let Api::Cast(round) = instr.api {
        all.push(round.name().to_string());
    }
    all.join(", ")
}

fn buffers(def: &OpDef, plan: &Plan) -> String {
    let mut table = Table::new(&["buffers", "bytes per element"]);
    let size = plan.dtype.size();
    let queued = |n: usize| (n * size * DEPTH as usize).to_string();
    let of = |masks: bool| -> Vec<&str> {
        let inputs = plan.inputs.iter().enumerate().filter(|(k, _)| def.is_mask(*k) == masks);
        inputs.filter_map(|(_, name)| name.as_deref()).collect()
    };
    let (ins, masks) = (of(false), of(true));
    table.row([format!("{DEPTH} of each input: {}", ins.join(", ")), queued(ins.len())]);
    if !masks.is_empty() {
        let each = if def.masks() == Stored::Bit { 0.125 } else { 1.0 };
        let bytes = masks.len() as f64 * each * DEPTH as f64;
        table.row([format!("{DEPTH} of each mask: {}", masks.join(", ")), bytes.to_string()]);
    }
    let outs = plan.outputs.join(", ");
    table.row([format!("{DEPTH} of each output: {outs}"), queued(plan.outputs.len())]);
    if let Some(rows) = &plan.rows {
        let converted = if plan.dtype == DType::F32 { 0 } else { ins.len() + plan.outputs.len() };
        let [temps, masks] = rows.temporaries();
        let kept = rows.kept().count();
        for (n, what, bytes) in [
            (converted, "streams and results in f32", 4.0),
            (kept, "terms that later stages read", 4.0),
            (rows.repeated, "values of rows, repeated", 4.0),
            (temps, "temporary, in f32", 4.0),
            (masks, "temporary, of bits", 0.125),
        ] {
            if n > 0 {
                table.row([format!("{n} of {what}"), (n as f64 * bytes).to_string()]);
            }
        }
    }
    let names = |n: usize, of: fn(usize) -> Buffer| {
        (0..n).map(|k| plan.buffer(of(k))).collect::<Vec<_>>().join(", ")
    };
    let rows = [
        (plan.temps, "in f32", Buffer::Temp as fn(usize) -> Buffer, 32),
        (plan.halves, plan.dtype.name(), Buffer::Half, 16),
        (plan.masks, "of bits", Buffer::Mask, 1),
    ];
    for (n, what, of, bits) in rows.into_iter().filter(|r| r.0 > 0) {
        table.row([
            format!("temporary, {what}: {}", names(n, of)),
            (n as f64 * bits as f64 / 8.0).to_string(),
        ]);
    }
    table.row(["all of a tile", &plan.bytes_per_element().to_string()]);
    let mut text = table.to_text();
    if !plan.splats.is_empty() {
        let all: Vec<String> = plan.splats.iter().map(|s| scalar(def, plan, *s)).collect();
        text += &format!("vectors of 256 bytes, written once: {}\n", all.join(", "));
    }
    text
}

fn cost(def: &OpDef, plan: &Plan) -> String {
    let c = &plan.cost;
    let (used, reported) = (plan.ub_used(), plan.soc.reported_ub());
    let share = 100.0 * used as f64 / reported as f64;
    let casts = plan.casts();
    let apart = match c.apart {
        0 => String::new(),
        n => format!(
            "               {n} more than if factors that products share were multiplied once, which may\n\
             \x20              overflow where a bounded factor makes the product small\n"
        ),
    };
    let calls = match &plan.registers {
        Some(on) => registers::cost(def, plan, on),
        None => format!(
            "vector calls   {} per tile, {casts} of them Cast; {} repeats",
            c.calls, c.repeats
        ),
    };
    let waits = match c.bound() {
        Bound::Vector => "the vector unit is the bound",
        Bound::Memory => "GM is the bound",
    };
    format!(
        "largest tile   {} elements: {used} of {reported} bytes of UB, {share:.1}%\n\
         {calls}\n{apart}\
         GM             {} bytes per element\n\
         cycles         {} per 64 elements and core in the vector unit, {:.1} in GM: {waits}\n\
         rates          {}\n\
         accuracy       {}\n",
        plan.tile,
        c.gm_bytes,
        short(c.cycles),
        c.gm_cycles,
        plan.soc.arch.rates_of,
        accuracy(plan),
    )
}

/// Returns the largest error of the plan's results that a search has found, and the allowed one.
fn accuracy(plan: &Plan) -> String {
    match plan.inaccurate() {
        Some(found) => found.to_string(),
        None => {
            let lost: Vec<&str> =
                plan.lost.iter().filter_map(|k| plan.inputs[*k].as_deref()).collect();
            let lost = match lost.is_empty() {
                true => String::new(),
                false => format!(
                    "; an infinite {} gives NaN where terms that share it differ in sign",
                    lost.join(" or ")
                ),
            };
            format!("{:.2} of at most {} ulp off{lost}", plan.accuracy.error, plan.accuracy.budget)
        }
    }
}

/// Formats a number of cycles, with one decimal where it has a fraction.
fn short(cycles: f64) -> String {
    if cycles.fract() == 0.0 { cycles.to_string() } else { format!("{cycles:.1}") }
}
