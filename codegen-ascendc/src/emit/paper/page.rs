//! `docs/aclnn<..>.md`: one aclnn name.

use super::words;
use crate::emit::api::{allowed, cpp};
use crate::emit::package::Package;
use crate::emit::text::{Comment, Text, header};
use crate::emit::tree::File;
use op_dsl_ir::interface::{Function, Interface, Param};
use op_dsl_ir::op::Value;
use op_dsl_ir::published::{Negative, Of, Type};

/// Where the page of a name is.
pub fn path(function: &Function) -> String {
    format!("docs/{}.md", function.name)
}

/// The page.
pub fn file(package: &Package<'_>, interface: &Interface, function: &Function) -> File {
    let mut t = Text::new();
    let name = &function.name;
    t.line(header(package, "the aclnn functions of one name", Comment::Angle));
    t.line(format!("# {name}\n"));
    t.line(format!("## Products\n\n{}", words::products(package)));
    t.line(format!("## Function\n\n{}\n", package.def.doc.trim()));
    t.line(words::formulas(package).trim_end()).line("");
    t.line(arguments_of_formula(package, interface, function));
    t.line("## Prototypes\n");
    t.line("A call has two phases. The first checks the arguments and says how much workspace the second needs;");
    t.line("the second launches the kernel.\n");
    let mut params: Vec<String> = function.params.iter().map(Param::declaration).collect();
    params.extend(["uint64_t* workspaceSize".into(), "aclOpExecutor** executor".into()]);
    t.line(prototype(&format!("{name}GetWorkspaceSize"), &params));
    t.line(prototype(name, &PHASE_2.map(|p| format!("{} {}", p.0, p.1))));
    t.line(format!("## {name}GetWorkspaceSize\n"));
    t.line(format!("### Parameters\n\n{}", parameters(package, interface, function)));
    t.line(format!("### Return codes\n\n{}", codes(package, interface, function)));
    t.line(format!("## {name}\n\n{}", second()));
    t.line(format!("## Constraints\n\n{}", constraints(package, interface)));
    if let Some(example) = super::example::path(package, function) {
        t.line(format!("## Example\n\n{}", call(interface, function)));
        t.line(format!("The whole program: [{example}](../{example})."));
    }
    File { path: path(function), text: format!("{}\n", t.finish().trim_end()) }
}

const PHASE_2: [(&str, &str, &str); 4] = [
    ("void*", "workspace", "Workspace in device memory."),
    ("uint64_t", "workspaceSize", "Its bytes, from the first phase."),
    ("aclOpExecutor*", "executor", "The executor from the first phase."),
    ("aclrtStream", "stream", "The stream that the kernel runs on."),
];

/// Which argument is which name of the formula, where they differ.
fn arguments_of_formula(
    package: &Package<'_>,
    interface: &Interface,
    function: &Function,
) -> String {
    let def = &package.def;
    let mut t = Text::new();
    for p in &function.params {
        let own = match p.of {
            Of::Input(i) => &def.inputs[i].name,
            Of::Attr(i) => &def.attrs[i].name,
            Of::Output(i) => &def.outputs[i].name,
            Of::Unused | Of::Absent => continue,
        };
        if own != &*p.name {
            t.line(format!("- `{own}` in the formula is the argument `{}`.", p.name));
        }
    }
    for (attr, value) in &function.fixed {
        let main = interface.main();
        let name = &def.attrs[*attr].name;
        let names = allowed(package, None, *attr);
        let value = match (names.iter().find(|v| Some(v.0) == value.as_int()), value) {
            (Some((_, name)), _) => name.clone(),
            (None, Value::Int(v)) => v.to_string(),
            (None, Value::Bool(v)) => v.to_string(),
            (None, Value::Float(v)) => format!("{v:?}"),
        };
        let instead = match main.param(Of::Attr(*attr)) {
            Some(_) => format!("; {} has an argument for it", main.name),
            None => String::new(),
        };
        t.line(format!("- `{name}` is {value}{instead}."));
    }
    t.finish()
}

fn prototype(name: &str, params: &[String]) -> String {
    format!("```cpp\naclnnStatus {name}(\n    {})\n```\n", params.join(",\n    "))
}

