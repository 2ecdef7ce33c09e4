//! `op_api/aclnn_<..>.h` and `.cpp`: both phases of every aclnn function of an operator.

use super::along::{self, deciding};
use super::argument::{
    self, declared, has_counts, in_order, is_mask, is_per_row, names, number, own,
};
use super::checks;
use super::cpp::{guarded, includes, list, literal};
use super::level0;
use crate::arch::Arch;
use crate::emit::branch::by_platform;
use crate::emit::kernel::sums;
use crate::emit::package::Package;
use crate::emit::text::{Comment, Text, header};
use crate::emit::tree::File;
use op_dsl_ir::DType;
use op_dsl_ir::interface::{Function, Interface, Param};
use op_dsl_ir::op::{AttrKind, Value};
use op_dsl_ir::published::{Negative, SignaturePart, Type};

/// Returns the header and the source file of an operator's aclnn functions.
pub fn files(package: &Package<'_>) -> Vec<File> {
    let interface = Interface::of(&package.def);
    let path = |end: &str| format!("op_api/{}.{end}", interface.header);
    vec![
        File { path: path("h"), text: declarations(package, &interface) },
        File { path: path("cpp"), text: definitions(package, &interface) },
    ]
}

/// Returns the C++ prototype of phase 1 of an aclnn function, followed by `tail`.
///
/// Phase 1 (`aclnn<..>GetWorkspaceSize`) checks the arguments, and returns the bytes of workspace and an executor.
pub fn phase_1(function: &Function, tail: &str) -> String {
    let mut params: Vec<String> = function.params.iter().map(Param::declaration).collect();
    params.extend(["uint64_t* workspaceSize".into(), "aclOpExecutor** executor".into()]);
    list(&format!("aclnnStatus {}GetWorkspaceSize", function.name), &params, tail)
}

/// Returns the C++ prototype of phase 2 of an aclnn function, followed by `tail`.
///
/// Phase 2 (`aclnn<..>`) launches what phase 1 has prepared.
pub fn phase_2(function: &Function, tail: &str) -> String {
    let params = [
        "void* workspace",
        "uint64_t workspaceSize",
        "aclOpExecutor* executor",
        "aclrtStream stream",
    ];
    list(&format!("aclnnStatus {}", function.name), &params.map(String::from), tail)
}

fn declarations(package: &Package<'_>, interface: &Interface) -> String {
    let mut t = Text::new();
    t.line("#include \"aclnn/aclnn_base.h\"\n");
    t.line("#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    for function in &interface.functions {
        t.line("// Phase 1: checks the arguments, and answers with the bytes of workspace and an executor.");
        for &(attr, value) in &function.fixed {
            t.line(format!(
                "// {} is {}.",
                package.def.attrs[attr].name,
                fixed(package, attr, value)
            ));
        }
        t.line(format!("{VISIBLE}\n{}\n", phase_1(function, ";")));
        t.line("// Phase 2: launches what phase 1 prepared.");
        t.line(format!("{VISIBLE}\n{}\n", phase_2(function, ";")));
    }
    t.line("#ifdef __cplusplus\n}\n#endif");
    let header = header(package, "the functions that programs call", Comment::Slashes);
    format!("{header}{}", guarded(&interface.header, &t.finish()))
}

const VISIBLE: &str = "__attribute__((visibility(\"default\")))";

fn definitions(package: &Package<'_>, interface: &Interface) -> String {
    let mut t = Text::new();
    t.line(format!("#include \"{}.h\"\n", interface.header));
    let chars = interface.main().params.iter().any(|p| p.ty == Type::Chars);
    let expands = expands(package, interface);
    if chars || expands {
        let standard = [(expands, "initializer_list"), (chars, "string_view")];
        for (_, name) in standard.iter().filter(|s| s.0) {
            t.line(format!("#include <{name}>"));
        }
        t.line("");
    }
    t.line(headers(package, interface));
    t.line("using namespace op;\n");
    t.line("namespace {");
    t.line("constexpr size_t MAX_RANK = 8;\n");
    t.lines(dtypes(package)).line("");
    if interface.dtypes.promotes() {
        t.line(promoted(package, interface));
    }
    if sums::has(&package.def) || (expands && !package.def.along.is_empty()) {
        t.line(BROADCASTS);
    }
    t.lines(along::functions(package, expands));
    if expands {
        let optional = laid_out(package, interface).iter().any(|p| p.optional);
        let skip =
            "        if (tensor == nullptr) {\n            continue; // left out\n        }\n";
        t.line(INFER_DOMAIN.replace("@skip@", if optional { skip } else { "" }));
    }
    t.line(checks::section(package, interface));
    if expands || interface.dtypes.promotes() {
        t.line(to_kernel(expands, interface));
    }
    t.line(prepare(package, interface));
    t.line("} // namespace\n");
    for function in &interface.functions {
        t.line(entry(package, interface, function));
    }
    let text = t.finish();
    let header = header(package, "the functions that programs call", Comment::Slashes);
    format!("{header}\n{}\n", text.trim_end())
}

