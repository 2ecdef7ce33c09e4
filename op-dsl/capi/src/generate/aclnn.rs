//! Generation of both phases of each aclnn function of an operator.

use super::file::File;
use super::text::{header, prototype, rust_name};
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::interface::{Function, Interface, Param};
use op_dsl_ir::published::Type;

/// An operator with its aclnn interface.
pub struct Row<'a> {
    operator: &'a Operator,
    interface: Interface,
}

/// Returns an operator with its aclnn interface; `None` if no aclnn function of it is published and it is not one of `own`.
pub fn row<'a>(operator: &'a Operator, own: &[&Operator]) -> Option<Row<'a>> {
    let is_published = operator.def().published.is_some_and(|p| p.aclnn.is_some());
    let is_own = own.iter().any(|own| own.name() == operator.name());
    (is_published || is_own).then(|| Row { operator, interface: Interface::of(operator.def()) })
}

impl Row<'_> {
    /// Returns the C header that declares the operator's functions.
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

    /// Returns the rows that the macro [`crate::aclnn_functions`] takes for the operator, as Rust source.
    pub fn functions(&self) -> String {
        self.interface.functions.iter().map(|f| row_of(self.operator, f)).collect()
    }
}

const PHASE_2: [&str; 4] =
    ["void* workspace", "uint64_t workspaceSize", "aclOpExecutor* executor", "aclrtStream stream"];

/// Returns the row that the macro [`crate::aclnn_functions`] takes for one function, as Rust source.
fn row_of(operator: &Operator, of: &Function) -> String {
    let name = &of.name;
    let arguments: Vec<String> = of.params.iter().map(argument).collect();
    let head = format!("    {:?} {name}GetWorkspaceSize", operator.name());
    let run = format!("{name}({});", arguments.join(", "));
    let gap = if head.len() + run.len() < WIDTH { " " } else { "\n        " };
    format!("{head}{gap}{run}\n")
}

/// Maximum width of a row that is one line.
const WIDTH: usize = 120;

fn argument(param: &Param) -> String {
    let kind = match param.ty {
        Type::ConstTensor | Type::Tensor => "Tensor",
        Type::Int => "Int",
        Type::Bool => "Bool",
        Type::Double => "Double",
        Type::Chars => "Chars",
        Type::Scalar => "Scalar",
    };
    format!("{}: {kind}", rust_name(&param.name))
}