fn parameters(package: &Package<'_>, interface: &Interface, function: &Function) -> String {
    let mut t = Text::new();
    t.line("| Name | Kind | Meaning | Types | Format | Rank | Strides |\n|---|---|---|---|---|---|---|");
    let least = u8::from(package.def.split.is_some());
    for p in &function.params {
        let dtypes = match p.of {
            Of::Input(i) => words::input_dtypes(package, i),
            _ => words::dtypes(package),
        };
        let kind = if p.is_output() { "output" } else { "input" };
        match p.of {
            Of::Unused | Of::Absent => {
                let what = match (p.of, p.ty, p.optional) {
                    (Of::Absent, ..) => "A null pointer: the kernel has no such input.",
                    (_, Type::Bool, _) => "Has no influence on results.",
                    (_, _, true) => "Not looked at.",
                    _ => "A tensor that nothing reads.",
                };
                t.line(format!("| {} | {kind} | {what} | {} | - | - | - |", p.name, p.ty.c()));
            }
            Of::Attr(i) => {
                let (what, ty) = (attribute(package, interface, i, p), p.ty.c());
                t.line(format!("| {} | {kind} | {what} | {ty} | - | - | - |", p.name));
            }
            _ => {
                let (shape, typing) =
                    (words::shape(package, interface, p), words::typing(package, interface, p));
                let null = if p.optional { " A null pointer leaves it out." } else { "" };
                t.line(format!(
                    "| {} | {kind} | {shape} {typing}{null} | {dtypes} | ND | {least} to 8 | any |",
                    p.name
                ));
            }
        }
    }
    t.line("| workspaceSize | output | Bytes of workspace that the second phase needs. | uint64_t | - | - | - |");
    t.line("| executor | output | The executor of this call. | aclOpExecutor* | - | - | - |");
    t.finish()
}

/// What an attribute means, in the type of the argument.
fn attribute(package: &Package<'_>, interface: &Interface, attr: usize, param: &Param) -> String {
    let values = allowed(package, None, attr);
    let about = match param.ty {
        Type::Int if !values.is_empty() => {
            let words: Vec<String> = values.iter().map(|(v, n)| format!("{v} ({n})")).collect();
            format!("{}.", words.join(" or "))
        }
        _ => words::attribute(package, attr),
    };
    let scalar = if param.ty == Type::Scalar { " Of any type that converts to float." } else { "" };
    let null = if param.optional { " A null pointer is the default." } else { "" };
    let negative = match interface.negative.iter().find(|n| n.0 == attr).map(|n| n.1) {
        None => String::new(),
        Some(Negative::Zero) => " Negative numbers count as 0.".into(),
        Some(Negative::Refused) => " Not negative.".into(),
        Some(Negative::RefusedIf(flag)) => format!(" Not negative where {flag} is true."),
    };
    format!("{about}{scalar}{null}{negative}")
}

