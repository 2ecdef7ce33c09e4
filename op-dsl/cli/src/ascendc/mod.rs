//! The target AscendC, the only part of the command line that knows it.
//!
//! ```text
//! args      grammar of its own commands            emit      packages on disk
//! plan      a plan as text                         build     and their build
//! advice    what would make a plan cheaper         tile      tilings, drawn by picture
//! packages  promise: every layout is emitted       simulate  a kernel on the host model
//! kernels   promise: kernels are right there
//! ```

mod advice;
mod args;
mod build;
mod emit;
mod kernels;
mod packages;
mod picture;
mod plan;
mod simulate;
mod tile;

use super::error::Error;
use super::progress::Progress;
use super::target::{Cost, Kernel, Promise, Target};
use super::verdict::{Verdict, print};
use clap::{ArgMatches, Command, FromArgMatches};
use codegen_ascendc::arch::SOCS;
use codegen_ascendc::emit::{Layout, Options, Package};
use codegen_ascendc::plan::{Bound, Plan, Storage, plan_in};
use codegen_cpu::rt::call::Operator;
use op_dsl_ir::op::OpDef;
use std::io::Write;

/// The target that packages for Ascend NPUs are emitted for, which programs have by default.
pub const ASCENDC: &dyn Target = &AscendC;

/// Ascend NPUs.
struct AscendC;

impl Target for AscendC {
    fn machines(&self) -> Vec<&'static str> {
        SOCS.iter().map(|soc| soc.name).collect()
    }

    fn explain(
        &self,
        kernel: Kernel<'_>,
        flags: &ArgMatches,
        brief: bool,
    ) -> Result<(String, Vec<String>), String> {
        let form = flags.try_get_one("form").ok().flatten().copied();
        let plan = planned(kernel, form.unwrap_or_default())?;
        let text = if brief { plan::brief(&plan) } else { plan::show(kernel.def, &plan) };
        Ok((text, advice::advice(kernel.def, &plan)))
    }

    fn cost(&self, kernel: Kernel<'_>) -> Option<Cost> {
        let cost = planned(kernel, Storage::default()).ok()?.cost;
        let waits_for = match cost.bound() {
            Bound::Vector => "vector",
            Bound::Memory => "GM",
        };
        let slower = cost.cycles.max(cost.gm_cycles);
        Some(Cost { calls: cost.calls, cycles: cost.cycles, slower, waits_for })
    }

    fn emit(&self, def: &OpDef, machines: &[&str]) -> Result<Vec<(String, String)>, String> {
        Layout::OpsNn.check_operator(def).map_err(|unbuilt| unbuilt.to_string())?;
        let socs = machines.iter().map(|name| args::soc(name)).collect::<Result<Vec<_>, _>>()?;
        let package = match socs.is_empty() {
            true => Package::able(def, &Layout::OpsNn.socs(), Options::default())
                .map(|(package, _)| package)
                .map_err(|left| left.first().map_or_else(String::new, |left| left.why.to_string())),
            false => Package::new(def, &socs, Options::default()).map_err(|e| e.to_string()),
        };
        let files = Layout::OpsNn.tree(&[package?]).files;
        Ok(files.into_iter().map(|file| (file.path, file.text)).collect())
    }

    fn promises<'a>(
        &self,
        operators: &[&'static Operator],
        progress: &'a Progress,
    ) -> Result<Vec<Promise<'a>>, Error> {
        let kernels = kernels::Kernels::compile(operators, &simulate::program::compiler()?)?;
        Ok(vec![
            ("packages", Box::new(|op| Ok(Some(packages::packages(op))))),
            ("host model", Box::new(move |op| kernels.check(op, progress))),
        ])
    }

    fn figure(&self, op: &Operator) -> String {
        tile::figure(op)
    }

    fn grammar(&self, line: Command) -> Command {
        args::grammar(line)
    }

    fn about(&self) -> &'static str {
        args::ABOUT
    }

    fn run(
        &self,
        operators: &[&'static Operator],
        line: &ArgMatches,
        out: &mut dyn Write,
    ) -> Result<Verdict, Error> {
        match args::Own::from_arg_matches(line)? {
            args::Own::Tile(args) => print(out, &tile::tile(operators, &args)?),
            args::Own::Emit(args) => print(out, &emit::emit(operators, &args)?),
            args::Own::Build(args) => print(out, &build::build(operators, &args)?),
            args::Own::Simulate(args) => simulate::simulate(operators, &args, out),
        }
    }
}

fn planned(kernel: Kernel<'_>, storage: Storage) -> Result<Plan, String> {
    let Kernel { def, spec, dtype, machine } = kernel;
    plan_in(def, spec, dtype, args::soc(machine)?, storage).map_err(|e| e.to_string())
}

impl From<codegen_ascendc::build::Error> for Error {
    fn from(e: codegen_ascendc::build::Error) -> Error {
        Error::Build(e.to_string())
    }
}
