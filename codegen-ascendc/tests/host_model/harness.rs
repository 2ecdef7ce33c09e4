//! Compiles the small kernels and runs them.

use codegen_ascendc::host_model::FLAGS;
use op_dsl_cpp::Compiler;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use tempfile::TempDir;

fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/host_model")
}

/// Architectures with the kernel files that run on them.
const SOURCES: [(u32, &[&str]); 4] = [
    (1001, &["casts", "reduce"]),
    (2002, &["older"]),
    (2201, &["casts", "forms", "memory", "mul", "params", "queue", "reduce", "sync"]),
    (3510, &["forms", "newer", "registers", "sync"]),
];

/// Returns the program with all kernel files of an architecture, compiled once, with every warning an error.
///
/// It is one program, because the model takes longer to compile than the kernels. Its first argument names the file.
fn program(arch: u32) -> &'static Path {
    static PROGRAMS: [OnceLock<PathBuf>; SOURCES.len()] =
        [const { OnceLock::new() }; SOURCES.len()];
    let at = SOURCES.iter().position(|known| known.0 == arch).expect("an architecture");
    PROGRAMS[at].get_or_init(|| {
        let (mut main, mut choices) = (String::from(HEAD), String::new());
        for name in SOURCES[at].1 {
            main += &format!("namespace of_{name} {{\n#include \"{name}.cpp\"\n}}\n");
            choices += &format!(
                "    if (!std::strcmp(argv[1], \"{name}\")) return of_{name}::Run(argc - 1, argv + 1);\n"
            );
        }
        main += &format!("int main(int argc, char** argv)\n{{\n{choices}    return 3;\n}}\n");
        let dir = TempDir::with_prefix_in("host_model", env!("CARGO_TARGET_TMPDIR")).unwrap();
        fs::write(dir.path().join("main.cpp"), main).unwrap();
        // `-O0`, because a higher level would cost these small kernels more compile time than it saves at run time. Other tests
        // cover higher levels.
        let compiler = Compiler::new(env!("CARGO_TARGET_TMPDIR"))
            .flags(FLAGS)
            .flags(["-O0", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
            .flags([format!("-DHOST_MODEL_ARCH={arch}")])
            .include(Path::new(env!("CARGO_MANIFEST_DIR")).join("host-model"))
            .include(kernels());
        compiler.program(&[dir.path().join("main.cpp")]).unwrap_or_else(|said| panic!("{arch}: {said}"))
    })
}

/// Has each kernel file define a function in place of `main`.
const HEAD: &str = "\
#include \"bench.h\"
#include <cstring>
#undef HOST_MODEL_MAIN
#define HOST_MODEL_MAIN(...) int Run(int argc, char** argv) { return host_model::Main(argc, argv, {__VA_ARGS__}); }
";

/// Compiled kernel file and a directory for its data.
pub struct Program {
    name: &'static str,
    source: String,
    binary: &'static Path,
    dir: TempDir,
    /// Whether runs pass `--auto-sync`, which is the default because most small kernels have no barriers.
    auto_sync: bool,
}

impl Program {
    /// Returns the kernels of `name`.cpp, compiled for an architecture.
    pub fn compile(name: &'static str, arch: u32) -> Self {
        let dir = TempDir::with_prefix_in(name, env!("CARGO_TARGET_TMPDIR")).unwrap();
        let source = fs::read_to_string(kernels().join(format!("{name}.cpp"))).unwrap();
        Self { name, source, binary: program(arch), dir, auto_sync: true }
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
        Command::new(self.binary)
            .args([self.name, "--kernel", kernel, "--ub", "196352"])
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
