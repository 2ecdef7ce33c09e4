//! Tests of tiling and shape inference: the host functions must return what the plans predict.

use super::case::{Call, braced, call, case, counted, planned, values};
use crate::emit::api::cpp::literal;
use crate::emit::host::{core, has_optional, mask_types};
use crate::emit::kernel::sums;
use crate::emit::package::Package;
use crate::emit::scheme::{Class, Scheme};
use crate::emit::text::Text;
use crate::emit::type_names::ge_name;
use crate::plan::Plan;
use crate::tiling::{BLOCK, Machine, Tiling};
use op_dsl_ir::DType;
use op_dsl_ir::op::{AttrKind, Kind, Tensor, Value};

/// Writes one C++ test per kernel, which compares the tiling by host code with the plan's.
pub fn tilings(package: &Package<'_>) -> String {
    let (def, snake) = (&package.def, package.snake());
    let mut t = Text::new();
    t.line("#include <cstring>\n\n#include <gtest/gtest.h>\n\n#include \"tiling_case_executor.h\"");
    t.line(format!("#include \"../../../op_host/{snake}_tiling_core.h\"\n"));
    for plan in &package.plans {
        let Some(call) = call(package, plan.spec, plan.dtype, PART) else { continue };
        let Some(Expected { cores, fields, ub }) = expected(package, &call, plan) else { continue };
        let name = test_name(package, plan);
        t.function(format!("TEST({}Tiling, {name})", def.name), |t| {
            t.lines(tiling_call(package, plan, &call, ub));
            t.line("TilingInfo info;\nASSERT_TRUE(ExecuteTiling(para, info));");
            if let Some(cores) = cores {
                t.line(format!("EXPECT_EQ(info.blockNum, {cores}u);"));
            }
            let name = package.tiling_data();
            t.line(format!("ASSERT_GE(info.tilingDataSize, sizeof({name}));\n{name} data;"));
            t.line("std::memcpy(&data, info.tilingData.get(), sizeof(data));");
            if cores.is_none() {
                t.line("EXPECT_EQ(info.blockNum, data.cores);");
            }
            for (field, value) in fields {
                t.line(format!("EXPECT_EQ(data.{field}, {value}u);"));
            }
        });
        t.line("");
    }
    t.lines(refused(package).unwrap_or_default());
    t.finish()
}

/// Shape of the calls that tests tile.
const PART: [usize; 2] = [64, 1000];

/// Tiling that a test expects of a call.
struct Expected {
    /// Number of cores; `None` for calls with sums or functions of rows, whose tiling is computed by C++ alone.
    cores: Option<u32>,
    /// Fields of the tiling data, with their values. For those calls, only what follows from the shapes is there.
    fields: Vec<(String, u64)>,
    /// Bytes of UB.
    ub: u64,
}

/// Returns the tiling that a test expects of a call; `None` if it is not the same on all platforms.
fn expected(package: &Package<'_>, call: &Call, plan: &Plan) -> Option<Expected> {
    let def = &package.def;
    let named = |(field, value): (&str, u64)| (field.to_string(), value);
    if sums::has(def) {
        let [rows, columns] = PART.map(|n| n as u64);
        let shape = [("rows", rows), ("kept", columns), ("columns", columns), ("vector", 1)];
        // One row is broadcast: an element for each column. Others have all elements.
        let summed = sums::summed(def);
        let mode = |input| (sums::mode(def, input), u64::from(summed.contains(&input)));
        let modes = sums::broadcast(def).into_iter().map(mode);
        let fields = shape.map(named).into_iter().chain(modes).collect();
        return Some(Expected { cores: None, fields, ub: plan.soc.ub });
    }
    if Scheme::of(def).class == Class::Rows {
        let [rows, columns] = PART.map(|n| n as u64);
        // Rows end on blocks where copies move blocks.
        let size = if core::has_integers(def) { 1 } else { plan.need.size };
        if !plan.soc.arch.pads && !(columns * size).is_multiple_of(BLOCK) {
            return None;
        }
        let fields = [("rows", rows), ("columns", columns), ("group", 1)].map(named).to_vec();
        return Some(Expected { cores: None, fields, ub: plan.soc.ub });
    }
    let (tiling, ub) = steady(call, plan)?;
    let fields = values(&tiling).into_iter().chain(counted(package, call)).map(named).collect();
    Some(Expected { cores: Some(tiling.cores), fields, ub })
}

