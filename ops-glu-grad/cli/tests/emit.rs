//! AscendC sources and packages as users emit them: files on disk, refusals, and the commands that a build runs.
//!
//! The toolkit is a stub that records its calls.
#![cfg(unix)]

use op_dsl_cpp::Compiler;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A temporary home directory for one test, with a toolkit below it on demand.
struct Place(TempDir);

impl Place {
    fn new(name: &str) -> Place {
        Place(TempDir::with_prefix_in(name, env!("CARGO_TARGET_TMPDIR")).unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run_in(&self, line: &str, home: Option<&str>) -> Output {
        let tools = format!("{}:/usr/bin:/bin", self.path("bin").display());
        let mut command = Command::new(env!("CARGO_BIN_EXE_ops-glu-grad"));
        command.args(line.split_whitespace()).current_dir(self.0.path());
        command.env("HOME", self.0.path()).env("PATH", tools).env_remove("ASCEND_HOME_PATH");
        if let Some(home) = home {
            command.env("ASCEND_HOME_PATH", self.path(home));
        }
        command.output().unwrap()
    }

    fn run(&self, line: &str) -> Output {
        self.run_in(line, None)
    }

    fn good(&self, line: &str) -> String {
        told(self.run(line), line)
    }

    /// Checks for exit code 2, no standard output, and one line with `part` on standard error.
    fn refused(&self, line: &str, home: Option<&str>, part: &str) {
        let out = self.run_in(line, home);
        let error = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(2), "{line}: {error}");
        assert!(out.stdout.is_empty(), "{line}");
        assert_eq!(error.matches('\n').count(), 1, "{line}: {error}");
        assert!(error.starts_with("error: ") && error.contains(part), "{line}: {error}");
    }

    /// Returns every file below a directory, with its contents.
    fn files(&self, below: &str) -> Vec<(String, Vec<u8>)> {
        let (mut found, root) = (Vec::new(), self.path(below));
        let mut left = vec![root.clone()];
        while let Some(dir) = left.pop() {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    left.push(path);
                } else {
                    let name = path.strip_prefix(&root).unwrap().display().to_string();
                    found.push((name, fs::read(&path).unwrap()));
                }
            }
        }
        found.sort();
        found
    }

    /// Creates a toolkit at `home`, whose `cmake` and `msopgen` record their arguments and run `more`.
    fn toolkit(&self, home: &str, generation: u32, more: &str) {
        let modules = self.path(home).join("compiler/tikcpp/ascendc_kernel_cmake");
        fs::create_dir_all(&modules).unwrap();
        if generation == 9 {
            fs::write(modules.join("asc-config.cmake"), "").unwrap();
        }
        let calls = self.path("calls");
        fs::create_dir_all(self.path("bin")).unwrap();
        for name in ["cmake", "msopgen"] {
            let tool = self.path("bin").join(name);
            let calls = calls.display();
            let script =
                format!("#!/bin/sh\necho \"{name} $* | $ASCEND_HOME_PATH\" >> {calls}\n{more}\n");
            fs::write(&tool, script).unwrap();
            fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("calls")).unwrap_or_default();
        text.lines().map(String::from).collect()
    }
}

fn told(out: Output, line: &str) -> String {
    let error = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(0), "{line}: {error}");
    String::from_utf8(out.stdout).unwrap()
}

/// The targets that kernels are emitted for, each in one layout.
const TARGETS: [&str; 4] = ["ascend910b", "ascend910_93", "ascend310p", "ascend950"];
const LAYOUTS: [&str; 4] = ["ops-nn", "custom --cann 8", "custom", "direct"];

/// Emits all operators for a target in one of the layouts, below a directory.
fn emit_all(place: &Place, run: &str, soc: &str, layout: &str, more: &str) -> String {
    let out = format!("{run}/{soc}/{}", layout.replace(' ', "_"));
    let line = format!("emit --all --layout {layout} --soc {soc} --license-header license {more}");
    place.good(&format!("{line} --out {out}"))
}

