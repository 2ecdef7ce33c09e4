//! Cache hits and misses: which changes compile a source again.

use op_dsl_cpp::Compiler;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Creates a source and its header in a directory of their own, and a cache for this test.
fn place(number: &str) -> TempDir {
    let dir = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::create_dir_all(dir.path().join("include/deep")).unwrap();
    fs::write(dir.path().join("include/deep/number.h"), format!("constexpr int N = {number};\n"))
        .unwrap();
    fs::write(
        dir.path().join("main.cpp"),
        "#include \"deep/number.h\"\nint main() { return N; }\n",
    )
    .unwrap();
    dir
}

fn compiled(cache: &Path, dir: &TempDir, flags: &[&str]) -> PathBuf {
    let compiler = Compiler::new(cache.to_str().unwrap()).flags(flags);
    let compiler = compiler.include(dir.path().join("include"));
    compiler.program(&[dir.path().join("main.cpp")]).unwrap()
}

fn code(program: &Path) -> Option<i32> {
    Command::new(program).status().unwrap().code()
}

#[test]
fn contents_count_and_places_do_not() {
    let cache = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (first, again, other) = (place("3"), place("3"), place("4"));
    let program = compiled(cache.path(), &first, &[]);
    assert_eq!(code(&program), Some(3));
    let made = fs::metadata(&program).unwrap().modified().unwrap();
    assert_eq!(compiled(cache.path(), &again, &[]), program);
    assert_eq!(fs::metadata(&program).unwrap().modified().unwrap(), made, "compiled again");
    let others = compiled(cache.path(), &other, &[]);
    assert_eq!(code(&others), Some(4));
    assert_ne!(compiled(cache.path(), &first, &["-O1"]), program);
    // A file that no source names is part of the key as well, because an included file may include it.
    fs::write(again.path().join("include/more.h"), "").unwrap();
    assert_ne!(compiled(cache.path(), &again, &[]), program);
}

#[test]
fn what_fails_is_said_each_time() {
    let cache = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let dir = place("\"three\"");
    let compiler =
        Compiler::new(cache.path().to_str().unwrap()).include(dir.path().join("include"));
    for _ in 0..2 {
        let error = compiler.check(&[dir.path().join("main.cpp")]).unwrap_err();
        assert!(error.contains("number.h"), "{error}");
        compiler.program(&[dir.path().join("main.cpp")]).unwrap_err();
    }
    let none = compiler.check(&[dir.path().join("none.cpp")]).unwrap_err();
    assert!(none.contains("none.cpp"), "{none}");
}

#[test]
fn a_prefix_header_is_included_first() {
    let cache = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let dir = place("5");
    let main = dir.path().join("main.cpp");
    fs::write(&main, "int main() { return N + 1; }\n").unwrap();
    let compiler =
        Compiler::new(cache.path().to_str().unwrap()).include(dir.path().join("include"));
    compiler.check(&[&main]).unwrap_err();
    let compiler = compiler.flags(["-Winvalid-pch", "-Werror"]);
    let include = dir.path().join("include");
    let with = compiler.prefix_header("#include \"deep/number.h\"\n", &[&include]);
    with.check(&[&main]).unwrap();
    assert_eq!(code(&with.program(&[&main]).unwrap()), Some(6));
    fs::write(dir.path().join("include/deep/number.h"), "constexpr int N = 7;\n").unwrap();
    assert_eq!(code(&with.program(&[&main]).unwrap()), Some(8));
}