/// Writes the C++ function `Dtypes`, which returns the element types that have kernels on a product.
fn dtypes(package: &Package<'_>) -> String {
    let list = |arch: &Arch| {
        let has = |d: &DType| package.plans_of(arch).any(|p| p.dtype == *d);
        let names: Vec<String> = package.dtypes().into_iter().filter(has).map(ge_dtype).collect();
        format!("std::initializer_list<DataType> dtypes = {{{}}};", names.join(", "))
    };
    let mut t = Text::new();
    t.line("// Element types that there are kernels for on this product.");
    t.function("const std::initializer_list<DataType>& Dtypes()", |t| {
        t.lines(by_platform(package, |arch| {
            format!("static const {}\nreturn dtypes;", list(arch))
        }));
    });
    t.finish()
}

fn headers(package: &Package<'_>, interface: &Interface) -> String {
    let own = format!("{}.h", package.snake());
    let mut all = vec![
        own.as_str(),
        "aclnn_kernels/common/op_error_check.h",
        "aclnn_kernels/contiguous.h",
        "opdev/common_types.h",
        "opdev/data_type_utils.h",
        "opdev/format_utils.h",
        "opdev/make_op_executor.h",
        "opdev/op_dfx.h",
        "opdev/op_log.h",
        "opdev/shape_utils.h",
    ];
    if package.archs().len() > 1 {
        all.push("opdev/platform.h");
    }
    if interface.dtypes.promotes() || interface.dtypes.cast {
        all.push("aclnn_kernels/cast.h");
    }
    if expands(package, interface) {
        all.push("level0/broadcast_to.h");
        if !package.def.along.is_empty() {
            all.push("aclnn_kernels/reshape.h");
        }
    }
    includes(&all)
}

/// Returns the name of an element type in C++ code of op_api.
pub fn ge_dtype(dtype: DType) -> String {
    format!("DataType::DT_{}", dtype.row().ge)
}

/// Returns whether inputs that are broadcast are expanded before the kernel. A kernel with sums broadcasts them itself.
fn expands(package: &Package<'_>, interface: &Interface) -> bool {
    interface.broadcast && !sums::has(&package.def)
}

fn inputs(interface: &Interface) -> Vec<&Param> {
    interface.main().params.iter().filter(|p| matches!(p.of, SignaturePart::Input(_))).collect()
}

/// Returns the inputs whose shapes determine the shape of the computation: all except row counts and numbers of rows.
fn laid_out<'i>(package: &Package<'_>, interface: &'i Interface) -> Vec<&'i Param> {
    let is_laid_out = |p: &&Param| !has_counts(package, p) && !is_per_row(package, p);
    inputs(interface).into_iter().filter(is_laid_out).collect()
}

fn outputs(interface: &Interface) -> Vec<&Param> {
    interface.main().params.iter().filter(|p| matches!(p.of, SignaturePart::Output(_))).collect()
}

fn promoted(package: &Package<'_>, interface: &Interface) -> String {
    let inputs = argument::promoted(package, interface);
    let params: Vec<String> = inputs.iter().map(|p| p.declaration()).collect();
    let (needed, optional): (Vec<&Param>, Vec<&Param>) = inputs.iter().partition(|p| !p.optional);
    let promote = |all: String, p: &&Param| match all.is_empty() {
        true => format!("{}->GetDataType()", p.name),
        false => format!("PromoteType({all}, {}->GetDataType())", p.name),
    };
    let all = needed.iter().fold(String::new(), promote);
    let mut t = Text::new();
    t.line("// The element type that the kernel computes for.");
    t.function(list("DataType Promoted", &params, ""), |t| {
        if optional.is_empty() {
            t.line(format!("return {all};"));
            return;
        }
        t.line(format!("DataType dtype = {all};"));
        for p in optional {
            t.when(
                &format!("{} != nullptr", p.name),
                format!("dtype = PromoteType(dtype, {}->GetDataType());", p.name),
            );
        }
        t.line("return dtype;");
    });
    t.finish()
}

