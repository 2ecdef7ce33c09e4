//! Generation of the four functions of an infiniop operator.

use super::file::File;
use super::text::{array, constant, function, header, prototype, unsafely};
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::op::{Tensor, snake};
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

    /// Returns the four C functions that the operator exports in infiniop, as Rust source.
    pub fn functions(&self) -> String {
        let (name, entry) = (self.name, snake(self.name).to_ascii_uppercase());
        let new = format!("infiniop::Entry::new(&OPERATORS, {:?}, {name:?})", self.operator.name());
        let new = constant(&entry, "infiniop::Entry", &new);
        let handles: Vec<String> = self.tensors().map(|t| format!("{}_desc", t.name)).collect();
        let mut params = vec!["handle: Handle".into(), "desc_ptr: *mut Handle".into()];
        params.extend(handles.iter().map(|h| format!("{h}: Handle")));
        let create =
            function(&format!("unsafe extern \"C\" fn infiniopCreate{name}Descriptor"), &params)
                + &array("tensors", &handles)
                + &unsafely(&format!("infiniop::create(&{entry}, handle, desc_ptr, &tensors)"));
        let params = ["desc: Handle".into(), "size: *mut usize".into()];
        let size =
            function(&format!("unsafe extern \"C\" fn infiniopGet{name}WorkspaceSize"), &params)
                + &unsafely(&format!("infiniop::workspace_size(&{entry}, desc, size)"));
        let run = function(&format!("unsafe extern \"C\" fn infiniop{name}"), &self.run_params())
            + &array("addresses", &self.addresses())
            + &unsafely(&format!("infiniop::run(&{entry}, desc, &addresses)"));
        let destroy = function(
            &format!("extern \"C\" fn infiniopDestroy{name}Descriptor"),
            &["desc: Handle".into()],
        );
        format!(
            "
{new}
/// Describes a call of `infiniop{name}`.
///
/// # Safety
/// As [`infiniop::create`].
#[unsafe(no_mangle)]
{create}}}

/// Bytes of workspace that a call of `infiniop{name}` needs.
///
/// # Safety
/// As [`infiniop::workspace_size`].
#[unsafe(no_mangle)]
{size}}}

/// Computes.
///
/// # Safety
/// As [`infiniop::run`].
#[unsafe(no_mangle)]
{run}}}

/// Ends a descriptor.
#[unsafe(no_mangle)]
{destroy}    infiniop::destroy(&{entry}, desc)
}}
"
        )
    }

    /// Returns the parameters of the function that runs the operator, as Rust source.
    ///
    /// The workspace is ignored because no operator needs one. There is no stream because calls are complete when they
    /// return.
    fn run_params(&self) -> Vec<String> {
        let mut params = vec![
            "desc: Handle".into(),
            "_workspace: *mut c_void".into(),
            "_workspace_size: usize".into(),
        ];
        params.extend(self.outputs().iter().map(|t| format!("{}: *mut c_void", t.name)));
        params.extend(self.inputs().iter().map(|t| format!("{}: *const c_void", t.name)));
        params.push("_stream: *mut c_void".into());
        params
    }

    fn addresses(&self) -> Vec<String> {
        let outputs = self.outputs().iter().map(|t| format!("{}.cast_const()", t.name));
        outputs.chain(self.inputs().iter().map(|t| t.name.to_string())).collect()
    }
}
