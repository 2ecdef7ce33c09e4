//! `examples/test_aclnn_<..>.cpp`: a program that calls one aclnn name and compares with the formula.

use super::straight::{Syntax, prelude, straight};
use crate::emit::api::cpp::{list, literal};
use crate::emit::api::{is_mask, kind};
use crate::emit::kernel::sums;
use crate::emit::package::Package;
use crate::emit::text::{Comment, Text, header};
use crate::emit::tree::File;
use op_dsl_ir::interface::{Function, Interface, Param};
use op_dsl_ir::names::cpp_name;
use op_dsl_ir::op::{AttrKind, Gate, Kind, Pattern, Tensor, Value, snake};
use op_dsl_ir::published::{SignaturePart, Type};
use op_dsl_ir::{DType, Stored};

/// Returns the path of the example program for an aclnn function.
///
/// `None` if the package has no kernels in `float`, because the example uses only this type, which needs no conversion, and for
/// functions of rows, because the example computes one element at a time.
pub fn path(package: &Package<'_>, function: &Function) -> Option<String> {
    let name = function.name.trim_start_matches("aclnn");
    let is_elementwise = !package.def.is_by_rows();
    (package.dtypes().contains(&DType::F32) && is_elementwise)
        .then(|| format!("examples/test_aclnn_{}.cpp", snake(name)))
}

/// Returns the example program for an aclnn function; `None` if there is none.
pub fn file(package: &Package<'_>, interface: &Interface, function: &Function) -> Option<File> {
    let path = path(package, function)?;
    let spec = spec(package, function)?;
    let mut t = Text::new();
    t.line(header(package, "a program that calls it", Comment::Slashes));
    t.line("#include <cmath>\n#include <cstdio>\n#include <vector>\n");
    t.line(format!("#include \"acl/acl.h\"\n#include \"aclnnop/{}.h\"\n", interface.header));
    let graph = &package.def.specs[spec].graph;
    let helpers = prelude(std::iter::once(graph), Syntax::Cpp);
    if !helpers.is_empty() {
        t.line(format!("namespace formula {{\n\n{helpers}\n}} // namespace formula\n"));
    }
    t.line("namespace {\n");
    t.line(shapes(package));
    t.line(NUMBERS);
    if described(package, function, spec).iter().any(|p| is_mask(package, p)) {
        t.line(truths(package));
    }
    if package.def.rows().is_some() {
        t.line(COUNTS);
    }
    t.line(CLOSE);
    if function.params.iter().any(|p| p.ty == Type::Scalar) {
        t.line(SCALAR);
    }
    t.line(expected(package, spec));
    t.line(run(package, interface, function, spec));
    t.line("} // namespace\n");
    t.line(MAIN);
    Some(File { path, text: format!("{}\n", t.finish().trim_end()) })
}

/// Returns the index of the specialisation that the example calls.
///
/// It is the one that the defaults of the attributes select, if the package has it; otherwise the first.
fn spec(package: &Package<'_>, function: &Function) -> Option<usize> {
    let def = &package.def;
    let specs = package.specs();
    let fixed = |a: usize| function.fixed(a).and_then(Value::as_int);
    let default = |s: &usize| {
        def.specs[*s]
            .when
            .iter()
            .all(|&(a, v)| fixed(a).or(def.attrs[a].default.as_int()) == Some(v))
    };
    specs.iter().copied().find(default).or(specs.first().copied())
}

/// Returns the value that an attribute has in the example's call.
fn value(package: &Package<'_>, function: &Function, spec: usize, attr: usize) -> Value {
    function.fixed(attr).unwrap_or_else(|| attribute(package, spec, attr))
}

/// Returns the value that an attribute has in calls of a specialisation.
///
/// It is the value that selects the specialisation, otherwise the default. A split dimension is the last one.
pub fn attribute(package: &Package<'_>, spec: usize, attr: usize) -> Value {
    let def = &package.def;
    let forced = def.specs[spec].when.iter().find(|w| w.0 == attr).map(|w| w.1);
    match (forced, &def.attrs[attr]) {
        (Some(v), attr) => attr.kind.value(v),
        (None, attr) if attr.kind == AttrKind::Dim => Value::Int(-1),
        (None, attr) => attr.default,
    }
}