const INFER_DOMAIN: &str = include_str!("infer_domain.h");

const BROADCASTS: &str = include_str!("broadcasts.h");

/// Writes the C++ function `ToKernel`, which makes a tensor contiguous for the kernel.
///
/// Where the operator promotes element types or broadcasts, the function also converts the tensor to the common type or, if `shape`
/// is true, to the common shape.
fn to_kernel(shape: bool, interface: &Interface) -> String {
    let dtype = interface.dtypes.promotes();
    let mut params = vec!["const aclTensor* tensor".to_string()];
    params.extend(dtype.then(|| "DataType dtype".into()));
    params.extend(shape.then(|| "const Shape& domain".into()));
    params.push("aclOpExecutor* executor".into());
    let mut t = Text::new();
    t.line("// A tensor as the kernel reads it: contiguous, and as the other inputs are.");
    t.line(list("const aclTensor* ToKernel", &params, ""));
    t.line("{");
    t.line("    const aclTensor* ready = l0op::Contiguous(tensor, executor);");
    t.line("    CHECK_RET(ready != nullptr, nullptr);");
    if dtype {
        t.line("    ready = l0op::Cast(ready, dtype, executor);");
        t.line("    CHECK_RET(ready != nullptr, nullptr);");
    }
    if shape {
        t.line("    if (ready->GetViewShape() == domain) {\n        return ready;\n    }");
        t.line("    int64_t dims[MAX_RANK] = {};");
        t.line("    for (size_t i = 0; i < domain.GetDimNum(); ++i) {");
        t.line("        dims[i] = domain.GetDim(i);\n    }");
        t.line(
            "    const aclIntArray* target = executor->AllocIntArray(dims, domain.GetDimNum());",
        );
        t.line("    CHECK_RET(target != nullptr, nullptr);");
        t.line("    return l0op::BroadcastTo(ready, target, executor);\n}");
    } else {
        t.line("    return ready;\n}");
    }
    t.finish()
}

/// Writes the C++ function `Prepare`, which does phase 1 for all aclnn functions of the operator.
///
/// Phase 1 (`aclnn<..>GetWorkspaceSize`) checks the arguments, and returns the bytes of workspace and an executor.
fn prepare(package: &Package<'_>, interface: &Interface) -> String {
    let mut t = Text::new();
    t.line(format!("// Phase 1 of {}.", function_names(interface)));
    let mut params = declared(&taken(package, interface));
    params.extend(["uint64_t* workspaceSize".into(), "aclOpExecutor** executor".into()]);
    let mut body = Text::new();
    let arguments = names(&checks::checked(package, interface));
    body.line(list("const aclnnStatus checked = CheckParams", &arguments, ";"));
    body.line("CHECK_RET(checked == ACLNN_SUCCESS, checked);\n");
    body.line("auto unique = CREATE_EXECUTOR();");
    body.line("CHECK_RET(unique.get() != nullptr, ACLNN_ERR_INNER_CREATE_EXECUTOR);\n");
    if interface.empty {
        empty(&mut body, package, interface);
    }
    convert(&mut body, package, interface);
    launch(&mut body, package, interface);
    body.line("*workspaceSize = unique->GetWorkspaceSize();");
    body.line("unique.ReleaseTo(executor);");
    body.line("return ACLNN_SUCCESS;");
    t.function(list("aclnnStatus Prepare", &params, ""), |t| {
        t.lines(body.finish());
    });
    t.finish().trim_end().to_string()
}

/// Returns the parameters of the C++ function `Prepare`: the arguments that phase 1 of a call reads.
fn taken(package: &Package<'_>, interface: &Interface) -> Vec<Param> {
    let checked = checks::checked(package, interface);
    let read = |p: &&Param| p.of != SignaturePart::Unused || checked.contains(p);
    interface.main().params.iter().filter(read).cloned().collect()
}

fn function_names(interface: &Interface) -> String {
    let names: Vec<&str> = interface.functions.iter().map(|f| f.name.as_str()).collect();
    names.join(" and ")
}

