//! The kernel on the toolkit's CPU model, against the formula in double.

use super::{Call, call, case, planned, values};
use crate::emit::api::cpp::list;
use crate::emit::branch::in_kernel;
use crate::emit::kernel::{tiling_data, tiling_key};
use crate::emit::package::Package;
use crate::emit::paper::example;
use crate::emit::paper::straight::{Language, prelude};
use crate::emit::text::Text;
use crate::plan::Plan;
use op_dsl_ir::DType;
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{AttrKind, Part, Stream, Tensor, Value};
use op_dsl_ir::tiling::{Machine, Path, Tiling};
use std::collections::BTreeSet;

/// The kernel in float, each form against the formula in double. A package without float has none.
pub fn kernel(package: &Package<'_>) -> Option<String> {
    let plans: Vec<&Plan> = package.plans.iter().filter(|p| p.dtype == DType::F32).collect();
    plans.first()?;
    let specs: BTreeSet<usize> = plans.iter().map(|p| p.spec).collect();
    let mut t = Text::new();
    t.line("#include <cmath>\n\n#include \"gtest/gtest.h\"\n#include \"tikicpulib.h\"\n");
    t.line(format!("#include \"../../../op_kernel/{}.cpp\"\n", package.snake()));
    let graphs = specs.iter().map(|s| &package.def.specs[*s].graph);
    let helpers = prelude(graphs, Language::Cpp);
    if !helpers.is_empty() {
        t.line(format!("namespace formula {{\n\n{helpers}\n}} // namespace formula\n"));
    }
    for spec in specs {
        let of = |arch| {
            let plan = package.plans_of(arch).find(|p| (p.spec, p.dtype) == (spec, DType::F32));
            plan.and_then(|plan| test(package, plan)).unwrap_or_default()
        };
        t.lines(in_kernel(package, of)).line("");
    }
    Some(t.finish())
}

/// The test of one form.
fn test(package: &Package<'_>, plan: &Plan) -> Option<String> {
    let call = call(package, plan.spec, plan.dtype, [8, 64])?;
    let soc = plan.soc;
    let machine = Machine { ub: soc.reported_ub(), cores: 2, pads: soc.arch.pads };
    let tiling = planned(&call, plan, &machine)?;
    let name = case(package, plan);
    let scope = format!("of_{}", name.to_lowercase());
    let mut t = Text::new();
    t.line(format!("namespace {scope} {{"));
    t.lines(example::expected(package, plan.spec));
    t.line(format!("}} // namespace {scope}\n"));
    t.function(format!("TEST({}Kernel, {name})", package.def.name), |t| {
        t.line(format!("using namespace {scope};"));
        t.lines(launch(package, plan, &call, &tiling));
    });
    Some(t.finish())
}

