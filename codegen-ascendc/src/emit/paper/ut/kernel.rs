//! Tests of the kernel on the toolkit's CPU model, against the formula in double.

use super::case::{Call, call, case, counted, planned, values};
use crate::emit::api::cpp::list;
use crate::emit::branch::in_kernel;
use crate::emit::host::has_masks;
use crate::emit::kernel::{tiling_data, tiling_key};
use crate::emit::package::Package;
use crate::emit::paper::example;
use crate::emit::paper::straight::{Syntax, prelude};
use crate::emit::scheme::{Class, Scheme};
use crate::emit::text::Text;
use crate::plan::Plan;
use crate::tiling::{Machine, Path, Tiling};
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{AttrKind, Kind, Part, Stream, Tensor, Value};
use op_dsl_ir::{DType, Stored};
use std::collections::BTreeSet;

/// Writes the C++ tests of the kernels in float, one per specialisation.
///
/// `None` for a package without kernels in float, and for one with sums or functions of rows: its tiling is computed by C++ alone,
/// and the tests compute one element at a time.
pub fn kernel(package: &Package<'_>) -> Option<String> {
    let is_elementwise = Scheme::of(&package.def).class == Class::Elements;
    let own = |p: &&Plan| p.dtype == DType::F32 && is_elementwise;
    let plans: Vec<&Plan> = package.plans.iter().filter(own).collect();
    plans.first()?;
    let specs: BTreeSet<usize> = plans.iter().map(|p| p.spec).collect();
    let mut t = Text::new();
    let string = if has_masks(&package.def) { "#include <cstring>\n" } else { "" };
    t.line(format!(
        "#include <cmath>\n{string}\n#include \"gtest/gtest.h\"\n#include \"tikicpulib.h\"\n"
    ));
    t.line(format!("#include \"../../../op_kernel/{}.cpp\"\n", package.snake()));
    let graphs = specs.iter().map(|s| &package.def.specs[*s].graph);
    let helpers = prelude(graphs, Syntax::Cpp);
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

/// Writes the C++ test of a plan's kernel; `None` if the test's call is refused or not tiled.
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

/// Writes the C++ statement that allocates an array in the model's GM.
fn allocate(t: &mut Text, ty: &str, name: &str, count: usize) {
    t.line(format!(
        "{ty}* {name} = reinterpret_cast<{ty}*>(AscendC::GmAlloc({count} * sizeof({ty})));"
    ));
}

/// Writes a C++ loop that executes a statement for each `i` below `count`.
fn fill(t: &mut Text, count: usize, statement: String) {
    t.block(&format!("for (size_t i = 0; i < {count}; ++i)"), "}", |t| {
        t.line(statement);
    });
}

fn launch(package: &Package<'_>, plan: &Plan, call: &Call, tiling: &Tiling) -> String {
    let def = &package.def;
    let mut t = Text::new();
    let mut args = Vec::new();
    let names = |tensors: &[Tensor], end: &str| -> Vec<String> {
        tensors.iter().map(|t| format!("{}{end}", cpp_name(&t.name))).collect()
    };
    let (inputs, outputs) = (names(&def.inputs, "In"), names(&def.outputs, "Out"));
    let count = |shape: &Vec<usize>| shape.iter().product::<usize>();
    for (i, name) in inputs.iter().enumerate() {
        let (count, value) =
            (count(&call.shapes[i]), format!("std::sin(0.7f * static_cast<float>(i) + {i}.0f)"));
        if !call.given[i] {
            t.line(format!("float* {name} = nullptr;"));
        } else if def.inputs[i].kind == Kind::Mask {
            let (place, bytes) = match def.masks() {
                Stored::Bit => ("[i / 8] |= static_cast<uint8_t>({} << i % 8)", count.div_ceil(8)),
                _ => ("[i] = static_cast<uint8_t>({})", count),
            };
            allocate(&mut t, "uint8_t", name, bytes);
            t.line(format!("std::memset({name}, 0, {bytes});"));
            let set = place.replace("{}", &format!("({value} > 0.0f ? 1 : 0)"));
            fill(&mut t, count, format!("{name}{set};"));
        } else if def.inputs[i].kind == Kind::Rows {
            allocate(&mut t, "int64_t", name, 1);
            t.line(format!("*{name} = {};", computed(call)));
        } else {
            allocate(&mut t, "float", name, count);
            fill(&mut t, count, format!("{name}[i] = 3.0f * {value};"));
        }
    }
    for (name, shape) in outputs.iter().zip(&call.outputs) {
        allocate(&mut t, "float", name, count(shape));
    }
    args.extend(inputs.iter().chain(&outputs).map(|n| format!("reinterpret_cast<uint8_t*>({n})")));
    t.line("uint8_t* workspace = reinterpret_cast<uint8_t*>(AscendC::GmAlloc(32));");
    let data = package.tiling_data();
    t.line(format!("auto* tiling = reinterpret_cast<{data}*>(AscendC::GmAlloc(sizeof({data})));"));
    t.line(format!("*tiling = {data}{{}};"));
    for (field, value) in values(tiling).into_iter().chain(counted(package, call)) {
        t.line(format!("tiling->{field} = {value};"));
    }
    let gate_first = call.bound.split.is_some_and(|s| s.gate_first);
    if tiling_data::gate_is_an_attribute(def) {
        t.line(format!("tiling->gateFirst = {};", u8::from(gate_first)));
    }
    let mut floats = Vec::new();
    for (attr, value) in def.attrs.iter().zip(&call.attrs) {
        match (&attr.kind, value) {
            (AttrKind::Float, Value::Float(x)) => {
                t.line(format!("tiling->{} = {x:?}f;", cpp_name(&attr.name)));
                floats.push(format!("{x:?}"));
            }
            (AttrKind::Int, Value::Int(n)) => {
                t.line(format!("tiling->{} = {:?}f;", cpp_name(&attr.name), *n as f32));
                floats.push(format!("{:?}", *n as f32));
            }
            _ => {}
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
    let given = |(i, _): &(usize, &&str)| call.given.get(*i) != Some(&false);
    for (_, name) in names.iter().enumerate().filter(given) {
        t.line(format!("AscendC::GmFree({name});"));
    }
    t.line("AscendC::GmFree(workspace);\nAscendC::GmFree(tiling);");
    t.finish()
}

/// Returns how many rows the test's kernel computes if an input gives row counts: all but the last.
fn computed(call: &Call) -> usize {
    call.bound.domain[0] - 1
}

/// Writes the C++ loop that compares every element of the results with the formula.
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
    let read = |s: &Stream| {
        let (tensor, at) = (&def.inputs[s.tensor], at(s.part));
        let name = name(&tensor.name, "In");
        match (call.given[s.tensor], tensor.kind, def.masks()) {
            (false, ..) => "NAN".into(),
            (_, Kind::Mask, Stored::Bit) => format!("{name}[{at} / 8] >> {at} % 8 & 1"),
            _ => format!("{name}[{at}]"),
        }
    };
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
        let want = match def.rows() {
            Some(_) => {
                let computed = computed(call) * columns;
                format!("const Expected want = i >= {computed} ? Expected{{}} : Formula")
            }
            None => "const Expected want = Formula".into(),
        };
        t.line(list(&want, &args, ";"));
        for (s, field) in def.output_streams().iter().zip(def.output_names()) {
            let got = format!("{}[{}]", name(&def.outputs[s.tensor].name, "Out"), at(s.part));
            let want = format!("want.{}", cpp_name(&field));
            t.line(format!("EXPECT_NEAR({got}, {want}, 1e-5 + 1e-4 * std::fabs({want}));"));
        }
    });
}
