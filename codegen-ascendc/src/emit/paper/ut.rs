//! `tests/ut/`: unit tests in the frame of ops-nn. Its build finds them by name.

use super::example;
use super::golden::stream_name;
use super::straight::{Language, prelude};
use crate::emit::api::cpp::{list, literal};
use crate::emit::api::published::{Of, Type};
use crate::emit::api::signature::{Function, Interface, Param};
use crate::emit::kernel::{tiling_data, tiling_key};
use crate::emit::package::Package;
use crate::emit::text::{Comment, Text, header};
use crate::emit::tree::File;
use crate::plan::Plan;
use op_dsl_ir::DType;
use op_dsl_ir::bind::{Bound, TensorMeta, bind, infer};
use op_dsl_ir::op::{AttrKind, Kind, Pattern, Value};
use op_dsl_ir::tiling::{Extent, Machine, Tiling, tile};

/// All files.
pub fn files(package: &Package<'_>, interface: &Interface) -> Vec<File> {
    let snake = package.snake();
    let file = |path: String, text: String| File {
        path: format!("tests/ut/{path}"),
        text: format!("{}\n{}\n", header(package, Comment::Slashes), text.trim_end()),
    };
    let mut files = vec![
        file(format!("op_host/test_{snake}_tiling.cpp"), tilings(package)),
        file(format!("op_host/test_{snake}_infershape.cpp"), shapes(package)),
        file(format!("op_api/test_{}.cpp", interface.header), api(package, interface)),
    ];
    files.extend(kernel(package).map(|text| file(format!("op_kernel/test_{snake}.cpp"), text)));
    files
}

/// One call of the operator: attributes of a plan and the shape of one part.
struct Call {
    attrs: Vec<Value>,
    shapes: Vec<Vec<usize>>,
    outputs: Vec<Vec<usize>>,
    bound: Bound,
}

/// The last dimension is the cut one.
fn call(package: &Package<'_>, spec: usize, dtype: DType, part: [usize; 2]) -> Option<Call> {
    let def = package.def;
    let attrs: Vec<Value> = (0..def.attrs.len()).map(|i| attribute(package, spec, i)).collect();
    let shape = |kind: Kind| match kind {
        Kind::Whole => part.to_vec(),
        Kind::Gated => vec![part[0], 2 * part[1]],
    };
    let shapes: Vec<Vec<usize>> = def.inputs.iter().map(|t| shape(t.kind)).collect();
    let metas: Vec<TensorMeta<'_>> =
        shapes.iter().map(|shape| TensorMeta { shape, dtype }).collect();
    let bound = bind(def, &attrs, &metas).ok()?;
    let outputs = infer(def, &attrs, &metas).ok()?.iter().map(|o| o.shape.to_vec()).collect();
    Some(Call { attrs, shapes, outputs, bound })
}

/// What the specialisation asks, else the default; the last dimension.
fn attribute(package: &Package<'_>, spec: usize, attr: usize) -> Value {
    let def = package.def;
    let forced = def.specs[spec].when.iter().find(|w| w.0 == attr).map(|w| w.1);
    match (forced, def.attrs[attr].default) {
        (Some(v), Value::Bool(_)) => Value::Bool(v != 0),
        (Some(v), _) => Value::Int(v),
        (None, _) if def.attrs[attr].kind == AttrKind::Dim => Value::Int(-1),
        (None, default) => default,
    }
}

fn planned(call: &Call, plan: &Plan, machine: &Machine) -> Option<Tiling> {
    tile(&Extent::new(&call.bound), &plan.need, machine).ok()
}

/// `GeGluGradV2Tiling.FLOAT16_TANH`
fn case(package: &Package<'_>, plan: &Plan) -> String {
    format!("{}_{}", super::words::dtype(plan.dtype), package.spec_name(plan.spec))
}

fn ge(dtype: DType) -> &'static str {
    match dtype {
        DType::F16 => "ge::DT_FLOAT16",
        DType::BF16 => "ge::DT_BF16",
        DType::F32 => "ge::DT_FLOAT",
    }
}

fn braced(shape: &[usize]) -> String {
    let dims: Vec<String> = shape.iter().map(usize::to_string).collect();
    format!("{{{}}}", dims.join(", "))
}

/// Descriptions of tensors: shape, stored shape, element type, format.
fn described(shapes: &[Vec<usize>], dtype: DType) -> String {
    let one = |s: &Vec<usize>| {
        format!("    {{{{{0}, {0}}}, {1}, ge::FORMAT_ND}},\n", braced(s), ge(dtype))
    };
    format!("{{\n{}}}", shapes.iter().map(one).collect::<String>())
}

