//! A stand-alone project for toolkits of generation 9, which any number of operators share.
//!
//! The toolkit's CMake package provides the `npu_op_*` functions.

use super::ops_nn::units;
use crate::emit::kernel::BY_COMPILER;
use crate::emit::package::{FUSION, Package};
use crate::emit::paper::phrases;
use crate::emit::text::{Comment, Text, project_header, project_page_header};
use crate::emit::tree::{File, Tree};
use crate::emit::words::Word;
use crate::emit::{host, kernel};

/// Comment in build files on why a project defines the macro [`BY_COMPILER`].
pub const ORDERED: &str = "The compiler orders dependent vector instructions by default in such a project. With --cce-auto-sync=off, leave
# out the macro: kernels have barriers then.";

/// Vendor name under which the toolkit installs the operators of a project.
pub const VENDOR: &str = "op_dsl";

/// Adds a project for toolkits of generation 9 that builds some operators.
pub fn add(tree: &mut Tree, packages: &[Package<'_>]) {
    add_sources(tree, packages);
    let headed = |text: String| format!("{}\n{text}", project_header(packages, Comment::Hash));
    tree.add("CMakeLists.txt", headed(root(&packages[0])));
    tree.add("op_host/CMakeLists.txt", headed(HOST.into()));
    tree.add("op_kernel/CMakeLists.txt", headed(kernels(packages)));
    tree.add("README.md", readme(packages, packages[0].words().custom.build));
}

/// Adds the sources of some operators, which are the same for both generations of toolkits.
pub fn add_sources(tree: &mut Tree, packages: &[Package<'_>]) {
    for package in packages {
        let host = host::files(package);
        // Prototype and interface are omitted, because the toolkit generates them from the definition.
        tree.add_below("", host.into_iter().filter(|f| f.path.starts_with("op_host/")).collect());
        tree.add_below("op_kernel", kernel::files(package));
    }
    tree.mark("", packages.iter().map(|p| &*p.def.name));
}

fn root(first: &Package<'_>) -> String {
    let text = ROOT.replace("@soc@", first.soc().name).replace("@vendor@", VENDOR);
    text.replace("@all@", &units(first, ", "))
}

const ROOT: &str = include_str!("custom/CMakeLists.txt");
const HOST: &str = include_str!("custom/op_host.cmake");

fn kernels(packages: &[Package<'_>]) -> String {
    let mut text = Text::new();
    for package in packages {
        let (name, snake) = (&package.def.name, package.snake());
        let entry = entry(&snake, &kernel::files(package));
        let all = units(package, " ");
        text.line("npu_op_kernel_sources(ascendc_kernels");
        text.line(format!(
            "    OP_TYPE {name}\n    COMPUTE_UNIT {all}\n    KERNEL_FILE {entry}\n)"
        ));
    }
    text.line(format!("# {ORDERED}"));
    text.line(format!("npu_op_kernel_options(ascendc_kernels ALL OPTIONS -O3 -D{BY_COMPILER})"));
    for (package, soc) in packages.iter().flat_map(|p| p.fused().into_iter().map(move |s| (p, s))) {
        let of = format!("{} COMPUTE_UNIT {}", package.def.name, soc.name);
        text.line(format!("npu_op_kernel_options(ascendc_kernels {of} OPTIONS {FUSION})"));
    }
    text.line("");
    text.line("npu_op_kernel_library(ascendc_kernels");
    text.line("    SRC_BASE ${CMAKE_CURRENT_SOURCE_DIR}\n    TILING_LIBRARY cust_optiling\n)");
    text.line("npu_op_package_add(${vendor_name} LIBRARY ascendc_kernels)");
    text.finish()
}

/// Returns the name of the file that holds the kernel's entry.
fn entry(snake: &str, kernels: &[File]) -> String {
    let apt = format!("{snake}_apt.cpp");
    if kernels.iter().any(|f| f.path == apt) { apt } else { format!("{snake}.cpp") }
}

/// Returns the README of a stand-alone project; `build` is the text that says how to build it.
pub fn readme(packages: &[Package<'_>], build: Word) -> String {
    let words = packages[0].words();
    let about = &words.custom;
    let mut text = Text::new();
    text.line(project_page_header(packages));
    let units = units(&packages[0], words.signs.comma);
    text.line(format!("# {}\n", (about.title)(&units)));
    text.line(phrases::table(&about.heads));
    for package in packages {
        let dtypes: Vec<&str> = package.dtypes().iter().map(|d| d.name()).collect();
        let (name, dtypes) = (&package.def.name, dtypes.join(words.signs.comma));
        text.line(format!("| {name} | `aclnn{name}` | {dtypes} |"));
    }
    text.line(format!("\n## {}\n\n{build}", words.titles.build));
    text.line(format!("## {}\n\n```sh\n{INSTALL}\n```\n", about.install));
    text.line((about.installed)(VENDOR));
    text.line(format!("\n## {}\n\n{}", about.call, about.called));
    let sums = packages.iter().filter(|p| !p.def.sums.is_empty());
    let sums: Vec<&str> = sums.map(|p| &*p.def.name).collect();
    if !sums.is_empty() {
        text.line(format!("\n{}", (about.sums)(&sums.join(words.signs.comma))));
    }
    for package in packages {
        text.line(phrases::section(package));
        for line in phrases::errors(package) {
            text.line(format!("\n{line}"));
        }
    }
    if let Some(line) = packages.first().and_then(phrases::saturation) {
        text.line(format!("\n{line}"));
    }
    for package in packages.iter().filter(|p| !p.left_out.is_empty()) {
        let title = (about.left_out)(&package.def.name);
        text.line(format!("\n## {title}\n")).lines(phrases::left_out(package));
    }
    text.finish()
}

const INSTALL: &str = "./build_out/custom_opp_<os>_<machine>.run";
