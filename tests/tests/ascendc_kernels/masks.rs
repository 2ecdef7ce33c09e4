//! Byte masks, bit masks and omitted inputs, on every architecture.
//!
//! Cases have sizes around blocks and repeats, rows with and without gaps, and small rows.

use super::check;
use super::common::*;
use super::program::Program;
use super::shared::planned;
use codegen_ascendc::arch::{Soc, Why};
use codegen_ascendc::emit::{Options, Package};
use codegen_ascendc::plan::Storage;
use op_dsl::Operator;

#[op_dsl::operators(kernels = false)]
pub mod ops {
    use op_dsl::prelude::*;

    /// By a mask and by a comparison.
    #[op(name = "Kept")]
    pub fn kept(x: Elem, #[mask] keep: Mask, scale: Option<Elem>) -> Elem {
        let y = if keep { x } else { 0.25 * x };
        let z = if !keep && x > 1.0 || x < -2.0 { y + 2.0 } else { y };
        z * scale.unwrap_or(1.5)
    }

    /// A mask, with the parts of a gated tensor.
    #[op(name = "Dropped", grad(name = "DroppedGrad", wrt(x)))]
    pub fn dropped(
        #[split(along = dim)] x: Gated,
        #[mask] keep: Mask,
        #[attr(default = -1)] dim: Dim,
    ) -> Elem {
        if keep { x.value * silu(x.gate) } else { 0.0 }
    }

    /// A mask that calls may leave out.
    #[op(name = "Maybe")]
    pub fn maybe(x: Elem, #[mask] keep: Option<Mask>, #[mask] also: Mask) -> Elem {
        let y = if also { x } else { 2.0 };
        match keep {
            Some(keep) => {
                if keep {
                    y
                } else {
                    -x
                }
            }
            None => y * x,
        }
    }
}

fn soc(name: &str) -> &'static Soc {
    Soc::named(name).expect("a target")
}

/// Returns the operators that an architecture has kernels for.
fn able(ops: &[&'static Operator], soc: &'static Soc) -> Vec<&'static Operator> {
    let has_plans = |package: &Package<'_>| package.plans_of(soc.arch).next().is_some();
    let able = |op: &&'static Operator| planned(op, soc, Storage::default()).is_some_and(has_plans);
    ops.iter().copied().filter(able).collect()
}

/// Sizes beside the ends of bytes, blocks and registers; all small ones take half a minute longer.
#[test]
fn sizes_on_tensors_and_in_registers() {
    let small = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33];
    every_size(&["ascend910b", "ascend950"], &small);
}

#[test]
#[ignore = "a minute: .ci/deep everything"]
fn every_size_on_every_product() {
    let small: Vec<usize> = (1..=34).collect();
    every_size(&["ascend910b", "ascend950", "ascend310p", "ascend910"], &small);
}

fn every_size(products: &[&'static str], small: &[usize]) {
    let published = ["MishGrad", "ReluGradV2"].map(super::operator);
    let all = [ops::OPERATORS, &published].concat();
    for soc in products.iter().copied().map(soc) {
        for p in &Program::all(&able(&all, soc), soc.name) {
            for attrs in attribute_values(p.op) {
                for dtype in p.dtypes() {
                    let more = [63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 2048];
                    for n in small.iter().copied().chain(more) {
                        check(p, &attrs, &[3, n], dtype, 1 + n as u32 % 7);
                    }
                    for shape in
                        [&[70_001][..], &[1], &[1, 9001], &[7, 130, 3], &[500, 6], &[40, 96]]
                    {
                        check(p, &attrs, shape, dtype, 5);
                    }
                    if p.op.def().empty {
                        check(p, &attrs, &[0, 5], dtype, 4);
                    }
                }
            }
        }
    }
}

/// A select uses a bit mask as it lies in UB, and a byte mask needs a comparison.
///
/// On an architecture with registers, byte masks are read there.
#[test]
fn what_masks_cost() {
    let of = |op: &str, name: &'static str| {
        let op = ops::OPERATORS.iter().copied().find(|o| o.name() == op);
        let op = op.unwrap_or_else(|| super::operator("ReluGradV2"));
        Package::new(op.def(), &[soc(name)], Options::default()).expect("plans")
    };
    let calls = |package: &Package<'_>| -> Vec<usize> {
        package.plans.iter().map(|p| p.cost.calls).collect()
    };
    assert_eq!(calls(&of("ReluGradV2", "ascend910b")), [3, 3, 1], "f16, bf16, f32");
    let registers = of("Maybe", "ascend950");
    assert!(registers.plans.iter().all(|p| p.registers.as_ref().is_some_and(|r| r.bytes > 0)));
}

/// Every refusal says how to avoid it.
#[test]
fn what_masks_need() {
    let why = |op: &'static Operator, name| {
        Package::new(op.def(), &[soc(name)], Options::default()).expect_err("no kernel").why
    };
    let bits = why(super::operator("ReluGradV2"), "ascend910");
    assert!(matches!(&bits, Why::OneMask(_, name) if name == "mask"), "{bits}");
    for op in ops::OPERATORS.iter().filter(|op| op.name().starts_with("Dropped")) {
        for name in ["ascend310p", "ascend910"] {
            let rows = why(op, name);
            assert!(matches!(&rows, Why::MaskOfRows(_, name) if name == "keep"), "{rows}");
        }
    }
}
