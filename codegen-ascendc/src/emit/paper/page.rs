//! `docs/aclnn<..>.md`: the document of one aclnn name.

use super::phrases;
use crate::emit::api::{allowed, cpp, has_counts};
use crate::emit::kernel::sums;
use crate::emit::package::Package;
use crate::emit::text::{Text, doc, page_header};
use crate::emit::tree::File;
use crate::emit::words::{Word, Words};
use op_dsl_ir::interface::{Function, Interface, Param};
use op_dsl_ir::published::{Negative, SignaturePart, Type};

/// Returns the path of the page that describes an aclnn function.
pub fn path(function: &Function) -> String {
    format!("docs/{}.md", function.name)
}

/// Returns the Markdown page that describes an aclnn function.
pub fn file(package: &Package<'_>, interface: &Interface, function: &Function) -> File {
    let words = package.words();
    let (name, titles) = (&function.name, &words.titles);
    let mut t = Text::new();
    t.line(page_header(package, words.comments.page));
    t.line(format!("# {name}\n"));
    t.line(format!("## {}\n\n{}", titles.products, phrases::products(package)));
    t.line(format!("## {}\n\n{}\n", titles.function, doc(package)));
    t.line(phrases::formulas(package).trim_end()).line("");
    t.line(arguments_of_formula(package, interface, function));
    t.line(format!("## {}\n\n{}\n", titles.prototypes, words.phases.about));
    let mut params: Vec<String> = function.params.iter().map(Param::declaration).collect();
    params.extend(["uint64_t* workspaceSize".into(), "aclOpExecutor** executor".into()]);
    t.line(prototype(&format!("{name}GetWorkspaceSize"), &params));
    t.line(prototype(name, &phase_2(words).map(|p| format!("{} {}", p.0, p.1))));
    t.line(format!("## {name}GetWorkspaceSize\n"));
    let parameters = parameters(package, interface, function);
    t.line(format!("### {}\n\n{parameters}", titles.parameters));
    t.line(format!("### {}\n\n{}", titles.codes, codes(package, interface, function)));
    t.line(format!("## {name}\n\n{}", second(words)));
    t.line(format!("## {}\n\n{}", titles.constraints, constraints(package, interface)));
    if let Some(example) = super::example::path(package, function) {
        let program = (words.calls.program)(&format!("[{example}](../{example})"));
        t.line(format!("## {}\n\n{}", titles.example, call(words, interface, function)));
        t.line(program);
    }
    File { path: path(function), text: format!("{}\n", t.finish().trim_end()) }
}

/// Returns the parameters of phase 2 of an aclnn function: C++ type, name, meaning.
fn phase_2(words: &Words) -> [(&str, &str, Word); 4] {
    let phases = &words.phases;
    [
        ("void*", "workspace", phases.workspace),
        ("uint64_t", "workspaceSize", phases.workspace_size),
        ("aclOpExecutor*", "executor", phases.executor),
        ("aclrtStream", "stream", phases.stream),
    ]
}

/// Lists the arguments of an aclnn function whose names differ from those in the formula.
fn arguments_of_formula(
    package: &Package<'_>,
    interface: &Interface,
    function: &Function,
) -> String {
    let (def, words) = (&package.def, &package.words().arguments);
    let mut t = Text::new();
    for p in &function.params {
        let own = match p.of {
            SignaturePart::Input(i) => &def.inputs[i].name,
            SignaturePart::Attr(i) => &def.attrs[i].name,
            SignaturePart::Output(i) => &def.outputs[i].name,
            SignaturePart::Unused => continue,
        };
        if own != &*p.name {
            t.line(format!("- {}", (words.named)(own, &p.name)));
        }
    }
    for (attr, value) in &function.fixed {
        let main = interface.main();
        let name = &def.attrs[*attr].name;
        let names = allowed(package, None, *attr);
        let named = names.iter().find(|v| Some(v.0) == value.as_int());
        let value = named.map_or_else(|| value.literal(), |(_, name)| name.clone());
        let told = match main.param(SignaturePart::Attr(*attr)) {
            Some(_) => (words.fixed_but)(name, &value, &main.name),
            None => (words.fixed)(name, &value),
        };
        t.line(format!("- {told}"));
    }
    t.finish()
}

