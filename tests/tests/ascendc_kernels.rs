//! Emitted AscendC kernels on the host model.
//!
//! Results agree with the graph in f64, the model reports nothing, there are no more vector calls than planned, and
//! the traffic is little more than the tensors' size.
#![allow(missing_docs)]

#[path = "ascendc_kernels/barriers.rs"]
mod barriers;
#[path = "ascendc_kernels/choices.rs"]
mod choices;
mod common;
#[path = "ascendc_kernels/compile.rs"]
mod compile;
#[path = "ascendc_kernels/counts.rs"]
mod counts;
#[path = "ascendc_kernels/derivatives.rs"]
mod derivatives;
#[path = "ascendc_kernels/family.rs"]
mod family;
#[path = "ascendc_kernels/judge.rs"]
mod judge;
#[path = "ascendc_kernels/masks.rs"]
mod masks;
#[path = "ascendc_kernels/more.rs"]
mod more;
#[path = "ascendc_kernels/planned.rs"]
mod planned;
#[path = "ascendc_kernels/program.rs"]
mod program;
#[path = "ascendc_kernels/registers.rs"]
mod registers;
#[path = "ascendc_kernels/repeated.rs"]
mod repeated;
#[path = "ascendc_kernels/shared.rs"]
mod shared;
#[path = "ascendc_kernels/small.rs"]
mod small;

use codegen_ascendc::plan::Plan;
use codegen_ascendc::plan::registers::Registers;
use codegen_ascendc::tiling::Path;
use common::*;
use op_dsl::Operator;
use op_dsl::ir::DType;
use op_dsl::ir::op::Value;
use ops_glu_grad::OPERATORS;
use program::Program;

fn operator(name: &str) -> &'static Operator {
    let all = OPERATORS.iter().chain(more::ops::OPERATORS).chain(choices::ops::OPERATORS);
    all.copied().find(|o| o.name() == name).expect("an operator")
}

/// Runs a call and compares every element with the judged one of the same values.
fn check(p: &Program, attrs: &[Value], domain: &[usize], dtype: DType, cores: u32) -> program::Ran {
    let ran = p.run(attrs, &repeated::inputs(p, attrs, domain, dtype), cores);
    repeated::check(p, attrs, domain, dtype, &ran);
    ran
}

/// The kernel that also runs in every rank and on shapes of real models.
///
/// One is enough, because others share its loops and copies.
const MOST: (&str, &str) = ("GeGluGradV2", "ascend910b");

/// Returns sizes of a part in the split dimension.
///
/// They are all up to some blocks and around repeats, or only those around blocks of 8 and 16 elements, where kernels
/// change their path.
fn columns(all: bool) -> Vec<usize> {
    let (blocks, more): (Vec<usize>, &[usize]) = match all {
        true => ((1..=40).collect(), &[47, 48, 63, 127, 200]),
        false => (vec![1, 2, 3, 7, 8, 9, 15, 16, 17, 23, 24, 31, 32, 33, 39, 40], &[]),
    };
    blocks.into_iter().chain([65, 128, 2048]).chain(more.iter().copied()).collect()
}

/// Shapes with the tails of real ones, rows beyond UB, all ranks, one element.
const SHAPES: &[&[usize]] = &[
    &[1],
    &[5],
    &[1, 1, 1],
    &[3, 7, 2048],
    &[29, 71, 14],
    &[1, 50, 1280],
    &[4500, 2],
    &[2, 9001],
    &[1, 70_001],
    &[3, 16_384],
    &[7, 2001],
    &[3, 2],
    &[3, 2, 5],
    &[3, 2, 5, 2],
    &[3, 2, 5, 1, 3],
    &[3, 2, 5, 1, 2, 2],
    &[3, 2, 5, 1, 2, 2, 1],
    &[3, 2, 5, 1, 2, 2, 1, 3],
];

/// Number of shapes before those that only add ranks.
const NO_RANKS: usize = 11;

