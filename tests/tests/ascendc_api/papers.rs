//! The documents and tests of a package: complete pages, valid JSON, unit tests that pass.
//!
//! The oracle in Python agrees with the graph.

use super::common::thorough;
use super::compile::{STANDARD, Scratch, compiled, compiler, scratch, stubs, write};
use super::{emitted, package};
use codegen_ascendc::emit::{File, host, kernel};
use op_dsl::ir::bind::{Bound, TensorMeta, bind};
use op_dsl::ir::op::{AttrKind, Kind, Pattern, Stream, Tensor, Value};
use op_dsl::ir::{OpDef, Stored};
use op_dsl_cpp::{Compiler, in_parallel};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn pages_have_no_holes() {
    for def in super::interfaces() {
        let package = package(def, super::products(&def.name));
        let files = emitted(&package);
        let mut pages = 0;
        for file in files.iter().filter(|f| f.path.ends_with(".md")) {
            pages += 1;
            for hole in ["TODO", "{}", "{name", "None,", "  |  |", "| |"] {
                let line = file.text.lines().find(|l| l.contains(hole));
                assert!(line.is_none(), "{}: {:?}", file.path, line);
            }
            let fences = file.text.lines().filter(|l| l.starts_with("```")).count();
            assert!(fences >= 2 && fences % 2 == 0, "{}: {fences} fences", file.path);
            // Links between the emitted files have targets.
            for link in file.text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                let target = link.trim_start_matches("../").trim_start_matches("./");
                let there =
                    files.iter().any(|f| f.path == target) || target.starts_with("op_graph/");
                assert!(there, "{}: link to {link}", file.path);
            }
            // Every row of a table has as many cells as the row before.
            let cells = |l: &str| l.matches('|').count();
            let rows: Vec<&str> = file.text.lines().collect();
            for pair in rows.windows(2).filter(|p| p[0].starts_with('|') && p[1].starts_with('|')) {
                assert_eq!(cells(pair[0]), cells(pair[1]), "{}: {}", file.path, pair[1]);
            }
        }
        assert!(pages >= 2, "{}: README and a page for each name", def.name);
    }
}

/// Operators whose interface is compiled together with its unit tests each day; `.ci/deep everything` has all of [`super::interfaces`].
pub fn with_unit_tests() -> Vec<&'static OpDef> {
    let some =
        ["GeGluV2", "EluGradV2", "ReluGradV2", "Kept", "BiasSwiGluGrad", "RowNormed", "RowGated"];
    some.into_iter().map(super::operator).collect()
}

#[test]
fn unit_tests_of_the_interface_pass() {
    pass(with_unit_tests());
}

#[test]
#[ignore = "a quarter of a minute: .ci/deep everything"]
fn all_unit_tests_of_the_interface_pass() {
    pass(super::interfaces());
}

fn pass(defs: Vec<&'static OpDef>) {
    let ut = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ascendc_api/ut");
    in_parallel(defs, |def| {
        let (package, name) = (package(def, super::products(&def.name)), &*def.name);
        let dir = scratch(&format!("ut_{name}"));
        let files = emitted(&package);
        write(&dir, &files);
        let def = &package.def;
        let place = |kind| def.inputs.iter().position(|input| input.kind == kind);
        let per_row = |output: &Tensor| output.kind == Kind::PerRow;
        let result = def.outputs.iter().find(|output| !per_row(output));
        let like = place(result.map_or(Kind::Whole, |output| output.kind));
        let single = def.outputs.iter().map(|output| u8::from(per_row(output)).to_string());
        let single: Vec<String> = single.collect();
        let wanted = |p: &str| p.starts_with("op_api/") || p.starts_with("tests/ut/op_api/");
        let sources = files.iter().filter(|f| wanted(&f.path) && f.path.ends_with(".cpp"));
        let mut sources: Vec<PathBuf> = sources.map(|f| dir.join(&f.path)).collect();
        sources.push(ut.join("main.cpp"));
        // A header rather than flags, because flags would make each operator compile the shared headers again.
        let sums = (0..def.outputs.len()).map(|k| def.sum(k).map_or(-1, |input| input as i64));
        let sums: Vec<String> = sums.map(|input| input.to_string()).collect();
        let output = format!(
            "#define OUTPUT_AS_INPUT {}\n#define HALVED {}\n#define SUM_OF {}\n#define PER_ROW {}\n",
            like.or(place(Kind::Gated)).unwrap_or(0),
            u8::from(like.is_none()),
            sums.join(", "),
            single.join(", ")
        );
        std::fs::write(dir.join("include/output.h"), output).expect("a file");
        let compiler = compiler(&dir).include(&ut).prefix_header(STANDARD, &[]).one_unit();
        passes(&compiler, &sources, name, 5);
    });
}

