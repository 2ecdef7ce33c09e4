//! `op_host/<op>_tiling.cpp`: from the framework's context to the core's maths and back.

use super::checks::{attribute, form_arguments, fragment, has_attributes, has_masks};
use super::core::{self, CallShape};
use crate::emit::kernel::tiling_data::gate_is_an_attribute;
use crate::emit::package::Package;
use crate::emit::scheme::{Class, Scheme};
use crate::emit::text::Text;
use crate::emit::type_names::ge_name;
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{Attr, AttrKind, Gate, OpDef, Spec};
use op_dsl_ir::{DType, Stored};

/// C++ code of tiling that is the same for every operator.
const TILING: &str = include_str!("fragments/tiling.h");

/// C++ statements that refuse a row which the kernel does not take.
const REFUSED_ROW: &str = "\
const uint64_t block = machine.pads ? 1 : @block@;
if (extent.columns % block != 0) {
    return Refuse(context, \"rows have \" + std::to_string(extent.columns) + \" elements; allowed: multiples of \" +
                  std::to_string(block));
}
return Refuse(context, \"UB of \" + std::to_string(machine.ub) + \" bytes is too small for a chunk of a row\");";

/// Writes the C++ code of `<op>_tiling.cpp`, without the comment at its head.
pub fn file(package: &Package<'_>) -> String {
    let (snake, name) = (package.snake(), &package.def.name);
    let mut text = Text::new();
    text.line("namespace {\n");
    types(&mut text, package);
    let case = |ty: String| format!("        case ge::{ty}:\n            return \"{ty}\";\n");
    let own = package.def.inputs.iter().chain(&*package.def.outputs).filter_map(|t| t.own);
    let mut own: Vec<Stored> = own.filter(|own| own.number().is_none()).collect();
    own.dedup();
    let own = own.into_iter().map(|own| case(format!("DT_{}", ge_name(own))));
    let cases: String = DType::ALL.map(|d| case(ge_type(d))).into_iter().chain(own).collect();
    text.line(fragment(TILING, &package.def).replace("        @types@\n", &cases));
    read_counts(&mut text, &package.def);
    tile(&mut text, package);
    text.lines(parse(package)).line("");
    text.line("}  // namespace\n");
    text.line(format!(
        "IMPL_OP_OPTILING({name}).Tiling(TileCall).TilingParse<CompileInfo>(Parse);"
    ));
    format!(
        "#include <algorithm>\n#include <iterator>\n\n\
         #include \"tiling/platform/platform_ascendc.h\"\n\n\
         #include \"../op_kernel/{snake}_tiling_key.h\"\n\
         #include \"{snake}_checks.h\"\n#include \"{snake}_tiling_core.h\"\n\n{}",
        core::in_namespace(package, &text.finish())
    )
}

/// Writes the C++ function `Parse`, which fills in the compile info that the framework keeps.
///
/// A package for one architecture does not query the platform, because the platform has no other architecture and older
/// toolkits could not return it.
fn parse(package: &Package<'_>) -> String {
    let one = package.archs().len() == 1;
    let number = if one {
        "ARCHS[0].number;  // the only one"
    } else {
        "static_cast<uint32_t>(platform_ascendc::PlatformAscendC(infos).GetCurNpuArch());"
    };
    let mut text = Text::new();
    text.function("ge::graphStatus Parse(gert::TilingParseContext* context)", |text| {
        text.line("CompileInfo* info = context->GetCompiledInfo<CompileInfo>();");
        let mut known = "info == nullptr";
        if !one {
            text.line("fe::PlatFormInfos* infos = context->GetPlatformInfo();");
            known = "info == nullptr || infos == nullptr";
        }
        text.when(known, "return Refuse(context, \"the platform is unknown\");");
        text.line(format!("info->arch = {number}"));
        text.line("return ge::GRAPH_SUCCESS;");
    });
    text.finish()
}

/// Returns the C++ expression of an attribute's value in the type that the kernel receives.
///
/// `value` is the expression in the attribute's own type; integers become the nearest `float`.
fn as_float(attr: &Attr, value: String) -> String {
    match attr.kind {
        AttrKind::Int => format!("static_cast<float>({value})"),
        _ => value,
    }
}

/// Returns CANN's name of an element type, for example `DT_FLOAT16`.
pub fn ge_type(dtype: DType) -> String {
    format!("DT_{}", dtype.row().ge)
}

/// Returns CANN's names of element types, separated by commas.
pub fn ge_types(dtypes: &[DType]) -> String {
    dtypes.iter().map(|d| ge_type(*d)).collect::<Vec<_>>().join(", ")
}

/// Returns CANN's names of the element types that the operator's masks may have.
pub fn mask_types(def: &OpDef) -> &'static [&'static str] {
    if def.masks() == Stored::Bit { &["DT_UINT1"] } else { &["DT_BOOL", "DT_UINT8"] }
}

