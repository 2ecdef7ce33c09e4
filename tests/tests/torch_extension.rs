//! The emitted PyTorch extension for NPUs.
//!
//! Its C++ compiles with a stub of PyTorch's and torch_npu's headers, and passes the aclnn functions the arguments
//! that their prototypes list.
#![allow(missing_docs)]

use codegen_ascendc::arch::Soc;
use codegen_ascendc::emit::{Layout, Options, Tree, emit_all};
use op_dsl::ir::OpDef;
use op_dsl_cpp::Compiler;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Masks, optional inputs, promotion and choices by number, where nothing is published.
#[op_dsl::operators(kernels = false)]
mod made {
    use op_dsl::prelude::*;

    /// `x` where it is kept, times a scale if there is one.
    #[op(name = "Kept", promote, broadcast)]
    pub fn kept(x: Elem, scale: Option<Elem>, #[mask] keep: Mask) -> Elem {
        let y = if keep { x } else { 0.0 };
        y * scale.unwrap_or(1.5)
    }

    /// Both halves of `x`, scaled.
    #[op(name = "Scaled", grad(name = "Bent", wrt(x)))]
    pub fn scaled(
        #[split(along = dim)] x: Gated,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = 2.0)] scale: f32,
    ) -> Elem {
        scale * x.value * x.gate
    }
}

fn operator(name: &str) -> &'static OpDef {
    let mut all = ops_glu_grad::OPERATORS.iter().chain(made::OPERATORS);
    all.find(|o| o.name() == name).expect("an operator").def()
}

/// Emits one extension of some operators.
fn extension(names: &[&str]) -> Tree {
    let socs = [Soc::named("ascend910b").expect("a target")];
    let defs = names.iter().map(|name| operator(name));
    let (tree, left) = emit_all(defs, Layout::Torch, &socs, &Options::default()).expect("a tree");
    assert!(left.is_empty(), "{left:?}");
    tree
}

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/torch_extension").join(path)
}

/// The extension compiled with a driver.
struct Program {
    at: TempDir,
    compiled: PathBuf,
}

impl Program {
    fn new() -> Program {
        let at = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
        let some = ["GeGluV2", "GeluGradV2", "ClippedSwiglu", "Kept", "Scaled"];
        let tree = extension(
            &[&some[..], &["BiasGeluGrad", "BiasSwiGluGrad", "PRelu", "PReluGrad"]].concat(),
        );
        tree.write(&at.path().join("made"), false).expect("files");
        let compiler = Compiler::new(env!("CARGO_TARGET_TMPDIR"))
            .flags(["-std=c++20", "-O0", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
            .flags(["-Wl,--no-as-needed", "-ldl"])
            .include(here("headers"))
            .depends_on(here(""));
        let sources = [at.path().join("made/csrc/operators.cpp"), here("driver.cpp")];
        let compiled = compiler.program(&sources).unwrap_or_else(|said| panic!("{said}"));
        Program { at, compiled }
    }

    /// Runs the driver under a file name and returns its output.
    fn run(&self, name: &str) -> String {
        let program = self.at.path().join(name);
        if !program.exists() {
            std::fs::copy(&self.compiled, &program).expect("a copy");
        }
        let Output { stdout, status, .. } = Command::new(program).output().expect("a program");
        assert!(status.success());
        String::from_utf8(stdout).expect("text")
    }
}

#[test]
fn extension_finds_package_by_its_file_name() {
    let program = Program::new();
    // The extension finds the package's functions by the name of their file, so the program runs under that name.
    insta::assert_snapshot!("torch_extension", program.run("libcust_opapi.so"));
    let elsewhere = program.run("libopapi.so");
    assert!(!elsewhere.contains("aclnnGeGluV2 x"), "{elsewhere}");
    let why = "; install the operators' package, which `emit --layout custom` writes";
    assert!(elsewhere.contains("libopapi.so") && elsewhere.contains(why), "{elsewhere}");
}

/// The rule for the gradients of outputs is the same in the wheel and in an extension alone.
#[test]
fn the_rule_of_the_wheel() {
    let tree = extension(&["GeGluV2"]);
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let wheel = own.join("../ops-glu-grad/python/ops_glu_grad/_gradient.py");
    let wheel = std::fs::read_to_string(wheel).expect("the wheel's");
    let emitted = tree.get("ops_glu_grad_npu/_gradient.py").expect("the rule");
    assert!(emitted.ends_with(&wheel), "copy one over the other");
}

/// A gradient is found by its definition, not by its name, and only if it is emitted too.
#[test]
fn gradients_are_found_by_definition() {
    for (names, row) in [
        (
            &["Scaled", "Bent"][..],
            "gradient=\"Bent\",\n            holds=[(\"upstream\", 0), (\"input\", 0)]",
        ),
        (&["Scaled"], "derivative=None"),
    ] {
        let tree = extension(names);
        let module = tree.files.iter().find(|f| f.path.ends_with("_derivatives.py"));
        let rows = &module.expect("the module").text;
        assert!(rows.contains(row), "{rows}");
    }
}

/// Every operator of the family but one, which has a bit mask.
#[test]
fn the_family() {
    // One product is enough, because registrations are the same for all and planning takes ten seconds for each.
    let socs = [Soc::named("ascend910b").expect("a target")];
    let defs = ops_glu_grad::OPERATORS.iter().map(|o| o.def());
    let (tree, left) = emit_all(defs, Layout::Torch, &socs, &Options::default()).expect("a tree");
    let source = tree.get("csrc/operators.cpp").expect("the source");
    let registered = source.lines().filter(|l| l.trim().starts_with("library.impl(")).count();
    assert_eq!(registered, ops_glu_grad::OPERATORS.len() - 1);
    let bits: Vec<String> =
        left.iter().map(ToString::to_string).filter(|l| l.contains("bits")).collect();
    assert_eq!(
        bits,
        ["ReluGradV2 has a mask of bits, which PyTorch has no tensors of; use --layout custom"]
    );
    let refused =
        emit_all([operator("ReluGradV2")].into_iter(), Layout::Torch, &socs, &Options::default());
    assert_eq!(refused.expect_err("bits").to_string(), bits[0]);
    for file in &tree.files {
        assert!(!file.text.contains("@namespace@"), "{}", file.path);
    }
}