fn codes(package: &Package<'_>, interface: &Interface, function: &Function) -> String {
    let def = &package.def;
    let pointers = function.params.iter().filter(|p| p.is_needed());
    let pointers: Vec<&str> = pointers.map(|p| &*p.name).collect();
    let mut t = Text::new();
    t.line("Checks run in this order; the first that fails gives the code.\n");
    t.line("| Code | Name | When |\n|---|---|---|");
    let null = |t: &mut Text, when: &str| {
        t.line(format!("| 161001 | ACLNN_ERR_PARAM_NULLPTR | {when} |"));
    };
    let invalid = |t: &mut Text, when: &str| {
        t.line(format!("| 161002 | ACLNN_ERR_PARAM_INVALID | {when} |"));
    };
    null(&mut t, "workspaceSize or executor is a null pointer.");
    null(&mut t, &format!("{} is a null pointer.", pointers.join(", or ")));
    let promote = "The inputs promote to no element type of the table above.";
    let whose = if interface.dtypes.cast { "of the inputs " } else { "" };
    match (interface.dtypes.promotes(), interface.dtypes.cast) {
        (false, _) => {
            invalid(&mut t, "A tensor has an element type that is not in the table above.");
            invalid(&mut t, &format!("The element types {whose}differ."));
        }
        (true, false) => {
            invalid(&mut t, promote);
            invalid(&mut t, "An output does not have the promoted element type.");
        }
        (true, true) => {
            invalid(&mut t, promote);
            invalid(&mut t, "An output has an element type that is not in the table above.");
        }
    }
    for p in function.params.iter().filter(|p| p.ty == Type::Scalar) {
        invalid(&mut t, &format!("{} is of a type that does not convert to float.", p.name));
    }
    invalid(&mut t, "A tensor has a private format.");
    invalid(&mut t, "A tensor has more than 8 dimensions.");
    if interface.broadcast {
        invalid(&mut t, "The inputs cannot be broadcast, or an output has another shape.");
    } else {
        invalid(&mut t, "A shape does not fit the others.");
    }
    if let Some(p) = def.split.as_ref().and_then(|s| function.param(Of::Attr(s.dim))) {
        invalid(&mut t, &format!("{} is not in [-rank, rank - 1].", p.name));
        invalid(&mut t, "The split dimension of a tensor with two parts is odd.");
    }
    if !interface.empty {
        invalid(&mut t, "A tensor is empty.");
    }
    for p in &function.params {
        let some = |attr| !allowed(package, None, attr).is_empty() && p.ty != Type::Bool;
        if matches!(p.of, Of::Attr(attr) if some(attr)) {
            invalid(&mut t, &format!("{} has a value that is not in the table above.", p.name));
        }
    }
    for &(attr, what) in &interface.negative {
        let Some(p) = function.param(Of::Attr(attr)) else { continue };
        match what {
            Negative::Zero => {}
            Negative::Refused => invalid(&mut t, &format!("{} is negative.", p.name)),
            Negative::RefusedIf(flag) => {
                invalid(&mut t, &format!("{} is negative and {flag} is true.", p.name));
            }
        }
    }
    for p in function.params.iter().filter(|p| p.of == Of::Absent) {
        invalid(&mut t, &format!("{} is not a null pointer.", p.name));
    }
    t.line("| 561001 | ACLNN_ERR_INNER_INFERSHAPE_ERROR | Shape inference fails. |");
    t.line("| 561002 | ACLNN_ERR_INNER_TILING_ERROR | Tiling fails. |");
    t.line(
        "| 561003 | ACLNN_ERR_INNER_FIND_KERNEL_ERROR | No kernel is installed for the product. |",
    );
    t.line("| 561101 | ACLNN_ERR_INNER_CREATE_EXECUTOR | The executor cannot be created. |");
    t.line("| 561103 | ACLNN_ERR_INNER_NULLPTR | A step of the call makes no tensor. |");
    t.finish()
}

fn second() -> String {
    let row = |p: &(&str, &str, &str)| format!("| {} | {} | {} |\n", p.1, p.0, p.2);
    let rows: String = PHASE_2.iter().map(row).collect();
    format!(
        "| Name | Type | Meaning |\n|---|---|---|\n{rows}\nAnswers with 0, or a code of the runtime.\n"
    )
}

fn constraints(package: &Package<'_>, interface: &Interface) -> String {
    let mut t = Text::new();
    t.line("- Strided tensors are copied to contiguous ones before the kernel, and results back.");
    match interface.empty {
        true => t.line("- Empty tensors succeed: workspaceSize is 0 and no kernel runs."),
        false => t.line("- Empty tensors are refused."),
    };
    if package.def.broadcast && !interface.broadcast {
        t.line("- Shapes must be equal: tensors that are cut in two are not broadcast.");
    }
    t.line("- Results are deterministic.");
    t.finish() + &words::left_out(package)
}

/// Both phases, as a program writes them.
fn call(interface: &Interface, function: &Function) -> String {
    let args = |more: &[&str]| -> Vec<String> {
        let own = function.params.iter().map(|p| p.name.to_string());
        own.chain(more.iter().map(|m| m.to_string())).collect()
    };
    let first = cpp::list(
        &format!("aclnnStatus status = {}GetWorkspaceSize", function.name),
        &args(&["&workspaceSize", "&executor"]),
        ";",
    );
    format!(
        "```cpp\n#include \"aclnnop/{}.h\"\n\nuint64_t workspaceSize = 0;\naclOpExecutor* executor = nullptr;\n{first}\n\
         // status is 0: allocate workspaceSize bytes of device memory, if any\nstatus = {}(workspace, workspaceSize, executor, stream);\n```\n",
        interface.header, function.name
    )
}
