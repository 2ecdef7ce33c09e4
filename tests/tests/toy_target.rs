//! A toy target, which prints C: an example of `op_dsl_cli::Target`, and a test that commands need no more than that trait.
#![allow(missing_docs)]

use op_dsl::Operator;
use op_dsl::ir::{DType, Node, OpDef, Prim};
use op_dsl_cli::clap::ArgMatches;
use op_dsl_cli::{ASCENDC, Cost, Error, Finding, Kernel, Program, Progress, Promise, Target};
use std::process::{Command, ExitCode};
use std::{ffi::OsString, fs};
use tempfile::TempDir;

#[op_dsl::operators]
mod family {
    use op_dsl::prelude::*;

    #[op(name = "Blend", dtypes(f32))]
    pub fn blend(x: Elem, z: Elem, #[attr(default = 0.5)] k: f32) -> Elem {
        x * tanh(k * z) + abs(z)
    }

    #[op(name = "Wave")]
    pub fn wave(x: Elem) -> Elem {
        x * sin(x)
    }
}

/// A target with one machine, whose kernels are C functions over `n` elements.
struct Toy;

impl Target for Toy {
    fn machines(&self) -> Vec<&'static str> {
        vec!["toy"]
    }

    fn explain(
        &self,
        kernel: Kernel<'_>,
        _: &ArgMatches,
        brief: bool,
    ) -> Result<(String, Vec<String>), String> {
        let text = function(kernel)?;
        let lines = format!("On toy: {} lines of C\n", text.lines().count());
        Ok((if brief { lines } else { text }, Vec::new()))
    }

    fn cost(&self, kernel: Kernel<'_>) -> Option<Cost> {
        let calls = function(kernel).ok()?.matches("const float v").count();
        let cycles = 64.0 * calls as f64;
        Some(Cost { calls, cycles, slower: cycles, waits_for: "scalars" })
    }

    fn emit(&self, def: &OpDef, _: &[&str]) -> Result<Vec<(String, String)>, String> {
        let kernel = |spec| Kernel { def, spec, dtype: DType::F32, machine: "toy" };
        let functions: Result<String, String> =
            (0..def.specs.len()).map(|spec| function(kernel(spec))).collect();
        Ok(vec![(format!("{}.c", def.snake()), format!("#include <math.h>\n\n{}", functions?))])
    }

    fn promises<'a>(
        &self,
        _: &[&'static Operator],
        _: &'a Progress,
    ) -> Result<Vec<Promise<'a>>, Error> {
        let finding = |op: &Operator| match Toy.emit(op.def(), &[]) {
            Err(refusal) => Finding::Nothing(refusal),
            Ok(files) => Finding::of(judged(op, &files[0].1)),
        };
        Ok(vec![("C", Box::new(move |op| Ok(Some(finding(op)))))])
    }
}

/// Returns a kernel as a C function, or a refusal that names what the toy lacks.
fn function(Kernel { def, spec, dtype, machine }: Kernel<'_>) -> Result<String, String> {
    let refused = |lacks: &str| Err(format!("{} on {machine}: it has no `{lacks}`", def.name));
    if dtype != DType::F32 {
        return refused(dtype.name());
    }
    let graph = &def.specs[spec].graph;
    let mut body = String::new();
    for (k, node) in graph.nodes.iter().enumerate() {
        let args: Vec<String> = node.args().iter().map(|id| format!("v{}", id.index())).collect();
        let value = match (node, &args[..]) {
            (Node::Stream(s), _) => format!("in{s}[i]"),
            (Node::Scalar(s), _) => format!("scalar{s}"),
            (Node::Const(c), _) => format!("{c:?}f"),
            (Node::Call(Prim::Neg, _), [x]) => format!("-{x}"),
            (Node::Call(Prim::Abs, _), [x]) => format!("fabsf({x})"),
            (Node::Call(Prim::Exp, _), [x]) => format!("expf({x})"),
            (Node::Call(Prim::Tanh, _), [x]) => format!("tanhf({x})"),
            (Node::Call(Prim::Add, _), [x, y]) => format!("{x} + {y}"),
            (Node::Call(Prim::Sub, _), [x, y]) => format!("{x} - {y}"),
            (Node::Call(Prim::Mul, _), [x, y]) => format!("{x} * {y}"),
            (Node::Call(Prim::Div, _), [x, y]) => format!("{x} / {y}"),
            (Node::Call(prim, _), _) => return refused(prim.row().name),
        };
        body += &format!("        const float v{k} = {value};\n");
    }
    for (k, id) in graph.outputs.iter().enumerate() {
        body += &format!("        out{k}[i] = v{};\n", id.index());
    }
    let [ins, outs] = names(def).map(|names| names.join(", "));
    let ins = ins.replace("in", "const float *in");
    let outs = outs.replace("out", "float *out");
    let scalars = (0..def.scalar_names().len()).map(|k| format!(", float scalar{k}"));
    Ok(format!(
        "void {}_{spec}(long n, {ins}, {outs}{}) {{\n    for (long i = 0; i < n; i++) {{\n{body}    }}\n}}\n",
        def.snake(),
        scalars.collect::<String>(),
    ))
}

/// Returns the names of input and output streams in C.
fn names(def: &OpDef) -> [Vec<String>; 2] {
    let named = |of: &str, n: usize| (0..n).map(|k| format!("{of}{k}")).collect();
    [named("in", def.input_streams().len()), named("out", def.output_streams().len())]
}