fn empty(t: &mut Text, package: &Package<'_>, interface: &Interface) {
    let inputs = laid_out(package, interface);
    let needed = inputs.iter().position(|p| !p.optional).unwrap_or(0);
    let asked = if interface.broadcast { &inputs[..] } else { &inputs[needed..=needed] };
    let test = |p: &&Param| match p.optional {
        true => format!("({0} != nullptr && {0}->IsEmpty())", p.name),
        false => format!("{}->IsEmpty()", p.name),
    };
    let tests: Vec<String> = asked.iter().map(test).collect();
    t.line("// Empty outputs need no kernel and no workspace.");
    t.when(
        &tests.join(" || "),
        "*workspaceSize = 0;\nunique.ReleaseTo(executor);\nreturn ACLNN_SUCCESS;",
    )
    .line("");
}

fn ready(param: &Param) -> String {
    format!("{}Ready", param.name)
}

fn convert(t: &mut Text, package: &Package<'_>, interface: &Interface) {
    let inputs = inputs(interface);
    let list_of = in_order(&deciding(package, laid_out(package, interface)));
    let mut more = Vec::new();
    if interface.dtypes.promotes() {
        let promoted = names(&argument::promoted(package, interface));
        t.line(list("const DataType dtype = Promoted", &promoted, ";"));
        more.push("dtype".to_string());
    }
    if expands(package, interface) {
        t.line("Shape domain;");
        t.line(format!(
            "CHECK_RET(InferDomain({{{}}}, domain), ACLNN_ERR_PARAM_INVALID);",
            list_of.join(", ")
        ));
        more.push("domain".into());
    }
    for p in inputs {
        let as_it_is = more.is_empty() || has_counts(package, p);
        let function = if as_it_is { "l0op::Contiguous" } else { "ToKernel" };
        let mut args = vec![p.name.to_string()];
        if let Some(dim) = along::dimension(package, p).filter(|_| expands(package, interface)) {
            args[0] = format!("Laid({}, domain, {dim}, unique.get())", p.name);
        }
        // Masks and tensors with types of their own keep these, and numbers of rows their shape.
        let keeps = is_mask(package, p) || own(package, p).is_some();
        let kept = |m: &String| match m.as_str() {
            "dtype" if keeps => format!("{}->GetDataType()", p.name),
            "domain" if is_per_row(package, p) => format!("{}->GetViewShape()", p.name),
            _ => m.clone(),
        };
        args.extend(more.iter().filter(|_| !as_it_is).map(kept));
        args.push("unique.get()".into());
        let (ready, call) = (ready(p), format!("{function}({})", args.join(", ")));
        if p.optional {
            t.line(format!("const aclTensor* {ready} = nullptr;"));
            t.block(&format!("if ({} != nullptr)", p.name), "}", |t| {
                t.line(format!("{ready} = {call};"));
                t.line(format!("CHECK_RET({ready} != nullptr, ACLNN_ERR_INNER_NULLPTR);"));
            });
            continue;
        }
        t.line(format!("const aclTensor* {ready} = {call};"));
        t.line(format!("CHECK_RET({ready} != nullptr, ACLNN_ERR_INNER_NULLPTR);"));
    }
    t.line("");
}

