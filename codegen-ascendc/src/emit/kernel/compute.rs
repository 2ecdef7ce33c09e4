//! The formula: one class per specialisation and element type, with the calls of its plan by name.

use super::super::branch::in_kernel;
use super::super::package::Package;
use super::super::scheme::{Class, Scheme};
use super::super::text::Text;
use super::super::tree::File;
use super::barrier;
use super::call::{self, Helper};
use super::calls::{calls, start};
use super::names::{Input, cpp, header_file, inputs, namespace, slot, splat};
use super::rows::{Rows, any_lone, rows};
use super::{registers, row_functions, scalar, tiling_key};
use crate::arch::Arch;
use crate::plan::{Buffer, Plan};
use crate::sequence::Type;
use op_dsl_ir::DType;
use op_dsl_ir::names::cpp_name;

/// Returns the file `<op>_compute.h`, which has the formula as one C++ class per plan.
pub fn file(package: &Package<'_>) -> File {
    header_file(package, "_compute", "the formula on one tile", |text| body(package, text))
}

fn body(package: &Package<'_>, text: &mut Text) {
    let snake = package.snake();
    text.line("#include \"kernel_operator.h\"");
    text.line(format!("#include \"{snake}_tiling_data.h\""));
    text.line(format!("#include \"{snake}_tiling_key.h\"\n"));
    text.line(format!("namespace {} {{\n", namespace(package)));
    text.line("using namespace AscendC;\n");
    text.line("// Elements that one repeat of a vector instruction covers.");
    text.line("constexpr uint32_t REPEAT_BYTES = 256;");
    text.line("constexpr uint32_t FLOATS = REPEAT_BYTES / sizeof(float);\n");
    barrier::function(package, text);
    let kernels = package.plans.iter().flat_map(Plan::kernels);
    let helpers: Vec<Helper> = kernels.flat_map(call::helpers).collect();
    for (_, helper) in helpers.iter().enumerate().filter(|(i, h)| !helpers[..*i].contains(h)) {
        some(package, helper.text(), |_, plan| call::helpers(plan).contains(helper), text);
    }
    some(package, COMPLETE, |_, plan| plan.whole_repeats(), text);
    some(package, COMPLETE_TRUTHS, completes_truths, text);
    let by_repeat = |arch: &Arch, plan: &Plan| plan.masks > 0 && !arch.long_masks;
    some(package, call::BY_REPEAT, by_repeat, text);
    some(package, registers::CASTS, |_, plan| registers::has_casts(plan), text);
    let upper = |_: &Arch, plan: &Plan| {
        registers::has_casts(plan) && registers::pairs::has(plan) && plan.dtype.is_narrow()
    };
    some(package, registers::pairs::CASTS, upper, text);
    if Scheme::of(&package.def).class == Class::Rows {
        text.lines(row_functions::helpers(package)).line("");
    }
    text.line("// The formula on one tile, by element type and form.");
    text.line("template <uint32_t dtype, uint32_t form>\nclass Compute;");
    for (spec, dtype) in package.specs().into_iter().flat_map(|s| DType::ALL.map(|d| (s, d))) {
        let of = |arch| {
            let plan = package.plans_of(arch).find(|p| (p.spec, p.dtype) == (spec, dtype));
            plan.map_or(String::new(), |plan| match &plan.rows {
                Some(rows) => row_functions::class(package, plan, rows),
                None => class(package, plan),
            })
        };
        let class = in_kernel(package, of);
        if !class.is_empty() {
            text.line("").lines(class);
        }
    }
    text.line(format!("\n}}  // namespace {}", namespace(package)));
}

/// Writes the C++ text `what` for those architectures that have a plan for which `needs` is true.
///
/// An `#if` restricts the text to these architectures. Writes nothing if there are none.
fn some(
    package: &Package<'_>,
    what: impl Into<String>,
    needs: impl Fn(&Arch, &Plan) -> bool,
    text: &mut Text,
) {
    let what = what.into();
    let of = |arch: &'static Arch| {
        let mut plans = package.plans_of(arch).flat_map(Plan::kernels);
        let needed = plans.any(|plan| needs(arch, plan));
        if needed { what.clone() } else { String::new() }
    };
    let guarded = in_kernel(package, of);
    if !guarded.is_empty() {
        text.lines(guarded).line("");
    }
}