/// Compiles a program of unit tests and runs it: at least `least` tests pass and none fails.
fn passes(compiler: &Compiler, sources: &[PathBuf], what: &str, least: usize) {
    let program = compiled(compiler.program(sources), what);
    let out = Command::new(program).output().expect("the unit tests run");
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{what}:\n{said}");
    assert!(said.lines().filter(|l| l.starts_with("ok ")).count() >= least, "{said}");
}

/// Writes an operator's files to disk.
fn tree_of(name: &str, dir: &str) -> (Scratch, Vec<File>) {
    let package = package(super::operator(name), super::products(name));
    let dir = scratch(dir);
    let mut files = emitted(&package);
    files.extend(host::files(&package));
    files.extend(kernel::files(&package).into_iter().map(|mut file| {
        file.path = format!("op_kernel/{}", file.path);
        file
    }));
    write(&dir, &files);
    (dir, files)
}

/// Returns a compiler that finds the unit test framework first.
pub fn ut_compiler(model: &Path) -> Compiler {
    Compiler::new(env!("CARGO_TARGET_TMPDIR"))
        .flags(["-std=c++17", "-Wall", "-Wextra", "-Werror"])
        .include(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ascendc_api/ut"))
        .include(model)
}

#[test]
fn unit_tests_of_the_host_pass() {
    host_passes(EACH_DAY.into_iter().chain(["BiasSwiGluGrad", "RowNormed"]));
}

#[test]
#[ignore = "a quarter of a minute: .ci/deep everything"]
fn all_unit_tests_of_the_host_pass() {
    host_passes(
        UNIT_TESTED.into_iter().chain(["BiasSwiGluGrad", "RowNormed", "RowQuant", "RowGated"]),
    );
}

/// Compiles and runs the unit tests of these operators' host code.
fn host_passes(names: impl IntoIterator<Item = &'static str>) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let compiler = ut_compiler(&stubs()).prefix_header(STANDARD, &[]);
    in_parallel(names, |name| {
        let (dir, files) = tree_of(name, &format!("ut_of_host_{name}"));
        let wanted = |p: &str| {
            let host = p.starts_with("op_host/") && !p.ends_with("_def.cpp");
            p.ends_with(".cpp") && (host || p.starts_with("tests/ut/op_host/"))
        };
        let sources = files.iter().filter(|f| wanted(&f.path)).map(|f| dir.join(&f.path));
        let mut sources: Vec<PathBuf> = sources.collect();
        sources.push(tests.join("tests/ascendc_api/ut/host_main.cpp"));
        let compiler = compiler.clone().depends_on(&*dir);
        // The first operator's sources are compiled apart, so that missing includes are found.
        let is_first = name == UNIT_TESTED[0];
        passes(&if is_first { compiler } else { compiler.one_unit() }, &sources, name, 10);
    });
}

/// Operators whose unit tests of host and kernel are compiled.
const UNIT_TESTED: [&str; 6] =
    ["GeGluGradV2", "GeluGradV2", "MishGrad", "ReluGradV2", "Kept", "Dropped"];
/// Operators whose unit tests are compiled each day, because all of them take a quarter of a minute.
const EACH_DAY: [&str; 4] = ["GeGluGradV2", "MishGrad", "ReluGradV2", "Dropped"];

/// Architectures of the products that an operator directory of ops-nn supports.
const ARCHS: [u16; 3] = [2201, 2002, 3510];

/// The first operator is compiled for every architecture, each other one for one of them.
#[test]
fn unit_tests_of_kernels_compile() {
    let others = EACH_DAY.into_iter().skip(1).zip(ARCHS.into_iter().cycle());
    compile_unit_tests(ARCHS.map(|arch| (UNIT_TESTED[0], arch)).into_iter().chain(others));
}

#[test]
#[ignore = "a quarter of a minute: .ci/deep everything"]
fn all_unit_tests_of_kernels_compile() {
    compile_unit_tests(UNIT_TESTED.into_iter().flat_map(|name| ARCHS.map(|arch| (name, arch))));
}

/// Compiles the unit tests of these operators' kernels, each for its architecture.
fn compile_unit_tests(all: impl IntoIterator<Item = (&'static str, u16)>) {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../codegen-ascendc/host-model");
    in_parallel(all, |(name, arch)| {
        let (dir, files) = tree_of(name, &format!("ut_of_{name}_{arch}"));
        let source = files.iter().find(|f| f.path.starts_with("tests/ut/op_kernel/"));
        let source = &source.expect("a unit test of the kernel").path;
        let compiler = ut_compiler(&model).flags([format!("-DHOST_MODEL_ARCH={arch}")]);
        // The first operator is compiled without the precompiled headers, so that missing includes are found.
        let compiler = match name == UNIT_TESTED[0] {
            true => compiler,
            false => compiler.prefix_header("#include \"kernel_operator.h\"\n", &[&model]),
        };
        let compiler = compiler.depends_on(&*dir);
        compiled(compiler.check(&[dir.join(source)]), &format!("{source} on {arch}"));
    });
}

/// Returns the attributes of a specialisation, with a split along the last dimension.
fn attributes(def: &OpDef, spec: usize) -> Vec<Value> {
    let value = |i: usize| {
        let forced = def.specs[spec].when.iter().find(|w| w.0 == i).map(|w| w.1);
        match (forced, def.attrs[i].default) {
            (Some(v), Value::Bool(_)) => Value::Bool(v != 0),
            (Some(v), _) => Value::Int(v),
            (None, default) => default,
        }
    };
    (0..def.attrs.len()).map(value).collect()
}

/// Formats an attribute's value in Python.
fn python(kind: &AttrKind, value: Value) -> String {
    match (kind, value) {
        (AttrKind::Enum { wire_str: true, variants, .. }, Value::Int(v)) => {
            format!("{:?}", variants.iter().find(|x| x.value == v).expect("a variant").name)
        }
        (_, Value::Bool(b)) => if b { "True" } else { "False" }.into(),
        (_, Value::Int(v)) => v.to_string(),
        (_, Value::Float(x)) => format!("{x:?}"),
    }
}

const ROWS: usize = 5;
const COLUMNS: usize = 24;

/// Returns the index in its tensor of element `at` of a stream's part.
fn index(bound: &Bound, kind: Kind, stream: &Stream, at: usize) -> usize {
    match kind {
        Kind::Whole | Kind::Mask | Kind::PerRow | Kind::Rows => at,
        Kind::Gated => {
            let place = bound.place(stream.part);
            at / COLUMNS * 2 * COLUMNS + place.offset + at % COLUMNS * place.step
        }
    }
}

/// Returns whether a call with these attributes passes an input.
fn is_given(def: &OpDef, attrs: &[Value], input: usize) -> bool {
    def.presence(input).is_none_or(|at| attrs[at] == Value::Bool(true))
}

/// Returns statements that call the oracle on these tensors and print all outputs with all digits, a line each.
fn asked(snake: &str, def: &OpDef, attrs: &[Value], inputs: &[Vec<f64>]) -> String {
    let mut text = format!("from golden_{snake} import {snake}_golden\ninputs = []\n");
    for (i, (input, tensor)) in inputs.iter().zip(def.inputs.iter()).enumerate() {
        if !is_given(def, attrs, i) {
            text += "inputs.append(None)\n";
            continue;
        }
        if tensor.kind == Kind::Mask && def.masks() == Stored::Bit {
            let bytes: Vec<u8> = input.iter().map(|v| u8::from(*v != 0.0)).collect();
            let _ =
                writeln!(text, "inputs.append(np.array({:?}, np.uint8))", Stored::packed(&bytes));
            continue;
        }
        let columns = if tensor.kind == Kind::Gated { 2 * COLUMNS } else { COLUMNS };
        let numbers: Vec<String> = input.iter().map(|v| format!("{v:?}")).collect();
        let _ = writeln!(
            text,
            "inputs.append(np.array([{}]).reshape({ROWS}, {columns}))",
            numbers.join(",")
        );
    }
    let given: Vec<String> = def
        .passed()
        .iter()
        .zip(attrs)
        .map(|(a, v)| format!(", {}={}", a.name, python(&a.kind, *v)))
        .collect();
    let _ = writeln!(text, "for out in {snake}_golden(*inputs{}):", given.concat());
    text + "    print(*[repr(float(v)) for v in out.reshape(-1)])\n"
}

/// A call of an emitted oracle.
struct Call<'a> {
    def: &'a OpDef,
    spec: usize,
    attrs: Vec<Value>,
    shapes: Vec<Vec<usize>>,
    inputs: Vec<Vec<f64>>,
}

/// All calls are one program, because importing numpy takes longer than the calls.
#[test]
fn golden_agrees_with_the_graph() {
    if !super::tools::has_python_module("numpy", "emitted oracles beside the graph") {
        return;
    }
    let mut random = super::common::Random(7);
    // Also an operator with an attribute that selects the pattern of its split.
    let more = ["ClippedSwigluGrad", "MishGrad", "ReluGradV2", "Kept", "Dropped"];
    let more = more.into_iter().chain(["BiasSwiGluGrad", "BiasGeluGrad"]).map(super::operator);
    let defs = thorough().into_iter().map(|op| op.def()).chain(more);
    let packages: Vec<_> = defs.map(|def| package(def, super::products(&def.name))).collect();
    let dir = scratch("golden");
    let (mut program, mut calls) = (String::from("import numpy as np\n"), Vec::new());
    for package in &packages {
        let (def, snake) = (&*package.def, package.snake());
        let golden = emitted(package).into_iter().find(|f| f.path.ends_with("golden.py"));
        let golden = golden.expect("an oracle").text;
        std::fs::write(dir.join(format!("golden_{snake}.py")), golden).expect("a file");
        let patterns = |attrs: Vec<Value>| match def.split.as_ref().map(|s| s.pattern) {
            Some(Pattern::InterleavedIf(at)) => [true, false]
                .map(|turns| [&attrs[..at], &[Value::Bool(turns)], &attrs[at + 1..]].concat())
                .to_vec(),
            _ => vec![attrs],
        };
        let shape = |kind| vec![ROWS, if kind == Kind::Gated { 2 * COLUMNS } else { COLUMNS }];
        for spec in package.specs() {
            for attrs in patterns(attributes(def, spec)) {
                let shapes: Vec<_> = def.inputs.iter().map(|t| shape(t.kind)).collect();
                let mut drawn = |i: usize| match def.inputs[i].kind {
                    Kind::Mask => f64::from(random.normal(1.0) > 0.0),
                    _ => random.normal(4.0),
                };
                let inputs: Vec<Vec<f64>> = (0..shapes.len())
                    .map(|i| (0..shapes[i][0] * shapes[i][1]).map(|_| drawn(i)).collect())
                    .collect();
                program += &asked(&snake, def, &attrs, &inputs);
                calls.push(Call { def, spec, attrs, shapes, inputs });
            }
        }
    }
    std::fs::write(dir.join("ask.py"), program).expect("a file");
    let out = Command::new("python3").arg("ask.py").current_dir(&*dir).output();
    let out = out.expect("python3 runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let said = String::from_utf8_lossy(&out.stdout);
    let mut lines = said.lines();
    calls.iter().for_each(|call| call.agrees(&mut lines));
    assert_eq!(lines.next(), None);
}

impl Call<'_> {
    /// Compares a line of numbers for each output with the graph.
    fn agrees<'a>(&self, lines: &mut impl Iterator<Item = &'a str>) {
        let Call { def, spec, attrs, shapes, inputs } = self;
        let numbers = |line: &str| line.split(' ').map(|v| v.parse().expect("a number")).collect();
        let got: Vec<Vec<f64>> = lines.take(def.outputs.len()).map(numbers).collect();
        let stored = |i: usize| match is_given(def, attrs, i) {
            true => def.inputs[i].stored(op_dsl::ir::DType::F32),
            false => Stored::Nothing,
        };
        let metas: Vec<_> =
            (0..shapes.len()).map(|i| TensorMeta { shape: &shapes[i], dtype: stored(i) }).collect();
        let bound = bind(def, attrs, &metas).expect("a right call");
        for at in 0..ROWS * COLUMNS {
            let streams: Vec<f64> = def
                .input_streams()
                .iter()
                .map(|s| inputs[s.tensor][index(&bound, def.inputs[s.tensor].kind, s, at)])
                .collect();
            let floats: Vec<f64> = attrs
                .iter()
                .filter_map(|v| if let Value::Float(x) = v { Some(*x) } else { None })
                .collect();
            let want = def.specs[*spec].graph.eval(&streams, &floats);
            for (stream, want) in def.output_streams().iter().zip(want) {
                let kind = def.outputs[stream.tensor].kind;
                let got = got[stream.tensor][index(&bound, kind, stream, at)];
                let close = (got - want).abs() <= 1e-13 * want.abs() + 1e-300;
                assert!(close, "{}: {got} for {want} at {streams:?}", def.name);
            }
        }
    }
}

