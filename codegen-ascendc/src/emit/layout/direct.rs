//! One kernel that is launched without an installed package: a program that runs it on files.

use super::ops_nn::units;
use crate::emit::host::core::CallShape;
use crate::emit::kernel::BY_COMPILER;
use crate::emit::kernel::names::namespace;
use crate::emit::kernel::tiling_key::has_small;
use crate::emit::package::{FUSION, Package};
use crate::emit::paper::phrases;
use crate::emit::scheme::Scheme;
use crate::emit::text::{Comment, Text, doc, header, page_header};
use crate::emit::tree::{File, Tree};
use crate::emit::{host, kernel};
use op_dsl_ir::Stored;
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{Attr, AttrKind, Kind, Tensor, Value};

/// Adds the directory of an operator's program: kernel, launcher, main, build file, README.
pub fn add(tree: &mut Tree, package: &Package<'_>) {
    let snake = package.snake();
    let core = format!("op_host/{snake}_tiling_core.h");
    let entry = format!("{snake}.cpp");
    // An operator package's entry is skipped, because it reads its tiling from GM; here tiling is an argument.
    let kernels = kernel::files(package).into_iter().filter(|f| f.path != entry);
    tree.add_below(&format!("{snake}/op_kernel"), kernels.collect());
    tree.add_below(&snake, host::files(package).into_iter().filter(|f| f.path == core).collect());
    let code = |path: &str, what: &str, text: &str| File {
        path: path.into(),
        text: format!("{}\n{text}", header(package, what, Comment::Slashes)),
    };
    let hash = header(package, "how the program is built", Comment::Hash);
    let mut files = vec![
        code("launch.h", "what a caller needs to know", &launch_header(package)),
        code("launch.asc", "the kernel and its launcher", &launch(package)),
        code("main.cpp", "a program that runs it on files", &host::fragment(MAIN, &package.def)),
        code("npy.h", "files of tensors", include_str!("direct/npy.h")),
    ];
    files.push(File { path: "CMakeLists.txt".into(), text: format!("{hash}\n{}", cmake(package)) });
    files.push(File { path: "README.md".into(), text: readme(package) });
    tree.add_below(&snake, files);
    tree.mark(&snake, std::iter::once(&*package.def.name));
}

/// C++ source of the program's `main`.
const MAIN: &str = include_str!("direct/main.cpp");

/// Returns all tensors of the signature: inputs, then outputs.
fn tensors<'p>(package: &'p Package<'_>) -> impl Iterator<Item = &'p Tensor> {
    package.def.inputs.iter().chain(package.def.outputs.iter())
}

/// Returns the C++ type of an attribute, and its default as a C++ literal.
fn attribute(attr: &Attr) -> (&'static str, String) {
    match attr.default {
        Value::Int(v) => ("int64_t", v.to_string()),
        Value::Bool(v) => ("bool", v.to_string()),
        Value::Float(v) => ("float", format!("{:?}f", v as f32)),
    }
}