/// Runs every variant and element type of an operator on one architecture.
///
/// Cases vary sizes, shapes, split dimensions and numbers of cores.
fn everywhere(p: &Program) {
    let cores = [1, 2, 40, 48];
    let all = (p.op.name(), p.soc.name) == MOST;
    if all {
        shapes_of_models(p, &[&[23, 12, 2048], &[1132, 71, 14]]);
    }
    derivatives::check(p);
    let shapes = if all { SHAPES } else { &SHAPES[..NO_RANKS] };
    for (i, attrs) in attribute_values(p.op).iter().enumerate() {
        // Only some cases are repeated for the other order of gate and value, because it changes no size.
        let again = attrs.contains(&Value::Bool(true));
        for dtype in p.dtypes() {
            if !p.has(attrs, dtype) {
                continue;
            }
            for (k, m) in columns(all).into_iter().enumerate().filter(|(_, m)| !again || m % 8 == 7)
            {
                small::hold(p, &check(p, attrs, &[37, m], dtype, cores[(i + k) % 4]), dtype);
            }
            for (k, shape) in shapes.iter().enumerate() {
                check(p, attrs, shape, dtype, cores[(i + k) % 4]);
            }
            // Without padded copies two cores can share a block, but never a byte.
            for cores in [3, 7, 32].into_iter().filter(|_| !p.soc.arch.pads) {
                check(p, attrs, &[50, 161], dtype, cores);
                check(p, attrs, &[5, 3001], dtype, cores);
            }
            if !p.soc.arch.pads && dim_attr(p.op).is_some() && !again {
                small::rows(p, attrs, dtype);
            }
            for shape in [&[0, 5][..], &[5, 0]].into_iter().filter(|_| p.op.def().empty) {
                let ran = check(p, attrs, shape, dtype, 40);
                assert_eq!((ran.number("kernel", "tiles"), ran.tiling.cores), (0, 0));
            }
            let Some(dim) = dim_attr(p.op) else { continue };
            for d in [0, 1, 2, 3] {
                let mut attrs = attrs.clone();
                attrs[dim] = Value::Int(d);
                check(p, &attrs, &[3, 5, 4, 6], dtype, cores[d as usize]);
            }
            calls_and_traffic(p, attrs, dtype);
        }
    }
}

/// Checks calls and traffic.
///
/// An aligned tile takes the planned calls, aligned tensors move once, and others hardly more.
fn calls_and_traffic(p: &Program, attrs: &[Value], dtype: DType) {
    let ran = check(p, attrs, &[64, 512], dtype, 1);
    let plan = p.plan_of(attrs, dtype);
    // Interleaved elements are small rows, gathered separately and together, or interleaved in registers.
    let small = ran.tiling.path == Path::Small;
    let parting = if small { ran.parting() } else { 0 };
    let calls = ran.number("tile", "passes") - parting;
    if let Some(registers) = &plan.registers {
        on_registers(p, &ran, plan, registers);
    } else {
        // If masks cover one repeat only, so does each call.
        let one_each = plan.masks == 0 || plan.soc.arch.long_masks;
        assert!(!one_each || calls == plan.cost.calls as u64, "{} {dtype}: {calls}", p.op.name());
        let barriers = plan.barriers().into_iter().filter(|waits| *waits).count() as u64;
        assert!(small || ran.number("tile", "barriers") == barriers, "{} {dtype}", p.op.name());
    }
    assert_eq!(ran.traffic(), 1.0, "{} {dtype}", p.op.name());
    if plan.soc.arch.pads && dtype != DType::F32 {
        for (columns, most) in [(13, 1.10), (1, 1.25)] {
            let traffic = check(p, attrs, &[4000, columns], dtype, 1).traffic();
            assert!(traffic <= most, "{} {dtype} {columns} columns: {traffic}", p.op.name());
        }
    }
}

/// Checks that every step of a tile takes the planned calls.
fn on_registers(p: &Program, ran: &program::Ran, plan: &Plan, registers: &Registers) {
    let of = |class| ran.number("tile", class);
    let turns = ran.tiling.path == Path::Small && ran.tiling.columns == 1;
    let on_pairs = registers.work_on_pairs(p.op.def(), plan.soc.arch).filter(|_| turns);
    assert!(!turns || on_pairs.is_none() || ran.parting() == 0, "{}", plan.op);
    let (all, work) = (of("steps"), on_pairs.unwrap_or_else(|| registers.work(plan.soc.arch)));
    // Pairs of 16-bit vectors have a second mask.
    let masks = 1 + u64::from(on_pairs.is_some() && plan.dtype != DType::F32);
    let steps = all / masks;
    let counted = [of("loads"), of("stores"), of("linear") + of("slow")];
    let planned = [work.loads, work.stores, work.compute].map(|n| n as u64 * steps);
    assert!(steps > 0 && counted == planned, "{}: {counted:?} in {steps} steps", plan.op);
}

macro_rules! operators {
    ($($test:ident: [$($op:literal),*] on $soc:literal;)*) => {
        /// The operators of the table and the product that each runs on.
        const RUN: &[(&str, &str)] = &[$($(($op, $soc)),*),*];
        $(#[test] fn $test() {
            Program::all(&[$(operator($op)),*], $soc).iter().for_each(everywhere);
        })*
    };
}

