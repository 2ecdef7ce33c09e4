//! Calls of emitted operators as a C++17 program that runs on any machine.
//!
//! The program consists of the emitted tiling, the emitted kernels and the host model of AscendC.

use crate::emit::host::core::CallShape;
use crate::emit::kernel::tiling_data::{fields, gate_is_an_attribute};
use crate::emit::kernel::tiling_key::has_small;
use crate::emit::scheme::Scheme;
use crate::emit::text::Text;
use crate::emit::{Package, Tree, host, kernel};
use crate::plan::Plan;
use op_dsl_ir::bind::{Bound, laid};
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{Kind, Value};

macro_rules! files {
    ($($path:literal)*) => {
        &[$(($path, include_str!(concat!("../host-model/", $path)))),*]
    };
}

/// Headers of the host model: path of each below [`MODEL`], and its text.
pub static FILES: &[(&str, &str)] = files![
    "ascendc/host_api/tiling/template_argument.h" "kernel_operator.h" "model/arch.h" "model/cast.h"
    "model/chunk.h" "model/clock.h" "model/compound.h" "model/core.h" "model/counters.h"
    "model/datacopy.h" "model/event.h" "model/gather.h" "model/gm.h" "model/lanes.h"
    "model/limited.h" "model/params.h" "model/pipe.h" "model/queue.h" "model/register_calls.h"
    "model/reduce.h" "model/register_moves.h" "model/registers.h" "model/report.h" "model/round.h" "model/select.h"
    "model/tensor.h" "model/tiling.h" "model/transpose.h" "model/types.h" "model/ub.h"
    "model/vector.h" "run.h"
];

/// Directory of the host model's headers among the files of a [`program`].
pub const MODEL: &str = "model";

/// Compiler flags of every program, apart from the flag that sets the architecture.
///
/// `-ftree-vectorize` gives most of what a higher optimisation level gains, and takes no longer to compile.
pub const FLAGS: [&str; 5] =
    ["-std=c++17", "-O1", "-ftree-vectorize", "-fno-exceptions", "-pthread"];

/// Call of an emitted operator on a simulated NPU with a given number of cores.
#[derive(Clone, Copy, Debug)]
pub struct Call<'c> {
    /// The package of the emitted operator.
    pub package: &'c Package<'c>,
    /// Plan of the kernel that the call runs; it determines specialisation and element type.
    pub plan: &'c Plan,
    /// Values of all attributes, in the order of the signature.
    pub attrs: &'c [Value],
    /// Shape that the call runs over, and the dimension along which gated tensors are split.
    pub bound: &'c Bound,
    /// Shapes of the inputs in the order of the signature, which the tiling of an operator with sums takes.
    pub shapes: &'c [Vec<usize>],
    /// Number of elements of the input that holds row counts; 0 if the operator has no such input.
    pub counts: usize,
    /// Vector cores of the simulated NPU.
    pub cores: u32,
}