/// Returns the C++ header `launch.h`, with everything that a caller needs to know of the operator.
fn launch_header(package: &Package<'_>) -> String {
    let def = &package.def;
    let mut text = Text::new();
    text.line("#pragma once\n\n#include <cstddef>\n#include <cstdint>\n#include <string>\n#include <vector>\n");
    text.line("// A tensor of the signature; the split dimension of a gated one is twice as long, a mask has truth values");
    text.line("// of one byte each, counts are int64 numbers whose sum is how many rows are computed, and a call may leave an");
    text.line("// optional one out.");
    text.block("struct Operand", "};\n", |text| {
        text.line("const char* name;\nbool gated;\nbool mask;\nbool counts;\nbool optional;");
    });
    let row = |(i, t): (usize, &Tensor)| {
        let optional = i < def.inputs.len() && def.presence(i).is_some();
        let [gated, mask, counts] = [Kind::Gated, Kind::Mask, Kind::Rows].map(|k| t.kind == k);
        format!("{{\"{}\", {gated}, {mask}, {counts}, {optional}}}", t.name)
    };
    let rows: Vec<String> = tensors(package).enumerate().map(row).collect();
    // Other inputs may be smaller than the domain where there are sums.
    let scheme = Scheme::of(def);
    let lead = def.wide.first().copied().filter(|_| scheme.adds).unwrap_or(host::lead(def));
    text.line("// Inputs, then results.");
    text.line(format!("constexpr Operand TENSORS[] = {{{}}};", rows.join(", ")));
    text.line(format!("constexpr size_t INPUTS = {};", def.inputs.len()));
    text.line(format!("constexpr size_t COUNT = {};", rows.len()));
    host::sum_tables(&mut text, def);
    host::along_table(&mut text, def);
    text.line("// The tensor whose shape decides those of all others.");
    text.line(format!("constexpr size_t LEAD = {lead};"));
    text.line("// The first tensor of numbers that every call has.");
    text.line(format!("constexpr size_t FIRST = {};", host::first(def)));
    text.line("// Whether the kernel takes truth values as bits, the first in the lowest.");
    text.line(format!("constexpr bool BITS = {};", def.masks() == Stored::Bit));
    text.line(format!("constexpr bool SPLIT = {};\n", def.split.is_some()));
    text.line("// One call.");
    text.block("struct Call", "};\n", |text| {
        text.line("uint32_t type = 0;           // element type, as the tiling key counts them");
        text.line("std::vector<uint64_t> dims;  // of one part");
        text.line("void* tensors[COUNT] = {};   // in device memory");
        text.line("uint64_t counts = 0;         // how many counts of rows there are");
        if scheme.workspace {
            text.line("std::vector<uint64_t> shapes[INPUTS];  // of one part of each input");
            text.line("void* workspace = nullptr;             // in device memory");
        }
        for attr in def.passed() {
            let (ty, default) = attribute(attr);
            text.line(format!("{ty} {} = {default};", cpp_name(&attr.name)));
        }
    });
    split_dim(package, &mut text);
    set_attribute(package, &mut text);
    if scheme.workspace {
        text.line("// Bytes of workspace that a call needs.");
        text.line("uint64_t WorkspaceBytes(const Call& call);");
    }
    text.line("// Tiles and launches; false if there is no such kernel.");
    text.line("bool Launch(const Call& call, void* stream);");
    text.finish()
}

fn split_dim(package: &Package<'_>, text: &mut Text) {
    let Some(split) = &package.def.split else {
        text.line("inline size_t SplitDim(const Call&) { return 0; }\n");
        return;
    };
    let dim = format!("call.{}", cpp_name(&package.def.attrs[split.dim].name));
    text.line("// The dimension along which gated tensors are cut, counted from the outermost.");
    text.function("inline size_t SplitDim(const Call& call)", |text| {
        text.line("const int64_t rank = static_cast<int64_t>(call.dims.size());");
        text.line(format!("return static_cast<size_t>({dim} < 0 ? {dim} + rank : {dim});"));
    });
    text.line("");
}

fn set_attribute(package: &Package<'_>, text: &mut Text) {
    let attrs = package.def.passed();
    if attrs.is_empty() {
        text.line("inline bool SetAttribute(Call&, const std::string&, const std::string&) { return false; }\n");
        return;
    }
    text.line("// Sets an attribute by its name; false if there is none. Enumerations are given as numbers.");
    let head =
        "inline bool SetAttribute(Call& call, const std::string& name, const std::string& value)";
    text.function(head, |text| {
        for attr in attrs.iter() {
            let parsed = match attr.kind {
                AttrKind::Bool => "value == \"true\"",
                AttrKind::Float => "std::stof(value)",
                _ => "std::stoll(value)",
            };
            text.when(
                &format!("name == \"{}\"", attr.name),
                format!("call.{} = {parsed};\nreturn true;", cpp_name(&attr.name)),
            );
        }
        text.line("return false;");
    });
    text.line("");
}