operators! {
    ge_glu_v2: ["GeGluV2", "GeGluGradV2"] on "ascend910b";
    gelu_v2: ["GeluV2", "GeluGradV2"] on "ascend910b";
    swi_glu: ["SwiGlu", "SwiGluGrad"] on "ascend910b";
    tanh_alone: ["Gelu", "GeluGrad", "GeLU", "GeLUBackward"] on "ascend910b";
    others: ["Mixed", "MixedGrad", "Bent", "Grown"] on "ascend910b";
    with_bf16_arithmetic: ["GeGluGradV2"] on "ascend950";
    in_turns: ["Mixed", "MixedGrad", "Lone"] on "ascend950";
    exponents: ["Grown"] on "ascend950";
    exponents_without_padded_copies: ["Grown"] on "ascend310p";
    one_part_alone: ["Lone"] on "ascend910b";
    one_part_alone_turned: ["Lone"] on "ascend310p";
    without_padded_copies: ["GeGluGradV2", "SwiGluGrad"] on "ascend310p";
    without_bf16: ["GeGluGradV2", "SwiGluGrad", "GeluGradV2", "Bent"] on "ascend910";
}

#[test]
fn every_operator_is_run() {
    for op in thorough() {
        assert!(RUN.contains(&(op.name(), "ascend910b")), "{} is not run", op.name());
    }
}

/// Runs the largest shape in a test of its own.
///
/// Its 17.7 million elements of each type take as long to compare as all other shapes together.
#[test]
#[ignore = "half a minute: .ci/deep everything"]
fn the_largest_shape_of_models() {
    shapes_of_models(&Program::all(&[operator(MOST.0)], MOST.1)[0], &[&[24, 576, 1280]]);
}

/// Runs full shapes of real models.
fn shapes_of_models(p: &Program, shapes: &[&[usize]]) {
    for dtype in DType::ALL {
        for shape in shapes {
            let ran = check(p, &p.op.default_attrs(), shape, dtype, 48);
            println!(
                "{shape:?} {dtype}: {} tiles, traffic {}",
                ran.number("kernel", "tiles"),
                ran.traffic()
            );
        }
    }
}

/// Number of calls, and cycles per 64 elements.
type Cost = (usize, f64);

/// Returns the rows of the table of vector calls in `docs/performance.md`: operator, form, and the costs in f32, f16 and bf16.
fn documented_calls() -> Vec<(&'static str, &'static str, [Cost; 3])> {
    let text = include_str!("../../docs/performance.md");
    let table = text.lines().skip_while(|l| !l.starts_with("| | tanh | none |")).skip(2);
    let cells = |line: &'static str| line.trim_matches('|').split('|').map(str::trim);
    let cost = |text: &str| {
        let (calls, cycles) = text.trim_end_matches(')').split_once(" (").expect("calls (cycles)");
        (calls.parse().expect("a count"), cycles.parse().expect("cycles"))
    };
    let mut rows = Vec::new();
    for line in table.take_while(|l| l.starts_with('|')) {
        let mut cells = cells(line);
        let op = cells.next().expect("an operator");
        for (form, costs) in ["tanh", "none"].into_iter().zip(cells).filter(|c| !c.1.is_empty()) {
            let costs: Vec<Cost> = costs.split(" / ").map(cost).collect();
            rows.push((op, form, costs.try_into().expect("three costs")));
        }
    }
    rows
}

/// The documented calls and cycles are those of the plans.
#[test]
fn calls_of_every_operator() {
    let soc = codegen_ascendc::arch::Soc::named("ascend910b").expect("a target");
    let rows = documented_calls();
    assert_eq!(rows.len(), 8, "{rows:?}");
    for (name, form, costs) in rows {
        let package =
            codegen_ascendc::emit::Package::new(operator(name).def(), &[soc], Default::default());
        let package = package.expect("plans");
        let is_form = |spec: usize| {
            package.specs().len() == 1 || package.spec_name(spec).eq_ignore_ascii_case(form)
        };
        for (dtype, told) in [DType::F32, DType::F16, DType::BF16].into_iter().zip(costs) {
            let plan = package.plans.iter().find(|p| is_form(p.spec) && p.dtype == dtype);
            let cost = plan.expect("a plan").cost;
            assert_eq!((cost.calls, cost.cycles), told, "{name} {form} {dtype}");
        }
    }
}