/// Returns the name of a test of a plan, for example `FLOAT16_TANH`.
///
/// It ends with the architecture if the package has several.
fn test_name(package: &Package<'_>, plan: &Plan) -> String {
    match package.archs().len() {
        1 => case(package, plan),
        _ => format!("{}_{}", case(package, plan), plan.soc.arch.number),
    }
}

/// Writes the C++ statements that describe a call on a plan's product to the test framework.
///
/// The build's platform may be another product, because the tiling reads the architecture from the framework's compile info.
/// `ub` is the size of UB in bytes.
fn tiling_call(package: &Package<'_>, plan: &Plan, call: &Call, ub: u64) -> String {
    let (snake, soc) = (package.snake(), plan.soc);
    let more = format!(", &compileInfo, {}, {ub}", soc.cores);
    let info = format!("ops::{snake}::CompileInfo compileInfo{{{}}};\n", soc.arch.number);
    info + &context(package, "TilingContextPara", call, plan.dtype, &more)
}

/// Writes a C++ test that tiling refuses a second input with more rows than the first, or a longer one that is broadcast.
///
/// `None` if the operator has no such call.
fn refused(package: &Package<'_>) -> Option<String> {
    let plan = package.plans.first()?;
    let mut call = call(package, plan.spec, plan.dtype, PART)?;
    let longer = match sums::summed(&package.def).first() {
        Some(input) => *input,
        None if package.def.broadcast => return None,
        None if package.def.laid_out().len() < 2 || !call.given[1] => return None,
        None => 1,
    };
    *call.shapes.get_mut(longer)?.first_mut()? += if sums::has(&package.def) { 2 } else { 1 };
    let mut t = Text::new();
    t.function(format!("TEST({}Tiling, ShapesThatDoNotFit)", package.def.name), |t| {
        t.lines(tiling_call(package, plan, &call, plan.soc.ub));
        t.line("TilingInfo info;\nEXPECT_FALSE(ExecuteTiling(para, info));");
    });
    Some(t.finish())
}

/// Bytes that some platforms reserve from the size of UB that a test states.
const KEPT: u64 = 256;

/// Returns a tiling that is the same whether or not the platform reserves 256 bytes of UB.
///
/// Also returns the bytes of UB for which the tiling holds. The test must pass either way, because it does not know the
/// platform. `None` if no size of UB has such a tiling.
fn steady(call: &Call, plan: &Plan) -> Option<(Tiling, u64)> {
    let soc = plan.soc;
    let with = |ub| planned(call, plan, &Machine { ub, cores: soc.cores, pads: soc.arch.pads });
    let tries = (0..soc.ub / KEPT).map(|n| soc.ub - n * KEPT);
    let same = |ub: u64| Some((with(ub).filter(|t| Some(t) == with(ub - KEPT).as_ref())?, ub));
    tries.take_while(|ub| *ub > KEPT).find_map(same)
}

/// Writes the C++ tests of shape inference.
pub fn shapes(package: &Package<'_>) -> String {
    let mut t = Text::new();
    t.line("#include <gtest/gtest.h>\n\n#include \"infershape_case_executor.h\"\n");
    let Some(plan) = package.plans.first() else { return t.finish() };
    for (name, part) in [("Matrix", PART), ("OneElement", [1, 1])] {
        let Some(call) = call(package, plan.spec, plan.dtype, part) else { continue };
        let wanted: Vec<String> = call.outputs.iter().map(|shape| braced(shape)).collect();
        let wanted = wanted.join(", ");
        let unknown = Call { outputs: vec![Vec::new(); call.outputs.len()], ..call };
        t.function(format!("TEST({}InferShape, {name})", package.def.name), |t| {
            t.lines(context(package, "InfershapeContextPara", &unknown, plan.dtype, ""));
            t.line(format!("ExecuteTestCase(para, ge::GRAPH_SUCCESS, {{{wanted}}});"));
        });
        t.line("");
    }
    t.finish()
}

