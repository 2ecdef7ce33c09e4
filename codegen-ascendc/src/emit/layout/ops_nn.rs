//! The operator directory of ops-nn's `activation/`.
//!
//! It is registered only from its own CMakeLists.txt, so that no file outside it needs an entry.

use crate::arch::{Arch, Soc};
use crate::emit::package::{FUSION, Package};
use crate::emit::text::{Comment, Text, header};
use crate::emit::tree::{File, Tree};
use crate::emit::{api, host, kernel, paper};

/// Adds the directory of an operator, with all its files.
pub fn add(tree: &mut Tree, package: &Package<'_>) {
    let snake = package.snake();
    let kernels = kernel::files(package);
    // An emitted function could clash with another operator's if the repository has none for this operator.
    //
    // For example, both softplus operators would be aclnnSoftplus.
    let published = package.def.published;
    let (api, mut paper) = match published.is_some_and(|p| p.is_for_graphs_alone()) {
        true => (api::files_without_functions(package), paper::files_without_functions(package)),
        false => (api::files(package), paper::files(package)),
    };
    // The repository has test cases of its own operators.
    if published.is_none_or(|p| p.definition.is_none()) {
        paper.extend(paper::system_tests(package));
    }
    tree.add(format!("{snake}/CMakeLists.txt"), root(package, &kernels, &api, &paper));
    tree.add_below(&format!("{snake}/op_kernel"), kernels);
    for files in [host::files(package), api, paper] {
        tree.add_below(&snake, files);
    }
    tree.mark(&snake, std::iter::once(&*package.def.name));
}

/// Returns the operator's `CMakeLists.txt`, which registers its files with the build of ops-nn.
fn root(package: &Package<'_>, kernels: &[File], api: &[File], paper: &[File]) -> String {
    let mut text = Text::new();
    // Without a hand-written interface, the build generates one from the definition.
    let aclnn = if api.is_empty() { "aclnn" } else { "aclnn_exclude" };
    text.line("# Definition, shape inference, tiling, interface, prototype, unit tests.");
    text.line(format!("add_all_modules_sources(\n    ACLNNTYPE {aclnn}\n)\n"));
    text.line("# Kernels.");
    let entry = format!("{}_apt.cpp", package.snake());
    let fused = package.fused();
    let (joined, plain): (Vec<&Soc>, Vec<&Soc>) =
        package.socs.iter().copied().partition(|s| fused.contains(s));
    for (socs, options) in [(plain, None), (joined, Some(FUSION))] {
        if socs.is_empty() {
            continue;
        }
        text.line("add_kernel_sources(");
        if kernels.iter().any(|f| f.path == entry) {
            text.line(format!("    KERNEL_SRC {entry}"));
        }
        text.line(format!("    COMPUTE_UNITS {}", names(&socs, " ")));
        if let Some(options) = options {
            text.line(format!("    OPTIONS \"{options}\""));
        }
        text.line(")");
    }
    if paper.iter().any(|f| f.path.starts_with("tests/ut/op_kernel/")) {
        text.line("\nif((UT_TEST_ALL OR OP_KERNEL_UT) AND NOT UT_DONE)");
        for arch in package.archs() {
            text.line(format!("    AddOpTestCase(\"{}\" \"\")", model(package, arch)));
        }
        text.line("endif()");
    }
    format!("{}\n{}", header(package, "how ops-nn builds it", Comment::Hash), text.finish())
}

/// Returns the names of the package's products, separated by `between`, for build files.
pub fn units(package: &Package<'_>, between: &str) -> String {
    names(&package.socs, between)
}

fn names(socs: &[&Soc], between: &str) -> String {
    socs.iter().map(|s| s.name).collect::<Vec<_>>().join(between)
}

/// Returns the product model of an architecture for which ops-nn compiles unit tests of kernels.
fn model(package: &Package<'_>, arch: &Arch) -> &'static str {
    match arch.number {
        2201 => "ascend910B1",
        3510 => "ascend950pr_9599",
        _ => package.socs.iter().find(|s| s.arch == arch).map_or("", |s| s.name),
    }
}
