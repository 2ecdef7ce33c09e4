//! Builds an installable package from operators: finds the toolkit, writes a project, builds it.
//!
//! Build scripts use it through `op_dsl::build::ascendc`, and users of the command line through `build`.

use crate::arch::Soc;
use crate::emit::{
    Cann, Language, Layout, Options, Package, Refused, WriteError, emit_all, left_out,
};
use op_dsl_ir::op::OpDef;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, io};

/// Environment variable with the toolkit's path; the toolkit's `set_env.sh` sets it.
const HOME: &str = "ASCEND_HOME_PATH";
/// Environment variable with the name of the product that a build script targets.
const SOC: &str = "OP_DSL_SOC";
/// Name of the product if `OP_DSL_SOC` is not set.
const DEFAULT_SOC: &str = "ascend910b";

/// Environment variable with the language of the documents that a build script writes.
const LANGUAGE: &str = "OP_DSL_LANGUAGE";

/// Default install paths of a toolkit, relative to `$HOME` and to `/usr/local`.
const PLACES: [&str; 2] = ["Ascend/cann", "Ascend/ascend-toolkit/latest"];
/// Directory that exists in every toolkit with AscendC; the path is relative to the toolkit.
///
/// A toolkit of generation 9 is recognised by `PACKAGE`, because only that generation has the CMake functions for operators.
const MODULES: &str = "compiler/tikcpp";
const PACKAGE: &str = "compiler/tikcpp/ascendc_kernel_cmake/asc-config.cmake";

/// Reason why no package was built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No toolkit was found; the text lists the directories that were searched.
    #[error("no toolkit: {HOME} is not set and there is none in {0}; source its set_env.sh")]
    NoToolkit(String),
    /// The directory that `ASCEND_HOME_PATH` names is not a toolkit.
    #[error("{HOME}={}: this is no toolkit, it has no {MODULES}", .0.display())]
    NotToolkit(PathBuf),
    /// There is no product with the name in `OP_DSL_SOC`.
    #[error("{SOC}={0}: unknown SoC; allowed: {names}", names = Soc::names())]
    Soc(String),
    /// There is no language with the name in `OP_DSL_LANGUAGE`.
    #[error("{LANGUAGE}={0}: unknown language; allowed: {names}", names = Language::names())]
    Language(String),
    /// The target supports none of the operators.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The sources could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A file could not be read or written.
    #[error("{}: {why}", .path.display())]
    File {
        /// Path of the file that could not be read or written.
        path: PathBuf,
        /// Error from the operating system.
        #[source]
        why: io::Error,
    },
    /// A program could not be started.
    #[error("{program}: {why}; the build needs CMake 3.16 or later")]
    Program {
        /// Name of the program that could not be started.
        program: String,
        /// Error from the operating system.
        #[source]
        why: io::Error,
    },
    /// A build step failed.
    #[error("`{step}` failed; its output is in {}", .log.display())]
    Failed {
        /// Command line of the step.
        step: String,
        /// Path of the log file with the output of the step.
        log: PathBuf,
    },
    /// The build finished without an installable package in this directory.
    #[error("the build made no custom_opp_*.run in {}", .0.display())]
    NoPackage(PathBuf),
}

/// Toolkit that is installed on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolkit {
    home: PathBuf,
    /// Generation of the toolkit, which selects the variant of the project to build.
    pub cann: Cann,
}

impl Toolkit {
    /// Returns the toolkit that the environment names, otherwise one in a default install path.
    ///
    /// # Errors
    /// There is none, or the environment names a directory that is not a toolkit.
    pub fn find() -> Result<Toolkit, Error> {
        if let Some(home) = env::var_os(HOME).filter(|h| !h.is_empty()).map(PathBuf::from) {
            return Toolkit::at(&home).ok_or(Error::NotToolkit(home));
        }
        let roots = env::var_os("HOME").map(PathBuf::from).into_iter().chain(["/usr/local".into()]);
        let places: Vec<PathBuf> =
            roots.flat_map(|root| PLACES.map(|place| root.join(place))).collect();
        let names =
            || places.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(", ");
        places.iter().find_map(|p| Toolkit::at(p)).ok_or_else(|| Error::NoToolkit(names()))
    }