/// Two operators whose plans take long to search, and one whose plan is found at once.
const AGAIN: [&str; 3] = ["GeluGradGradV2", "ClippedSwigluGrad", "SwiGlu"];

/// Tests all messages about all operators at once.
///
/// They share a run, because planning the family takes seconds for each target.
#[test]
fn all_operators_for_all_targets_and_the_same_each_time() {
    let place = Place::new("all");
    fs::write(place.path("license"), "Copyright A\nB\n").unwrap();
    let all = |i: usize, more: &str| emit_all(&place, "first", TARGETS[i], LAYOUTS[i], more);
    // Only 16 bits for the second target, because it has the plans of the first, and those of 16 bits take the least
    // time.
    let first = || [all(0, ""), all(1, "--dtype f16,bf16"), all(2, "")];
    let others = || {
        let registers = all(3, "");
        let [soc, layout] = [TARGETS[0], LAYOUTS[0]];
        for op in AGAIN {
            let line = format!("emit {op} --layout {layout} --soc {soc} --license-header license");
            place.good(&format!("{line} --out second/{soc}/{layout}"));
        }
        [registers, emit_all(&place, "oldest", "ascend910", "custom --cann 8", "")]
    };
    let (told, [registers, oldest]) = std::thread::scope(|scope| {
        let others = scope.spawn(others);
        (first(), others.join().unwrap())
    });
    let [first, second] = ["first", "second"].map(|run| place.files(run));
    assert!(first.len() > 125 && second.len() > 31, "{}, {}", first.len(), second.len());
    assert!(second.iter().all(|file| first.contains(file)));

    // Every file starts with the license.
    for (name, text) in first {
        let text = String::from_utf8(text).unwrap();
        let bare = [".generated", ".json"].iter().any(|end| name.ends_with(end));
        assert!(bare || text.contains("Copyright A"), "{name}");
    }

    // Every operator has a plan on these; some layouts have no kernels of sums, and terms of one sum are over the error budget in f32.
    for told in [&told[0], &registers] {
        let is_known = |line: &str| {
            line.contains("a sum over elements") || line.starts_with("left out: DyTGrad on ")
        };
        let mut left = told.lines().filter(|line| line.starts_with("left out: "));
        assert!(left.all(is_known), "{told}");
    }

    // The output lists what a target does not support.
    let all_lines = &told[2];
    assert!(
        all_lines.starts_with(&format!("{}\n", place.path("first/ascend310p/custom").display()))
    );
    let left: Vec<&str> = all_lines.lines().filter(|line| line.starts_with("left out: ")).collect();
    let (others, left): (Vec<&str>, Vec<&str>) =
        left.into_iter().partition(|line| line.contains("a sum over elements"));
    let [bf16, form] = left[..] else { panic!("a line for each reason: {all_lines}") };
    assert_eq!(others.len(), 3, "three names of sums: {others:?}");
    assert!(bf16.contains(": GeGluV2, GeGluGradV2, ") && bf16.contains(", SwiGluGrad, "), "{bf16}");
    assert!(bf16.contains(" on ascend310p in bf16: architecture 2002 has no bf16"), "{bf16}");
    assert!(form.starts_with("left out: GeGluGradV2 on ascend310p in f16, f32: "), "{form}");
    let of = |reason| oldest.matches(reason).count();
    let (approximate, bf16) = (of("leaves out approximate = 0"), of("no bf16"));
    let bits = of("`mask` cannot be one of bits");
    assert_eq!(
        (approximate, bf16, bits, of("left out: ")),
        (1, 1, 1, 3 + others.len()),
        "{oldest}"
    );
}