fn prototype(name: &str, params: &[String]) -> String {
    format!("```cpp\naclnnStatus {name}(\n    {})\n```\n", params.join(",\n    "))
}

fn parameters(package: &Package<'_>, interface: &Interface, function: &Function) -> String {
    let words = package.words();
    let (kinds, about) = (&words.kinds, &words.arguments);
    let mut t = Text::new();
    t.line(phrases::table(&about.heads));
    let least = u8::from(package.def.split.is_some());
    let rank = (words.tensors.rank)(&least.to_string(), "8");
    for p in &function.params {
        let kind = if p.is_output() { kinds.output } else { kinds.input };
        let (what, ty) = match p.of {
            SignaturePart::Unused => {
                let what = match (p.ty, p.optional) {
                    (Type::Bool, _) => about.no_influence,
                    (_, true) => about.not_looked_at,
                    _ => about.unread,
                };
                (what.to_string(), p.ty.c())
            }
            SignaturePart::Attr(i) => (attribute(package, interface, i, p), p.ty.c()),
            _ => {
                let what = tensor(package, interface, p);
                let dtypes = match p.of {
                    SignaturePart::Input(i) => phrases::input_dtypes(package, i),
                    SignaturePart::Output(k) => phrases::output_dtypes(package, k),
                    _ => phrases::dtypes(package),
                };
                let (name, any) = (&p.name, words.tensors.any_strides);
                let rank = if has_counts(package, p) { "1" } else { &*rank };
                t.line(format!("| {name} | {kind} | {what} | {dtypes} | ND | {rank} | {any} |"));
                continue;
            }
        };
        t.line(format!("| {} | {kind} | {what} | {ty} | - | - | - |", p.name));
    }
    for (name, what, ty) in [
        ("workspaceSize", about.workspace_size, "uint64_t"),
        ("executor", about.executor, "aclOpExecutor*"),
    ] {
        t.line(format!("| {name} | {} | {what} | {ty} | - | - | - |", kinds.output));
    }
    t.finish()
}

/// Describes shape and element type that a tensor argument of an aclnn function must have.
fn tensor(package: &Package<'_>, interface: &Interface, param: &Param) -> String {
    let words = package.words();
    let mut told: Vec<String> = match has_counts(package, param) {
        true => vec![words.tensors.counts.into()],
        false => vec![
            phrases::shape(package, interface, param),
            phrases::typing(package, interface, param).into(),
        ],
    };
    told.extend(param.optional.then(|| words.tensors.null.into()));
    told.join(words.signs.gap)
}

/// Describes the values that an attribute argument of an aclnn function may have.
fn attribute(package: &Package<'_>, interface: &Interface, attr: usize, param: &Param) -> String {
    let (words, values) = (package.words(), allowed(package, None, attr));
    let about = &words.attributes;
    let mut told = vec![match param.ty {
        Type::Int if !values.is_empty() => phrases::numbers(words, &values),
        _ => phrases::attribute(package, attr),
    }];
    told.extend((param.ty == Type::Scalar).then(|| about.scalar.into()));
    told.extend(param.optional.then(|| about.null.into()));
    told.extend(interface.negative.iter().find(|n| n.0 == attr).map(|n| match n.1 {
        Negative::Zero => about.negative_zero.into(),
        Negative::Refused => about.not_negative.into(),
        Negative::RefusedIf(flag) => (about.not_negative_if)(flag),
    }));
    told.join(words.signs.gap)
}