fn launch(t: &mut Text, package: &Package<'_>, interface: &Interface) {
    let def = &package.def;
    let main = interface.main();
    // An input for which the function has no argument is left out.
    let input = |i| match interface.input(i) {
        "" => "nullptr".into(),
        name => format!("{name}Ready"),
    };
    let mut args: Vec<String> = (0..def.inputs.len()).map(input).collect();
    for (i, attr) in def.passed().iter().enumerate() {
        let param = main.param(SignaturePart::Attr(i));
        args.push(match (param, &attr.kind) {
            (Some(p), AttrKind::Float) => float(interface, i, attr.default, p),
            (Some(p), AttrKind::Enum { wire_str: true, variants, .. }) if p.ty == Type::Int => {
                let name = format!("{}Name", p.name);
                t.line(format!("const char* {name} = {};", by_number(&p.name, variants)));
                name
            }
            (Some(p), _) => p.name.to_string(),
            (None, kind) => match main.fixed(i) {
                Some(value) => fixed(package, i, value),
                None => format!("{}{{}}", level0::attr_type(kind)),
            },
        });
    }
    args.push("unique.get()".into());
    let outputs = outputs(interface);
    let result = |p: &&Param| format!("{}Result", p.name);
    let results: Vec<String> = outputs.iter().map(result).collect();
    let head = match results.len() {
        1 => format!("const aclTensor* {} = l0op::{}", results[0], def.name),
        _ => format!("const auto [{}] = l0op::{}", results.join(", "), def.name),
    };
    t.line(list(&head, &args, ";"));
    for result in &results {
        t.line(format!("CHECK_RET({result} != nullptr, ACLNN_ERR_INNER_NULLPTR);"));
    }
    t.line("");
    t.line("// The caller's tensors may have strides.");
    for (p, result) in outputs.iter().zip(results) {
        let mut source = result;
        if interface.dtypes.cast && own(package, p).is_none() {
            let cast = format!("{}Cast", p.name);
            t.line(format!(
                "const aclTensor* {cast} = l0op::Cast({source}, {}->GetDataType(), unique.get());",
                p.name
            ));
            t.line(format!("CHECK_RET({cast} != nullptr, ACLNN_ERR_INNER_NULLPTR);"));
            source = cast;
        }
        t.line(format!(
            "CHECK_RET(l0op::ViewCopy({source}, {}, unique.get()) != nullptr, ACLNN_ERR_INNER_NULLPTR);",
            p.name
        ));
    }
    t.line("");
}

/// Returns the C++ expression of an attribute's value in `float`, as the kernel receives it.
///
/// The value is the argument, or the default if the argument is optional and null.
fn float(interface: &Interface, attr: usize, default: Value, p: &Param) -> String {
    let given = match interface.negative.iter().find(|n| n.0 == attr) {
        Some((_, Negative::Zero)) => format!("({0} < 0.0f ? 0.0f : {0})", number(p)),
        _ => number(p),
    };
    match default {
        Value::Float(x) if p.optional => {
            format!("{} != nullptr ? {given} : static_cast<float>({x:?})", p.name)
        }
        _ => given,
    }
}

/// Returns a C++ expression that selects the name of an enum value by its number.
///
/// For example, `approximate == 1 ? "tanh" : "none"`: the first variant comes last, for all other numbers.
fn by_number(name: &str, variants: &[op_dsl_ir::op::Variant]) -> String {
    let Some((first, rest)) = variants.split_first() else { return "\"\"".into() };
    let test =
        |v: &op_dsl_ir::op::Variant| format!("{name} == {} ? {} : ", v.value, literal(&v.name));
    rest.iter().map(test).collect::<String>() + &literal(&first.name)
}

/// Returns, as C++, the value of an attribute for which an aclnn function has no argument.
fn fixed(package: &Package<'_>, attr: usize, value: Value) -> String {
    match (&package.def.attrs[attr].kind, value) {
        (kind @ AttrKind::Enum { wire_str: true, .. }, Value::Int(value)) => {
            literal(kind.variant_name(value))
        }
        (_, Value::Float(value)) => format!("static_cast<float>({value:?})"),
        (_, value) => value.literal(),
    }
}

/// Writes the two exported functions, phase 1 and phase 2, of one aclnn function.
fn entry(package: &Package<'_>, interface: &Interface, function: &Function) -> String {
    let named = |of: fn(&Param) -> bool| {
        let some: Vec<String> =
            function.params.iter().filter(|p| of(p)).map(|p| p.name.to_string()).collect();
        some.join(", ")
    };
    let dfx = [
        function.name.clone(),
        format!("DFX_IN({})", named(|p| !p.is_output())),
        format!("DFX_OUT({})", named(Param::is_output)),
    ];
    let argument = |p: &Param| match p.of {
        SignaturePart::Attr(i) if function.param(p.of).is_none() => {
            fixed(package, i, function.fixed(i).unwrap_or(Value::Int(0)))
        }
        _ => p.name.to_string(),
    };
    let mut args: Vec<String> = taken(package, interface).iter().map(argument).collect();
    args.extend(["workspaceSize".into(), "executor".into()]);
    let mut t = Text::new();
    t.function(phase_1(function, ""), |t| {
        t.line(list("L2_DFX_PHASE_1", &dfx, ";")).line(list("return Prepare", &args, ";"));
    });
    t.line("").function(phase_2(function, ""), |t| {
        t.line(format!("L2_DFX_PHASE_2({});", function.name));
        t.line("return CommonOpExecutorRun(workspace, workspaceSize, executor, stream);");
    });
    t.finish()
}
