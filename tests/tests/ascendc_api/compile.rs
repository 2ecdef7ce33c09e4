//! Every emitted C++ file compiles without a warning.

use super::papers::with_unit_tests;
use super::{emitted, package};
use codegen_ascendc::emit::tree::File;
use op_dsl_cpp::{Compiler, in_parallel};
use std::collections::HashSet;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A temporary directory, which is removed on drop.
pub struct Scratch(TempDir);

impl Deref for Scratch {
    type Target = Path;
    fn deref(&self) -> &Path {
        self.0.path()
    }
}

/// Creates an empty directory for this test.
pub fn scratch(name: &str) -> Scratch {
    let dir = TempDir::with_prefix_in(name, env!("CARGO_TARGET_TMPDIR"));
    Scratch(dir.expect("a directory for the test"))
}

/// Writes files; headers of op_api also to where an installed package has them.
pub fn write(dir: &Path, files: &[File]) {
    for file in files {
        let mut places = vec![dir.join(&file.path)];
        if let Some(name) = file.path.strip_prefix("op_api/").filter(|p| p.ends_with(".h")) {
            places.push(dir.join("include/aclnnop").join(name));
        }
        for place in places {
            std::fs::create_dir_all(place.parent().expect("a parent")).expect("a directory");
            std::fs::write(place, &file.text).expect("a file");
        }
    }
}

/// Returns the C++ compiler with strict warnings and the stub headers.
pub fn compiler(dir: &Path) -> Compiler {
    Compiler::new(env!("CARGO_TARGET_TMPDIR"))
        .flags(["-std=c++17", "-O0", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
        .include(stubs())
        .depends_on(dir)
        .include(dir.join("op_api"))
        .include(dir.join("include"))
}

/// Returns the directory of stub headers.
pub fn stubs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../codegen-ascendc/host-model/host")
}

/// The standard headers that sources and stubs include.
///
/// They are precompiled, because they take longer than the rest of a source.
pub const STANDARD: &str = "\
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>
";

/// Unwraps a compiler's result; panics with its messages.
pub fn compiled<T>(result: Result<T, String>, what: &str) -> T {
    result.unwrap_or_else(|said| panic!("{what}:\n{said}"))
}

/// Interfaces that another test compiles together with their unit tests are compiled here only for their includes.
#[test]
fn every_source_compiles() {
    let trees: Vec<_> = super::interfaces()
        .into_iter()
        .map(|def| {
            let package = package(def, super::products(&def.name));
            (scratch(&package.snake()), emitted(&package), with_unit_tests().contains(&def))
        })
        .collect();
    let (mut sources, mut lists) = (Vec::new(), HashSet::new());
    for (dir, files, is_compiled) in &trees {
        write(dir, files);
        for file in files.iter().filter(|f| f.path.ends_with(".cpp")) {
            let is_interface = file.path.starts_with("op_api/");
            if is_interface || file.path.starts_with("examples/") {
                let alone = lists.insert(standard_includes(file));
                if alone || !(is_interface && *is_compiled) {
                    sources.push((dir, dir.join(&file.path), alone));
                }
            }
        }
    }
    assert!(sources.len() >= trees.len());
    in_parallel(sources, |(dir, source, alone)| {
        // One source of each set of standard includes is compiled without the prefix, so that missing includes are
        // found.
        let prefix = if alone { "" } else { STANDARD };
        compiled(standard(compiler(dir), prefix).check(&[&source]), &source.display().to_string());
    });
}

fn standard(compiler: Compiler, prefix: &str) -> Compiler {
    if prefix.is_empty() { compiler } else { compiler.prefix_header(prefix, &[]) }
}

/// Returns the standard headers that a source includes.
fn standard_includes(file: &File) -> Vec<String> {
    let lines = file.text.lines().filter(|l| l.starts_with("#include <") && !l.contains('.'));
    lines.map(str::to_owned).collect()
}
