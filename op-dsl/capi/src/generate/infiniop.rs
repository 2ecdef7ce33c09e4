//! Generation of the header and the functions of an infiniop operator.

use super::file::File;
use super::text::{header, prototype};
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::op::Tensor;
use op_dsl_ir::published::Infiniop;

/// An operator with its name and header in infiniop.
pub struct Row<'a> {
    operator: &'a Operator,
    name: &'static str,
    file: &'static str,
}

/// Returns an operator with its infiniop names; `None` if infiniop does not have it.
pub fn row(operator: &Operator) -> Option<Row<'_>> {
    let Infiniop { name, header } = operator.def().published?.infiniop?;
    Some(Row { operator, name, file: header })
}

impl Row<'_> {
    fn outputs(&self) -> &[Tensor] {
        &self.operator.def().outputs
    }

    fn inputs(&self) -> &[Tensor] {
        &self.operator.def().inputs
    }

    fn tensors(&self) -> impl Iterator<Item = &Tensor> {
        self.outputs().iter().chain(self.inputs())
    }

    /// Returns the C header that declares the operator's four functions.
    pub fn header(&self) -> File {
        let (name, file) = (self.name, self.file);
        let desc = format!("infiniop{name}Descriptor_t");
        let mut create = vec!["infiniopHandle_t handle".into(), format!("{desc} *desc_ptr")];
        create
            .extend(self.tensors().map(|t| format!("infiniopTensorDescriptor_t {}_desc", t.name)));
        let mut run =
            vec![format!("{desc} desc"), "void *workspace".into(), "size_t workspace_size".into()];
        run.extend(self.outputs().iter().map(|t| format!("void *{}", t.name)));
        run.extend(self.inputs().iter().map(|t| format!("const void *{}", t.name)));
        run.push("void *stream".into());
        let export = "INFINI_C INFINI_EXPORT infiniStatus_t infiniop";
        let one = format!("{desc} desc");
        let declarations = [
            format!("typedef struct InfiniopDescriptor *{desc};\n"),
            prototype(&format!("{export}Create{name}Descriptor"), &create),
            prototype(
                &format!("{export}Get{name}WorkspaceSize"),
                &[one.clone(), "size_t *size".into()],
            ),
            prototype(&format!("{export}{name}"), &run),
            prototype(&format!("{export}Destroy{name}Descriptor"), &[one]),
        ];
        let guard = format!("INFINIOP_{}_API_H", file.to_ascii_uppercase());
        let about = format!("infiniop{name}.");
        let includes = ["../operator_descriptor.h"];
        let text = header(&guard, &about, &includes, &declarations.join("\n"));
        File { path: format!("include/infiniop/ops/{file}.h"), text }
    }

    /// Returns the row that the macro [`crate::infiniop_functions`] takes for the operator, as Rust source.
    pub fn functions(&self) -> String {
        let (operator, name) = (self.operator.name(), self.name);
        let names = |tensors: &[Tensor]| {
            tensors.iter().map(|t| t.name.to_string()).collect::<Vec<_>>().join(", ")
        };
        let (outputs, inputs) = (names(self.outputs()), names(self.inputs()));
        format!(
            "    {operator:?} {name:?} infiniopCreate{name}Descriptor infiniopGet{name}WorkspaceSize infiniop{name}
        infiniopDestroy{name}Descriptor({outputs}; {inputs});\n"
        )
    }
}