/// Returns the files of a C++ program that makes one of `calls`, chosen by its first argument.
///
/// Compile `main.cpp` with [`MODEL`] among the include directories; all calls must be for one architecture. The first argument
/// of the program is an index into `calls`. The other arguments are the options `--in` and `--out` of `run.h`. The program
/// prints the report that `run.h` describes, with one more record: the tiling.
pub fn program(calls: &[Call<'_>]) -> Tree {
    let mut tree = Tree::default();
    for (path, text) in FILES {
        tree.add(format!("{MODEL}/{path}"), *text);
    }
    let mut packages: Vec<&Package<'_>> = calls.iter().map(|call| call.package).collect();
    packages.dedup_by(|a, b| a.def.name == b.def.name);
    for package in &packages {
        tree.add_below("op_kernel", kernel::files(package));
        tree.add_below("", host::files(package));
    }
    tree.add("main.cpp", main(calls, &packages));
    tree.mark("", packages.iter().map(|package| &*package.def.name));
    tree
}

/// Pragma that turns off optimisation of kernels and of the code that calls them.
///
/// Kernels and their callers run once, the code of the host model's headers once per element. Optimising kernels would therefore take
/// longer than it saves.
const AS_IT_STANDS: &str = "\
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize(\"O0\")
#endif
";

fn main(calls: &[Call<'_>], packages: &[&Package<'_>]) -> String {
    let mut text = Text::new();
    text.line("#include \"run.h\"\n").lines(AS_IT_STANDS);
    for snake in packages.iter().map(|package| package.snake()) {
        text.line(format!("#include \"op_kernel/{snake}.cpp\""));
        text.line(format!("#include \"op_host/{snake}_tiling_core.h\""));
    }
    for package in packages {
        let mut run = Text::new();
        tiled(package, &mut run);
        text.line("").lines(host::core::in_namespace(package, &run.finish()));
    }
    for (index, call) in calls.iter().enumerate() {
        text.line("").function(format!("int Call{index}(int argc, char** argv)"), |text| {
            body(call, text);
        });
    }
    let names: Vec<String> = (0..calls.len()).map(|index| format!("Call{index}")).collect();
    text.line("").function("int main(int argc, char** argv)", |text| {
        text.line(format!("int (*const calls[])(int, char**) = {{{}}};", names.join(", ")));
        text.line("const std::size_t call = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0;");
        text.block("if (argc < 2 || call >= std::size(calls))", "}", |text| {
            text.line("host_model::Usage(\"the first argument is the index of a call\");");
        });
        text.line("return calls[call](argc - 1, argv + 1);");
    });
    text.finish()
}

/// Writes the body of the C++ function that makes one call.
///
/// Its arguments are those of the program after the index of the call.
fn body(call: &Call<'_>, text: &mut Text) {
    let Call { package, plan, attrs, bound, shapes, counts, cores } = call;
    // Attributes that select a specialisation, and whether optional inputs are given, are fixed by it.
    let when = &package.def.specs[bound.spec].when;
    let int = |a: &usize| when.iter().find(|w| w.0 == *a).map_or(0, |w| w.1).to_string();
    let chosen: Vec<String> = host::core::branching(package).iter().map(int).collect();
    let dims: Vec<String> = bound.domain.iter().map(|d| format!("{d}u")).collect();
    let (rank, split) = (dims.len(), bound.split.is_some());
    let dim = bound.split.map_or(0, |s| s.dim).to_string();
    let attribute = |attr: usize| (attrs[attr] == Value::Bool(true)).to_string();
    let outer = host::core::outer(package, &dim, attribute);
    let dims = if rank == 0 { "1".into() } else { dims.join(", ") };
    text.line(format!("using namespace ops::{};", package.snake()));
    text.line(format!("const uint64_t dims[] = {{{dims}}};"));
    text.line("TilingData given{};");
    if package.def.rows().is_some() {
        let rows = host::core::rows_of_count(package, "dims", &dim, attribute);
        text.line(format!("given.counts = {counts};\ngiven.rowsOfCount = {rows};"));
    }
    if gate_is_an_attribute(&package.def) {
        let first = bound.split.is_some_and(|s| s.gate_first);
        text.line(format!("given.gateFirst = {};", u32::from(first)));
    }
    for (attr, value) in package.def.attrs.iter().zip(attrs.iter()) {
        if let Some(v) = attr.scalar(*value) {
            text.line(format!("given.{} = {v:?}f;", cpp_name(&attr.name)));
        }
    }
    let (count, shapes) = (shapes.len().to_string(), shape_arrays(call, shapes));
    let (dims, rank, split) = (["dims", &rank.to_string()], rank, split.to_string());
    let shape = CallShape { dims, outer: &outer, split: &split, inputs: &count };
    host::core::collapse(text, package, &shape, &shapes, |text| {
        let refused = format!(
            "CollapseSums(dims, {rank}, {outer}, shapes, {count}, modes, extent) != {count}"
        );
        text.when(
            &refused,
            "host_model::Usage(\"the host code refuses the shapes of the inputs\");",
        );
        host::core::fill_modes(text, package, "given.");
    });
    text.line(format!("const uint32_t form = SelectForm({});", chosen.join(", ")));
    let (ub, pads) = (plan.soc.reported_ub(), plan.soc.arch.pads);
    text.line(format!("const Machine machine{{{ub}, {cores}, {pads}}};"));
    let (ty, kernels) = (host::core::type_constant(plan.dtype), instances(call));
    text.line(format!(
        "return Run(extent, form, {ty}, machine, given, {{{kernels}}}, argc, argv);"
    ));
}

/// Returns C++ statements that declare the shapes of the inputs, each of one part.
fn shape_arrays(call: &Call<'_>, shapes: &[Vec<usize>]) -> String {
    let (def, rank) = (&call.package.def, call.bound.domain.len());
    let (mut all, mut text) = (Vec::new(), Text::new());
    for (k, (tensor, shape)) in def.inputs.iter().zip(shapes).enumerate() {
        let shape = laid(def, k, rank, shape);
        let gated = tensor.kind == Kind::Gated;
        let split =
            call.bound.split.map_or(0, |s| s.dim + shape.len() - rank.min(s.dim + shape.len()));
        let part = |(d, n): (usize, &usize)| if gated && d == split { n / 2 } else { *n };
        let dims: Vec<String> =
            shape.iter().enumerate().map(part).map(|n| format!("{n}u")).collect();
        text.line(format!(
            "const uint64_t shape{k}[] = {{{}}};",
            [dims, vec!["0u".into()]].concat().join(", ")
        ));
        all.push(format!("{{shape{k}, {}, {gated}}}", shape.len()));
    }
    text.line(format!("const Shape shapes[] = {{{}}};", all.join(", ")));
    text.finish()
}

/// Lists the kernels that the tiling of a call can select: one for long rows, one for small rows.
fn instances(call: &Call<'_>) -> String {
    let (snake, dtype, form) = (call.package.snake(), call.plan.dtype as u8, call.plan.spec);
    let instance = |(name, small): (&str, bool)| {
        format!("{{\"{name}\", host_model::Bind({snake}<{dtype}, {form}, {small}>)}}")
    };
    let small = has_small(call.package).then_some(("small", true));
    let all: Vec<String> = [("dense", false)].into_iter().chain(small).map(instance).collect();
    all.join(", ")
}

/// Writes the C++ function `Run`, which tiles a call by the emitted host code and runs the kernel.
///
/// It also prints the tiling. Its parameter `given` holds the fields of the tiling data that do not come from tiling.
fn tiled(package: &Package<'_>, text: &mut Text) {
    let Scheme { extent, tile, .. } = Scheme::of(&package.def);
    text.line(format!("int Run(const {extent}& extent, uint32_t form, uint32_t type, const Machine& machine, const TilingData& given,"));
    let rest = "        std::initializer_list<host_model::Named> kernels, int argc, char** argv)";
    text.function(rest, |text| {
        text.line("const Need* need = FindNeed(HOST_MODEL_ARCH, form, type);");
        text.line("TilingData data{};");
        text.block(&format!("if (need == nullptr || !{tile}(extent, *need, machine, data))"), "}", |text| {
            text.line("host_model::Usage(\"the host code finds no tiling\");");
        });
        if gate_is_an_attribute(&package.def) {
            text.line("data.gateFirst = given.gateFirst;");
        }
        if package.def.rows().is_some() {
            text.line("data.counts = given.counts;\ndata.rowsOfCount = given.rowsOfCount;");
        }
        for mode in host::core::modes(package) {
            text.line(format!("data.{mode} = given.{mode};"));
        }
        let (floats, whole): (Vec<_>, Vec<_>) =
            fields(package).into_iter().partition(|field| field.ty == "float");
        for field in floats {
            text.line(format!("data.{0} = given.{0};", field.name));
        }
        let (mut format, mut values) = (String::new(), String::new());
        for field in whole {
            format += &format!(",\\\"{}\\\":%llu", field.name);
            values +=
                &format!(",\n            static_cast<unsigned long long>(data.{})", field.name);
        }
        text.line(format!(
            "std::printf(\"{{\\\"record\\\":\\\"tiling\\\"{format}}}\\n\"{values});"
        ));
        text.line("const char* kernel = data.path == PATH_SMALL ? \"small\" : \"dense\";");
        text.line("const host_model::Bytes tiling{&data, sizeof data};");
        let bytes = host::core::workspace(package, "data").map(|bytes| format!(", {bytes}"));
        text.line(format!(
            "return host_model::MainTiled(argc, argv, kernels, kernel, machine.ub, data.cores, tiling{});",
            bytes.unwrap_or_default()
        ));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    #[test]
    fn every_header_is_in_the_table() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("host-model");
        for dir in ["", "model"] {
            for entry in fs::read_dir(root.join(dir)).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|e| e == "h") {
                    let name = path.strip_prefix(&root).unwrap().display().to_string();
                    assert!(FILES.iter().any(|(path, _)| *path == name), "{name}");
                }
            }
        }
    }
}