/// Returns the C++ name of the type of a tensor in a call on tensors of type `dtype`.
fn type_of(tensor: &Tensor, dtype: DType) -> String {
    format!("ge::DT_{}", ge_name(tensor.own.unwrap_or(dtype.into())))
}

/// Returns the C++ descriptions of tensors: shape, stored shape, element type, format.
///
/// Each tensor is given by its shape and the C++ name of its element type.
fn described(tensors: impl Iterator<Item = (Vec<usize>, String)>) -> String {
    let one = |(shape, ty): (Vec<usize>, String)| {
        format!("    {{{{{0}, {0}}}, {ty}, ge::FORMAT_ND}},\n", braced(&shape))
    };
    format!("{{\n{}}}", tensors.map(one).collect::<String>())
}

/// Returns shape and C++ name of the element type of each input that a call passes.
fn inputs(package: &Package<'_>, call: &Call, dtype: DType) -> Vec<(Vec<usize>, String)> {
    let def = &package.def;
    let ty = |i: usize| match def.inputs[i].kind {
        Kind::Mask => format!("ge::{}", mask_types(def)[0]),
        Kind::Rows => "ge::DT_INT64".into(),
        _ => type_of(&def.inputs[i], dtype),
    };
    let given = (0..def.inputs.len()).filter(|i| call.given[*i]);
    given.map(|i| (call.shapes[i].clone(), ty(i))).collect()
}

/// Returns the C++ list of attributes and their values, in the order of the definition.
fn attributes(package: &Package<'_>, values: &[Value]) -> String {
    let one = |(attr, value): (&op_dsl_ir::op::Attr, &Value)| {
        let (ty, text) = match (&attr.kind, value) {
            (kind @ AttrKind::Enum { wire_str: true, .. }, Value::Int(v)) => {
                ("std::string", literal(kind.variant_name(*v)))
            }
            (_, Value::Int(v)) => ("int64_t", v.to_string()),
            (_, Value::Bool(b)) => ("bool", b.to_string()),
            (_, Value::Float(x)) => ("float", format!("{x:?}f")),
        };
        format!("    {{{}, Ops::NN::AnyValue::CreateFrom<{ty}>({text})}},\n", literal(&attr.name))
    };
    let all: String = package.def.passed().iter().zip(values).map(one).collect();
    format!("{{\n{all}}}")
}

/// Returns the C++ statement that declares the context of a call for the test framework.
///
/// `of` is the C++ type of the context. For example, `gert::TilingContextPara para("Op", inputs, outputs, attributes, more);`.
fn context(package: &Package<'_>, of: &str, call: &Call, dtype: DType, more: &str) -> String {
    let outputs = call.outputs.iter().zip(&*package.def.outputs);
    let mut args = vec![
        literal(&package.def.name),
        described(inputs(package, call, dtype).into_iter()),
        described(outputs.map(|(shape, tensor)| (shape.clone(), type_of(tensor, dtype)))),
    ];
    if !package.def.passed().is_empty() {
        args.push(attributes(package, &call.attrs));
    }
    // With optional inputs, the context also takes the number of tensors per parameter, which may be 0.
    if has_optional(&package.def) {
        let counts = |n: Vec<usize>| format!("std::vector<uint32_t>{}", braced(&n));
        args.push(counts(call.given.iter().map(|g| usize::from(*g)).collect()));
        args.push(counts(vec![1; call.outputs.len()]));
    }
    format!("gert::{of} para({}{more});", args.join(", "))
}
