//! Compiles the C++ of tests, once per content.
//!
//! Results are cached below the target directory, by a hash of everything they depend on: sources, headers, flags and
//! the compiler's version. A test whose emitted text is unchanged compiles nothing. To compile everything again,
//! delete `cpp` in Cargo's directory for temporary files.

mod hash;

use hash::Hash;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

/// Part of every cache key. Increment it when the same inputs are processed differently.
const VERSION: &str = "1";
/// Cache entries that were not used for this long are removed.
const KEPT: Duration = Duration::from_secs(14 * 24 * 60 * 60);
/// Compilers to try when `$CXX` names none.
const COMPILERS: [&str; 3] = ["g++", "clang++", "c++"];

/// A compiler with its flags and directories of headers.
#[derive(Clone)]
pub struct Compiler {
    cache: PathBuf,
    flags: Vec<OsString>,
    includes: Vec<PathBuf>,
    also: Vec<PathBuf>,
    prefix_header: Option<Prefix>,
    is_one_unit: bool,
}

/// A header that is precompiled.
#[derive(Clone)]
struct Prefix {
    text: String,
    includes: Vec<PathBuf>,
}

impl Compiler {
    /// Returns a compiler whose cache is below this `env!("CARGO_TARGET_TMPDIR")`.
    pub fn new(target_tmpdir: &str) -> Compiler {
        let cache = Path::new(target_tmpdir).join("cpp");
        Compiler {
            cache,
            flags: vec![],
            includes: vec![],
            also: vec![],
            prefix_header: None,
            is_one_unit: false,
        }
    }

    /// Adds flags. They must not name files, because the contents of these would be no part of the key.
    #[must_use]
    pub fn flags<S: AsRef<OsStr>>(mut self, flags: impl IntoIterator<Item = S>) -> Compiler {
        self.flags.extend(flags.into_iter().map(|flag| flag.as_ref().to_owned()));
        self
    }

    /// Adds a directory of headers, all of which are part of the key.
    #[must_use]
    pub fn include(mut self, dir: impl Into<PathBuf>) -> Compiler {
        self.includes.push(dir.into());
        self
    }

    /// Adds a directory whose files are part of the key. The directory of each source is part of it already.
    #[must_use]
    pub fn depends_on(mut self, dir: impl Into<PathBuf>) -> Compiler {
        self.also.push(dir.into());
        self
    }

    /// Precompiles this header with its own include directories, and includes it before each source.
    ///
    /// A source that lacks an include of its own is then not noticed.
    #[must_use]
    pub fn prefix_header(mut self, text: impl Into<String>, includes: &[&Path]) -> Compiler {
        let includes = includes.iter().map(|dir| dir.to_path_buf()).collect();
        self.prefix_header = Some(Prefix { text: text.into(), includes });
        self
    }

    /// Compiles the sources of a program as one, because what small sources share takes longer to compile than they do.
    ///
    /// A source that lacks an include of the sources before it is then not noticed.
    #[must_use]
    pub fn one_unit(mut self) -> Compiler {
        self.is_one_unit = true;
        self
    }

    /// Checks sources for errors and warnings in one process, without output files.
    ///
    /// # Errors
    /// The compiler's messages.
    pub fn check(&self, sources: &[impl AsRef<Path>]) -> Result<(), String> {
        self.kept(sources, "checked", |command, out| {
            let said = finished(command.arg("-fsyntax-only"))?;
            fs::write(out, said).map_err(|e| format!("{}: {e}", out.display()))
        })
        .map(|_| ())
    }

    /// Compiles sources to a program and returns its path.
    ///
    /// Tests share programs, so they must not write files beside them.
    ///
    /// # Errors
    /// The compiler's messages.
    pub fn program(&self, sources: &[impl AsRef<Path>]) -> Result<PathBuf, String> {
        self.kept(sources, "program", |command, out| {
            finished(command.arg("-o").arg(out)).map(|_| ())
        })
    }

    /// Returns the cached entry of these sources, or creates it by `make`.
    ///
    /// `make` gets a compiler command with all of the sources.
    fn kept(
        &self,
        sources: &[impl AsRef<Path>],
        what: &str,
        make: impl FnOnce(&mut Command, &Path) -> Result<(), String>,
    ) -> Result<PathBuf, String> {
        let sources: Vec<&Path> = sources.iter().map(AsRef::as_ref).collect();
        let prefix = self.prefix()?;
        let mut key = self.key(what, self.includes.iter().chain(&self.also))?;
        key.text(self.prefix_header.as_ref().map_or("", |prefix| &prefix.text));
        key.text(if self.is_one_unit { "one unit" } else { "" });
        for source in &sources {
            let dir = source.parent().unwrap_or(Path::new("."));
            let covered = self.includes.iter().chain(&self.also).any(|tree| dir.starts_with(tree));
            if !covered {
                key.tree(dir)?;
            }
            key.file(source)?;
        }
        self.entry(&key.finish(), what, |out| {
            let mut command = self.command()?;
            if let Some(prefix) = &prefix {
                command.arg("-include").arg(prefix);
            }
            add_includes(&mut command, &self.includes);
            if !self.is_one_unit {
                return make(command.args(&sources), out);
            }
            let one = out.with_extension("cpp");
            let include = |source: &&Path| format!("#include \"{}\"\n", source.display());
            let text: String = sources.iter().map(include).collect();
            fs::write(&one, text).map_err(|e| format!("{}: {e}", one.display()))?;
            let made = make(command.arg(&one), out);
            let _ = fs::remove_file(&one);
            made
        })
    }