#[test]
#[ignore = "half a minute: .ci/deep everything"]
fn all_operators_twice() {
    let place = Place::new("twice");
    fs::write(place.path("license"), "Copyright A\n").unwrap();
    let [first, second] = ["first", "second"].map(|run| {
        emit_all(&place, run, TARGETS[0], LAYOUTS[0], "");
        emit_all(&place, run, TARGETS[3], LAYOUTS[3], "");
        place.files(run)
    });
    assert!(first.len() > 62 && first == second);
}

#[test]
fn what_a_target_cannot_do_is_refused() {
    let place = Place::new("cannot");
    let emit = |op, layout, soc| format!("emit {op} --layout {layout} --soc {soc} --out d");
    for (line, part) in [
        (emit("GeGluV3", "custom", "ascend910b"), "did you mean `GeGluV2`?"),
        (emit("GeGluV2", "cmake", "ascend910b"), "ops-nn, custom, direct"),
        (emit("GeGluV2", "custom", "ascend910z"), "ascend910b"),
        (emit("GeGluV2", "ops-nn", "ascend910"), "use --layout custom --cann 8"),
        (emit("--all", "custom", "ascend910"), "use --layout custom --cann 8"),
        (emit("GeGluV2", "custom", "ascend310p --dtype bf16"), "no bf16"),
        (emit("GeGluV2", "custom", "ascend310p --license-header none"), "--license-header none"),
        (emit("GeGluV2", "custom", "ascend310p --language fr"), "allowed: en, zh"),
        ("emit --layout custom --soc ascend910b --out d".into(), "<OP"),
    ] {
        place.refused(&line, None, part);
    }
    assert!(!place.path("d").exists(), "nothing was written");
}

#[test]
fn one_tree_serves_all_products_of_the_repository() {
    let place = Place::new("one_tree");
    let told = place.good("emit GeGluGradV2 --layout ops-nn --language en --out nn");
    assert!(told.contains("left out: GeGluGradV2 on ascend310p in bf16: "), "{told}");
    let text = |path: &str| fs::read_to_string(place.path("nn/ge_glu_grad_v2").join(path)).unwrap();
    let definition = text("op_host/ge_glu_grad_v2_def.cpp");
    for soc in TARGETS {
        assert_eq!(definition.matches(&format!("AddConfig(\"{soc}\"")).count(), 1, "{soc}");
        assert!(text("CMakeLists.txt").contains(soc) && text("README.md").contains(soc), "{soc}");
    }
    assert!(text("README.md").contains("ascend310p in bf16: architecture 2002 has no bf16"));
    place.good("emit GeGluGradV2 --layout ops-nn --soc ascend950,ascend310p --out two");
    let two = fs::read_to_string(place.path("two/ge_glu_grad_v2/CMakeLists.txt")).unwrap();
    assert!(two.contains("COMPUTE_UNITS ascend310p ascend950\n"), "{two}");

    let emit = |more| format!("emit GeGluGradV2 {more} --out d");
    for (line, part) in [
        (emit("--layout custom"), "--soc: --layout custom needs one; allowed: ascend910b"),
        (emit("--layout direct --soc ascend910b,ascend310p"), "emit for each"),
        (emit("--layout custom --cann 8 --soc ascend910b,ascend310p"), "emit for each"),
        (emit("--layout ops-nn --soc ascend910b,ascend310p --dtype bf16"), "no bf16"),
    ] {
        place.refused(&line, None, part);
    }
    assert!(!place.path("d").exists(), "nothing was written");
}

#[test]
fn pages_are_in_the_language_that_is_asked_for() {
    let place = Place::new("language");
    let (en, zh) = ("## Constraints\n", "## 约束说明\n");
    // Without an option, the language is that of the repository.
    for (language, title) in [("--language en", en), ("--language zh", zh), ("", zh)] {
        let line = "emit SwiGluGrad --layout ops-nn --soc ascend910b";
        place.good(&format!("{line} {language} --out nn"));
        let text = fs::read_to_string(place.path("nn/swi_glu_grad/README.md")).unwrap();
        assert!(text.contains(title), "{text}");
    }
}

