//! Emits every operator, compiles the host sides to one program and queries it.

use super::common::thorough;
use codegen_ascendc::arch::{SOCS, Soc};
use codegen_ascendc::emit::{File, Layout, Options, Package, host, kernel};
use op_dsl_cpp::Compiler;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Returns the groups of products that share a tree: those of ops-nn together, the others alone.
pub fn trees() -> Vec<Vec<&'static Soc>> {
    let together = Layout::OpsNn.socs();
    let alone = SOCS.iter().filter(|s| !together.contains(s)).map(|s| vec![s]);
    alone.chain([together.clone()]).collect()
}

/// Returns the packages of every operator that some of the products support, apart from those with sums.
///
/// The tiling of sums has no twin in Rust that it could be compared with.
pub fn packages(socs: &[&'static Soc]) -> Vec<Package<'static>> {
    let of = |op: &'static op_dsl::Operator| {
        Package::able(op.def(), socs, Options::default()).ok().map(|(package, _)| package)
    };
    thorough().into_iter().filter(|op| op.def().sums.is_empty()).filter_map(of).collect()
}

/// The program of all operators in a tree, and its directory.
pub struct Program {
    dir: TempDir,
    compiled: PathBuf,
}

impl Program {
    /// Compiles `main`, which includes `operators.inc`.
    ///
    /// That file has the text of `include` for every operator, then `list`. Headers are found in these directories.
    pub fn compile(
        main: &str,
        packages: &[Package<'_>],
        include: impl Fn(&Package<'_>) -> String,
        list: &str,
        level: &str,
        headers: &[&Path],
    ) -> Program {
        let dir = TempDir::with_prefix_in(main, env!("CARGO_TARGET_TMPDIR"));
        let mut program =
            Program { dir: dir.expect("a directory to write to"), compiled: PathBuf::new() };
        let mut text = String::new();
        for package in packages {
            program.write(package);
            text += &include(package);
        }
        program.file("operators.inc", &format!("{text}{list}\n"));
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ascendc_tiling");
        let mut compiler = Compiler::new(env!("CARGO_TARGET_TMPDIR"))
            .flags(["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", level]);
        for dir in headers.iter().chain(&[program.dir.path(), &here]) {
            compiler = compiler.include(*dir);
        }
        let compiled = compiler.program(&[here.join(format!("{main}.cpp"))]);
        program.compiled = compiled.unwrap_or_else(|said| panic!("{said}"));
        program
    }

    /// Writes the host side and the kernel, because they share headers.
    fn write(&self, package: &Package<'_>) {
        let snake = package.snake();
        let kernel = kernel::files(package).into_iter();
        let kernel = kernel.map(|f| File { path: format!("op_kernel/{}", f.path), text: f.text });
        for file in host::files(package).into_iter().chain(kernel) {
            self.file(&format!("{snake}/{}", file.path), &file.text);
        }
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory to write to");
        fs::write(path, text).expect("a file");
    }

    /// Returns the answers to these questions, one line each.
    pub fn ask(&self, questions: &[String]) -> Vec<String> {
        let mut child = Command::new(&self.compiled)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut input = child.stdin.take().expect("a pipe");
        let text = questions.join("\n") + "\n";
        let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
        let out = child.wait_with_output().expect("the program ends");
        writer.join().expect("no panic").expect("all questions are read");
        assert!(out.status.success(), "{}", out.status);
        let answers: Vec<String> =
            String::from_utf8(out.stdout).expect("text").lines().map(String::from).collect();
        assert_eq!(answers.len(), questions.len());
        answers
    }
}