    fn at(home: &Path) -> Option<Toolkit> {
        let cann = if home.join(PACKAGE).is_file() { Cann::V9 } else { Cann::V8 };
        home.join(MODULES).is_dir().then(|| Toolkit { home: home.into(), cann })
    }

    /// Builds an emitted project with the toolkit and returns the path of the installable package.
    ///
    /// The output of all steps goes to `build.log` in the project.
    ///
    /// # Errors
    /// A step cannot be started or fails, or the build makes no package.
    pub fn build(&self, project: &Path) -> Result<PathBuf, Error> {
        let log = project.join("build.log");
        let file = File::create(&log).map_err(|why| Error::File { path: log.clone(), why })?;
        let out = project.join("build_out");
        for step in self.steps(project, &out) {
            self.run(&step, &file, &log)?;
        }
        package(&out).ok_or(Error::NoPackage(out))
    }

    /// Returns the command lines that build the project, in the order in which they run.
    fn steps(&self, project: &Path, out: &Path) -> Vec<Vec<OsString>> {
        let line = |words: &[&dyn AsRef<std::ffi::OsStr>]| {
            words.iter().map(|w| w.as_ref().to_os_string()).collect::<Vec<OsString>>()
        };
        let jobs = std::thread::available_parallelism().map_or(1, usize::from).to_string();
        match self.cann {
            Cann::V8 => vec![line(&[&project.join("build.sh")])],
            Cann::V9 => vec![
                line(&[&"cmake", &"-S", &project, &"-B", &out]),
                line(&[
                    &"cmake", &"--build", &out, &"--target", &"binary", &"package", &"-j", &jobs,
                ]),
            ],
        }
    }

    fn run(&self, step: &[OsString], file: &File, log: &Path) -> Result<(), Error> {
        let text = || step.iter().map(|w| w.to_string_lossy()).collect::<Vec<_>>().join(" ");
        let copy = || file.try_clone().map_err(|why| Error::File { path: log.into(), why });
        let mut command = Command::new(&step[0]);
        command.args(&step[1..]).env(HOME, &self.home).stdout(copy()?).stderr(copy()?);
        match command.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err(Error::Failed { step: text(), log: log.into() }),
            Err(why) => {
                Err(Error::Program { program: step[0].to_string_lossy().into_owned(), why })
            }
        }
    }
}

/// Returns the path of the installer that a build produced, the first by name if there are several.
///
/// `None` if there is no installer in `out`.
fn package(out: &Path) -> Option<PathBuf> {
    let is_package = |path: &PathBuf| {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        name.starts_with("custom_opp_") && name.ends_with(".run") && path.is_file()
    };
    let mut found: Vec<PathBuf> = fs::read_dir(out)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(is_package)
        .collect();
    found.sort();
    found.into_iter().next()
}

/// Writes the files of all operators that at least one target supports to the directory `out`.
///
/// Each directory that is written serves all targets. Returns the paths of the directories, and what the targets do not
/// support. With `force`, a file or directory that was not generated is moved aside to `<name>.old`.
///
/// # Errors
/// The targets support none of the operators, or a directory cannot be written.
pub fn write<'d>(
    defs: impl Iterator<Item = &'d OpDef>,
    layout: Layout,
    socs: &[&'static Soc],
    options: &Options,
    out: &Path,
    force: bool,
) -> Result<(Vec<PathBuf>, Vec<Refused>), Error> {
    let (tree, refusals) = emit_all(defs, layout, socs, options)?;
    Ok((tree.write(out, force)?, refusals))
}