    /// Returns the path of the precompiled header, without the extension by which a compiler finds it.
    fn prefix(&self) -> Result<Option<PathBuf>, String> {
        let Some(Prefix { text, includes }) = &self.prefix_header else { return Ok(None) };
        let mut key = self.key("prefix", includes)?;
        key.text(text);
        let made = self.entry(&key.finish(), "prefix.h.gch", |out| {
            let header = out.with_extension("h");
            fs::write(&header, text).map_err(|e| format!("{}: {e}", header.display()))?;
            let mut command = self.command()?;
            add_includes(&mut command, includes);
            finished(command.args(["-x", "c++-header"]).arg(&header).arg("-o").arg(out))?;
            Ok(())
        })?;
        // A compiler falls back to the header's text, so it is stored beside the precompiled header.
        let header = made.with_extension("");
        if !header.exists() {
            fs::write(&header, text).map_err(|e| format!("{}: {e}", header.display()))?;
        }
        Ok(Some(header))
    }

    fn command(&self) -> Result<Command, String> {
        let mut command = Command::new(&compiler()?.name);
        command.args(&self.flags);
        Ok(command)
    }

    fn key<'a>(
        &self,
        what: &str,
        trees: impl IntoIterator<Item = &'a PathBuf>,
    ) -> Result<Hash, String> {
        let mut key = Hash::default();
        for text in [VERSION, what, &compiler()?.name, &compiler()?.version] {
            key.text(text);
        }
        for flag in &self.flags {
            key.text(&flag.to_string_lossy());
        }
        for tree in trees {
            key.tree(tree)?;
        }
        Ok(key)
    }

    /// Returns the file `name` of an entry; `make` writes it if it is missing.
    ///
    /// Another process may write it at the same time.
    fn entry(
        &self,
        key: &str,
        name: &str,
        make: impl FnOnce(&Path) -> Result<(), String>,
    ) -> Result<PathBuf, String> {
        let dir = self.cache.join(key);
        let path = dir.join(name);
        if path.exists() {
            // If setting the time fails, the entry is only removed early and compiled again.
            let _ = fs::File::open(&dir).and_then(|dir| dir.set_modified(SystemTime::now()));
            return Ok(path);
        }
        let told = |e: std::io::Error| format!("{}: {e}", path.display());
        fs::create_dir_all(&dir).map_err(told)?;
        static FORGOTTEN: OnceLock<()> = OnceLock::new();
        FORGOTTEN.get_or_init(|| forget(&self.cache));
        let thread = format!("{:?}", std::thread::current().id());
        let thread: String = thread.chars().filter(char::is_ascii_digit).collect();
        let part = dir.join(format!("{}-{thread}.part", std::process::id()));
        let made = make(&part).and_then(|()| fs::rename(&part, &path).map_err(told));
        if made.is_err() {
            let _ = fs::remove_file(&part);
        }
        made.map(|()| path)
    }
}

fn add_includes(command: &mut Command, dirs: &[PathBuf]) {
    for dir in dirs {
        command.arg("-I").arg(dir);
    }
}

/// Removes entries that were not used for [`KEPT`].
fn forget(cache: &Path) {
    let old = |entry: &fs::DirEntry| {
        let modified = entry.metadata().and_then(|meta| meta.modified());
        modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > KEPT))
    };
    for entry in fs::read_dir(cache).into_iter().flatten().flatten().filter(old) {
        let _ = fs::remove_dir_all(entry.path());
    }
}

struct Found {
    name: String,
    version: String,
}

/// Returns `$CXX`, or else the first compiler that is installed.
fn compiler() -> Result<&'static Found, String> {
    static FOUND: OnceLock<Result<Found, String>> = OnceLock::new();
    let version = |name: &str| {
        let out = Command::new(name).arg("--version").output().ok()?;
        out.status.success().then(|| String::from_utf8_lossy(&out.stdout).into_owned())
    };
    let find = || {
        let asked = std::env::var("CXX").ok().filter(|name| !name.is_empty());
        let names = asked.map_or_else(|| COMPILERS.map(String::from).to_vec(), |name| vec![name]);
        let found = names.iter().find_map(|name| Some((name.clone(), version(name)?)));
        let found = found.map(|(name, version)| Found { name, version });
        found.ok_or_else(|| {
            format!("no C++17 compiler ({}): install g++ or set CXX", names.join(", "))
        })
    };
    FOUND.get_or_init(find).as_ref().map_err(Clone::clone)
}

/// Runs a command that must succeed and returns its standard error.
fn finished(command: &mut Command) -> Result<String, String> {
    let out = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    if out.status.success() { Ok(said) } else { Err(said) }
}

/// Runs `work` on every item, on as many threads as there are processors.
pub fn in_parallel<T: Send>(all: impl IntoIterator<Item = T>, work: impl Fn(T) + Sync) {
    let queue = std::sync::Mutex::new(all.into_iter().collect::<Vec<T>>());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().expect("no other thread panicked").pop();
                    let Some(next) = next else { break };
                    work(next);
                }
            });
        }
    });
}
