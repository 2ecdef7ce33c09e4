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

/// A planned package for some products, separated by commas.
fn package<'a>(def: &'a OpDef, socs: &str) -> Package<'a> {
    let socs: Vec<&Soc> = socs.split(',').map(|s| Soc::named(s).expect("a target")).collect();
    Package::new(def, &socs, Options::default()).expect("the targets can do it")
}

/// Operators whose interfaces are made of all that rows can say: those with [`thorough`] kernels,
/// and one for each kind of argument and rule that these lack.
fn interfaces() -> Vec<&'static OpDef> {
    let more = [
        "EluGradV2",       // scalars, a cast result, a number that may not be negative
        "HardShrinkGrad",  // floats that are promoted, a number that counts as 0
        "SoftShrinkGrad",  // a number that is never negative
        "HardSigmoidGrad", // attributes without an argument
        "LeakyReluGrad",   // a flag that nothing reads
        "LogSigmoidGrad",  // a tensor that nothing reads
        "ClippedSwiglu",   // an input that is left out
        "SwishGrad",       // a scalar that may be missing
    ];
    let thorough = common::thorough().into_iter().map(|op| op.def());
    thorough.chain(more.map(operator)).collect()
}

/// All products that an operator directory of ops-nn is for.
const ALL: &str = "ascend910b,ascend310p,ascend950";

/// The interface and the papers of a package.
fn emitted(package: &Package<'_>) -> Vec<File> {
    [api::files(package), paper::files(package)].concat()
}