fn types(text: &mut Text, package: &Package<'_>) {
    text.line("// An element type, as the framework and as the tiling key has it.");
    text.block("struct Type", "};\n", |text| {
        text.line("ge::DataType type;\nuint32_t key;");
    });
    let row = |d: DType| format!("{{ge::{}, {}}}", ge_type(d), core::type_constant(d));
    let rows: Vec<String> = package.dtypes().into_iter().map(row).collect();
    text.line(format!("constexpr Type TYPES[] = {{{}}};\n", rows.join(", ")));
    if has_masks(&package.def) {
        let types = mask_types(&package.def);
        let all: Vec<String> = types.iter().map(|t| format!("ge::{t}")).collect();
        text.line("// Element types of masks.");
        text.line(format!("constexpr ge::DataType MASK_TYPES[] = {{{}}};", all.join(", ")));
        text.line(format!("constexpr const char* MASK_NAMES = \"{}\";\n", types.join(", ")));
    }
    text.line("// Attribute values of each form, as messages name them.");
    let forms: Vec<String> = package.def.specs.iter().map(|s| form(package, s)).collect();
    text.line(format!("constexpr const char* FORMS[] = {{{}}};\n", forms.join(", ")));
    text.line("// Whether tensors without elements are fine, and do nothing.");
    text.line(format!("constexpr bool EMPTY = {};\n", package.def.empty));
}

/// Returns the attribute values that select a specialisation, as a C++ string literal.
///
/// For example, `"approximate = 1 "`.
fn form(package: &Package<'_>, spec: &Spec) -> String {
    let attrs = &package.def.attrs;
    let when: String =
        spec.when.iter().map(|(a, v)| format!("{} = {v} ", attrs[*a].name)).collect();
    format!("\"{when}\"")
}

/// Writes C++ statements that look up how much UB the kernel needs, and refuse calls without a kernel.
fn find_need(text: &mut Text, package: &Package<'_>) {
    let def = &package.def;
    let value = |a: usize| {
        let (name, var) = (&def.attrs[a].name, cpp_name(&def.attrs[a].name));
        format!("{name} = \" + std::to_string(attributes.{var}) + \" ")
    };
    let values: String = core::branching(package).into_iter().map(value).collect();
    text.line(format!("const uint32_t form = SelectForm({});", form_arguments(package)));
    text.line("const Need* need = FindNeed(arch->number, form, type.key);");
    text.block("if (need == nullptr)", "}", |text| {
        text.line(format!("return Refuse(context, \"{values}(\" + NameOf(type.type) +"));
        text.line(
            "              \") has no kernel on this target; allowed: \" + KernelsOf(*arch));",
        );
    });
}

/// Writes the C++ function `ReadCounts`, which reads how many entries the input with row counts has.
///
/// Writes nothing for operators without such an input.
fn read_counts(text: &mut Text, def: &OpDef) {
    let Some(rows) = def.rows() else { return };
    let (name, optional) = (&def.inputs[rows].name, def.presence(rows).is_some());
    let get = if optional { "GetOptionalInput" } else { "GetRequiredInput" };
    text.line("// Reads how many counts of rows there are: none where a call leaves them out. The kernel adds them.");
    let head = "ge::graphStatus ReadCounts(const gert::TilingContext* context, uint64_t& counts)";
    text.function(head, |text| {
        text.line(format!("const gert::StorageShape* shape = context->{get}Shape({rows});"));
        text.line(format!(
            "const gert::CompileTimeTensorDesc* desc = context->{get}Desc({rows});"
        ));
        text.block("if (shape == nullptr || desc == nullptr)", "}", |text| match optional {
            true => {
                text.line("counts = 0;\nreturn ge::GRAPH_SUCCESS;");
            }
            false => {
                text.line(format!("return RefuseTensor(context, \"{name}\", \"is missing\");"));
            }
        });
        text.block("if (desc->GetDataType() != ge::DT_INT64)", "}", |text| {
            text.line(format!("return RefuseTensor(context, \"{name}\", \"has dtype \" + NameOf(desc->GetDataType()) +"));
            text.line("                    \"; allowed: DT_INT64\");");
        });
        text.line("Dims dims;");
        text.when(&format!("ReadShape(context, \"{name}\", shape, dims) != ge::GRAPH_SUCCESS"), "return ge::GRAPH_FAILED;");
        text.block("if (dims.size() != 1 || dims[0] == 0)", "}", |text| {
            text.line(format!("return RefuseTensor(context, \"{name}\", \"has shape \" + ToString(dims) +"));
            text.line("                    \"; allowed: one dimension of 1 or more, since its sum is a number of rows\");");
        });
        text.line("counts = static_cast<uint64_t>(dims[0]);\nreturn ge::GRAPH_SUCCESS;");
    });
    text.line("");
}

