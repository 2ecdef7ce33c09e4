//! A plan on registers: the calls of one step.

use super::words::{change, scalar};
use crate::table::Table;
use codegen_ascendc::plan::Plan;
use codegen_ascendc::plan::registers::{Call, DATA, MASKS, Op, Register, Registers, Work};
use codegen_ascendc::sequence::Api;
use op_dsl_ir::op::OpDef;

/// Returns a table of the plan's vector calls on registers, in the order of execution.
pub fn calls(def: &OpDef, plan: &Plan, registers: &Registers) -> String {
    let mut table = Table::new(&["call", "name", "type", "to", "from", "value"]);
    let name = |r: &Register| match *r {
        Register::Data(k) => format!("t{k}"),
        Register::Half(k) => format!("h{k}"),
        Register::Byte(k) => format!("b{k}"),
        Register::Mask(k) => format!("m{k}"),
        Register::Constant(k) => scalar(def, plan, registers.constants[k]),
    };
    for (i, op) in registers.ops.iter().enumerate() {
        let mut from: Vec<String> = op.srcs.iter().map(name).collect();
        from.extend(op.scalar.map(|s| scalar(def, plan, s)));
        let (mut call, mut to) = (called(op), name(&op.dst));
        match op.call {
            Call::Load(k) => from.extend(plan.inputs[k].clone()),
            Call::Store(k) => from = vec![std::mem::replace(&mut to, plan.outputs[k].clone())],
            Call::Plain(Api::Cast(round)) => call = format!("{call}, {}", round.name()),
            _ => {}
        }
        let (number, ty) = ((i + 1).to_string(), change(op.from, op.to));
        table.row([&number, &call, &ty, &to, &from.join(", "), op.what]);
    }
    table.to_text()
}

fn called(op: &Op) -> String {
    match op.call {
        Call::Load(_) => "load".into(),
        Call::Store(_) => "store".into(),
        Call::Plain(api) => api.name().into(),
        Call::MulDstAdd => "FusedMulDstAdd".into(),
        Call::MulAddDst => "MulAddDst".into(),
    }
}

/// Returns lines on the cost of a step, which computes 64 elements in registers.
pub fn cost(def: &OpDef, plan: &Plan, registers: &Registers) -> String {
    let of = |work: Work| {
        let Work { compute, casts, loads, stores, .. } = work;
        format!("{compute} vector calls, {casts} casts, {loads} loads, {stores} stores")
    };
    let step = of(registers.work(plan.soc.arch));
    let turns = registers.work_on_pairs(def, plan.soc.arch);
    let turns = turns.map_or(String::new(), |work| {
        format!("               {} where gate and value take turns\n", of(work))
    });
    let (data, constants) =
        (registers.data + registers.halves + registers.bytes, registers.constants.len());
    format!(
        "step           {step} for 64 elements\n\
         {turns}registers      {} of {DATA} for data, {constants} of them set once; {} of {MASKS} for masks",
        data + constants,
        registers.masks + 1,
    )
}