/// Emitting into a checkout keeps the files beside an implementation.
///
/// If something would be lost, it is refused unless an option allows it.
#[test]
fn a_checkout_is_written_in_place() {
    let place = Place::new("checkout");
    let write = |path: &str, text: &str| {
        let path = place.path("nn").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let git = |args: &str| {
        let ran = Command::new("git")
            .args([
                "-C",
                place.path("nn").to_str().unwrap(),
                "-c",
                "user.name=a",
                "-c",
                "user.email=a",
            ])
            .args(args.split(' '))
            .output()
            .unwrap();
        assert!(ran.status.success(), "{ran:?}");
    };
    write("cmake/func.cmake", "");
    write("OAT.xml", "<licensetext name=\"\n  Keep &quot;this&quot;.\n\" desc=\"\"/>");
    let definition = "class EluGradV2 : public OpDef { this->Input(\"grads\") };";
    write("activation/elu_grad_v2/op_host/elu_grad_v2_def.cpp", definition);
    write("activation/elu_grad_v2/op_kernel/arch35/old.h", "");
    write("activation/elu_grad_v2/framework/plugin.cpp", "plugin");
    let header = "aclnnEluBackwardGetWorkspaceSize(); aclnnOtherGetWorkspaceSize();";
    write("activation/elu_grad_v2/op_api/aclnn_elu_backward.h", header);
    git("init -q");
    git("add -A");
    git("commit -q -m all");
    let before = place.files("nn/activation");
    let line = "emit EluGradV2 --layout ops-nn --into nn";
    place.refused(line, None, "activation/elu_grad_v2 would lose aclnnOther");
    place.refused(
        "emit EluGradV2 --layout custom --soc ascend910b --into nn",
        None,
        "--layout ops-nn",
    );
    let told = place.good(&format!("{line} --dry-run"));
    for part in [
        "kept      framework/plugin.cpp",
        "removed   op_kernel/arch35/old.h",
        "lost      aclnnOther",
    ] {
        assert!(told.contains(part), "{told}");
    }
    assert_eq!(place.files("nn/activation"), before, "nothing was written");
    place.good(&format!("{line} --keep-interface"));
    let text = |path: &str| {
        fs::read_to_string(place.path("nn/activation/elu_grad_v2").join(path)).unwrap()
    };
    assert_eq!(text("op_api/aclnn_elu_backward.h"), header);
    assert_eq!(text("framework/plugin.cpp"), "plugin");
    assert!(text("op_host/elu_grad_v2_def.cpp").starts_with("// Keep \"this\".\n"));
    assert!(!place.path("nn/activation/elu_grad_v2/op_kernel/arch35").exists());
    // Uncommitted files are not removed.
    write("activation/elu_grad_v2/op_kernel/mine.h", "");
    place.refused(line, None, "op_kernel/mine.h, which is not committed");
    place.good(&format!("{line} --force"));
    assert!(!text("op_api/aclnn_elu_backward.h").contains("aclnnOther"));
}

#[test]
fn directories_of_others_are_left_alone() {
    let place = Place::new("others");
    fs::create_dir_all(place.path("nn/swi_glu_grad")).unwrap();
    fs::write(place.path("nn/swi_glu_grad/mine"), "").unwrap();
    let line = "emit SwiGluGrad --layout ops-nn --soc ascend910b --out nn";
    place.refused(line, None, "--force");
    assert_eq!(place.files("nn").len(), 1);
    place.good(&format!("{line} --force"));
    assert!(place.path("nn/swi_glu_grad.old/mine").exists());
    fs::write(place.path("nn/swi_glu_grad/stale"), "").unwrap();
    place.good(line);
    assert!(!place.path("nn/swi_glu_grad/stale").exists(), "what was generated is replaced whole");
    place.refused("emit SwiGlu --layout custom --soc ascend910b --out nn", None, "/nn: ");
}

/// The model gives a kernel the resources that the tiling assumed and the device has.
#[test]
fn every_command_has_the_same_ub() {
    let place = Place::new("ub");
    for (soc, bytes) in [("ascend950", 253_952), ("ascend310p", 262_144), ("ascend910b", 196_352)] {
        let call = format!("GeluGradV2 --shape 640 --dtype f16 --soc {soc}");
        let said = format!("{bytes} bytes of UB");
        let tiled = place.good(&format!("tile {call}"));
        let explained = place.good(&format!("explain GeluGradV2 --dtype f16 --soc {soc}"));
        assert!(tiled.contains(&said) && explained.contains(&said), "{tiled}{explained}");
    }
    // `a_call_on_the_host_model` simulates on ascend910b.
    let simulated = place.good("simulate GeluGradV2 --shape 640 --dtype f16 --soc ascend950");
    let figure = |name: &str| {
        let line = simulated.lines().find(|l| l.starts_with(name)).expect("a figure");
        line.split_whitespace().last().expect("a number").to_string()
    };
    assert_eq!(figure("ub bytes "), "253952");
    assert_eq!(figure("loads per step"), "2", "on registers");
}

#[test]
fn a_call_on_the_host_model() {
    let place = Place::new("simulate");
    let line = "simulate GeGluGradV2 --shape 40x512 --soc ascend910b --dtype f16 --cores 4";
    let table = place.good(line);
    let row = |name: &str| {
        let line = table.lines().find(|l| l.starts_with(name)).unwrap_or_else(|| panic!("{table}"));
        line[name.len()..].trim().to_string()
    };
    assert_eq!((row("cores used").as_str(), row("gm moved over least").as_str()), ("4", "1"));
    assert_eq!(row("ub bytes"), "196352");
    assert!(!table.contains("loads per step"), "on tensors: {table}");
    assert!(row("error ulp").parse::<f64>().unwrap() < 1.02);
    let json = place.good(&format!("{line} --format json --attr approximate=none"));
    let count = json.lines().filter(|l| l.starts_with("  \"")).count();
    assert!(json.starts_with("{\n") && json.ends_with("}\n") && count > 20, "{json}");
    assert!(json.contains("\"repeats_per_tile\": ") && json.contains("\"bound\": \""), "{json}");
    for (more, part) in [
        ("--in dz=x.npy", "no input `dz`"),
        ("--in dy=x.npy", "--in dy=x.npy: no such file"),
        ("--attr dim=5", "dim"),
        ("--cores 0", "1..=1000"),
    ] {
        place.refused(
            &format!("{line} {more}").replace("--cores 4 --cores", "--cores"),
            None,
            part,
        );
    }
    place.refused("simulate SwiGlu --shape 3x3 --soc ascend910b", None, "must be even");
    place.refused(
        "simulate SwiGlu --shape 2x4 --dtype bf16 --soc ascend310p",
        None,
        "architecture 2002 has no bf16",
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_ops-glu-grad"));
    command.args(line.split(' ')).env_remove("CXX").env("PATH", "/nowhere");
    let out = command.output().unwrap();
    let error = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(2));
    assert!(
        error.contains("install one or set CXX") && error.matches('\n').count() == 1,
        "{error}"
    );
}

/// The host model's compiler accepts the sources without kernel launches.
///
/// It does not know the syntax of launches.
#[test]
fn a_directly_launched_program_compiles() {
    let place = Place::new("direct");
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../codegen-ascendc/host-model");
    for (op, dir, soc, arch) in [
        ("GeGluGradV2", "ge_glu_grad_v2", "ascend910b", 2201),
        ("GeluGradV2", "gelu_grad_v2", "ascend310p", 2002),
    ] {
        place.good(&format!("emit {op} --layout direct --soc {soc} --out ."));
        let dir = place.path(dir);
        let launch = fs::read_to_string(dir.join("launch.asc")).unwrap();
        let (before, rest) = launch.split_once("<<<").unwrap();
        let (launched, after) = rest.split_once(">>>").unwrap();
        assert_eq!(launched, "tiling.cores, nullptr, stream");
        fs::write(dir.join("launch.cpp"), format!("{before}{after}")).unwrap();
        let compiler = Compiler::new(env!("CARGO_TARGET_TMPDIR"))
            .flags(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"])
            .flags(["-D__vector__=", &format!("-DHOST_MODEL_ARCH={arch}")])
            .include(&model)
            .include(model.join("host"));
        let sources = [dir.join("launch.cpp"), dir.join("main.cpp")];
        compiler.check(&sources).unwrap_or_else(|said| panic!("{said}"));
    }
}

#[test]
fn a_build_configures_and_builds() {
    let place = Place::new("build");
    place.toolkit("kit", 9, "mkdir -p p/build_out; touch p/build_out/custom_opp_x_y.run");
    let line = "build GeGluGradV2 --soc ascend910b --out p";
    let text = told(place.run_in(line, Some("kit")), line);
    let project = place.path("p").display().to_string();
    assert_eq!(text, format!("{project}/build_out/custom_opp_x_y.run\n"));
    let calls = place.calls();
    let kit = place.path("kit").display().to_string();
    assert_eq!(calls[0], format!("cmake -S {project} -B {project}/build_out | {kit}"));
    let build = format!("cmake --build {project}/build_out --target binary package -j ");
    assert!(calls.len() == 2 && calls[1].starts_with(&build), "{calls:?}");
    assert!(place.path("p/op_kernel/ge_glu_grad_v2.cpp").exists());
}

#[test]
fn an_older_toolkit_completes_the_project() {
    let place = Place::new("older");
    // The msopgen stub writes a project to the given directory; cmake needs nothing more.
    let more = "while [ $# -gt 1 ]; do shift; done\n\
                case $1 in */toolkit) mkdir -p $1/cmake $1/scripts; touch $1/CMakeLists.txt;; esac\n\
                mkdir -p build_out; touch build_out/custom_opp_x_y.run";
    place.toolkit("Ascend/ascend-toolkit/latest", 8, more);
    let text = place.good("build SwiGluGrad --soc ascend310p");
    assert!(text.ends_with("swi_glu_grad_ascend310p/build_out/custom_opp_x_y.run\n"), "{text}");
    let calls = place.calls();
    assert!(
        calls[0].starts_with("msopgen gen -i msopgen.json -f tf -c ai_core-ascend310p -lan cpp")
    );
    assert!(calls[1].starts_with("cmake -S . --preset=default | "), "{calls:?}");
    assert_eq!(calls.len(), 4);
    assert!(place.path("swi_glu_grad_ascend310p/cmake").is_dir());
}

#[test]
fn what_keeps_a_build_from_succeeding_is_one_line() {
    let place = Place::new("unbuilt");
    let line = "build GeGluGradV2 --soc ascend910b --out p";
    place.refused(line, None, "ASCEND_HOME_PATH is not set");
    place.refused(line, Some("nowhere"), "nowhere: this is no toolkit");
    assert!(!place.path("p").exists(), "nothing was written");
    place.toolkit("kit", 9, "echo broken; exit 1");
    place.refused(
        "build GeGluGradV2 --soc ascend910 --out p",
        Some("kit"),
        "use --layout custom --cann 8",
    );
    place.refused("build GeGluGradV2 --soc ascend910z --out p", Some("kit"), "unknown SoC");
    place.refused(line, Some("kit"), "p/build.log");
    assert_eq!(fs::read_to_string(place.path("p/build.log")).unwrap(), "broken\n");
    place.toolkit("kit", 9, "");
    place.refused(line, Some("kit"), "made no custom_opp_*.run");
    fs::remove_dir_all(place.path("bin")).unwrap();
    if !Path::new("/usr/bin/cmake").exists() && !Path::new("/bin/cmake").exists() {
        place.refused(line, Some("kit"), "cmake: ");
    }
}
