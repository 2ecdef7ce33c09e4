//! Compiles the small kernels and runs them.

use codegen_ascendc::host_model::FLAGS;
use op_dsl_cpp::Compiler;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/host_model")
}

/// Compiled kernel file and a directory for its data.
pub struct Program {
    source: String,
    binary: PathBuf,
    dir: TempDir,
    /// Whether runs pass `--auto-sync`, which is the default because most small kernels have no barriers.
    auto_sync: bool,
}

impl Program {
    /// Compiles `name`.cpp for an architecture, with every warning an error.
    pub fn compile(name: &str, arch: u32) -> Self {
        let dir = TempDir::with_prefix_in(name, env!("CARGO_TARGET_TMPDIR")).unwrap();
        let file = kernels().join(format!("{name}.cpp"));
        // `-O0`, because a higher level would cost these small kernels more compile time than it saves at run time. Other tests
        // cover higher levels.
        let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("host-model");
        let compiler = Compiler::new(env!("CARGO_TARGET_TMPDIR"))
            .flags(FLAGS)
            .flags(["-O0", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Winvalid-pch"])
            .flags([format!("-DHOST_MODEL_ARCH={arch}")])
            .include(&model)
            .prefix_header("#include \"kernel_operator.h\"\n#include \"run.h\"\n", &[&model]);
        let binary =
            compiler.program(&[&file]).unwrap_or_else(|said| panic!("{name} on {arch}: {said}"));
        Self { source: fs::read_to_string(file).unwrap(), binary, dir, auto_sync: true }
    }

    /// Returns the program for a build without automatic synchronisation.
    pub fn without_auto_sync(mut self) -> Self {
        self.auto_sync = false;
        self
    }

    /// Returns a data file's path, and writes its content if given.
    pub fn file(&self, name: &str, bytes: Option<&[u8]>) -> String {
        let path = self.dir.path().join(name);
        if let Some(bytes) = bytes {
            fs::write(&path, bytes).unwrap();
        }
        path.display().to_string()
    }

    /// Runs a kernel with exactly these arguments.
    pub fn run(&self, kernel: &str, args: &[String]) -> Output {
        Command::new(&self.binary)
            .args(["--kernel", kernel, "--ub", "196352"])
            .args(self.auto_sync.then_some("--auto-sync"))
            .args(args)
            .output()
            .unwrap()
    }

    /// Runs a correct kernel from `input` to `size` bytes, and returns its output and its report.
    pub fn good(
        &self,
        kernel: &str,
        input: &[u8],
        size: usize,
        more: &[&str],
    ) -> (Vec<u8>, String) {
        let mut args = vec![
            "--in".into(),
            format!("a={}", self.file(&format!("{kernel}.in"), Some(input))),
            "--out".into(),
            format!("b={}:{size}", self.file(&format!("{kernel}.out"), None)),
        ];
        args.extend(more.iter().map(ToString::to_string));
        let out = self.run(kernel, &args);
        assert!(out.status.success(), "{kernel}: {}", String::from_utf8_lossy(&out.stderr));
        let bytes = fs::read(self.file(&format!("{kernel}.out"), None)).unwrap();
        (bytes, String::from_utf8(out.stdout).unwrap())
    }

    /// Runs a broken kernel and asserts that `check` finds it, at the marked line if the source marks one.
    pub fn broken(&self, kernel: &str, check: &str, what: &str, more: &[&str]) {
        let ones: Vec<u8> = [1.0_f32; 2048].iter().flat_map(|x| x.to_le_bytes()).collect();
        let b = self.file(&format!("{kernel}.b"), Some(&ones[..512]));
        let mut args = vec!["--in".into(), format!("a={}", self.file("ones", Some(&ones)))];
        if more.contains(&"in-place") {
            args.extend(["--inout".into(), format!("b={b}:{b}.out")]);
        } else {
            args.extend(["--out".into(), format!("b={b}:256")]);
        }
        args.extend(more.iter().filter(|m| **m != "in-place").map(ToString::to_string));
        let out = self.run(kernel, &args);
        let said = String::from_utf8_lossy(&out.stderr);
        let report = String::from_utf8_lossy(&out.stdout);
        assert_eq!(out.status.code(), Some(1), "{kernel} was not found out: {said}{report}");
        assert!(said.starts_with(&format!("finding: {check}: ")), "{kernel}: {said}");
        assert_eq!(said.lines().count(), 1, "{kernel}: {said}");
        assert!(said.contains(what), "{kernel}: {said}");
        assert!(report.contains(&format!("{{\"record\":\"finding\",\"check\":\"{check}\"")));
        let mark = format!("// finds: {kernel}");
        if let Some(line) = self.source.lines().position(|l| l.trim_end().ends_with(&mark)) {
            assert!(said.contains(&format!(".cpp:{}: ", line + 1)), "{kernel}: {said}");
        }
    }
}
