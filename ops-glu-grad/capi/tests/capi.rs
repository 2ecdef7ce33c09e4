//! The C interfaces, from C and C++.
//!
//! Generated files match the table, headers are clean, clients compile, link and run, also with AddressSanitizer and
//! under valgrind.
#![cfg(target_os = "linux")]

#[path = "../../../tests/tests/common/tools.rs"]
mod tools;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The client programs, each named after its subject.
const CLIENTS: [&str; 10] = [
    "aclnn.c", "aclnn.cpp", "aclnn_refusals.c", "aclnn_scalars.c", "aclnn_types.c", "anything.c",
    "destructors.cpp", "fork.c", "infiniop.c", "infiniop.cpp",
];
const STRICT: [&str; 5] = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1"];

fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the directory of the libraries, which Cargo builds beside this test.
fn libraries() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_owned()
}

/// Returns the standard output of a process that must succeed.
fn good(output: Output, what: &str) -> String {
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{what}: {}\n{out}{err}", output.status);
    out
}

/// Returns the compiler for a file, by its extension.
fn compiler(file: &str) -> Command {
    let cpp = file.ends_with(".cpp");
    let (variable, name) = if cpp { ("CXX", "c++") } else { ("CC", "cc") };
    let mut command = Command::new(std::env::var_os(variable).unwrap_or(name.into()));
    command.arg(if cpp { "-std=c++17" } else { "-std=c11" }).args(STRICT);
    command.arg("-I").arg(home().join("include"));
    command
}

/// Compiles a client against the shared library, or with `link` instead.
fn client(name: &str, kind: &str, options: &[&str], link: Option<&[&str]>) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients").join(kind);
    fs::create_dir_all(&dir).unwrap();
    let (program, libraries) = (dir.join(name.replace('.', "_")), libraries());
    let mut command = compiler(name);
    command.args(options).arg(home().join("tests/clients").join(name)).arg("-o").arg(&program);
    match link {
        Some(link) => command.args(link),
        None => command.arg("-lops_glu_grad_capi"),
    };
    command.arg("-L").arg(&libraries).arg(format!("-Wl,-rpath,{}", libraries.display()));
    good(command.args(["-lm", "-pthread"]).output().unwrap(), name);
    program
}

fn passes(mut program: Command, name: &str) {
    let said = good(program.output().unwrap(), name);
    assert_eq!(said, "0 failures\n", "{name}");
}

/// The generated files are up to date.
///
/// `BLESS=1 cargo test -p ops-glu-grad-capi --test capi generated` rewrites them.
#[test]
fn generated_files_are_those_of_the_table() {
    let bless = std::env::var_os("BLESS").is_some();
    let own = [ops_glu_grad::two_tensors::OPERATORS, ops_glu_grad::models::OPERATORS].concat();
    for file in op_dsl_capi::generate::files(ops_glu_grad::OPERATORS, &own) {
        let path = home().join(&file.path);
        if bless {
            fs::write(&path, &file.text).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(found == file.text, "{} is not what the table gives", path.display());
    }
}

/// Returns the path of every header under `include`.
fn headers() -> Vec<PathBuf> {
    let include = home().join("include");
    let (mut left, mut found) = (vec![include.clone()], Vec::new());
    while let Some(dir) = left.pop() {
        for path in fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => left.push(path),
                false => found.push(path.strip_prefix(&include).unwrap().to_path_buf()),
            }
        }
    }
    assert!(found.len() > 10);
    found.sort();
    found
}

/// Each header compiles on its own, in both languages.
#[test]
fn headers_are_clean() {
    for header in headers() {
        for (language, file) in [("c", "a.c"), ("c++", "a.cpp")] {
            let mut command = compiler(file);
            command.args(["-fsyntax-only", "-x", language, "-include"]).arg(&header);
            let main = home().join("tests/clients/nothing.h");
            good(command.arg(main).output().unwrap(), &header.display().to_string());
        }
    }
}