fn shapes(package: &Package<'_>) -> String {
    let mut t = Text::new();
    t.line("constexpr int64_t ROWS = 4;\nconstexpr int64_t COLUMNS = 16;");
    if package.def.split.is_some() {
        t.line("const std::vector<int64_t> PART = {ROWS, COLUMNS};");
        t.line("const std::vector<int64_t> BOTH = {ROWS, 2 * COLUMNS};");
    } else {
        t.line("const std::vector<int64_t> SHAPE = {ROWS, COLUMNS};");
    }
    let narrow = sums::summed(&package.def);
    let has = |kind: Kind| narrow.iter().any(|i| package.def.inputs[*i].kind == kind);
    if has(Kind::Whole) {
        t.line("const std::vector<int64_t> ROW = {1, COLUMNS};");
    }
    if has(Kind::Gated) {
        t.line("const std::vector<int64_t> ROW_OF_BOTH = {1, 2 * COLUMNS};");
    }
    t.finish()
}

const NUMBERS: &str = include_str!("example/numbers.h");

const TRUTHS: &str = include_str!("example/truths.h");

const COUNTS: &str = include_str!("example/counts.h");

const SCALAR: &str = include_str!("example/scalar.h");

const CLOSE: &str = include_str!("example/close.h");

/// Writes the C++ function `Formula`, which computes the formula on one element in double.
///
/// Also writes the struct `Expected`, in which it returns the results.
pub fn expected(package: &Package<'_>, spec: usize) -> String {
    let def = &package.def;
    let graph = &def.specs[spec].graph;
    let named = |names: Vec<String>| names.iter().map(|n| cpp_name(n)).collect::<Vec<_>>();
    let (inputs, outputs) = (named(def.input_names()), named(def.output_names()));
    let scalars = named(def.scalar_names());
    let code = straight(graph, &inputs, &scalars, Syntax::Cpp);
    let mut params: Vec<String> = Vec::new();
    for (i, name) in inputs.iter().enumerate() {
        let unused = if graph.reads(i) { "" } else { "[[maybe_unused]] " };
        params.push(format!("{unused}double {name}"));
    }
    params.extend(scalars.iter().map(|s| format!("[[maybe_unused]] double {s}")));
    let mut t = Text::new();
    t.block("struct Expected", "};\n", |t| {
        for output in &outputs {
            t.line(format!("double {output};"));
        }
    });
    t.function(list("Expected Formula", &params, ""), |t| {
        t.each(&code.lines).line(format!("return {{{}}};", code.outputs.join(", ")));
    });
    t.finish()
}

/// Returns the arguments of an example's call that are tensors, including those that nothing reads.
fn described<'f>(package: &Package<'_>, function: &'f Function, spec: usize) -> Vec<&'f Param> {
    let tensor = |p: &&Param| matches!(p.ty, Type::ConstTensor | Type::Tensor);
    let given = |p: &&Param| !leaves_out(package, spec, p.of);
    function.params.iter().filter(|p| tensor(p) && given(p)).collect()
}

/// Returns whether calls that select a specialisation leave out the input `of`.
///
/// False for tensors that are not optional, and for row counts, because no specialisation depends on them.
pub fn leaves_out(package: &Package<'_>, spec: usize, of: SignaturePart) -> bool {
    let SignaturePart::Input(i) = of else { return false };
    if package.def.rows() == Some(i) {
        return false;
    }
    let is_given = |at: usize| package.def.specs[spec].when.contains(&(at, 1));
    package.def.presence(i).is_some_and(|at| !is_given(at))
}

/// Writes the C++ class for mask inputs of the example: truth values as numbers, stored as bytes or bits.
fn truths(package: &Package<'_>) -> String {
    let (stored, ty, bytes) = match package.def.masks() {
        Stored::Bit => ("stored[i / 8] |= 1 << i % 8;", "ACL_UINT1", "(host.size() + 7) / 8"),
        _ => ("stored[i] = 1;", "ACL_BOOL", "host.size()"),
    };
    TRUTHS.replace("@stored@", stored).replace("@type@", ty).replace("@bytes@", bytes)
}