fn codes(package: &Package<'_>, interface: &Interface, function: &Function) -> String {
    let (def, words) = (&package.def, &package.words().codes);
    let pointers = function.params.iter().filter(|p| p.is_needed());
    let pointers: Vec<String> = pointers.map(|p| p.name.to_string()).collect();
    let mut t = Text::new();
    t.line(format!("{}\n", words.about)).line(phrases::table(&words.heads));
    let mut row = |code: u32, name: &str, when: &str| {
        t.line(format!("| {code} | ACLNN_ERR_{name} | {when} |"));
    };
    let executor = ["workspaceSize", "executor"].map(String::from);
    row(161001, "PARAM_NULLPTR", &(words.null)(&executor));
    row(161001, "PARAM_NULLPTR", &(words.null)(&pointers));
    let mut invalid = |when: &str| row(161002, "PARAM_INVALID", when);
    let types = match (interface.dtypes.promotes(), interface.dtypes.cast) {
        (false, false) => [words.type_unknown, words.types_differ],
        (false, true) => [words.type_unknown, words.input_types_differ],
        (true, false) => [words.no_promotion, words.output_not_promoted],
        (true, true) => [words.no_promotion, words.output_unknown],
    };
    types.into_iter().for_each(&mut invalid);
    for p in function.params.iter().filter(|p| p.ty == Type::Scalar) {
        invalid(&(words.scalar)(&p.name));
    }
    invalid(words.private);
    invalid(words.dimensions);
    let broadcast = interface.broadcast && !sums::has(def);
    invalid(if broadcast { words.broadcast } else { words.shape });
    if let Some(p) = def.split.as_ref().and_then(|s| function.param(SignaturePart::Attr(s.dim))) {
        invalid(&(words.dim)(&p.name));
        invalid(words.odd);
    }
    if !interface.empty {
        invalid(words.empty);
    }
    for p in &function.params {
        let some = |attr| !allowed(package, None, attr).is_empty() && p.ty != Type::Bool;
        if matches!(p.of, SignaturePart::Attr(attr) if some(attr)) {
            invalid(&(words.value)(&p.name));
        }
    }
    for &(attr, what) in &interface.negative {
        let Some(p) = function.param(SignaturePart::Attr(attr)) else { continue };
        match what {
            Negative::Zero => {}
            Negative::Refused => invalid(&(words.negative)(&p.name)),
            Negative::RefusedIf(flag) => invalid(&(words.negative_if)(&p.name, flag)),
        }
    }
    row(561001, "INNER_INFERSHAPE_ERROR", words.infer_shape);
    row(561002, "INNER_TILING_ERROR", words.tiling);
    row(561003, "INNER_FIND_KERNEL_ERROR", words.find_kernel);
    row(561101, "INNER_CREATE_EXECUTOR", words.create_executor);
    row(561103, "INNER_NULLPTR", words.no_tensor);
    t.finish()
}

fn second(words: &Words) -> String {
    let row = |p: (&str, &str, Word)| format!("| {} | {} | {} |\n", p.1, p.0, p.2);
    let rows: String = phase_2(words).map(row).concat();
    format!("{}\n{rows}\n{}\n", phrases::table(&words.phases.heads), words.phases.answer)
}

fn constraints(package: &Package<'_>, interface: &Interface) -> String {
    let words = &package.words().limits;
    let empty = if interface.empty { words.empty } else { words.empty_refused };
    let about_sums = phrases::about_sums(package);
    let unequal = package.def.broadcast && !interface.broadcast && about_sums.is_none();
    let equal = unequal.then_some(words.equal_shapes).or(about_sums.as_deref());
    let told = [words.strided, empty].into_iter().chain(equal).chain([words.deterministic]);
    let items: String = told.map(|item| format!("- {item}\n")).collect();
    items + &phrases::left_out(package)
}

/// Returns a code listing with the calls of both phases of an aclnn function.
fn call(words: &Words, interface: &Interface, function: &Function) -> String {
    let allocate = words.calls.allocate;
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
         // {allocate}\nstatus = {}(workspace, workspaceSize, executor, stream);\n```\n",
        interface.header, function.name
    )
}