fn launch(package: &Package<'_>, plan: &Plan, call: &Call, tiling: &Tiling) -> String {
    let def = &package.def;
    let mut t = Text::new();
    let mut args = Vec::new();
    let mut memory = |t: &mut Text, name: &str, shape: &[usize], filled: bool, phase: usize| {
        let count: usize = shape.iter().product();
        t.line(format!(
            "float* {name} = reinterpret_cast<float*>(AscendC::GmAlloc({count} * sizeof(float)));"
        ));
        if filled {
            t.block(&format!("for (size_t i = 0; i < {count}; ++i)"), "}", |t| {
                t.line(format!(
                    "{name}[i] = 3.0f * std::sin(0.7f * static_cast<float>(i) + {phase}.0f);"
                ));
            });
        }
        args.push(format!("reinterpret_cast<uint8_t*>({name})"));
    };
    let names = |tensors: &[Tensor], end: &str| -> Vec<String> {
        tensors.iter().map(|t| format!("{}{end}", cpp_name(&t.name))).collect()
    };
    let (inputs, outputs) = (names(&def.inputs, "In"), names(&def.outputs, "Out"));
    for (phase, (name, shape)) in inputs.iter().zip(&call.shapes).enumerate() {
        memory(&mut t, name, shape, true, phase);
    }
    for (name, shape) in outputs.iter().zip(&call.outputs) {
        memory(&mut t, name, shape, false, 0);
    }
    t.line("uint8_t* workspace = reinterpret_cast<uint8_t*>(AscendC::GmAlloc(32));");
    let data = package.tiling_data();
    t.line(format!("auto* tiling = reinterpret_cast<{data}*>(AscendC::GmAlloc(sizeof({data})));"));
    t.line(format!("*tiling = {data}{{}};"));
    for (field, value) in values(tiling) {
        t.line(format!("tiling->{field} = {value};"));
    }
    let gate_first = call.bound.split.is_some_and(|s| s.gate_first);
    if tiling_data::gate_is_an_attribute(def) {
        t.line(format!("tiling->gateFirst = {};", u8::from(gate_first)));
    }
    let mut floats = Vec::new();
    for (attr, value) in def.attrs.iter().zip(&call.attrs) {
        if let (AttrKind::Float, Value::Float(x)) = (&attr.kind, value) {
            t.line(format!("tiling->{} = {x:?}f;", cpp_name(&attr.name)));
            floats.push(format!("{x:?}"));
        }
    }
    let params: Vec<String> =
        inputs.iter().chain(&outputs).map(|n| format!("GM_ADDR {n}")).collect();
    let names: Vec<&str> = inputs.iter().chain(&outputs).map(String::as_str).collect();
    t.line("");
    t.line(list(
        "auto run = []",
        &[params, vec!["GM_ADDR workspace".into(), "GM_ADDR tiling".into()]].concat(),
        " {",
    ));
    let small = tiling.path == Path::Small;
    t.line(format!(
        "    ::{}<{}, {}, {small}>({}, workspace, tiling);\n}};",
        package.snake(),
        tiling_key::dtype(package, plan.dtype),
        tiling_key::form(package, plan.spec),
        names.join(", ")
    ));
    t.line("AscendC::SetKernelMode(KernelMode::AIV_MODE);");
    args.extend(["workspace".into(), "reinterpret_cast<uint8_t*>(tiling)".into()]);
    t.line(list(
        "ICPU_RUN_KF",
        &[vec!["run".into(), tiling.cores.to_string()], args].concat(),
        ";",
    ));
    t.line("");
    check(package, call, gate_first, &floats, &mut t);
    for name in names.iter().chain(&["workspace", "tiling"]) {
        t.line(format!("AscendC::GmFree({name});"));
    }
    t.finish()
}

/// Every element against the formula.
fn check(package: &Package<'_>, call: &Call, gate_first: bool, floats: &[String], t: &mut Text) {
    let def = &package.def;
    let (rows, columns) = (call.bound.domain[0], call.bound.domain[1]);
    let at = |part: Part| match (def.split.is_some(), part == Part::Gate) {
        (false, _) => "i",
        _ if part == Part::Whole => "i",
        (true, gate) => {
            if gate == gate_first {
                "first"
            } else {
                "second"
            }
        }
    };
    let name = |name: &str, end: &str| format!("{}{end}", cpp_name(name));
    let read = |s: &Stream| format!("{}[{}]", name(&def.inputs[s.tensor].name, "In"), at(s.part));
    let mut args: Vec<String> = def.input_streams().iter().map(read).collect();
    args.extend(floats.iter().cloned());
    t.block(&format!("for (size_t i = 0; i < {}; ++i)", rows * columns), "}", |t| {
        match call.bound.split.map(|s| s.interleaved) {
            Some(false) => {
                t.line(format!("const size_t first = i + i / {columns} * {columns};"));
                t.line(format!("const size_t second = first + {columns};"));
            }
            Some(true) => {
                t.line("const size_t first = 2 * i;\nconst size_t second = first + 1;");
            }
            None => {}
        }
        t.line(list("const Expected want = Formula", &args, ";"));
        for (s, field) in def.output_streams().iter().zip(def.output_names()) {
            let got = format!("{}[{}]", name(&def.outputs[s.tensor].name, "Out"), at(s.part));
            let want = format!("want.{}", cpp_name(&field));
            t.line(format!("EXPECT_NEAR({got}, {want}, 1e-5 + 1e-4 * std::fabs({want}));"));
        }
    });
}