fn run(package: &Package<'_>, interface: &Interface, function: &Function, spec: usize) -> String {
    let def = &package.def;
    let mut b = Text::new();
    let narrow = |of: SignaturePart| match of {
        SignaturePart::Input(i) => sums::summed(def).contains(&i),
        SignaturePart::Output(k) => def.sum(k).is_some(),
        _ => false,
    };
    let shape = |of: SignaturePart, kind: Kind| match (narrow(of), def.split.is_some(), kind) {
        (true, _, Kind::Gated) => "ROW_OF_BOTH",
        (true, ..) => "ROW",
        (_, false, _) => "SHAPE",
        (_, true, Kind::Whole | Kind::Mask | Kind::PerRow | Kind::Rows) => "PART",
        (_, true, Kind::Gated) => "BOTH",
    };
    for (i, p) in described(package, function, spec).iter().enumerate() {
        let kind = kind(package, p).unwrap_or(Kind::Whole);
        match kind {
            Kind::Mask => b.line(format!("Truths {}({}, {i}.0f);", p.name, shape(p.of, kind))),
            Kind::Rows => b.line(format!("Counts {};", p.name)),
            Kind::Whole | Kind::Gated | Kind::PerRow => {
                b.line(format!("Numbers {}({}, {i}.0f);", p.name, shape(p.of, kind)))
            }
        };
    }
    let tensors = described(package, function, spec);
    let ready: Vec<String> = tensors.iter().map(|p| format!("!{}.ToDevice()", p.name)).collect();
    b.when(&ready.join(" || "), "return false;").line("");
    let args = arguments(package, function, spec, &mut b);
    b.line("uint64_t workspaceSize = 0;\naclOpExecutor* executor = nullptr;");
    let first = format!("REQUIRE({}GetWorkspaceSize", function.name);
    b.line(list(&first, &args, ");"));
    b.line("void* workspace = nullptr;");
    b.when(
        "workspaceSize > 0",
        "REQUIRE(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST));",
    );
    b.line(format!("REQUIRE({}(workspace, workspaceSize, executor, stream));", function.name));
    b.line("REQUIRE(aclrtSynchronizeStream(stream));");
    b.when("workspace != nullptr", "aclrtFree(workspace);");
    let outputs: Vec<&Param> =
        function.tensors().filter(|p| matches!(p.of, SignaturePart::Output(_))).collect();
    let back: Vec<String> = outputs.iter().map(|p| format!("!{}.ToHost()", p.name)).collect();
    b.when(&back.join(" || "), "return false;").line("");
    compare(package, interface, function, spec, &mut b);
    b.line("return right;");
    let mut t = Text::new();
    t.function("bool Run(aclrtStream stream)", |t| {
        t.lines(b.finish());
    });
    t.finish()
}

/// Returns the C++ arguments of phase 1 in the example's call.
///
/// Writes the constants that hold the values of attributes.
fn arguments(package: &Package<'_>, function: &Function, spec: usize, b: &mut Text) -> Vec<String> {
    let argument = |p: &Param| match (p.of, p.ty) {
        (SignaturePart::Attr(i), ty) => {
            b.line(constant(package, p, value(package, function, spec, i), i));
            if ty == Type::Scalar { format!("{}.scalar", p.name) } else { p.name.to_string() }
        }
        (of, _) if leaves_out(package, spec, of) => "nullptr".into(),
        (_, Type::ConstTensor | Type::Tensor) => format!("{}.tensor", p.name),
        // A flag that no result depends on.
        _ => "false".into(),
    };
    let mut args: Vec<String> = function.params.iter().map(argument).collect();
    args.extend(["&workspaceSize".into(), "&executor".into()]);
    args
}

/// Returns the value of an attribute as a C++ number, if the formula computes with it.
///
/// `None` for attributes that only select a specialisation, a dimension or a part.
fn number(kind: &AttrKind, value: Value) -> Option<String> {
    match (kind, value) {
        (AttrKind::Float, Value::Float(x)) => Some(format!("{x:?}")),
        (AttrKind::Int, Value::Int(n)) => Some(format!("{n}.0")),
        _ => None,
    }
}

/// Returns the C++ statement that declares a constant with the value of an attribute.
fn constant(package: &Package<'_>, p: &Param, value: Value, attr: usize) -> String {
    let name = value.as_int().map_or("", |v| package.def.attrs[attr].kind.variant_name(v));
    let text = value.literal();
    let note = if name.is_empty() { String::new() } else { format!(" // {name}") };
    match p.ty {
        Type::Chars => format!("char {}[] = {};", p.name, literal(name)),
        Type::Scalar => format!("const Scalar {}({text}f);", p.name),
        ty => format!("const {} {} = {text};{note}", ty.c(), p.name),
    }
}