/// Writes the C++ function `TileCall`, which the framework calls to tile a call of the operator.
fn tile(text: &mut Text, package: &Package<'_>) {
    let def = &package.def;
    text.function("ge::graphStatus TileCall(gert::TilingContext* context)", |text| {
        ask(text, package);
        find_need(text, package);
        cut(text, package);
        fill(text, package, "data->", "counts", ["dims", "domain.split"], |a| attribute(def, a));
        text.line("const uint64_t small = data->path == PATH_SMALL ? 1 : 0;");
        text.line("context->SetTilingKey(GET_TPL_TILING_KEY(type.key, form, small));");
        text.line("context->SetBlockDim(std::max<uint32_t>(data->cores, 1));  // an empty call starts one core, which returns");
        let own = core::workspace(package, "*data").map(|bytes| {
            // All cores of a kernel with a barrier must run at once, beside those of other streams.
            text.line("context->SetScheduleMode(1);");
            format!(" + {bytes}")
        });
        text.line(format!("workspaces[0] = workspace{};", own.unwrap_or_default()));
        text.line("return ge::GRAPH_SUCCESS;");
    });
    text.line("");
}

/// Writes C++ statements that read the call: architecture, attributes, type, shapes and platform.
fn ask(text: &mut Text, package: &Package<'_>) {
    let def = &package.def;
    text.line("const Arch* arch = ArchOf(context);");
    text.when(
        "arch == nullptr",
        "return Refuse(context, \"there are no kernels for the architecture of this product\");",
    );
    let dim = def.split.as_ref().map(|s| attribute(def, s.dim));
    let mut calls = vec![
        "FindType(context, *arch, type)".to_string(),
        format!("ReadShapes(context, {}, domain)", dim.as_deref().unwrap_or("0")),
        "AskPlatform(context, *arch, machine, workspace)".into(),
    ];
    if has_attributes(def) {
        text.line("Attributes attributes{};");
        calls.insert(0, "ReadAttributes(context, attributes)".into());
    }
    if def.rows().is_some() {
        text.line("uint64_t counts = 0;");
        calls.push("ReadCounts(context, counts)".into());
    }
    text.line("Type type{};\nDomain domain;\nMachine machine{};\nsize_t workspace = 0;");
    let failed: Vec<String> = calls.iter().map(|c| format!("{c} != ge::GRAPH_SUCCESS")).collect();
    text.when(&failed.join(" ||\n    "), "return ge::GRAPH_FAILED;");
}

/// Writes C++ statements that divide the matrix of a call into tiles, and refuse it if UB is too small.
fn cut(text: &mut Text, package: &Package<'_>) {
    text.line("TilingData* data = context->GetTilingData<TilingData>();");
    text.line("size_t* workspaces = context->GetWorkspaceSizes(1);");
    text.when("data == nullptr || workspaces == nullptr", "return Refuse(context, \"no room for tiling data of \" + std::to_string(sizeof(TilingData)) + \" bytes\");");
    let def = &package.def;
    let outer = core::outer(package, "domain.split", |a| attribute(def, a));
    let split = def.split.is_some().to_string();
    text.line("const std::vector<uint64_t> dims(domain.dims.begin(), domain.dims.end());");
    let dims = ["dims.data()", "dims.size()"];
    let shape = CallShape { dims, outer: &outer, split: &split, inputs: "INPUT_COUNT" };
    core::collapse(text, package, &shape, "", |text| {
        let call = format!("CollapseInputs(context, domain, dims, {outer}, modes, extent)");
        text.when(&format!("{call} != ge::GRAPH_SUCCESS"), "return ge::GRAPH_FAILED;");
    });
    let tile = Scheme::of(def).tile;
    text.block(&format!("if (!{tile}(extent, *need, machine, *data))"), "}", |text| {
        if Scheme::of(def).class == Class::Rows {
            let block = if core::has_integers(def) { "BLOCK" } else { "BLOCK / need->size" };
            text.lines(REFUSED_ROW.replace("@block@", block));
            return;
        }
        text.line("return Refuse(context, \"UB of \" + std::to_string(machine.ub) +");
        text.line(
            "              \" bytes is too small: one 32-byte block of each stream needs \" +",
        );
        text.line("              std::to_string(LeastUb(*need)) + \" bytes\");");
    });
    core::fill_modes(text, package, "data->");
}

/// Writes C++ statements that store attributes and the number of row counts in the tiling data.
///
/// `data` is the C++ expression of a field without its name, `counts` that of the number of counts, and `shape` those of the
/// shape and of the split dimension. `attribute` returns the C++ expression of an attribute, given its index.
pub fn fill(
    text: &mut Text,
    package: &Package<'_>,
    data: &str,
    counts: &str,
    [dims, dim]: [&str; 2],
    attribute: impl Fn(usize) -> String + Copy,
) {
    let def = &package.def;
    if def.rows().is_some() {
        let rows = core::rows_of_count(package, dims, dim, attribute);
        text.line(format!("{data}counts = {counts};\n{data}rowsOfCount = {rows};"));
    }
    let gate = def.split.as_ref().map(|s| s.gate).filter(|_| gate_is_an_attribute(def));
    if let Some(Gate::LeftIf(attr)) = gate {
        text.line(format!("{data}gateFirst = {} ? 1 : 0;", attribute(attr)));
    }
    for (i, attr) in def.attrs.iter().enumerate().filter(|(_, a)| a.kind.is_scalar()) {
        let value = as_float(attr, attribute(i));
        text.line(format!("{data}{} = {value};", cpp_name(&attr.name)));
    }
}