/// Returns the source file `launch.asc`, which has the kernel's entry and its launcher.
fn launch(package: &Package<'_>) -> String {
    let (def, snake) = (&package.def, package.snake());
    let names: Vec<String> = tensors(package).map(|t| cpp_name(&t.name)).collect();
    let params: Vec<String> = names.iter().map(|n| format!("GM_ADDR {n}")).collect();
    // Where vector cores are separate from matrix cores, a kernel declares that it runs on vector cores.
    let scheme = Scheme::of(def);
    let (mode, unit) = match scheme.launched {
        [mode, ""] if kernel::vector_cores_apart(package.soc().arch) => (mode, "__vector__"),
        [mode, ""] => (mode, "__aicore__"),
        [mode, unit] => (mode, unit),
    };
    let mut text = Text::new();
    text.line("#include \"launch.h\"\n\n#include \"kernel_operator.h\"");
    text.line("#include \"tiling/platform/platform_ascendc.h\"\n");
    text.line(format!(
        "#include \"op_host/{snake}_tiling_core.h\"\n#include \"op_kernel/{snake}.h\"\n"
    ));
    text.line("template <uint32_t dtype, uint32_t form, bool small>");
    let workspace = scheme.workspace.then(|| "workspace".to_string());
    let params = params.into_iter().chain(workspace.iter().map(|w| format!("GM_ADDR {w}")));
    let params = params.collect::<Vec<_>>().join(", ");
    let data = package.tiling_data();
    let head = format!("{mode}__global__ {unit} void Kernel({params}, {data} tiling)");
    text.function(head, |text| {
        text.line("AscendC::TPipe pipe;");
        text.line(format!("{}::{}<dtype, form, small> op(tiling);", namespace(package), def.name));
        let bound: Vec<String> = names.iter().cloned().chain(workspace.clone()).collect();
        text.line(format!("op.Bind({});", bound.join(", ")));
        text.line("op.Init(pipe);\nop.Process();");
    });
    text.line("\nnamespace {\n");
    tiling(package, &mut text);
    instances(package, names.len(), &mut text);
    text.line("}  // namespace\n");
    text.function("bool Launch(const Call& call, void* stream)", |text| {
        text.line(format!("{}TilingData tiling{{}};\nuint32_t form = 0;", def.name));
        text.when("!MakeTiling(call, form, tiling)", "return false;");
        text.when("tiling.cores == 0", "return true;  // no elements, nothing to do");
        text.line(format!("const bool small = tiling.path == ops::{snake}::PATH_SMALL;"));
        text.block("for (const Instance& instance : INSTANCES)", "}", |text| {
            let same =
                "instance.type == call.type && instance.form == form && instance.small == small";
            let workspace = if scheme.workspace { "call.workspace, " } else { "" };
            let start =
                format!("instance.start(call.tensors, {workspace}tiling, stream);\nreturn true;");
            text.when(same, start);
        });
        text.line("return false;");
    });
    if let Some(bytes) = host::core::workspace(package, "tiling") {
        text.line("").function("uint64_t WorkspaceBytes(const Call& call)", |text| {
            text.line(format!("{data} tiling{{}};\nuint32_t form = 0;"));
            text.when("!MakeTiling(call, form, tiling)", "return 0;");
            text.line(format!("return ops::{snake}::{bytes};"));
        });
    }
    text.finish()
}

/// Writes the C++ table of the kernel's instances, by which the launcher finds the one to start.
fn instances(package: &Package<'_>, count: usize, text: &mut Text) {
    let data = package.tiling_data();
    let workspace = Scheme::of(&package.def).workspace;
    let arguments = (0..count).map(|i| format!("static_cast<GM_ADDR>(tensors[{i}])"));
    let own = workspace.then(|| "static_cast<GM_ADDR>(workspace)".to_string());
    let arguments: Vec<String> = arguments.chain(own).collect();
    let own = if workspace { "void* workspace, " } else { "" };
    text.line("template <uint32_t dtype, uint32_t form, bool small>");
    let head = format!("void Start(void* const* tensors, {own}const {data}& tiling, void* stream)");
    text.function(head, |text| {
        text.line("Kernel<dtype, form, small><<<tiling.cores, nullptr, stream>>>(");
        text.line(format!("    {},\n    tiling);", arguments.join(",\n    ")));
    });
    text.line("\n// The kernels there are.");
    text.block("struct Instance", "};\n", |text| {
        text.line("uint32_t type;\nuint32_t form;\nbool small;");
        text.line(format!(
            "void (*start)(void* const* tensors, {own}const {data}& tiling, void* stream);"
        ));
    });
    text.block("constexpr Instance INSTANCES[] =", "};\n", |text| {
        for plan in &package.plans {
            for small in if has_small(package) { &[false, true][..] } else { &[false] } {
                let key = format!("{}, {}, {small}", plan.dtype as u8, plan.spec);
                text.line(format!("{{{key}, Start<{key}>}},"));
            }
        }
    });
}

