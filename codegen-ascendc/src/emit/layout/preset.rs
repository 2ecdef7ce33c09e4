//! A stand-alone project for toolkits of generation 8: the files that an author owns.
//!
//! The rest (`cmake/`, `scripts/`, the root CMakeLists.txt) belongs to the toolkit, whose `msopgen` writes them. The emitted
//! `build.sh` runs it and fetches them from there.

use super::custom::{ORDERED, VENDOR, add_sources, readme};
use crate::emit::kernel::BY_COMPILER;
use crate::emit::package::{FUSION, Package};
use crate::emit::text::{Comment, project_header};
use crate::emit::tree::Tree;

/// Adds a project for toolkits of generation 8 that builds some operators.
pub fn add(tree: &mut Tree, packages: &[Package<'_>]) {
    add_sources(tree, packages);
    let soc = packages[0].soc().name;
    let header = project_header(packages, Comment::Hash);
    tree.add("op_host/CMakeLists.txt", format!("{header}\n{HOST}"));
    let fused = packages.iter().filter(|p| !p.fused().is_empty());
    let options: String = fused
        .map(|p| format!("add_ops_compile_options({} OPTIONS {FUSION})\n", p.def.name))
        .collect();
    let all = format!("# {ORDERED}\nadd_ops_compile_options(ALL OPTIONS -O3 -D{BY_COMPILER})\n");
    tree.add(
        "op_kernel/CMakeLists.txt",
        format!("{header}\n{options}{all}add_kernels_compile()\n"),
    );
    tree.add("CMakePresets.json", PRESETS.replace("@soc@", soc).replace("@vendor@", VENDOR));
    tree.add("msopgen.json", MSOPGEN);
    tree.add("build.sh", format!("#!/usr/bin/env bash\n{header}\n{}", BUILD.replace("SOC", soc)));
    tree.add("README.md", readme(packages, packages[0].words().custom.build_8));
}

/// Definition of an operator that is given to `msopgen`, which writes no project without one.
///
/// The files that it writes for the operator are discarded.
const MSOPGEN: &str = include_str!("preset/msopgen.json");

const PRESETS: &str = include_str!("preset/CMakePresets.json");
const BUILD: &str = include_str!("preset/build.sh");

const HOST: &str = include_str!("preset/op_host.cmake");
