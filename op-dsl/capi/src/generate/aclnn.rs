//! Both phases of each aclnn function of an operator.

use super::File;
use super::text::{array, constant, function, header, prototype, rust_name, unsafely};
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::interface::{Function, Interface, Param};
use op_dsl_ir::op::snake;
use op_dsl_ir::published::Type;

/// An operator with its aclnn interface.
pub struct Row<'a> {
    operator: &'a Operator,
    interface: Interface,
}

pub fn row(operator: &Operator) -> Row<'_> {
    Row { operator, interface: Interface::of(operator.def()) }
}

impl Row<'_> {
    /// The header that callers include.
    pub fn header(&self) -> File {
        let file = &self.interface.header;
        let guard = format!("ACLNNOP_{}_H", file.to_ascii_uppercase());
        let mut text = String::from("#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
        for function in &self.interface.functions {
            let mut params: Vec<String> = function.params.iter().map(Param::declaration).collect();
            params.extend(["uint64_t* workspaceSize".into(), "aclOpExecutor** executor".into()]);
            text += "/* Phase 1: checks the arguments; answers with the bytes of workspace and an executor. */\n";
            let head = format!("ACL_FUNC_VISIBILITY aclnnStatus {}GetWorkspaceSize", function.name);
            text += &prototype(&head, &params);
            text += "\n/* Phase 2: runs what phase 1 prepared. */\n";
            let head = format!("ACL_FUNC_VISIBILITY aclnnStatus {}", function.name);
            text += &prototype(&head, &PHASE_2.map(String::from));
            text.push('\n');
        }
        text += "#ifdef __cplusplus\n}\n#endif\n";
        let names: Vec<&str> = self.interface.functions.iter().map(|f| f.name.as_str()).collect();
        let about = names.join(" and ") + ".";
        let text = header(&guard, &about, &["aclnn/aclnn_base.h"], &text);
        File { path: format!("include/aclnnop/{file}.h"), text }
    }

    /// The exported functions.
    pub fn functions(&self) -> String {
        self.interface.functions.iter().map(|f| exports(self.operator, f)).collect()
    }
}

const PHASE_2: [&str; 4] =
    ["void* workspace", "uint64_t workspaceSize", "aclOpExecutor* executor", "aclrtStream stream"];

fn exports(operator: &Operator, of: &Function) -> String {
    let (name, entry) = (&of.name, snake(&of.name).to_ascii_uppercase());
    let new = format!("aclnn::Entry::new(&OPERATORS, {:?}, {name:?})", operator.name());
    let new = constant(&entry, "aclnn::Entry", &new);
    let mut params: Vec<String> = of.params.iter().map(parameter).collect();
    params.extend(["workspace_size: *mut u64".into(), "executor: *mut Handle".into()]);
    let phase_1 = function(&format!("unsafe extern \"C\" fn {name}GetWorkspaceSize"), &params);
    let arguments = array("arguments", &of.params.iter().map(argument).collect::<Vec<_>>());
    let prepare =
        unsafely(&format!("aclnn::prepare(&{entry}, &arguments, workspace_size, executor)"));
    let params =
        ["workspace: *mut c_void", "workspace_size: u64", "executor: Handle", "stream: Handle"];
    let phase_2 = function(&format!("unsafe extern \"C\" fn {name}"), &params.map(String::from));
    let execute =
        unsafely(&format!("aclnn::execute(&{entry}, workspace, workspace_size, executor, stream)"));
    format!(
        "
{new}
/// Phase 1 of `{name}`.
///
/// # Safety
/// As [`aclnn::prepare`].
#[unsafe(no_mangle)]
{phase_1}{arguments}{prepare}}}

/// Phase 2 of `{name}`.
///
/// # Safety
/// As [`aclnn::execute`].
#[unsafe(no_mangle)]
{phase_2}{execute}}}
"
    )
}

fn parameter(param: &Param) -> String {
    let ty = match param.ty {
        Type::ConstTensor | Type::Tensor => "Handle",
        Type::Int => "i64",
        Type::Bool => "u8",
        Type::Double => "f64",
        Type::Chars => "*const c_char",
    };
    format!("{}: {ty}", rust_name(&param.name))
}

fn argument(param: &Param) -> String {
    let kind = match param.ty {
        Type::ConstTensor | Type::Tensor => "Tensor",
        Type::Int => "Int",
        Type::Bool => "Bool",
        Type::Double => "Double",
        Type::Chars => "Chars",
    };
    format!("Argument::{kind}({})", rust_name(&param.name))
}