/// Attributes in the order of the definition.
fn attributes(package: &Package<'_>, values: &[Value]) -> String {
    let one = |(attr, value): (&op_dsl_ir::op::Attr, &Value)| {
        let (ty, text) = match (&attr.kind, value) {
            (AttrKind::Enum { wire_str: true, variants, .. }, Value::Int(v)) => {
                let name = variants.iter().find(|x| x.value == *v).map_or("", |x| &x.name);
                ("std::string", literal(name))
            }
            (_, Value::Int(v)) => ("int64_t", v.to_string()),
            (_, Value::Bool(b)) => ("bool", b.to_string()),
            (_, Value::Float(x)) => ("float", format!("{x:?}f")),
        };
        format!("    {{{}, Ops::NN::AnyValue::CreateFrom<{ty}>({text})}},\n", literal(&attr.name))
    };
    let all: String = package.def.attrs.iter().zip(values).map(one).collect();
    format!("{{\n{all}}}")
}

/// `const gert::TilingContextPara para("Op", inputs, outputs, attributes, more);`
fn context(package: &Package<'_>, of: &str, call: &Call, dtype: DType, more: &str) -> String {
    let mut args = vec![
        literal(&package.def.name),
        described(&call.shapes, dtype),
        described(&call.outputs, dtype),
    ];
    if !call.attrs.is_empty() {
        args.push(attributes(package, &call.attrs));
    }
    format!("gert::{of} para({}{more});", args.join(", "))
}

/// Adds lines one level deeper.
fn body(t: &mut Text, lines: &str) {
    for line in lines.lines() {
        t.line(if line.is_empty() { String::new() } else { format!("    {line}") });
    }
}

/// The platform is the product's; what is expected is the tiling of the plans.
fn tilings(package: &Package<'_>) -> String {
    let (def, soc) = (package.def, package.soc());
    let machine = Machine { ub: soc.reported_ub(), cores: soc.cores, pads: soc.arch.pads };
    let mut t = Text::new();
    t.line("#include <cstring>\n\n#include <gtest/gtest.h>\n\n#include \"tiling_case_executor.h\"");
    t.line("#include \"tiling_context_faker.h\"");
    t.line(format!("#include \"../../../op_kernel/{}_tiling_data.h\"\n", package.snake()));
    let more = format!(", nullptr, {}, {}", machine.cores, machine.ub);
    for plan in &package.plans {
        let Some(call) = call(package, plan.spec, plan.dtype, [64, 1000]) else { continue };
        let Some(tiling) = planned(&call, plan, &machine) else { continue };
        t.line(format!("TEST({}Tiling, {})\n{{", def.name, case(package, plan)));
        body(&mut t, &context(package, "TilingContextPara", &call, plan.dtype, &more));
        body(&mut t, "TilingInfo info;\nASSERT_TRUE(ExecuteTiling(para, info));");
        body(&mut t, &format!("EXPECT_EQ(info.blockNum, {}u);", tiling.cores));
        let name = package.tiling_data();
        body(&mut t, &format!("ASSERT_GE(info.tilingDataSize, sizeof({name}));\n{name} data;"));
        body(&mut t, "std::memcpy(&data, info.tilingData.get(), sizeof(data));");
        for (field, value) in values(&tiling) {
            body(&mut t, &format!("EXPECT_EQ(data.{field}, {value}u);"));
        }
        t.line("}\n");
    }
    if let Some(refused) = refused(package, &more) {
        t.line(refused);
    }
    t.finish()
}

/// The second input has one row more than the first.
fn refused(package: &Package<'_>, more: &str) -> Option<String> {
    let plan = package.plans.first()?;
    let mut call = call(package, plan.spec, plan.dtype, [64, 1000])?;
    if package.def.broadcast {
        return None;
    }
    call.shapes.get_mut(1)?[0] += 1;
    let mut t = Text::new();
    t.line(format!("TEST({}Tiling, ShapesThatDoNotFit)\n{{", package.def.name));
    body(&mut t, &context(package, "TilingContextPara", &call, plan.dtype, more));
    body(&mut t, "TilingInfo info;\nEXPECT_FALSE(ExecuteTiling(para, info));");
    t.line("}");
    Some(t.finish())
}