/// Writes the C++ function `MakeTiling`, which tiles a call by the operator's host code.
///
/// It takes the number of cores and the size of UB from the platform.
fn tiling(package: &Package<'_>, text: &mut Text) {
    let (def, snake) = (&package.def, package.snake());
    let call = |a: usize| match &def.attrs[a] {
        Attr { kind: AttrKind::Given(input), .. } => format!("call.tensors[{input}] != nullptr"),
        attr => format!("call.{}", cpp_name(&attr.name)),
    };
    let chosen: Vec<String> = host::core::branching(package).into_iter().map(call).collect();
    let outer = host::core::outer(package, "SplitDim(call)", call);
    let data = package.tiling_data();
    let head = format!("bool MakeTiling(const Call& call, uint32_t& form, {data}& tiling)");
    text.function(head, |text| {
        text.line(format!("using namespace ops::{snake};"));
        text.line("auto* platform = platform_ascendc::PlatformAscendCManager::GetInstance();");
        text.when("platform == nullptr", "return false;");
        text.line("uint64_t ub = 0;");
        text.line("platform->GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);");
        text.line(format!("form = SelectForm({});", chosen.join(", ")));
        text.line("const Need* need = FindNeed(ARCHS[0].number, form, call.type);");
        let shape = CallShape {
            dims: ["call.dims.data()", "call.dims.size()"],
            outer: &outer,
            split: "SPLIT",
            inputs: "INPUTS",
        };
        host::core::collapse(text, package, &shape, "Shape shapes[INPUTS];", |text| {
            text.block("for (size_t k = 0; k < INPUTS; ++k)", "}", |text| {
                text.line("shapes[k] = Shape{call.shapes[k].data(), call.shapes[k].size(), TENSORS[k].gated};");
            });
            let call = format!(
                "CollapseSums(call.dims.data(), call.dims.size(), {outer}, shapes, INPUTS, modes, extent)"
            );
            text.when(&format!("{call} != INPUTS"), "return false;");
        });
        let tile = Scheme::of(def).tile;
        text.line("const Machine machine{ub, platform->GetCoreNumAiv(), ARCHS[0].pads};");
        let failed = format!("need == nullptr || !{tile}(extent, *need, machine, tiling)");
        text.when(&failed, "return false;");
        host::core::fill_modes(text, package, "tiling.");
        let shape = ["call.dims", "SplitDim(call)"];
        host::fill(text, package, "tiling.", "call.counts", shape, call);
        text.line("return true;");
    });
    text.line("");
}

fn cmake(package: &Package<'_>) -> String {
    let fusion = match package.fused().is_empty() {
        true => String::new(),
        false => format!("    $<$<COMPILE_LANGUAGE:ASC>:{FUSION}>\n"),
    };
    include_str!("direct/CMakeLists.txt")
        .replace("@arch@", &package.soc().arch.number.to_string())
        .replace("@units@", &units(package, ", "))
        .replace("@snake@", &package.snake())
        .replace("@ordered@", BY_COMPILER)
        .replace("@fusion@", &fusion)
}

fn readme(package: &Package<'_>) -> String {
    let (def, snake, words) = (&package.def, package.snake(), package.words());
    let about = &words.direct;
    let files: Vec<String> = tensors(package).map(|t| format!("{}.npy", t.name)).collect();
    let default = |a: &Attr| (about.default)(&a.name, attribute(a).1.trim_end_matches('f'));
    let attrs: Vec<String> = def.passed().iter().map(default).collect();
    let attrs = if attrs.is_empty() { about.none.into() } else { attrs.join(words.signs.comma) };
    let masks = if host::has_masks(def) { about.masks } else { "" };
    let optional = if host::has_optional(def) { about.optional } else { "" };
    let limits = phrases::saturation(package).into_iter().chain(phrases::errors(package));
    let limits: String = limits.map(|line| format!("\n{line}\n")).collect();
    format!(
        "\
{}
# {}

{}

{}
{}

```sh
source <toolkit>/set_env.sh
cmake -S . -B build
cmake --build build
./build/{snake} {}
```

{}

{}
{limits}",
        page_header(package, words.comments.direct),
        def.name,
        doc(package),
        phrases::as_written(package),
        (about.about)(&units(package, words.signs.comma)),
        files.join(" "),
        (about.files)(masks, optional, &attrs),
        about.rest
    )
}
