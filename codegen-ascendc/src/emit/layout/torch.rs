//! An extension of PyTorch that registers installed operators: the same names on NPUs as elsewhere.
//!
//! Sources are C++ against torch_npu's headers. One text per operator gives two functions: one of shapes, for tensors without
//! data, and one that calls the aclnn function, which the toolkit generates for a `custom` project of the same operators.
//! Derivatives are Python: one rule for all operators, and a table of them.

mod attribute;
mod derivatives;

use crate::emit::api::cpp::{list, literal};
use crate::emit::kernel::sums;
use crate::emit::package::Package;
use crate::emit::paper::phrases;
use crate::emit::text::{Comment, Text, project_header, project_page_header};
use crate::emit::tree::Tree;
use crate::emit::type_names::type_names;
use attribute::declared;
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{AttrKind, Kind, OpDef};

/// Adds the extension of PyTorch that registers some operators.
pub fn add(tree: &mut Tree, packages: &[Package<'_>]) {
    let Some(first) = packages.first() else { return };
    let space = namespace(first.written);
    let shared = |text: &str, comment| format!("{}\n{text}", project_header(packages, comment));
    let named = |text: &str| text.replace("@namespace@", space);
    tree.add("csrc/operators.cpp", shared(&source(packages, space), Comment::Slashes));
    tree.add("csrc/call.h", shared(include_str!("torch/call.h"), Comment::Slashes));
    tree.add("setup.py", shared(&named(include_str!("torch/setup.py")), Comment::Hash));
    let modules = [
        ("__init__", named(include_str!("torch/__init__.py"))),
        ("_derivatives", derivatives::module(packages, space)),
        ("_gradient", include_str!("torch/_gradient.py").into()),
    ];
    for (name, text) in modules {
        tree.add(format!("{space}_npu/{name}.py"), shared(&text, Comment::Hash));
    }
    tree.add("README.md", readme(packages, space));
    tree.mark("", packages.iter().map(|p| &*p.def.name));
}

/// Returns the namespace in which PyTorch registers the operators: the name of their crate.
fn namespace(def: &OpDef) -> &str {
    def.source.split("::").next().unwrap_or_default()
}

/// Returns the operator's signature in PyTorch's schema language: arguments and results.
pub fn schema(def: &OpDef) -> String {
    let given = |i: usize| def.presence(i).is_none();
    // Every parameter after one with a default must have a default as well.
    let last = (0..def.inputs.len()).rfind(|i| given(*i)).unwrap_or(0);
    let inputs = def.inputs.iter().enumerate().map(|(i, t)| match given(i) {
        true => format!("Tensor {}", t.name),
        false if i < last => format!("Tensor? {}", t.name),
        false => format!("Tensor? {}=None", t.name),
    });
    let attrs = def.passed().iter().map(|a| {
        let (ty, default) = declared(a);
        format!("{ty} {}={default}", a.name)
    });
    let arguments: Vec<String> = inputs.chain(attrs).collect();
    let results = vec!["Tensor"; def.outputs.len()].join(", ");
    let results = if def.outputs.len() == 1 { results } else { format!("({results})") };
    format!("({}) -> {results}", arguments.join(", "))
}

fn kind(kind: Kind) -> String {
    format!("Kind::{}", kind.name().to_ascii_uppercase())
}

/// Returns a C++ source file that registers all operators with PyTorch.
///
/// It is one file because PyTorch's headers take longer to compile than the operators.
fn source(packages: &[Package<'_>], space: &str) -> String {
    let mut t = Text::new();
    t.line("#include \"call.h\"\n\nnamespace {\n\nusing op_dsl::Kind;\n");
    for package in packages {
        operator(&mut t, package);
    }
    t.line("}  // namespace\n");
    t.function(format!("TORCH_LIBRARY_FRAGMENT({space}, library)"), |t| {
        for package in packages {
            let (def, snake) = (package.written, package.def.snake());
            let arguments = [
                "library".into(),
                literal(&format!("{space}::{snake}")),
                literal(&schema(def)),
                format!("{snake}::{}<false>", def.name),
            ];
            t.line(list("op_dsl::Define", &arguments, ";"));
        }
    });
    t.line("").function(format!("TORCH_LIBRARY_IMPL({space}, PrivateUse1, library)"), |t| {
        for package in packages {
            let snake = package.def.snake();
            t.line(format!("library.impl(\"{snake}\", {snake}::{}<true>);", package.def.name));
        }
    });
    t.finish()
}

fn operator(t: &mut Text, package: &Package<'_>) {
    let def = package.written;
    t.line(format!("namespace {} {{\n", package.def.snake()));
    let types: Vec<&str> = package.dtypes().into_iter().map(|d| type_names(d).torch).collect();
    // Sums of no elements are refused, whatever the formula says of them.
    let facts =
        [def.broadcast, def.promote, package.def.empty].map(|fact| fact.to_string()).join(", ");
    t.line(
        "// Name; whether it broadcasts, promotes, takes tensors without elements; element types.",
    );
    let types = types.join(", ");
    t.line(format!("const op_dsl::Rules RULES{{{}, {facts}, {{{types}}}}};\n", literal(&def.name)));
    t.line("// Results: computed, or of the right shape alone.");
    t.line("template <bool LAUNCH>");
    t.function(list(&format!("{} {}", results(def), def.name), &parameters(def), ""), |t| {
        body(t, package);
    });
    t.line(format!("\n}}  // namespace {}\n", package.def.snake()));
}

fn results(def: &OpDef) -> String {
    match def.outputs.len() {
        1 => "at::Tensor".into(),
        n => format!("std::tuple<{}>", vec!["at::Tensor"; n].join(", ")),
    }
}

/// Returns the parameters of the C++ function that PyTorch calls for the operator.
///
/// They are those of the schema, in the C++ types that PyTorch passes.
fn parameters(def: &OpDef) -> Vec<String> {
    let inputs = def.inputs.iter().enumerate().map(|(i, t)| {
        let ty = match def.presence(i) {
            Some(_) => "const std::optional<at::Tensor>&",
            None => "const at::Tensor&",
        };
        format!("{ty} {}", cpp_name(&t.name))
    });
    let attrs = def.passed().iter().map(|a| {
        let ty = match a.kind {
            AttrKind::Enum { .. } => "std::string",
            AttrKind::Float => "double",
            AttrKind::Bool | AttrKind::Given(_) => "bool",
            AttrKind::Dim | AttrKind::Int => "int64_t",
        };
        format!("{ty} {}", cpp_name(&a.name))
    });
    inputs.chain(attrs).collect()
}

fn body(t: &mut Text, package: &Package<'_>) {
    let def = package.written;
    let mut arguments = vec!["RULES".to_string(), inputs(def)];
    arguments.extend(def.split.as_ref().map(|s| cpp_name(&def.attrs[s.dim].name)));
    t.line(list("const op_dsl::Call thisCall", &arguments, ";"));
    let mut passed: Vec<String> = Vec::new();
    for attr in def.passed() {
        let name = cpp_name(&attr.name);
        let AttrKind::Enum { variants, wire_str, .. } = &attr.kind else {
            passed.push(name);
            continue;
        };
        let one = |v: &op_dsl_ir::op::Variant| format!("{{{}, {}}}", literal(&v.name), v.value);
        let all: Vec<String> = variants.iter().map(one).collect();
        let arguments = [
            "RULES.name".into(),
            literal(&attr.name),
            name.clone(),
            format!("{{{}}}", all.join(", ")),
        ];
        // A choice that is passed by name is only checked, since it needs no number.
        let head = if *wire_str { String::new() } else { format!("int64_t {name}Number = ") };
        t.line(list(&format!("{head}op_dsl::Choice"), &arguments, ";"));
        passed.push(format!("{name}{}", if *wire_str { "Text" } else { "Number" }));
    }
    let outputs: Vec<String> = def.outputs.iter().map(|o| cpp_name(&o.name)).collect();
    for (k, (output, name)) in def.outputs.iter().zip(&outputs).enumerate() {
        let result = match def.sum(k) {
            Some(input) => format!("Sum({input})"),
            None => format!("Result({})", kind(output.kind)),
        };
        t.line(format!("at::Tensor {name} = thisCall.{result};"));
    }
    t.block("if constexpr (LAUNCH)", "}", |t| launch(t, def, passed, &outputs));
    match &outputs[..] {
        [one] => t.line(format!("return {one};")),
        more => t.line(format!("return {{{}}};", more.join(", "))),
    };
}

fn inputs(def: &OpDef) -> String {
    let input = |(i, t): (usize, &op_dsl_ir::op::Tensor)| {
        let name = cpp_name(&t.name);
        let tensor = match def.presence(i) {
            Some(_) => format!("{name}.value_or(at::Tensor())"),
            None => name,
        };
        let along = def.along(i).map(|dim| format!(", {dim}")).unwrap_or_default();
        let wide = def.wide.contains(&i);
        format!("{{{}, {}, {wide}, {tensor}{along}}}", literal(&t.name), kind(t.kind))
    };
    let all: Vec<String> = def.inputs.iter().enumerate().map(input).collect();
    format!("{{{}}}", all.join(", "))
}

/// Writes C++ code that calls the operator's aclnn function.
///
/// The arguments are inputs, attributes and outputs, in the order of the definition.
fn launch(t: &mut Text, def: &OpDef, passed: Vec<String>, outputs: &[String]) {
    let function = format!("aclnn{}", def.name);
    let first = &outputs[0];
    t.line(format!("const c10::DeviceGuard guard({first}.device());"));
    t.block(&format!("if (thisCall.Launches(\"{function}\"))"), "}", |t| {
        let mut arguments = vec![function.clone()];
        let narrow = sums::broadcast(def);
        for (i, tensor) in def.inputs.iter().enumerate() {
            let ready = format!("{}Ready", cpp_name(&tensor.name));
            let how = match def.presence(i) {
                Some(_) => "ReadyIfGiven",
                None if narrow.contains(&i) => "Narrow",
                None => "Ready",
            };
            t.line(format!("auto {ready} = thisCall.{how}({i});"));
            arguments.push(ready);
        }
        for (attr, name) in def.passed().iter().zip(&passed) {
            if matches!(attr.kind, AttrKind::Enum { wire_str: true, .. }) {
                t.line(format!("char* {name} = {}.data();", cpp_name(&attr.name)));
            }
        }
        arguments.extend(passed);
        arguments.extend(outputs.iter().cloned());
        t.line(list("EXEC_NPU_CMD", &arguments, ";"));
    });
}

fn readme(packages: &[Package<'_>], space: &str) -> String {
    let words = packages[0].words();
    let about = &words.torch;
    let mut t = Text::new();
    t.line(project_page_header(packages));
    t.line(about.about.replace("@namespace@", space).trim_end());
    t.line(format!("\n## {}\n\n{}", about.operators, phrases::table(&about.heads)));
    for package in packages {
        let dtypes: Vec<&str> = package.dtypes().iter().map(|d| d.name()).collect();
        let call = format!("{}{}", package.def.snake(), schema(package.written));
        t.line(format!("| `{call}` | {} |", dtypes.join(words.signs.comma)));
    }
    let sums: Vec<String> = packages
        .iter()
        .filter(|p| sums::has(&p.def))
        .map(|p| format!("`{}`", p.def.snake()))
        .collect();
    if !sums.is_empty() {
        t.line(format!("\n{}", (about.sums)(&sums.join(words.signs.comma))));
    }
    for package in packages {
        t.line(phrases::section(package));
    }
    t.finish()
}
