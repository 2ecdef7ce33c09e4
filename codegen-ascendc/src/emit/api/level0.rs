//! `op_api/<snake>.h` and `.cpp`: the level-0 function, which adds one kernel to an executor's list.

use super::cpp::{guarded, includes, list};
use crate::emit::host::first;
use crate::emit::package::Package;
use crate::emit::text::{Comment, Text, header};
use crate::emit::tree::File;
use crate::emit::type_names::ge_name;
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{Attr, AttrKind};

/// Returns the header and the source file of the operator's level-0 function.
pub fn files(package: &Package<'_>) -> Vec<File> {
    let snake = package.snake();
    vec![
        File { path: format!("op_api/{snake}.h"), text: declaration(package) },
        File { path: format!("op_api/{snake}.cpp"), text: definition(package) },
    ]
}

/// Returns the C++ type in which the level-0 function takes an attribute.
pub fn attr_type(kind: &AttrKind) -> &'static str {
    match kind {
        AttrKind::Dim | AttrKind::Int => "int64_t",
        AttrKind::Bool | AttrKind::Given(_) => "bool",
        AttrKind::Float => "float",
        AttrKind::Enum { wire_str: true, .. } => "const char*",
        AttrKind::Enum { wire_str: false, .. } => "int64_t",
    }
}

fn prototype(package: &Package<'_>, tail: &str) -> String {
    let def = &package.def;
    let result = match def.outputs.len() {
        1 => "const aclTensor*".into(),
        n => format!("std::tuple<{}>", vec!["const aclTensor*"; n].join(", ")),
    };
    let inputs = def.inputs.iter().map(|t| format!("const aclTensor* {}", cpp_name(&t.name)));
    let attr = |a: &Attr| format!("{} {}", attr_type(&a.kind), cpp_name(&a.name));
    let mut params: Vec<String> = inputs.chain(def.passed().iter().map(attr)).collect();
    params.push("aclOpExecutor* executor".into());
    list(&format!("{result} {}", def.name), &params, tail)
}

fn declaration(package: &Package<'_>) -> String {
    let mut t = Text::new();
    if package.def.outputs.len() > 1 {
        t.line("#include <tuple>\n");
    }
    t.line("#include \"opdev/op_executor.h\"\n");
    t.line("namespace l0op {");
    t.line("// Puts the kernel on the executor's list. Inputs are contiguous, of one element type and of the");
    t.line("// shapes that the kernel takes. No tensor comes back if one cannot be had.");
    t.line(prototype(package, ";"));
    t.line("} // namespace l0op");
    let guard = format!("LEVEL0_{}", package.snake());
    let header = header(package, "a kernel onto an executor's list", Comment::Slashes);
    format!("{header}{}", guarded(&guard, &t.finish()))
}

fn definition(package: &Package<'_>) -> String {
    let def = &package.def;
    let mut t = Text::new();
    t.line(format!("#include \"{}.h\"\n", package.snake()));
    t.line(includes(&[
        "aclnn_kernels/common/op_error_check.h",
        "opdev/make_op_executor.h",
        "opdev/op_dfx.h",
        "opdev/op_log.h",
    ]));
    t.line("using namespace op;\n");
    t.line("namespace l0op {");
    t.line(format!("OP_TYPE_REGISTER({});\n", def.name));
    t.function(prototype(package, ""), |t| {
        t.lines(body(package));
    });
    t.line("} // namespace l0op");
    let header = header(package, "a kernel onto an executor's list", Comment::Slashes);
    format!("{header}\n{}", t.finish())
}

fn body(package: &Package<'_>) -> String {
    let def = &package.def;
    let inputs: Vec<String> = def.inputs.iter().map(|t| cpp_name(&t.name)).collect();
    let attrs: Vec<String> = def.passed().iter().map(|a| cpp_name(&a.name)).collect();
    let outputs: Vec<String> =
        def.outputs.iter().map(|t| format!("{}Result", cpp_name(&t.name))).collect();
    let nothing = match outputs.len() {
        1 => "nullptr".into(),
        n => format!("{{{}}}", vec!["nullptr"; n].join(", ")),
    };
    let mut t = Text::new();
    let traced = [vec![def.name.to_string()], inputs.clone(), attrs.clone()].concat();
    t.line(list("L0_DFX", &traced, ";")).line("");

    t.line("// Their shapes follow from the inputs by the rule in op_host.");
    for (out, tensor) in outputs.iter().zip(&*def.outputs) {
        let dtype = match tensor.own {
            Some(own) => format!("DataType::DT_{}", ge_name(own)),
            None => format!("{}->GetDataType()", inputs[first(def)]),
        };
        t.line(format!(
            "aclTensor* {out} = executor->AllocTensor({dtype}, Format::FORMAT_ND, Format::FORMAT_ND);",
        ));
    }
    let missing: Vec<String> = outputs.iter().map(|o| format!("{o} == nullptr")).collect();
    let refuse = |t: &mut Text, condition: &str, code: &str, why: &str| {
        let log = format!("OP_LOGE(ACLNN_ERR_INNER_{code}, \"{}: {why}.\");", def.name);
        t.when(condition, format!("{log}\nreturn {nothing};"));
    };
    refuse(&mut t, &missing.join(" || "), "NULLPTR", "no memory for the result");
    let args = |empty: &str| {
        let mut args = vec![
            def.name.to_string(),
            format!("OP_INPUT({})", inputs.join(", ")),
            format!("OP_OUTPUT({})", outputs.join(", ")),
        ];
        match attrs.is_empty() {
            true => args.extend((!empty.is_empty()).then(|| empty.to_string())),
            false => args.push(format!("OP_ATTR({})", attrs.join(", "))),
        }
        args
    };
    let infer = "const aclnnStatus inferred = INFER_SHAPE";
    t.line(list(infer, &args("OP_EMPTY_ARG"), ";"));
    let failed = "inferred != ACLNN_SUCCESS";
    refuse(&mut t, failed, "INFERSHAPE_ERROR", "the inputs have no result shape");
    t.line("");

    let launch = "const aclnnStatus added = ADD_TO_LAUNCHER_LIST_AICORE";
    t.line(list(launch, &args(""), ";"));
    refuse(&mut t, "added != ACLNN_SUCCESS", "NULLPTR", "the kernel cannot be launched");
    match outputs.len() {
        1 => t.line(format!("return {};", outputs[0])),
        _ => t.line(format!("return {{{}}};", outputs.join(", "))),
    };
    t.finish()
}
