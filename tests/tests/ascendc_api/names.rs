//! An operator whose tensors and attributes have names that C++, AscendC or the emitted files reserve.

use super::compile::{Scratch, compiled, compiler, scratch, write};
use super::papers::ut_compiler;
use codegen_ascendc::arch::Soc;
use codegen_ascendc::emit::{File, Layout, Options, emit};
use op_dsl_cpp::Compiler;
use std::path::{Path, PathBuf};

#[op_dsl::operators(kernels = false)]
mod ops {
    use op_dsl::prelude::*;

    #[derive(OpAttr, Clone, Copy, PartialEq, Eq, Debug)]
    #[repr(i64)]
    pub enum Namespace {
        Template = 0,
        Delete = 1,
    }

    /// Two results: one of two parts, one whole.
    #[op(name = "Words", outputs(pipe, tiling))]
    pub fn words(
        #[split(along = long, gate_left = true)] int: Gated,
        class: Elem,
        t0: Elem,
        #[attr(default = -1)] long: Dim,
        #[attr(default = Namespace::Template)] new: Namespace,
        #[attr(default = 1.5)] rows: f32,
        #[attr(default = 0.5)] float: f32,
    ) -> (Gated, Elem) {
        let count = match new {
            Namespace::Template => sigmoid(rows * int.gate) * class,
            Namespace::Delete => float * int.gate * class,
        };
        (Gated { gate: count * int.value, value: class * count }, t0 * int.value)
    }
}

/// Emits the operator in a layout and writes it to disk.
fn emitted(layout: Layout) -> (Scratch, Vec<File>) {
    let socs = match layout {
        Layout::Direct => vec![Soc::named("ascend910b").expect("a target")],
        _ => Layout::OpsNn.socs(),
    };
    let options = Options::default();
    let tree =
        emit(ops::OPERATORS[0].def(), layout, &socs, &options).expect("the target can do it");
    let dir = scratch(&format!("names_{}", layout.name()));
    let inside = |f: &File| {
        let path = f.path.strip_prefix("words/").unwrap_or(&f.path).to_string();
        File { path, text: f.text.clone() }
    };
    let files: Vec<File> = tree.files.iter().map(inside).collect();
    write(&dir, &files);
    (dir, files)
}

fn model() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../codegen-ascendc/host-model")
}

fn check(dir: &Path, files: &[File], of: &str, compiler: &Compiler) {
    let wanted = |f: &&File| f.path.starts_with(of) && f.path.ends_with(".cpp");
    let sources: Vec<&File> = files.iter().filter(wanted).collect();
    assert!(!sources.is_empty(), "no {of}");
    let compiler = compiler.clone().depends_on(dir);
    for file in sources {
        compiled(compiler.check(&[dir.join(&file.path)]), &file.path);
    }
}

/// Returns the compiler of kernels, with the host model.
fn kernel_compiler() -> Compiler {
    ut_compiler(&model()).flags(["-DHOST_MODEL_ARCH=2201"])
}

#[test]
fn as_ops_nn() {
    let (dir, files) = emitted(Layout::OpsNn);
    for of in ["op_api/", "examples/"] {
        check(&dir, &files, of, &compiler(&dir));
    }
    for of in ["op_host/", "tests/ut/op_host/"] {
        check(&dir, &files, of, &ut_compiler(&model().join("host")));
    }
    for of in ["op_kernel/", "tests/ut/op_kernel/"] {
        check(&dir, &files, of, &kernel_compiler());
    }
    // The framework and the documents use the author's names unchanged.
    let text = |path: &str| &files.iter().find(|f| f.path == path).expect("a file").text;
    for (path, names) in [
        ("op_host/words_def.cpp", ["Input(\"int\")", "Attr(\"rows\")", "Output(\"pipe\")"]),
        ("op_graph/words_proto.h", [".INPUT(int,", ".ATTR(rows,", ".OUTPUT(pipe,"]),
        ("README.md", ["| int | input", "| rows | attribute", "| pipe | output"]),
    ] {
        for name in names {
            assert!(text(path).contains(name), "{path} has no {name}");
        }
    }
}

#[test]
fn as_custom() {
    let (dir, files) = emitted(Layout::Custom);
    check(&dir, &files, "op_host/", &ut_compiler(&model().join("host")));
    check(&dir, &files, "op_kernel/", &kernel_compiler());
}

#[test]
fn as_direct() {
    let (dir, files) = emitted(Layout::Direct);
    // Without the kernel launch, because the host model's compiler does not know its syntax.
    let launch = files.iter().find(|f| f.path == "launch.asc").expect("a launcher");
    let (before, rest) = launch.text.split_once("<<<").expect("a launch");
    let (_, after) = rest.split_once(">>>").expect("its end");
    let launch = File { path: "launch.cpp".into(), text: format!("{before}{after}") };
    write(&dir, std::slice::from_ref(&launch));
    let compiler = kernel_compiler()
        .flags(["-D__vector__=", "-Wno-unused-parameter"])
        .include(model().join("host"));
    check(&dir, &[launch], "launch", &compiler);
    check(&dir, &files, "main", &compiler);
}
