//! Compiles emitted kernels to one program.
//!
//! They are compiled together because their shared headers take longer to compile than the kernels.

use codegen_ascendc::arch::Arch;
use codegen_ascendc::emit::Package;
use codegen_ascendc::emit::kernel::{self, tiling_key};
use codegen_ascendc::host_model::FLAGS;
use codegen_ascendc::plan::Plan;
use op_dsl_cpp::Compiler;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Compiles the kernel's own code without optimisation.
///
/// It runs once per call and the model's code once per element, so optimising it takes longer than it saves.
const AS_IT_STANDS: &str = "\
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize(\"O0\")
#endif
";

/// Emits the kernels of some packages and compiles them for one architecture.
///
/// Compiler options are added to the usual ones. Returns the program. After a failure the sources are kept for
/// inspection.
pub fn compiled(packages: &[&Package<'_>], arch: &Arch, options: &[&str]) -> PathBuf {
    let dir = TempDir::with_prefix_in(packages[0].snake(), env!("CARGO_TARGET_TMPDIR"));
    let dir = dir.expect("a directory");
    let mut main = format!("#include \"run.h\"\n{AS_IT_STANDS}");
    let mut instances = Vec::new();
    for package in packages {
        let snake = package.snake();
        let own = dir.path().join(&snake);
        fs::create_dir_all(&own).expect("a directory");
        for file in kernel::files(package) {
            fs::write(own.join(&file.path), &file.text).expect("a file");
        }
        main += &format!("#include \"{snake}/{snake}.cpp\"\n");
        instances.extend(instances_of(package, arch));
    }
    main += &format!("HOST_MODEL_MAIN({})\n", instances.join(",\n                "));
    fs::write(dir.path().join("main.cpp"), main).expect("a file");
    match compile(dir.path(), arch.number, options) {
        Ok(program) => program,
        Err(said) => panic!("{} on {}: {said}", dir.keep().display(), arch.number),
    }
}

/// Compiles the file `main.cpp` of a directory.
fn compile(dir: &Path, arch: u16, options: &[&str]) -> Result<PathBuf, String> {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../codegen-ascendc/host-model");
    let compiler = Compiler::new(env!("CARGO_TARGET_TMPDIR"))
        .flags(FLAGS)
        .flags(["-Wall", "-Wextra", "-Wpedantic", "-Werror"])
        .flags(options)
        .flags([format!("-DHOST_MODEL_ARCH={arch}")])
        .include(&model);
    compiler.program(&[dir.join("main.cpp")])
}

/// Returns a name and the template arguments of each instance of a kernel.
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

/// Returns the name of an instance.
pub fn instance(snake: &str, plan: &Plan, small: bool) -> String {
    let path = if small { "small" } else { "dense" };
    format!("{snake}_{}_{}_{path}", plan.dtype, plan.spec)
}