/// Compiles emitted C, runs it on some elements, and compares its results with the author's function in f64.
fn judged(op: &Operator, source: &str) -> Result<String, String> {
    let (def, attrs) = (op.def(), op.default_attrs());
    let [ins, outs] = names(def);
    let scalars: String = def.scalars(&attrs).iter().map(|v| format!(", {v:?}f")).collect();
    let main = format!(
        "#include <stdio.h>\n{source}int main(void) {{\nfloat {}, {};\nwhile (scanf(\"{}\", &{}) == {}) {{\n\
         {}_0(1, &{}, &{}{scalars});\nprintf(\"{}\\n\", {});\n}}\n}}\n",
        ins.join(", "),
        outs.join(", "),
        "%f".repeat(ins.len()),
        ins.join(", &"),
        ins.len(),
        def.snake(),
        ins.join(", &"),
        outs.join(", &"),
        "%.9g ".repeat(outs.len()),
        outs.join(", "),
    );
    let element = |i| (0..ins.len()).map(|k| f64::from(i) / 8.0 + 3.0 * k as f64).collect();
    let elements: Vec<Vec<f64>> = (-40..=40).map(element).collect();
    let words: Vec<String> = elements.concat().iter().map(f64::to_string).collect();
    let author = |element: &Vec<f64>| op.oracle(element, &attrs).expect("an author's function");
    let wanted: Vec<f64> = elements.iter().flat_map(author).collect();

    let dir = TempDir::new().expect("a directory for temporary files");
    fs::write(dir.path().join("main.c"), main).expect("a program");
    fs::write(dir.path().join("elements"), words.join(" ")).expect("its input");
    let line = "${CC:-cc} -o main main.c -lm && ./main < elements";
    let out = Command::new("sh").args(["-c", line]).current_dir(&dir).output().expect("a shell");
    let [said, told] =
        [out.stdout, out.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    if !out.status.success() {
        return Err(told);
    }
    let found: Vec<f64> = said.split_whitespace().filter_map(|v| v.parse().ok()).collect();
    let is_close = |(y, t): &(&f64, &f64)| (*y - *t).abs() <= 1e-6 * t.abs().max(1.0);
    match found.iter().zip(&wanted).find(|pair| !is_close(pair)) {
        _ if found.len() != wanted.len() => Err(format!("{} results", found.len())),
        Some((y, t)) => Err(format!("{y} instead of {t}")),
        None => Ok(format!("{} values are the author's", found.len())),
    }
}

/// Runs a command line of a program with these targets; returns whether its exit code is 0, and its output.
fn cli(targets: &'static [&'static dyn Target], line: &str) -> (bool, String) {
    let words = std::iter::once("toys").chain(line.split(' ')).map(OsString::from);
    let mut out = Vec::new();
    let code = Program::new(family::OPERATORS, "").targets(targets).run(words, &mut out);
    (code == ExitCode::SUCCESS, String::from_utf8(out).expect("a text"))
}

/// The machine of `--soc` decides whose commands a line has. Without one they are those of the first target.
#[test]
fn explain_is_for_the_machine() {
    let both = |line| cli(&[ASCENDC, &Toy], line);
    let (good, text) = both("explain Blend --soc toy");
    assert!(good && text.contains("        const float v4 = tanhf(v3);\n"), "{text}");
    assert!(both("explain Blend").1.contains("\nOn ascend910b in f32: "));
    assert!(cli(&[&Toy], "explain Blend").1.contains("\nOn toy: 13 lines of C\n"));
    assert!(cli(&[&Toy], "explain Wave").1.contains("Wave on toy: it has no `sin`"));
    assert!(both("simulate --help").0 && both("emit --help").1.contains("--layout"));
    assert!(!both("emit --help --soc=toy").1.contains("--layout"));
    for line in ["explain Wave --soc toy", "explain Wave --soc toys", "simulate Blend --soc toy"] {
        assert_eq!(both(line), (false, String::new()), "{line}");
    }
}

#[test]
fn emit_writes_files_or_nothing() {
    let dir = TempDir::new().expect("a directory for temporary files");
    let emit = |op| cli(&[&Toy], &format!("emit {op} --soc toy --out {}", dir.path().display()));
    let path = dir.path().join("blend.c");
    assert_eq!(emit("Blend"), (true, format!("{}\n", path.display())));
    let source = fs::read_to_string(path).expect("the file");
    assert_eq!(judged(family::OPERATORS[0], &source), Ok("81 values are the author's".into()));
    let told = judged(family::OPERATORS[0], &source.replace("fabsf", "sinf"));
    assert!(told.expect_err("another function").contains(" instead of "));
    assert_eq!(emit("Wave"), (false, String::new()));
    assert_eq!(fs::read_dir(dir.path()).expect("the directory").count(), 1);
}

#[test]
fn check_tests_promises_and_shows_costs() {
    let (good, text) = cli(&[&Toy], "check");
    let lines = [
        "Blend  C           ok      81 values are the author's",
        "Wave   C           -       Wave on toy: it has no `sin`",
        "Blend     formula  toy  f32        8     512  scalars",
    ];
    assert!(good && lines.iter().all(|line| text.lines().any(|l| l == *line)), "{text}");
}
