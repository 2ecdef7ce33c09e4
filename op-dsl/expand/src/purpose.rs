//! The purpose of an expansion: a program that calls operators, or a reader of their definitions.
//!
//! Kernels and their tables are nearly all of an expansion and of what rustc makes of it. They are left out where
//! rustc makes no code (`cargo check`, clippy, rustdoc, editors), because nothing runs them there, in build
//! scripts, which emit packages from definitions, and in modules that say `kernels = false`.

use std::ffi::OsStr;

/// The purpose of a macro expansion, which decides whether it contains kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A program or a library that calls operators, so that the expansion contains kernels.
    Call,
    /// A build script, a compilation that generates no code or a module for NPUs alone: the expansion contains no kernels.
    Define,
}

impl Purpose {
    /// Determines the purpose of the current compilation from the running process.
    ///
    /// Macros run in the compiler's process.
    pub fn of_this_compilation() -> Purpose {
        let program = std::env::current_exe().ok();
        let program = program.as_ref().and_then(|path| path.file_stem()).and_then(OsStr::to_str);
        let arguments: Vec<String> =
            std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
        let name = std::env::var("CARGO_CRATE_NAME").unwrap_or_default();
        Purpose::of(program.unwrap_or_default(), &arguments, &name)
    }

    /// Returns the purpose of a compilation, a call of `compiler` with these arguments for a crate.
    fn of(compiler: &str, arguments: &[String], crate_name: &str) -> Purpose {
        let reads = compiler == "rustdoc" || compiler.starts_with("rust-analyzer");
        let emits =
            |what: &str| what.split(',').any(|kind| !["dep-info", "metadata"].contains(&kind));
        let mut asked = arguments.iter().enumerate().filter_map(|(k, argument)| {
            match argument.strip_prefix("--emit")? {
                "" => arguments.get(k + 1).map(String::as_str),
                rest => rest.strip_prefix('='),
            }
        });
        // Without `--emit` rustc makes a program. `cargo expand` (`-Zunpretty`) wants to see one, although nothing is
        // made.
        let shows = arguments.iter().any(|argument| argument.starts_with("-Zunpretty"));
        let makes_code = shows || asked.clone().next().is_none() || asked.any(emits);
        match reads || !makes_code || crate_name.starts_with("build_script_") {
            true => Purpose::Define,
            false => Purpose::Call,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_calls() {
        let of = |call: &str, crate_name: &str| {
            let mut words = call.split(' ').map(str::to_string);
            let program = words.next().unwrap_or_default();
            Purpose::of(&program, &words.collect::<Vec<_>>(), crate_name)
        };
        for (call, crate_name, purpose) in [
            ("rustc --crate-type lib --emit=dep-info,metadata,link -O", "gates", Purpose::Call),
            ("rustc --crate-name gates --emit=dep-info,link src/main.rs", "gates", Purpose::Call),
            ("rustc --test --emit dep-info,metadata,asm", "gates", Purpose::Call),
            ("rustc --emit=dep-info --emit=obj=gates.o", "gates", Purpose::Call),
            ("rustc gates.rs", "", Purpose::Call),
            ("rustc --emit=dep-info,metadata -Zunpretty=expanded", "gates", Purpose::Call),
            ("rustc --crate-type lib --emit=dep-info,metadata", "gates", Purpose::Define),
            ("clippy-driver --emit dep-info,metadata", "gates", Purpose::Define),
            ("rustdoc --crate-type lib", "gates", Purpose::Define),
            ("rust-analyzer-proc-macro-srv", "gates", Purpose::Define),
            ("rustc --emit=dep-info,link build.rs", "build_script_build", Purpose::Define),
        ] {
            assert_eq!(of(call, crate_name), purpose, "{call}, {crate_name}");
        }
    }
}
