//! The kernel's entry: one template over the tiling key.

use super::super::package::{Cann, Package};
use super::super::scheme::Scheme;
use super::super::text::{Comment, Text, header};
use super::super::tree::File;
use super::names::{self, namespace};
use super::tiling_key::vector_cores_apart;
use op_dsl_ir::names::cpp_name;

/// Lists the C++ names of all tensors, which are arguments of the entry: inputs, then outputs.
fn tensors(package: &Package<'_>) -> Vec<String> {
    let def = &package.def;
    def.inputs.iter().chain(def.outputs.iter()).map(|t| cpp_name(&t.name)).collect()
}

/// Returns the file `<op>.cpp`, which has the kernel's entry.
pub fn file(package: &Package<'_>) -> File {
    let (snake, op) = (package.snake(), &package.def.name);
    let names = tensors(package).into_iter().chain(["workspace".into(), "tiling".into()]);
    let args: Vec<String> = names.map(|t| format!("GM_ADDR {t}")).collect();
    let head = format!("__global__ __aicore__ void {snake}(");
    let mut text = Text::new();
    text.line(header(package, "the kernel's entry", Comment::Slashes));
    text.line(format!("#include \"{snake}.h\"\n"));
    text.line("template <uint32_t dtype, uint32_t form, bool small>");
    text.line(names::wrapped(&head, &args, ")"));
    text.line("{");
    let task = vector_cores_apart(package.soc().arch) && package.options.cann == Cann::V8;
    let scheme = Scheme::of(&package.def);
    if task {
        let kind = scheme.kernel_type;
        text.line(format!("    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_{kind});"));
    }
    text.line(format!("    REGISTER_TILING_DEFAULT({op}TilingData);"));
    text.line(format!("    GET_TILING_DATA_WITH_STRUCT({op}TilingData, tilingData, tiling);"));
    if !scheme.workspace {
        text.line("    (void)workspace;  // everything happens in UB");
    }
    text.line("    if (AscendC::GetBlockIdx() >= tilingData.cores) {\n        return;\n    }");
    text.line("    AscendC::TPipe pipe;");
    text.line(format!("    {}::{op}<dtype, form, small> op(tilingData);", namespace(package)));
    let workspace = scheme.workspace.then(|| "AscendC::GetUserWorkspace(workspace)".to_string());
    let bound: Vec<String> = tensors(package).into_iter().chain(workspace).collect();
    text.line(format!("    op.Bind({});", bound.join(", ")));
    text.line("    op.Init(pipe);");
    text.line("    op.Process();");
    text.line("}");
    File { path: format!("{snake}.cpp"), text: text.finish() }
}
