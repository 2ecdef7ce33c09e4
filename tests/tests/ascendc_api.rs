//! The interface and documents of an emitted package.
//!
//! The code compiles against the stub headers and refuses wrong arguments in the documented order, and the documents
//! agree with the graphs.
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
#[path = "ascendc_api/rows.rs"]
mod rows;
#[path = "common/tools.rs"]
mod tools;

use codegen_ascendc::arch::Soc;
use codegen_ascendc::emit::tree::File;
use codegen_ascendc::emit::{Options, Package, api, paper};
use op_dsl::ir::OpDef;

/// Masks of bytes, optional inputs, and both, where nothing is published.
#[op_dsl::operators(kernels = false)]
mod masks {
    use op_dsl::prelude::*;

    /// `x` where it is kept, times a scale if there is one.
    #[op(name = "Kept", promote, broadcast)]
    pub fn kept(x: Elem, scale: Option<Elem>, #[mask] keep: Mask) -> Elem {
        let y = if keep { x } else { 0.0 };
        y * scale.unwrap_or(1.5)
    }

    /// Both halves of `x`, of which some pairs are dropped.
    #[op(name = "Dropped")]
    pub fn dropped(
        #[split(along = dim)] x: Gated,
        #[mask] keep: Option<Mask>,
        #[attr(default = -1)] dim: Dim,
        #[attr(default = 2.0)] scale: f32,
    ) -> Elem {
        let y = scale * x.value * x.gate;
        match keep {
            Some(keep) => {
                if keep {
                    y
                } else {
                    0.0
                }
            }
            None => y,
        }
    }
}

/// Tensors with one number per row, with and without types of their own, broadcasting and gated tensors.
#[op_dsl::operators(kernels = false)]
mod numbers {
    use op_dsl::prelude::*;

    #[op(name = "RowNormed", promote, outputs(y, rms))]
    pub fn row_normed(
        x: Elem,
        #[broadcast] gamma: Elem,
        shift: PerRow<f32>,
    ) -> (Elem, PerRow<f32>) {
        let rms = sqrt(row_mean(x * x) + 1e-6);
        (x / rms * gamma + shift, rms)
    }

    #[op(name = "RowQuant", outputs(y, scale))]
    pub fn row_quant(x: Elem) -> (Elem<i8>, PerRow<f32>) {
        let scale = row_max(abs(x)) / 127.0;
        (x / scale, scale)
    }

    #[op(name = "RowGated", outputs(y, largest))]
    pub fn row_gated(
        scale: PerRow,
        #[split(along = dim)] x: Gated,
        #[attr(default = -1)] dim: Dim,
    ) -> (Elem, PerRow) {
        let y = x.value * x.gate;
        (y * scale, row_max(y))
    }

    #[op(name = "RowDivergence")]
    pub fn row_divergence(p: Elem, q: Elem) -> PerRow {
        row_sum(p * ln(p / q))
    }
}

/// Returns the operator of this name.
fn operator(name: &str) -> &'static OpDef {
    let own = masks::OPERATORS.iter().chain(numbers::OPERATORS);
    let found = ops_glu_grad::OPERATORS.iter().chain(own).find(|o| o.def().name == name);
    found.expect("an operator of this project").def()
}

/// Plans a package for some products, whose names are separated by commas.
fn package<'a>(def: &'a OpDef, socs: &str) -> Package<'a> {
    let socs: Vec<&Soc> = socs.split(',').map(|s| Soc::named(s).expect("a target")).collect();
    Package::new(def, &socs, Options::default()).expect("the targets can do it")
}

/// Operators whose interfaces cover everything that the published rows can express.
///
/// They are those with [`thorough`] kernels, and one for each kind of argument and rule that these lack.
fn interfaces() -> Vec<&'static OpDef> {
    let more = [
        "EluGradV2",       // scalars, a cast result, a number that may not be negative
        "HardShrinkGrad",  // floats that are promoted, a number that is read as 0
        "SoftShrinkGrad",  // a number that is never negative
        "HardSigmoidGrad", // attributes without an argument
        "LeakyReluGrad",   // a flag that is not read
        "LogSigmoidGrad",  // a tensor that is not read
        "ClippedSwiglu",   // an input that the function omits
        "SwishGrad",       // an optional scalar
        "MishGrad",        // an optional input that no function has
        "ReluGradV2",      // a bit mask
        "BiasSwiGluGrad",  // a sum of both parts
        "BiasGeluGrad",    // a sum of a whole tensor
        "PRelu",           // an input that lies along a dimension
        "PReluGrad",       // its sum
    ];
    let thorough = common::thorough().into_iter().map(|op| op.def());
    let own = masks::OPERATORS.iter().chain(numbers::OPERATORS).map(|op| op.def());
    thorough.chain(more.map(operator)).chain(own).collect()
}

/// All products that an operator directory of ops-nn supports.
const ALL: &str = "ascend910b,ascend310p,ascend950";

/// Returns the products that support an operator.
fn products(name: &str) -> &'static str {
    let some = ["Dropped", "BiasSwiGluGrad", "BiasGeluGrad", "PReluGrad"];
    if some.contains(&name) { "ascend910b,ascend950" } else { ALL }
}

/// Emits the interface and the documents of a package.
fn emitted(package: &Package<'_>) -> Vec<File> {
    [api::files(package), paper::files(package)].concat()
}