/// C++ helper functions for comparisons, because those process only whole repeats of 256 bytes.
const COMPLETE: &str = include_str!("complete.h");

/// C++ helper function that fills up masks of one byte per element to whole repeats.
const COMPLETE_TRUTHS: &str = include_str!("complete_truths.h");

/// Returns whether vector calls of a plan convert masks of one byte per element to numbers.
fn completes_truths(_: &Arch, plan: &Plan) -> bool {
    plan.instrs.iter().any(|i| i.from == Type::Byte)
}

/// Temporary buffer in UB: its C++ name, its size in bytes as C++, and its C++ element type.
struct Temporary {
    name: String,
    bytes: String,
    ty: &'static str,
}

fn temporaries(plan: &Plan) -> Vec<Temporary> {
    let of = |buffer: Buffer, bytes: &str, ty: &'static str| Temporary {
        name: plan.buffer(buffer),
        bytes: bytes.to_string(),
        ty,
    };
    let half = cpp(plan.dtype);
    let temps = (0..plan.temps).map(|k| of(Buffer::Temp(k), "capacity * sizeof(float)", "float"));
    let sixteen = format!("capacity * sizeof({half})");
    let halves = (0..plan.halves).map(|k| of(Buffer::Half(k), &sixteen, half));
    let mask = format!("capacity / {}", 8 / plan.soc.arch.mask_bits());
    let masks = (0..plan.masks).map(|k| of(Buffer::Mask(k), &mask, "uint8_t"));
    temps.chain(halves).chain(masks).collect()
}

/// Returns the C++ class with the buffers and vector calls of a plan.
fn class(package: &Package<'_>, plan: &Plan) -> String {
    let (def, mut text) = (&package.def, Text::new());
    let forms: Vec<String> =
        plan.forms.iter().map(|(prim, form)| format!("{} by {form}", prim.row().name)).collect();
    let forms = if forms.is_empty() { String::new() } else { format!("{}; ", forms.join(", ")) };
    let calls = match &plan.registers {
        Some(registers) => registers::summary(plan, registers),
        None => format!("{} vector calls a tile", plan.cost.calls),
    };
    text.line(format!("// {forms}{calls}."));
    text.line("template <>");
    let key = (tiling_key::dtype(package, plan.dtype), tiling_key::form(package, plan.spec));
    let head = format!("class Compute<{}, {}>", key.0, key.1);
    let buffers = temporaries(plan);
    let uniforms = scalar::uniforms(def, plan);
    text.block(&head, "};", |text| {
        text.label("public:");
        slots(package, plan, text);
        if package.plans.iter().any(registers::pairs::has) {
            let has = registers::pairs::has(plan);
            text.line("// Whether it is also there for gate and value that take turns.");
            text.line(format!("static constexpr bool PAIRS = {has};"));
        }
        text.line("");
        init(package, plan, &buffers, &uniforms, text);
        text.line("");
        run(package, plan, &buffers, text);
        if let Some(registers) = plan.registers.as_ref().filter(|r| r.pairs) {
            registers::pairs::function(package, plan, registers, text);
        }
        if !buffers.is_empty() || !plan.splats.is_empty() || !uniforms.members.is_empty() {
            text.line("").label("private:");
        }
        for b in &buffers {
            text.line(format!("TBuf<TPosition::VECCALC> {}Buf_;", b.name));
        }
        for k in 0..plan.splats.len() {
            text.line(format!("TBuf<TPosition::VECCALC> {}Buf_;", splat(plan, k)));
        }
        for m in &uniforms.members {
            text.line(format!("float {m}_;"));
        }
    });
    text.finish()
}