/// Compares the oracle's sums for inputs that are broadcast with sums of what it returns for full ones.
const ASK_FOR_SUMS: &str = "\
import numpy as np
from golden import bias_swi_glu_grad_golden as golden
random = np.random.default_rng(5)
dy, x = random.normal(size=(3, 4, 5)), random.normal(size=(3, 4, 10))
for dim, shapes in [(-1, [(10,), (4, 10), (1, 10), (4, 2), (2,), (3, 1, 10)]), (2, [(10,), (3, 1, 10)])]:
    for shape in shapes:
        bias = random.normal(size=shape)
        gate, value = (np.broadcast_to(part, dy.shape) for part in np.split(bias, 2, axis=-1))
        dx, full = golden(dy, x, np.concatenate((gate, value), axis=-1), dim=-1)
        parts = []
        for part in np.split(full, 2, axis=-1):
            part = part.sum(axis=tuple(range(3 - len(shape))))
            kept = shape[:-1] + (shape[-1] // 2,)
            one = tuple(i for i, n in enumerate(kept) if n == 1)
            parts.append(part.sum(axis=one, keepdims=True))
        got = golden(dy, x, bias, dim=dim)
        assert got[1].shape == shape, (got[1].shape, shape)
        assert np.allclose(got[0], dx, rtol=1e-13, atol=1e-13), shape
        assert np.allclose(got[1], np.concatenate(parts, axis=-1), rtol=1e-12, atol=1e-12), shape
";

/// Weights of channels, and one weight for all.
const ASK_ALONG: &str = "\
import numpy as np
from golden import p_relu_grad_golden as golden
random = np.random.default_rng(6)
for shape in [(3, 4), (3, 4, 5), (3, 4, 5, 2), (4,)]:
    dy, x = random.normal(size=(2, *shape))
    ones = (1,) * (len(shape) - 2)
    for own, full in [((4,), (4, *ones)), ((4, *ones), (4, *ones)), ((1,), (1,))][2 * (len(shape) < 2):]:
        weights = random.normal(size=own)
        dx, da = golden(dy, x, weights)
        others = tuple(i for i in range(len(shape)) if i != 1 or full == (1,))
        want = np.where(x > 0, 0, x * dy).sum(axis=others)
        assert da.shape == own and np.allclose(da.ravel(), want, rtol=1e-12, atol=1e-12), (shape, own)
        assert np.allclose(dx, np.where(x > 0, dy, weights.reshape(full) * dy), rtol=1e-13), (shape, own)
";

#[test]
fn golden_sums_over_what_is_broadcast() {
    if !super::tools::has_python_module("numpy", "an emitted oracle of sums") {
        return;
    }
    for (name, ask) in [("BiasSwiGluGrad", ASK_FOR_SUMS), ("PReluGrad", ASK_ALONG)] {
        let package = package(super::operator(name), super::products(name));
        let dir = scratch("golden_of_sums");
        let golden = emitted(&package).into_iter().find(|f| f.path.ends_with("golden.py"));
        std::fs::write(dir.join("golden.py"), golden.expect("an oracle").text).expect("a file");
        std::fs::write(dir.join("ask.py"), ask).expect("a file");
        let out = Command::new("python3").arg("ask.py").current_dir(&*dir).output();
        let out = out.expect("python3 runs");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    }
}
