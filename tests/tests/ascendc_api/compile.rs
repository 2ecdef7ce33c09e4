//! Every emitted C++ file compiles without a warning.

use super::{emitted, package};
use codegen_ascendc::emit::tree::File;
use std::ops::Deref;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use tempfile::TempDir;

/// A directory for as long as it lives.
pub struct Scratch(TempDir);

impl Deref for Scratch {
    type Target = Path;
    fn deref(&self) -> &Path {
        self.0.path()
    }
}

/// A fresh directory of this test.
pub fn scratch(name: &str) -> Scratch {
    let dir = TempDir::with_prefix_in(name, env!("CARGO_TARGET_TMPDIR"));
    Scratch(dir.expect("a directory for the test"))
}

/// Writes files; headers of op_api also where an installed package has them.
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

/// The C++ compiler, strict, with the stub headers.
pub fn compiler(dir: &Path) -> Command {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../codegen-ascendc/host-model/host");
    let mut command = Command::new("g++");
    command
        .args(["-std=c++17", "-O0", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"])
        .arg(root)
        .arg("-I")
        .arg(dir.join("op_api"))
        .arg("-I")
        .arg(dir.join("include"));
    command
}

/// Runs a compiler; panics with what it said.
pub fn compiled(mut command: Command, what: &str) {
    let out = command.output().expect("a C++ compiler");
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{what}:\n{said}");
}

#[test]
fn every_source_compiles() {
    let packages =
        super::interfaces().into_iter().map(|def| package(def, super::products(&def.name)));
    let trees: Vec<_> = packages.map(|p| (scratch(&p.snake()), emitted(&p))).collect();
    let mut sources = Vec::new();
    for (dir, files) in &trees {
        write(dir, files);
        for file in files.iter().filter(|f| f.path.ends_with(".cpp")) {
            if file.path.starts_with("op_api/") || file.path.starts_with("examples/") {
                sources.push((dir, dir.join(&file.path)));
            }
        }
    }
    assert!(sources.len() >= 2 * trees.len());
    two_at_a_time(sources, |(dir, source)| {
        let mut command = compiler(dir);
        command.arg("-fsyntax-only").arg(&source);
        compiled(command, &source.display().to_string());
    });
}

/// Does something with each, on as many threads as a small machine has.
pub fn two_at_a_time<T: Send>(all: impl IntoIterator<Item = T>, work: impl Fn(T) + Sync) {
    let queue = Mutex::new(all.into_iter().collect::<Vec<T>>());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().expect("no other thread panicked").pop();
                    let Some(next) = next else { break };
                    work(next);
                }
            });
        }
    });
}