/// Writes C++ constants with the slot that each input stream has in a buffer of the input queue.
///
/// A buffer consists of slots of equal size, one per stream. Gated tensors of which the plan reads only one part come last,
/// because they take two slots in kernels that copy whole rows.
fn slots(package: &Package<'_>, plan: &Plan, text: &mut Text) {
    let all = rows(package);
    let is_lone = |input: &Input| {
        let of = |rows: &&Rows| rows.parts.iter().any(|part| part.index == input.index);
        all.iter().find(of).is_some_and(|rows| rows.is_lone(plan))
    };
    let (lone, others): (Vec<Input>, Vec<Input>) = inputs(package).into_iter().partition(is_lone);
    let (mut numbers, mut truths) = (0, 0);
    text.line("// Slots of the streams in a buffer of the input queue.");
    for input in others.iter().chain(&lone) {
        let at = if input.truths { &mut truths } else { &mut numbers };
        let (name, reads) = (slot(&input.name), plan.inputs[input.index].is_some());
        if !input.always {
            text.line(format!("static constexpr bool READS_{name} = {reads};"));
        }
        text.line(format!("static constexpr uint32_t {name} = {};", if reads { *at } else { 0 }));
        *at += reads as usize;
    }
    text.line(format!("static constexpr uint32_t INPUTS = {numbers};"));
    if any_lone(package) {
        let mut more = 0;
        text.line("// The same of tensors whose rows are whole, and all slots then.");
        for rows in &all {
            let (name, is_lone) = (rows.slot(package), rows.is_lone(plan));
            let read = rows.parts.iter().find(|part| plan.inputs[part.index].is_some());
            let at = read.map_or("0".into(), |part| slot(&part.name));
            text.line(match more {
                0 => format!("static constexpr uint32_t {name} = {at};"),
                _ => format!("static constexpr uint32_t {name} = {at} + {more};"),
            });
            more += u32::from(is_lone);
        }
        text.line(format!("static constexpr uint32_t INPUTS_IN_ROWS = INPUTS + {more};"));
    }
    if others.iter().any(|i| i.truths) {
        text.line(format!("static constexpr uint32_t TRUTHS = {truths};"));
    }
}

fn init(
    package: &Package<'_>,
    plan: &Plan,
    buffers: &[Temporary],
    uniforms: &scalar::Uniforms,
    text: &mut Text,
) {
    let data = package.tiling_data();
    let named = |used: bool, name: &str| if used { format!(" {name}") } else { String::new() };
    let pipe = named(!buffers.is_empty() || !plan.splats.is_empty(), "pipe");
    let capacity = named(!buffers.is_empty(), "capacity");
    let tiling = named(!uniforms.lines.is_empty(), "tiling");
    let head = format!(
        "__aicore__ inline void Init(TPipe&{pipe}, uint32_t{capacity}, const {data}&{tiling})"
    );
    text.function(head, |text| {
        for b in buffers {
            text.line(format!("pipe.InitBuffer({}Buf_, {});", b.name, b.bytes));
        }
        start(plan, uniforms, text);
        if !plan.splats.is_empty() {
            text.lines(barrier::statement(package));
        }
    });
}

fn run(package: &Package<'_>, plan: &Plan, buffers: &[Temporary], text: &mut Text) {
    let ty = cpp(plan.dtype);
    let reads = |i: &Input| plan.inputs[i.index].is_some();
    let named =
        |i: &Input| if reads(i) { format!(" {}", cpp_name(&i.name)) } else { String::new() };
    let ins = inputs(package).into_iter();
    let ins = ins.map(|i| (if i.truths { "uint8_t" } else { ty }, named(&i)));
    let outs = plan.outputs.iter().map(|n| (ty, format!(" {}", cpp_name(n))));
    let params: Vec<String> =
        ins.chain(outs).map(|(ty, n)| format!("const LocalTensor<{ty}>&{n}")).collect();
    let head = "__aicore__ inline void Run(";
    let indent = " ".repeat(head.len());
    let lines = params.join(&format!(",\n{indent}"));
    text.function(format!("{head}{lines},\n{indent}uint32_t count)"), |text| {
        if let Some(registers) = &plan.registers {
            return registers::body(package, plan, registers, text);
        }
        for b in buffers {
            text.line(format!("const LocalTensor<{0}> {1} = {1}Buf_.Get<{0}>();", b.ty, b.name));
        }
        calls(package, plan, text);
    });
}