/// Writes the C++ loop that compares every element of the results with the formula.
fn compare(
    package: &Package<'_>,
    interface: &Interface,
    function: &Function,
    spec: usize,
    b: &mut Text,
) {
    let def = &package.def;
    let place = |part: op_dsl_ir::op::Part| match (def.split.is_some(), part) {
        (false, _) | (_, op_dsl_ir::op::Part::Whole) => "i",
        (true, op_dsl_ir::op::Part::Gate) => "gate",
        (true, op_dsl_ir::op::Part::Value) => "value",
    };
    // Where an element lies in a tensor of one row, which is broadcast.
    let in_row = |tensor: &Tensor, place: &str| match tensor.kind {
        Kind::Gated => format!("{place} % (2 * COLUMNS)"),
        _ => format!("{place} % COLUMNS"),
    };
    let narrow = sums::summed(def);
    let mut args: Vec<String> = def
        .input_streams()
        .iter()
        .map(|s| match leaves_out(package, spec, SignaturePart::Input(s.tensor)) {
            true => "NAN".into(),
            false => {
                let at = match narrow.contains(&s.tensor) {
                    true => in_row(&def.inputs[s.tensor], place(s.part)),
                    false => place(s.part).into(),
                };
                format!("{}.host[{at}]", interface.input(s.tensor))
            }
        })
        .collect();
    for (i, attr) in def.attrs.iter().enumerate() {
        if let Some(number) = number(&attr.kind, value(package, function, spec, i)) {
            args.push(match function.param(SignaturePart::Attr(i)) {
                None => number,
                Some(p) if p.ty == Type::Scalar => format!("{}.value", p.name),
                Some(p) if p.ty == Type::Int => format!("static_cast<double>({})", p.name),
                Some(p) => p.name.to_string(),
            });
        }
    }
    b.line("bool right = true;");
    let summed: Vec<&str> =
        def.sums.iter().map(|sum| function.name_of(SignaturePart::Output(sum.output))).collect();
    for name in &summed {
        b.line(format!("std::vector<double> {name}Sum({name}.host.size());"));
    }
    b.block("for (int64_t i = 0; i < ROWS * COLUMNS; ++i)", "}", |b| {
        if let Some(split) = &def.split {
            let is_true = |a| value(package, function, spec, a) == Value::Bool(true);
            let first = match split.gate {
                Gate::Left => true,
                Gate::Right => false,
                Gate::LeftIf(a) => is_true(a),
            };
            let interleaved = match split.pattern {
                Pattern::Halves => false,
                Pattern::Interleaved => true,
                Pattern::InterleavedIf(a) => is_true(a),
            };
            let (gate, value) = if first { ("first", "second") } else { ("second", "first") };
            b.line(if interleaved {
                "const int64_t first = 2 * i;\nconst int64_t second = first + 1;"
            } else {
                "const int64_t first = i + i / COLUMNS * COLUMNS;\n\
                 const int64_t second = first + COLUMNS;"
            });
            b.line(format!("const int64_t gate = {gate};\nconst int64_t value = {value};"));
        }
        let want = match def.rows() {
            Some(_) => "const Expected want = i / COLUMNS >= COMPUTED ? Expected{} : Formula",
            None => "const Expected want = Formula",
        };
        b.line(list(want, &args, ";"));
        for (stream, field) in def.output_streams().iter().zip(def.output_names()) {
            let name = function.name_of(SignaturePart::Output(stream.tensor));
            let (at, field) = (place(stream.part), cpp_name(&field));
            if def.sum(stream.tensor).is_some() {
                let at = in_row(&def.outputs[stream.tensor], at);
                b.line(format!("{name}Sum[{at}] += want.{field};"));
                continue;
            }
            b.line(format!(
                "right = Close(\"{name}\", {at}, {name}.host[{at}], want.{field}) && right;"
            ));
        }
    });
    for name in summed {
        b.block(&format!("for (size_t i = 0; i < {name}Sum.size(); ++i)"), "}", |b| {
            b.line(format!(
                "right = Close(\"{name}\", static_cast<int64_t>(i), {name}.host[i], {name}Sum[i]) && right;"
            ));
        });
    }
    b.line(
        "std::printf(\"%s\\n\", right ? \"as the formula says\" : \"NOT as the formula says\");",
    );
}

const MAIN: &str = include_str!("example/main.cpp");