/// Fields of the cut, as the struct names them.
fn values(t: &Tiling) -> [(&'static str, u64); 12] {
    [
        ("rows", t.rows),
        ("columns", t.columns),
        ("pieces", t.pieces),
        ("share", t.share),
        ("unitRows", t.unit_rows.into()),
        ("unitColumns", t.unit_columns.into()),
        ("tileRows", t.tile_rows.into()),
        ("tileColumns", t.tile_columns.into()),
        ("pitch", t.pitch.into()),
        ("cores", t.cores.into()),
        ("big", t.big.into()),
        ("path", t.path as u64),
    ]
}

fn shapes(package: &Package<'_>) -> String {
    let mut t = Text::new();
    t.line("#include <gtest/gtest.h>\n\n#include \"infershape_case_executor.h\"");
    t.line("#include \"infershape_context_faker.h\"\n");
    let Some(plan) = package.plans.first() else { return t.finish() };
    for (name, part) in [("Matrix", [64, 1000]), ("OneElement", [1, 1])] {
        let Some(call) = call(package, plan.spec, plan.dtype, part) else { continue };
        t.line(format!("TEST({}InferShape, {name})\n{{", package.def.name));
        let unknown = Call { outputs: vec![Vec::new(); call.outputs.len()], ..call };
        body(&mut t, &context(package, "InfershapeContextPara", &unknown, plan.dtype, ""));
        let wanted: Vec<String> =
            package.def.outputs.iter().map(|o| braced(&shape_of(o.kind, part))).collect();
        body(
            &mut t,
            &format!("ExecuteTestCase(para, ge::GRAPH_SUCCESS, {{{}}});", wanted.join(", ")),
        );
        t.line("}\n");
    }
    t.finish()
}

fn shape_of(kind: Kind, part: [usize; 2]) -> Vec<usize> {
    vec![part[0], if kind == Kind::Gated { 2 * part[1] } else { part[1] }]
}

/// Phase 1 with right arguments, and with one of each kind of wrong ones.
fn api(package: &Package<'_>, interface: &Interface) -> String {
    let mut t = Text::new();
    t.line("#include <gtest/gtest.h>\n");
    t.line(
        "#include \"op_api_ut_common/op_api_ut.h\"\n#include \"op_api_ut_common/tensor_desc.h\"",
    );
    t.line(format!("#include \"../../../op_api/{}.h\"\n", interface.header));
    for function in &interface.functions {
        let mut test = |name: &str, status: &str, wrong: &Wrong<'_>| {
            t.line(format!("TEST({}, {name})\n{{", function.name));
            body(&mut t, &phase_1(package, function, status, wrong));
            t.line("}\n");
        };
        test("RightArguments", "ACLNN_SUCCESS", &Wrong::Nothing);
        for p in function.tensors() {
            let name = format!("No{}{}", p.name[..1].to_uppercase(), &p.name[1..]);
            test(&name, "ACLNN_ERR_PARAM_NULLPTR", &Wrong::Missing(&p.name));
        }
        test("AnotherElementType", "ACLNN_ERR_PARAM_INVALID", &Wrong::DType);
        test("NineDimensions", "ACLNN_ERR_PARAM_INVALID", &Wrong::Rank);
        if package.def.split.is_some() {
            test("DimBeyondTheRank", "ACLNN_ERR_PARAM_INVALID", &Wrong::Dim);
        }
    }
    t.finish()
}

/// What is wrong with a call.
#[derive(PartialEq)]
enum Wrong<'a> {
    Nothing,
    Missing(&'a str),
    DType,
    Rank,
    Dim,
}

fn phase_1(package: &Package<'_>, function: &Function, status: &str, wrong: &Wrong<'_>) -> String {
    let def = package.def;
    let spec = package.specs()[0];
    let dtype = match (wrong, package.dtypes()[0]) {
        (Wrong::DType, _) => "ACL_INT32",
        (_, DType::F16) => "ACL_FLOAT16",
        (_, DType::BF16) => "ACL_BF16",
        (_, DType::F32) => "ACL_FLOAT",
    };
    let mut t = Text::new();
    let shape = |kind: Kind| {
        let mut shape = shape_of(kind, [2, 16]);
        if *wrong == Wrong::Rank {
            shape.splice(0..0, [1; 7]);
        }
        braced(&shape)
    };
    let mut words = Vec::new();
    for p in &function.params {
        let kind = match p.of {
            Of::Input(i) => def.inputs[i].kind,
            Of::Output(i) => def.outputs[i].kind,
            Of::Attr(i) => {
                t.line(constant(package, p, attribute(package, spec, i), wrong));
                words.push(p.name.clone());
                continue;
            }
        };
        if *wrong == Wrong::Missing(&p.name) {
            words.push("static_cast<aclTensor*>(nullptr)".into());
            continue;
        }
        t.line(format!("TensorDesc {}({}, {dtype}, ACL_FORMAT_ND);", p.name, shape(kind)));
        words.push(p.name.clone());
    }
    let is_output = |p: &Param| matches!(p.of, Of::Output(_));
    let of = |output: bool| -> Vec<String> {
        let both = function.params.iter().zip(&words);
        both.filter(|(p, _)| is_output(p) == output).map(|(_, w)| w.clone()).collect()
    };
    let groups =
        [function.name.clone(), list("INPUT", &of(false), ""), list("OUTPUT", &of(true), "")];
    t.line(list("auto ut = OP_API_UT", &groups, ";"));
    t.line("uint64_t workspaceSize = 0;");
    t.line(format!("EXPECT_EQ(ut.TestGetWorkspaceSize(&workspaceSize), {status});"));
    t.finish()
}