/// Writes the AscendC project of some operators, and builds it if a toolkit is installed.
///
/// This is for build scripts. The project goes to `$OUT_DIR/ascendc`. Without a toolkit, a warning prints the command that builds
/// it later.
///
/// The product is `$OP_DSL_SOC`, by default ascend910b; the README is in `$OP_DSL_LANGUAGE`, `en` or `zh`, by default English. An
/// element type whose results would exceed their error budget is left out, with a warning that says which one and why. The crate
/// finds the project's directory in `env!("OP_DSL_PROJECT")`, and, if it was built, its installer in
/// `option_env!("OP_DSL_PACKAGE")`. Errors fail the build of the crate.
pub fn ascendc<'d>(defs: impl Iterator<Item = &'d OpDef>) {
    ascendc_with(defs, Options::default());
}

/// Does what [`ascendc`] does, with options; the language still comes from the environment.
///
/// The toolkit's generation is that of the installed toolkit.
pub fn ascendc_with<'d>(defs: impl Iterator<Item = &'d OpDef>, options: Options) {
    for variable in [SOC, LANGUAGE, HOME] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    if let Err(e) = script(defs, options) {
        println!("cargo::error={e}");
    }
}

/// Fails the build of the crate for each operator that `$OP_DSL_SOC` does not fully support.
///
/// This is for build scripts. An operator is supported if it works in every element type that the product has, within its
/// accuracy budget.
pub fn check<'d>(defs: impl Iterator<Item = &'d OpDef>) {
    println!("cargo::rerun-if-env-changed={SOC}");
    match checked(defs) {
        Ok(said) => said.iter().for_each(|said| println!("cargo::error={said}")),
        Err(e) => println!("cargo::error={e}"),
    }
}

/// Returns sentences that say which operators the product in `OP_DSL_SOC` does not fully support.
fn checked<'d>(defs: impl Iterator<Item = &'d OpDef>) -> Result<Vec<String>, Error> {
    let soc = asked()?;
    let refused = |def| Package::new(def, &[soc], Options::default()).err();
    let refused: Vec<Refused> = defs.filter_map(refused).map(Refused::from).collect();
    Ok(left_out::sentences(&refused))
}

/// Returns the product that `OP_DSL_SOC` names, or the default product.
fn asked() -> Result<&'static Soc, Error> {
    let name = env::var(SOC).unwrap_or_else(|_| DEFAULT_SOC.into());
    Soc::named(&name).ok_or(Error::Soc(name))
}

fn script<'d>(defs: impl Iterator<Item = &'d OpDef>, options: Options) -> Result<(), Error> {
    let soc = asked()?;
    let name = env::var(LANGUAGE).unwrap_or_else(|_| Language::default().name().into());
    let language = Language::named(&name).ok_or(Error::Language(name))?;
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("ascendc");
    let toolkit = Toolkit::find();
    // Without a toolkit the project targets version 9, because one will be installed later.
    let cann = toolkit.as_ref().map_or(Cann::V9, |t| t.cann);
    let options = Options { cann, language, ..options };
    let (_, refusals) = write(defs, Layout::Custom, &[soc], &options, &out, false)?;
    for said in left_out::sentences(&refusals) {
        println!("cargo::warning=left out: {said}");
    }
    println!("cargo::rustc-env=OP_DSL_PROJECT={}", out.display());
    match toolkit {
        Ok(toolkit) => {
            println!("cargo::rustc-env=OP_DSL_PACKAGE={}", toolkit.build(&out)?.display());
        }
        Err(Error::NoToolkit(_)) => {
            let (out, build) = (out.display(), out.join("build_out"));
            let build = build.display();
            println!(
                "cargo::warning=no toolkit, so only sources: cmake -S {out} -B {build} && \
                 cmake --build {build} --target binary package"
            );
        }
        Err(e) => return Err(e),
    }
    Ok(())
}