/// No macro has a name that the languages reserve: two underscores anywhere, or one before a capital.
///
/// System headers use such names, and they still compile after these headers.
#[test]
fn headers_leave_reserved_names_alone() {
    let mut all = String::new();
    for header in headers() {
        let text = fs::read_to_string(home().join("include").join(&header)).unwrap();
        let macros = text.lines().filter_map(|line| line.trim().strip_prefix("#define "));
        for name in macros.filter_map(|m| m.split([' ', '(']).next()) {
            let second = name.strip_prefix('_').and_then(|rest| rest.chars().next());
            let reserved = name.contains("__") || second.is_some_and(|c| c.is_ascii_uppercase());
            assert!(!reserved, "{}: {name}", header.display());
        }
        all += &format!("#include \"{}\"\n", header.display());
    }
    // The system header with the most reserved names.
    let theirs = if cfg!(target_arch = "x86_64") { "immintrin.h" } else { "random" };
    all += &format!("#include <{theirs}>\n#include <regex>\nint main() {{}}\n");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reserved.cpp");
    fs::write(&file, all).unwrap();
    let mut command = compiler("reserved.cpp");
    good(command.arg("-fsyntax-only").arg(&file).output().unwrap(), "all headers, then theirs");
}

#[test]
fn clients_run() {
    for name in CLIENTS {
        passes(Command::new(client(name, "plain", &[], None)), name);
    }
}

/// The client `anything.c` calls every exported function with arguments that make no sense.
#[test]
fn anything_is_asked_of_every_function() {
    let client = fs::read_to_string(home().join("tests/clients/anything.c")).unwrap();
    let words: HashSet<&str> = client.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let mut nm = Command::new("nm");
    nm.args(["-D", "--defined-only"]).arg(libraries().join("libops_glu_grad_capi.so"));
    let symbols = good(nm.output().unwrap(), "nm");
    let functions = symbols.lines().filter_map(|line| line.split(' ').next_back());
    // Both phases of a function are found by its name.
    let asked = |f: &str| words.contains(f.strip_suffix("GetWorkspaceSize").unwrap_or(f));
    let left: Vec<&str> = functions.filter(|f| !asked(f)).collect();
    assert!(left.is_empty() && symbols.lines().count() > 80, "{left:?}");
}

/// A C program needs only the static library and libc.
#[test]
fn clients_link_statically() {
    let archive = libraries().join("libops_glu_grad_capi.a");
    let link = [archive.to_str().unwrap(), "-ldl"];
    passes(Command::new(client("infiniop.c", "static", &[], Some(&link))), "static");
}

/// The library accesses no memory that the client did not pass, and leaks none.
#[test]
fn clients_run_with_address_sanitizer() {
    for name in CLIENTS {
        passes(Command::new(client(name, "asan", &["-g", "-fsanitize=address"], None)), name);
    }
}

/// Four of the clients, because valgrind takes 19 seconds for all of them (Zen 4, 2026-11).
#[test]
fn clients_run_under_valgrind() {
    under_valgrind(&["aclnn_types.c", "anything.c", "fork.c", "infiniop.cpp"]);
}

#[test]
#[ignore = "a third of a minute: .ci/deep everything"]
fn all_clients_run_under_valgrind() {
    under_valgrind(&CLIENTS);
}

fn under_valgrind(clients: &[&str]) {
    let runs = Command::new("valgrind").arg("--version").output().is_ok();
    if !tools::has_tool("valgrind", runs, "clients under valgrind") {
        return;
    }
    for name in clients {
        let mut command = Command::new("valgrind");
        command.args(["-q", "--error-exitcode=9", "--leak-check=full"]);
        command.args(["--errors-for-leak-kinds=definite,indirect", "--show-leak-kinds=definite"]);
        let known = home().join("tests/clients/valgrind.supp");
        command.arg(format!("--suppressions={}", known.display()));
        command.arg(client(name, "valgrind", &["-g"], None));
        passes(command, name);
    }
}
