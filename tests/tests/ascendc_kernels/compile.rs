//! Emitted kernels as one program: a compiler spends more on what they share than on them.

use codegen_ascendc::arch::Arch;
use codegen_ascendc::emit::Package;
use codegen_ascendc::emit::kernel::{self, tiling_key};
use codegen_ascendc::host_model::FLAGS;
use codegen_ascendc::plan::Plan;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A directory with the program `kernel`, removed with its last user.
pub struct Binary {
    pub dir: TempDir,
}

/// A kernel's own code runs once per call, the model's once per element: optimising the former takes
/// longer than it saves.
const AS_IT_STANDS: &str = "\
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize(\"O0\")
#endif
";

fn compiler() -> String {
    std::env::var("CXX").ok().filter(|c| !c.is_empty()).unwrap_or_else(|| "g++".into())
}

impl Binary {
    /// Emits the kernels of some packages and compiles them for one of their architectures, with these options beside
    /// the usual ones.
    pub fn new(packages: &[Package<'_>], arch: &Arch, options: &[&str]) -> Binary {
        let dir = TempDir::with_prefix_in(packages[0].snake(), env!("CARGO_TARGET_TMPDIR"));
        let binary = Binary { dir: dir.expect("a directory") };
        let mut main = format!("#include \"run.h\"\n{AS_IT_STANDS}");
        let mut instances = Vec::new();
        for package in packages {
            let snake = package.snake();
            let dir = binary.dir.path().join(&snake);
            fs::create_dir_all(&dir).expect("a directory");
            for file in kernel::files(package) {
                fs::write(dir.join(&file.path), &file.text).expect("a file");
            }
            main += &format!("#include \"{snake}/{snake}.cpp\"\n");
            instances.extend(instances_of(package, arch));
        }
        main += &format!("HOST_MODEL_MAIN({})\n", instances.join(",\n                "));
        fs::write(binary.dir.path().join("main.cpp"), main).expect("a file");
        binary.compile(arch.number, options);
        binary
    }

    fn compile(&self, arch: u16, options: &[&str]) {
        let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../codegen-ascendc/host-model");
        let out = Command::new(compiler())
            .args(FLAGS)
            .args(["-Wall", "-Wextra", "-Wpedantic", "-Werror"])
            .args(options)
            .arg(format!("-DHOST_MODEL_ARCH={arch}"))
            .arg("-I")
            .arg(model)
            .arg(self.dir.path().join("main.cpp"))
            .arg("-o")
            .arg(self.dir.path().join("kernel"))
            .output()
            .expect("a C++17 compiler: install g++ or set CXX");
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{} on {arch}: {said}", self.dir.path().display());
    }
}

impl Drop for Binary {
    fn drop(&mut self) {
        // After a failure it is what to look at.
        self.dir.disable_cleanup(std::thread::panicking());
    }
}

/// A name for each instance of a kernel, and the instance.
fn instances_of(package: &Package<'_>, arch: &Arch) -> Vec<String> {
    let snake = package.snake();
    let small: &[bool] = if tiling_key::has_small(package) { &[false, true] } else { &[false] };
    let of_plan = |plan: &Plan| {
        let (name, plan) = (snake.clone(), plan.clone());
        small.iter().map(move |small| {
            let (dtype, form) = (plan.dtype as u8, plan.spec);
            let call = instance(&name, &plan, *small);
            format!("{{\"{call}\", host_model::Bind({name}<{dtype}, {form}, {small}>)}}")
        })
    };
    package.plans_of(arch).flat_map(of_plan).collect()
}

/// The name of an instance.
pub fn instance(snake: &str, plan: &Plan, small: bool) -> String {
    let path = if small { "small" } else { "dense" };
    format!("{snake}_{}_{}_{path}", plan.dtype, plan.spec)
}