/// An attribute as a variable.
fn constant(package: &Package<'_>, p: &Param, value: Value, wrong: &Wrong<'_>) -> String {
    let Of::Attr(i) = p.of else { return String::new() };
    match (&package.def.attrs[i].kind, value, p.ty) {
        (AttrKind::Dim, ..) if *wrong == Wrong::Dim => format!("int64_t {} = 2;", p.name),
        (AttrKind::Enum { variants, .. }, Value::Int(v), Type::Chars) => {
            let name = variants.iter().find(|x| x.value == v).map_or("", |x| &x.name);
            format!("char {0}Text[] = {1};\nchar* {0} = {0}Text;", p.name, literal(name))
        }
        (_, Value::Int(v), _) => format!("int64_t {} = {v};", p.name),
        (_, Value::Bool(b), _) => format!("bool {} = {b};", p.name),
        (_, Value::Float(x), _) => format!("double {} = {x:?};", p.name),
    }
}

/// The kernel in float, each form against the formula in double. A package without float has none.
fn kernel(package: &Package<'_>) -> Option<String> {
    let plans: Vec<&Plan> = package.plans.iter().filter(|p| p.dtype == DType::F32).collect();
    plans.first()?;
    let mut t = Text::new();
    t.line("#include <cmath>\n\n#include \"gtest/gtest.h\"\n#include \"tikicpulib.h\"\n");
    t.line(format!("#include \"../../../op_kernel/{}.cpp\"\n", package.snake()));
    let graphs = plans.iter().map(|p| &package.def.specs[p.spec].graph);
    let helpers = prelude(graphs, Language::Cpp);
    if !helpers.is_empty() {
        t.line(format!("namespace formula {{\n\n{helpers}\n}} // namespace formula\n"));
    }
    for plan in plans {
        let Some(call) = call(package, plan.spec, plan.dtype, [8, 64]) else { continue };
        let machine =
            Machine { ub: package.soc().reported_ub(), cores: 2, pads: package.soc().arch.pads };
        let Some(tiling) = planned(&call, plan, &machine) else { continue };
        let name = case(package, plan);
        t.line(format!("namespace of_{} {{", name.to_lowercase()));
        t.line(example::expected(package, plan.spec).trim_end());
        t.line(format!("}} // namespace of_{}\n", name.to_lowercase()));
        t.line(format!("TEST({}Kernel, {name})\n{{", package.def.name));
        t.line(format!("    using namespace of_{};", name.to_lowercase()));
        body(&mut t, &launch(package, plan, &call, &tiling));
        t.line("}\n");
    }
    Some(t.finish())
}

fn launch(package: &Package<'_>, plan: &Plan, call: &Call, tiling: &Tiling) -> String {
    let def = package.def;
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
    let names = |tensors: &[op_dsl_ir::op::Tensor], end: &str| -> Vec<String> {
        tensors.iter().map(|t| format!("{}{end}", tiling_data::camel(&t.name))).collect()
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
            t.line(format!("tiling->{} = {x:?}f;", tiling_data::camel(&attr.name)));
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
    let small = tiling.path == op_dsl_ir::tiling::Path::Small;
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
    use op_dsl_ir::op::Part;
    let def = package.def;
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
    let name = |name: &str, end: &str| format!("{}{end}", tiling_data::camel(name));
    let read = |s: &op_dsl_ir::op::Stream| {
        format!("{}[{}]", name(&def.inputs[s.tensor].name, "In"), at(s.part))
    };
    let mut args: Vec<String> = def.input_streams().iter().map(read).collect();
    args.extend(floats.iter().cloned());
    t.block(&format!("for (size_t i = 0; i < {}; ++i)", rows * columns), "}", |t| {
        match def.split.as_ref().map(|s| s.pattern) {
            Some(Pattern::Halves) => {
                t.line(format!("const size_t first = i + i / {columns} * {columns};"));
                t.line(format!("const size_t second = first + {columns};"));
            }
            Some(Pattern::Interleaved) => {
                t.line("const size_t first = 2 * i;\nconst size_t second = first + 1;");
            }
            None => {}
        }
        t.line(list("const Expected want = Formula", &args, ";"));
        for s in def.output_streams() {
            let got = format!("{}[{}]", name(&def.outputs[s.tensor].name, "Out"), at(s.part));
            let want = format!("want.{}", stream_name(&def.outputs, &s));
            t.line(format!("EXPECT_NEAR({got}, {want}, 1e-5 + 1e-4 * std::fabs({want}));"));
        }
    });
}
