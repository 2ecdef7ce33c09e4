//! Arguments of the compiler: macros run in its process, so that they can read them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::{env, fs};

/// The arguments with which this process was called.
pub static CALL: LazyLock<Call> = LazyLock::new(|| {
    let all = env::args_os().map(|argument| argument.to_string_lossy().into_owned());
    Call::of(&all.collect::<Vec<_>>())
});

/// Arguments of rustc; the defaults if macros run in another process, such as an editor's.
#[derive(Debug, Default, PartialEq)]
pub struct Call {
    /// True if rustc compiles a crate with debug assertions.
    ///
    /// The run time then interprets every operator, and reads no table.
    pub has_debug_assertions: bool,
    /// Directory of Cargo's profile, such as `target/release`; `None` if Cargo does not name one.
    pub profile: Option<PathBuf>,
}

impl Call {
    /// Parses the arguments of rustc, of which the first is its path.
    ///
    /// If an option is given twice, the last one counts, as in rustc.
    fn of(arguments: &[String]) -> Call {
        // Cargo always names the crate, rustdoc never does for examples.
        let program = arguments.first().and_then(|path| Path::new(path).file_stem());
        let is_rustc = program == Some(OsStr::new("rustc"));
        if !is_rustc && !arguments.iter().any(|argument| argument == "--crate-name") {
            return Call::default();
        }
        let arguments: Vec<String> =
            arguments.iter().flat_map(|argument| of_file(argument)).collect();
        let (mut is_optimised, mut asserts, mut profile) = (false, None, None);
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(argument) = rest.next() {
            if argument == "-O" {
                is_optimised = true;
            } else if let Some(directory) = value(argument, "--out-dir", &mut rest) {
                profile = profile_of(Path::new(directory));
            } else if let Some(option) =
                value(argument, "-C", &mut rest).or_else(|| value(argument, "--codegen", &mut rest))
            {
                let (name, value) = option.split_once('=').unwrap_or((option, "yes"));
                match name {
                    "opt-level" => is_optimised = value != "0",
                    "debug-assertions" => {
                        asserts = Some(["y", "yes", "on", "true"].contains(&value));
                    }
                    _ => {}
                }
            }
        }
        Call { has_debug_assertions: asserts.unwrap_or(!is_optimised), profile }
    }
}

/// Returns the arguments that `@path` stands for, one for each line of the file; any other argument as it is.
fn of_file(argument: &str) -> Vec<String> {
    let text = argument.strip_prefix('@').and_then(|path| fs::read_to_string(path).ok());
    text.map_or_else(
        || vec![argument.to_string()],
        |text| text.lines().map(str::to_string).collect(),
    )
}

/// Returns the value of an option, which is the next argument or the rest of this one.
///
/// Returns `None` if the argument is not this option.
fn value<'a>(
    argument: &'a str,
    option: &str,
    rest: &mut impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    match argument.strip_prefix(option)? {
        "" => rest.next(),
        value => Some(value.strip_prefix('=').unwrap_or(value)),
    }
}

/// Returns the directory of the profile, given the directory that Cargo has rustc write to.
///
/// For example, `target/release/deps` becomes `target/release`. Returns `None` if the directory is not one of Cargo's.
fn profile_of(out_dir: &Path) -> Option<PathBuf> {
    let is_cargos = ["deps", "examples"].map(OsStr::new).contains(&out_dir.file_name()?);
    out_dir.parent().filter(|_| is_cargos).map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_cargo_are_understood() {
        let of = |call: &str| {
            let arguments: Vec<String> = call.split(' ').map(str::to_string).collect();
            let Call { has_debug_assertions, profile } = Call::of(&arguments);
            (has_debug_assertions, profile.map(|path| path.display().to_string()))
        };
        let at = |path: &str| Some(path.to_string());
        for (call, expected) in [
            ("rustc --crate-name a --out-dir /t/debug/deps -C debuginfo=2", (true, at("/t/debug"))),
            (
                "rustc --crate-name a -C opt-level=3 --out-dir /t/release/deps",
                (false, at("/t/release")),
            ),
            ("rustc --crate-name a -C opt-level=1 -C debug-assertions=on", (true, None)),
            ("rustc --crate-name a -C opt-level=3 -Cdebug-assertions", (true, None)),
            ("rustc --crate-name a -C debug-assertions=off", (false, None)),
            (
                "rustc --crate-name a --codegen=opt-level=s --out-dir=/t/x/examples",
                (false, at("/t/x")),
            ),
            ("rustc --crate-name a --codegen opt-level=0 -O", (false, None)),
            ("rustc --crate-name a -C opt-level=2 -C opt-level=0", (true, None)),
            ("rustc --crate-name a -O --out-dir /t", (false, None)),
            ("bin/rustc @of-rustdoc --crate-type=lib --out-dir doctests bundle.rs", (true, None)),
            ("known_tables --nocapture", (false, None)),
        ] {
            assert_eq!(of(call), expected, "{call}");
        }
    }
}
