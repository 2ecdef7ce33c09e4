//! The half of an emitted package that programs and people see: it compiles against the stub
//! headers, refuses wrong arguments in the documented order, and its papers agree with the graphs.
#![allow(missing_docs)]

#[path = "ascendc_api/calls.rs"]
mod calls;
mod common;
#[path = "ascendc_api/compile.rs"]
mod compile;
#[path = "ascendc_api/names.rs"]
mod names;
#[path = "ascendc_api/papers.rs"]
mod papers;

use codegen_ascendc::arch::Soc;
use codegen_ascendc::emit::tree::File;
use codegen_ascendc::emit::{Options, Package, api, paper};
use op_dsl::ir::OpDef;

/// The operator of this name.
fn operator(name: &str) -> &'static OpDef {
    let found = ops_glu_grad::OPERATORS.iter().find(|o| o.def().name == name);
    found.expect("an operator of this project").def()
}

/// A planned package.
fn package<'a>(def: &'a OpDef, soc: &str) -> Package<'a> {
    let soc = Soc::named(soc).expect("a target");
    Package::new(def, soc, Options::default()).expect("the target can do it")
}

/// The interface and the papers of a package.
fn emitted(package: &Package<'_>) -> Vec<File> {
    [api::files(package), paper::files(package)].concat()
}
